//! `inkveil attack style`.

use inkveil::nn::SentenceEncoder;
use inkveil::style::StyleEncoder;
use inkveil_eval::Watch;
use inkveil_eval::attack::{self, ReleasedTexts, StyleAttackModels, StyleAttackReport};

use super::pairs::Pairs;
use super::{finished, percent, print, spinner};
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
    let bar = spinner(args.quiet);
    let watch = Watch { progress: &|step| bar.set_message(step.to_owned()), cancel: &cancel };
    let report = attack::style(&texts, &pairs.authors(), &models, args.seed, &watch);
    bar.finish_and_clear();
    let report = match finished(report)? {
        Ok(report) => report,
        Err(outcome) => return Ok(outcome),
    };
    let advice = advice(&report);
    print(args.json, &report, Some(&advice), || in_words(&report, &advice))
}

fn in_words(report: &StyleAttackReport, advice: &str) -> String {
    let mut text = format!(
        "Attackers know {} texts of {} authors and attack {} others. Macro F1; guessing has {:.1} %.\n\n  {:<20} {:<26} {:<26} {}\n",
        report.known_texts,
        report.authors,
        report.attacked_texts,
        100.0 * report.chance(),
        "attacker",
        "originals",
        "released",
        "released, half of it known"
    );
    for row in &report.attackers {
        let (name, originals) = (row.attacker.name(), percent(&row.originals));
        text += &format!(
            "  {name:<20} {originals:<26} {:<26} {}\n",
            percent(&row.released),
            percent(&row.adaptive)
        );
    }
    text + &format!("\n{advice}\n")
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
