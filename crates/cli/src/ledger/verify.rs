//! `inkveil ledger verify`.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use inkveil::ledger::{Filter, Ledger};
use owo_colors::OwoColorize;

use super::named;
use crate::args::VerifyArgs;
use crate::outcome::Outcome;
use crate::printed;
use crate::receipt;

pub(super) fn run(args: &VerifyArgs) -> anyhow::Result<Outcome> {
    let path = named(&args.file)?;
    let mut problems: Vec<String> =
        Ledger::examine(&path)?.iter().map(|problem| format!("{}: {problem}", path.display())).collect();
    let damaged = !problems.is_empty();
    let mut said = Vec::new();
    if let (Some(file), false) = (&args.receipt, damaged) {
        let (is_fine, words) = recorded(&path, file)?;
        if is_fine { said.push(words) } else { problems.push(words) }
    }
    for problem in &problems {
        tell!(red, "error:", "{problem}");
    }
    if damaged {
        say!(
            "{} restore a backup, and keep the damaged file: it is the only record of what was spent",
            "hint:".bold()
        );
    }
    if !problems.is_empty() {
        return Ok(Outcome::Failure);
    }
    let releases = Ledger::open_existing(&path)?.releases(Filter::default()).count();
    said.insert(0, format!("{}: {releases} releases, all consistent", path.display()));
    for words in said {
        writeln!(printed::coloured()?, "{} {words}", "ok:".green().bold()).context("cannot write")?;
    }
    Ok(Outcome::Success)
}

/// Whether a receipt is in the ledger, and a message about it.
fn recorded(path: &Path, file: &Path) -> anyhow::Result<(bool, String)> {
    let receipt = receipt::read(file)?;
    let name = file.display();
    if !receipt.verify().is_empty() {
        return Ok((false, format!("{name}: this receipt is not consistent; see `inkveil receipt verify`")));
    }
    let ledger = Ledger::open_existing(path)?;
    let filter = Filter { receipt: Some(receipt.digest().to_owned()), ..Filter::default() };
    match ledger.releases(filter).next().transpose()? {
        None => Ok((false, format!("{name}: this receipt is not in the ledger"))),
        Some(entry) => {
            let state = match entry.released {
                Some(at) => format!("and confirmed at {at}"),
                None => "and not confirmed: counted as spent".to_owned(),
            };
            Ok((true, format!("{name}: recorded as release {} at {}, {state}", entry.seq, entry.at)))
        }
    }
}
