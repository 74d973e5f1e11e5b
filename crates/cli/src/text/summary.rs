//! A few lines on standard error: how many words were treated how, the promise, and how to see more.

use std::path::Path;

use owo_colors::OwoColorize as _;

use super::counts::Counts;
use super::terms::Terms;

/// What was asked for already, so that a summary need not advise it.
pub(super) struct Context<'a> {
    pub(super) receipt: Option<&'a Path>,
    pub(super) explained: bool,
    pub(super) json: bool,
}

/// The summary of a run, in lines.
pub(super) fn lines(terms: &Terms, counts: &Counts, context: &Context<'_>) -> Vec<String> {
    let mut lines = vec![treated(terms, counts), format!("{} {}", "promise".bold(), terms.promise(counts))];
    if counts.with_task == 0 {
        lines.push(format!(
            "{} no task was given, so no word counts as needed; say what the text is for with --task",
            "note".bold()
        ));
    }
    if counts.repaired > 0 {
        let repaired = number(counts.repaired, "document");
        lines.push(format!(
            "{} {repaired} rewritten by a model that saw the veiled text only",
            "repaired".bold()
        ));
    }
    lines.push(format!("{} {}", "more".bold(), more(context)));
    lines
}

fn treated(terms: &Terms, counts: &Counts) -> String {
    let ways = counts.all();
    let documents = match counts.documents {
        0 | 1 => String::new(),
        documents => format!(" in {}", number(documents, "document")),
    };
    format!(
        "{} {}{documents}: {} replaced, {} noised ({} of them changed), {} kept",
        "veiled".bold(),
        number(ways.all(), terms.unit),
        ways.replaced,
        ways.noised,
        ways.changed,
        ways.kept
    )
}

fn more(context: &Context<'_>) -> String {
    let mut parts = Vec::new();
    match context.receipt {
        Some(path) => parts.push(format!("the receipt is {}", path.display())),
        None if context.json => {}
        None => parts.push("-o FILE keeps a receipt of what is promised".to_owned()),
    }
    parts.push(match context.explained {
        true => "--explain-html FILE shows the same as a page".to_owned(),
        false => "--explain says why, word by word".to_owned(),
    });
    parts.join("; ")
}

/// A count with its noun.
fn number(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use inkveil::{Group, Treatment};

    use super::*;
    use crate::text::explained::samples::{document, unit};
    use crate::text::terms::samples::terms;

    #[test]
    fn a_summary_is_a_few_lines() {
        let mut counts = Counts::default();
        let words =
            vec![unit(0..1, Group::Neither, Treatment::Noise), unit(1..2, Group::Needed, Treatment::Kept)];
        counts.add(&document("ab", words));
        let context = Context { receipt: None, explained: false, json: false };
        let said: Vec<String> = lines(&terms(), &counts, &context)
            .iter()
            .map(|line| anstream::adapter::strip_str(line).to_string())
            .collect();
        assert_eq!(
            said,
            [
                "veiled 2 tokens: 0 replaced, 1 noised (0 of them changed), 1 kept",
                "promise noised: at most ε = 90 per unit of chordal distance, for each token (polar, calibration paper); \
                 kept: no promise",
                "more -o FILE keeps a receipt of what is promised; --explain says why, word by word",
            ]
        );
        counts.with_task = 0;
        assert_eq!(lines(&terms(), &counts, &context).len(), 4);
    }
}
