//! `inkveil eval data`: which test sets are there.

use std::collections::BTreeSet;
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
        let found = if !set.questions.is_empty() {
            sets.questions(name, &args.data)
                .map(|set| format!("{} questions about {} passages", set.questions.len(), set.passages.len()))
        } else if set.pairs.is_some() {
            sets.pairs(name, &args.data).map(|set| format!("{} pairs of sentences", set.pairs.len()))
        } else if set.search.is_some() {
            sets.search(name, &args.data).map(|set| {
                format!("{} queries, {} documents", set.task.queries.len(), set.task.documents.len())
            })
        } else if set.marked.is_some() {
            sets.marked(name, &args.data).map(|set| format!("{} texts with marks", set.texts.len()))
        } else if set.authors.is_some() {
            sets.authored(name, &args.data).map(|set| {
                let authors: BTreeSet<&str> = set.test.iter().map(|text| text.author.as_str()).collect();
                let (test, train) = (set.test.len(), set.train.len());
                format!("{test} texts, {train} to learn from, {} authors", authors.len())
            })
        } else {
            sets.labelled(name, &args.data).map(|set| {
                format!(
                    "{} texts, {} to train on, {} labels",
                    set.test.texts.len(),
                    set.train.texts.len(),
                    set.labels.len()
                )
            })
        };
        let found = found.unwrap_or_else(|error| {
            complete = false;
            format!("not usable: {error:#}")
        });
        writeln!(out, "{name}\t{}\t{found}", set.about).context("cannot write")?;
    }
    Ok(if complete { Outcome::Success } else { Outcome::Failure })
}
