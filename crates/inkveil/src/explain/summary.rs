//! What happened to the words of a release, in a few lines.

use super::counts::TreatmentCounts;
use super::terms::VeilTerms;

impl TreatmentCounts {
    /// Sums up how words were treated, what is guaranteed, and what an attacker may still use. Each line has a label:
    /// `veiled`, `replaced`, `guarantee`, `attacker`, `check`, `note`, `repaired`. It holds no text.
    pub fn in_words(&self, terms: &VeilTerms) -> Vec<(&'static str, String)> {
        let mut lines = vec![("veiled", self.treated(terms))];
        lines.extend(self.verdict.replaced().map(|replaced| ("replaced", replaced)));
        lines.push(("guarantee", terms.guarantee(self)));
        if self.verdict.moved > 0 {
            let line = "an attacker who knows one original date or amount can compute the others";
            lines.push(("attacker", line.to_owned()));
        }
        if let Some(kept) = self.verdict.may_identify() {
            lines.push(("check", format!("kept and may identify someone: {kept}")));
        }
        if self.with_task == 0 {
            lines.push(("note", "there is no task".to_owned()));
        }
        if self.repaired > 0 {
            let repaired = number(self.repaired, "document");
            lines.push(("repaired", format!("{repaired} by a model that saw the veiled text only")));
        }
        lines
    }

    fn treated(&self, terms: &VeilTerms) -> String {
        let all = self.all();
        let documents = match self.documents {
            0 | 1 => String::new(),
            documents => format!(" in {}", number(documents, "document")),
        };
        format!(
            "{}{documents}: {} replaced, {} noised ({} of them changed), {} kept",
            number(all.all(), terms.unit),
            all.replaced,
            all.noised,
            all.changed,
            all.kept
        )
    }
}

/// A count with its noun.
fn number(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use inkveil_text::{Group, Treatment};

    use super::super::samples::{document, terms, unit};
    use super::*;

    #[test]
    fn a_release_without_a_task_says_so() {
        let mut counts = TreatmentCounts::default();
        let words =
            vec![unit(0..1, Group::Neither, Treatment::Noise), unit(1..2, Group::Needed, Treatment::Kept)];
        counts.add(&document("ab", words));
        let labels = |counts: &TreatmentCounts| {
            counts.in_words(&terms()).into_iter().map(|(label, _)| label).collect::<Vec<_>>()
        };
        assert_eq!(labels(&counts), ["veiled", "guarantee"]);
        counts.with_task = 0;
        counts.repaired = 1;
        assert_eq!(labels(&counts), ["veiled", "guarantee", "note", "repaired"]);
        let lines = counts.in_words(&terms());
        assert_eq!(lines[0].1, "2 tokens: 0 replaced, 1 noised (0 of them changed), 1 kept");
        assert_eq!(lines[3].1, "1 document by a model that saw the veiled text only");
    }
}
