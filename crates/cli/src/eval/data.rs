//! `inkveil eval data`: which test sets are there.

use std::io::Write as _;

use anyhow::Context as _;
use inkveil_eval::data::Catalogue;

use crate::args::DataArgs;
use crate::outcome::Outcome;

pub(super) fn run(args: &DataArgs) -> anyhow::Result<Outcome> {
    anyhow::ensure!(
        args.data.is_dir(),
        "{} is no folder; name the directory of test sets",
        args.data.display()
    );
    let sets = Catalogue::known();
    let mut out = std::io::stdout().lock();
    let mut complete = true;
    for name in sets.names() {
        let set = sets.get(name)?;
        let found = match (set.questions.is_empty(), &set.pairs) {
            (true, Some(_)) => {
                sets.pairs(name, &args.data).map(|set| format!("{} pairs of sentences", set.pairs.len()))
            }
            (true, None) => sets.labelled(name, &args.data).map(|set| {
                format!(
                    "{} texts, {} to train on, {} labels",
                    set.test.texts.len(),
                    set.train.texts.len(),
                    set.labels.len()
                )
            }),
            (false, _) => sets.questions(name, &args.data).map(|set| {
                format!("{} questions about {} passages", set.questions.len(), set.passages.len())
            }),
        };
        let found = found.unwrap_or_else(|error| {
            complete = false;
            format!("not usable: {error}")
        });
        writeln!(out, "{name}\t{}\t{found}", set.about).context("cannot write")?;
    }
    Ok(if complete { Outcome::Success } else { Outcome::Failure })
}
