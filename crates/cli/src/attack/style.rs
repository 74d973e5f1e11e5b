//! `inkveil attack style`.

use inkveil::nn::SentenceEncoder;
use inkveil::style::StyleEncoder;
use inkveil_eval::Watch;
use inkveil_eval::attack::{self, ReleasedTexts, StyleAttackModels, StyleAttackReport};

use super::pairs::Pairs;
use super::{print, watched};
use crate::args::StyleAttackArgs;
use crate::interrupt;
use crate::outcome::Outcome;
use inkveil::pack_folder;

pub(super) fn run(args: &StyleAttackArgs) -> anyhow::Result<Outcome> {
    let pairs = Pairs::read(&args.original, &args.released, &args.tables, Some(&args.author_column))?;
    let (originals, released) = (pairs.originals(), pairs.released());
    let texts = ReleasedTexts::new(&originals, &released)?;
    let cancel = interrupt::flag()?;
    let pack = pack_folder(&args.pack)?;
    let models =
        StyleAttackModels { style: &StyleEncoder::open(&pack)?, sentences: &SentenceEncoder::open(&pack)? };
    let attack = |watch: &Watch<'_>| attack::style(&texts, &pairs.authors(), &models, args.seed, watch);
    let Some(report) = watched(args.quiet, &cancel, attack)? else { return Ok(Outcome::Interrupted) };
    let advice = advice(&report);
    print(args.json, &report, Some(&advice), || format!("{}\n{advice}\n", report.in_words()))
}

/// What the figures mean, and what would be safer.
fn advice(report: &StyleAttackReport) -> String {
    let Some(remaining) = report.remaining() else {
        return "Even the originals hardly reveal their authors, so this data cannot show what a release protects.".to_owned();
    };
    let meaning = match remaining {
        share if share > 0.67 => {
            "Most of what identifies authors is still there. Rewrite with a larger model, or veil names and topics first \
             (`inkveil style rewrite --with-text-veil`), because attackers also use what authors write about."
        }
        share if share > 0.33 => {
            "A large part of it is still there. `inkveil style rewrite --with-text-veil` also removes names and places."
        }
        _ => "Most of it is gone for these attackers. Others may know more.",
    };
    format!("{:.0} % of the best attacker's gain over guessing is left. {meaning}", 100.0 * remaining)
}
