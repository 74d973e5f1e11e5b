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
        say!(
            "{} {} of {} documents were left as veiled, for example because {why}",
            "not repaired:".yellow().bold(),
            counts.not_repaired,
            counts.documents
        );
    }
    if let Some(page) = &documents.page {
        say!(
            "{} {} holds the original; protect it like the original",
            "private:".yellow().bold(),
            page.display()
        );
    }
}

/// What the user asked for already, so that the summary need not advise it.
struct Shown<'a> {
    receipt: Option<&'a Path>,
    explained: bool,
    json: bool,
}

fn lines(terms: &VeilTerms, counts: &TreatmentCounts, shown: &Shown<'_>) -> Vec<String> {
    let mut lines = vec![treated(terms, counts)];
    if let Some(replaced) = counts.verdict.replaced() {
        lines.push(format!("{} {replaced}", "replaced".bold()));
    }
    lines.push(format!("{} {}", "guarantee".bold(), terms.guarantee(counts)));
    if counts.verdict.moved > 0 {
        lines.push(format!(
            "{} an attacker who knows one original date or amount can compute the others",
            "attacker".bold()
        ));
    }
    if let Some(kept) = counts.verdict.may_identify() {
        lines.push(format!("{} kept and may identify someone: {kept}", "check".yellow().bold()));
    }
    if counts.with_task == 0 {
        lines.push(format!(
            "{} there is no task; name one with --task, and words that it needs get less noise",
            "note".bold()
        ));
    }
    if counts.repaired > 0 {
        let repaired = number(counts.repaired, "document");
        lines.push(format!("{} {repaired} by a model that saw the veiled text only", "repaired".bold()));
    }
    lines.push(format!("{} {}", "more".bold(), more(shown)));
    lines
}

fn treated(terms: &VeilTerms, counts: &TreatmentCounts) -> String {
    let all = counts.all();
    let documents = match counts.documents {
        0 | 1 => String::new(),
        documents => format!(" in {}", number(documents, "document")),
    };
    format!(
        "{} {}{documents}: {} replaced, {} noised ({} of them changed), {} kept",
        "veiled".bold(),
        number(all.all(), terms.unit),
        all.replaced,
        all.noised,
        all.changed,
        all.kept
    )
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

/// A count with its noun.
fn number(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
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
