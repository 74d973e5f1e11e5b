//! A few lines on standard error: how words were treated, the guarantee, and where to see more.

use std::path::Path;

use inkveil::explain::{TreatmentCounts, VeilTerms};
use owo_colors::OwoColorize as _;

use super::plan::{Documents, TextPlan};
use super::shows_summary;

/// Prints the summary of a release.
pub(super) fn print(plan: &TextPlan, documents: &Documents, terms: &VeilTerms, counts: &TreatmentCounts) {
    if plan.quiet {
        return;
    }
    if shows_summary(documents.explain) {
        let receipt = documents.receipt.as_deref();
        let shown = Shown { receipt, explained: documents.explain, json: documents.json };
        lines(terms, counts, &shown).iter().for_each(|line| say!("{line}"));
    }
    if let Some(why) = counts.refused {
        tell!(
            yellow,
            "not repaired:",
            "{} of {} documents were left as veiled, for example because {why}",
            counts.not_repaired,
            counts.documents
        );
    }
    if let Some(page) = &documents.page {
        tell!(yellow, "private:", "{} holds the original; protect it like the original", page.display());
    }
}

/// What the user asked for already, so that the summary need not advise it.
struct Shown<'a> {
    receipt: Option<&'a Path>,
    explained: bool,
    json: bool,
}

fn lines(terms: &VeilTerms, counts: &TreatmentCounts, shown: &Shown<'_>) -> Vec<String> {
    let line = |(label, text): (&str, String)| match label {
        "check" => format!("{} {text}", label.yellow().bold()),
        "note" => {
            let advice = "name one with --task, and words that it needs get less noise";
            format!("{} {text}; {advice}", label.bold())
        }
        _ => format!("{} {text}", label.bold()),
    };
    counts.in_words(terms).into_iter().chain([("more", more(shown))]).map(line).collect()
}

fn more(shown: &Shown<'_>) -> String {
    let mut parts = Vec::new();
    match shown.receipt {
        Some(path) => parts.push(format!("the receipt is in {}", path.display())),
        None if shown.json => {}
        None => parts.push("-o FILE writes a receipt".to_owned()),
    }
    parts.push(match shown.explained {
        true => "--explain-html FILE writes the explanation as a page".to_owned(),
        false => "--explain explains every word".to_owned(),
    });
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use inkveil::explain::samples::{document, terms, unit};
    use inkveil::{Group, Treatment};

    use super::*;

    #[test]
    fn a_summary_has_a_few_lines() {
        let mut counts = TreatmentCounts::default();
        let words =
            vec![unit(0..1, Group::Neither, Treatment::Noise), unit(1..2, Group::Needed, Treatment::Kept)];
        counts.add(&document("ab", words));
        let shown = Shown { receipt: None, explained: false, json: false };
        let said: Vec<String> = lines(&terms(), &counts, &shown)
            .iter()
            .map(|line| anstream::adapter::strip_str(line).to_string())
            .collect();
        assert_eq!(
            said,
            [
                "veiled 2 tokens: 0 replaced, 1 noised (0 of them changed), 1 kept",
                "guarantee noised: at most ε = 90 per unit of chordal distance, for each token (polar, calibration paper); \
                 kept: no guarantee",
                "more -o FILE writes a receipt; --explain explains every word",
            ]
        );
        counts.with_task = 0;
        assert_eq!(lines(&terms(), &counts, &shown).len(), 4);
    }
}
