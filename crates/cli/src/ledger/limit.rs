//! `inkveil ledger limit`.

use anyhow::bail;
use inkveil::ledger::{Ledger, Limit};
use owo_colors::OwoColorize;

use super::{named, shown, write};
use crate::args::LimitArgs;
use crate::outcome::Outcome;
use crate::printed;

pub(super) fn run(args: &LimitArgs) -> anyhow::Result<Outcome> {
    let path = named(&args.file)?;
    let counted = args.counted()?;
    match (args.scope(), args.epsilon) {
        (Some(scope), Some(epsilon)) => {
            let plain = Limit::new(scope, counted, epsilon);
            let delta = args.delta.unwrap_or(plain.delta);
            let limit = Limit { delta, within: args.within.unwrap_or(plain.within), ..plain };
            // A limit may be set before anything is recorded.
            Ledger::open(path)?.set_limit(&limit)?;
            tell!(green, "set:", "{limit}");
        }
        (Some(scope), None) if args.remove => {
            if !Ledger::open_existing(path)?.remove_limit(&scope, counted)? {
                bail!("there is no such limit ({scope}, {counted}); `inkveil ledger limit` lists them");
            }
            tell!(green, "removed:", "{scope}, {counted}");
        }
        (Some(_), None) => bail!("set the limit with --epsilon, or remove it with --remove"),
        (None, None) if !args.remove && args.metric.is_none() && !args.worst_case => {
            list(&Ledger::open_existing(path)?, args.json)?;
        }
        (None, _) => {
            bail!("name what is limited: --subject NAME, --dataset NAME, --every-subject or --every-dataset")
        }
    }
    Ok(Outcome::Success)
}

fn list(ledger: &Ledger, as_json: bool) -> anyhow::Result<()> {
    let limits = ledger.limits()?;
    if as_json {
        return printed::json(&serde_json::to_value(limits)?, "cannot write");
    }
    if limits.is_empty() {
        say!("{} there are no limits", "note:".bold());
        return Ok(());
    }
    let of = |limit: &Limit| {
        vec![
            limit.scope.kind().to_owned(),
            shown(limit.scope.name().unwrap_or_default()),
            limit.counted.to_string(),
            limit.epsilon.to_string(),
            limit.delta.to_string(),
            limit.within.to_string(),
        ]
    };
    write(&["", "name", "counted", "limit", "δ", "within"], limits.iter().map(of).collect(), 3..6)
}
