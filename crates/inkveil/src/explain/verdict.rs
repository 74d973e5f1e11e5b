//! What a person must know before a text leaves: what was replaced, and what may still identify someone.

use std::collections::BTreeMap;

use inkveil_privacy::Epsilon;
use inkveil_text::Treatment;

use super::document::{ExplainedDocument, ExplainedUnit};

/// Words that claim that something exists once.
const UNIQUE: &[&str] =
    &["only", "sole", "oldest", "youngest", "eldest", "tallest", "first-ever", "famous", "unique"];
/// A quotation of at least this many words can be searched for.
const LONG_QUOTATION: usize = 5;

/// Counts of what was replaced and of what may still identify someone. It holds no word of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Replaced spans by kind.
    pub replaced: BTreeMap<String, u64>,
    /// Dates, ages and amounts that moved together. They have no guarantee.
    pub moved: u64,
    /// Kept words that are not in the lexicon: rare words, codes, unknown names.
    pub rare: u64,
    /// Kept numbers of three digits and more.
    pub numbers: u64,
    /// Kept words such as "only" and "oldest", which say that something exists once.
    pub unique: u64,
    /// Quotations of five words and more that were kept whole.
    pub quotations: u64,
}

impl Verdict {
    /// Adds a document.
    pub fn add(&mut self, document: &ExplainedDocument) {
        let text = &document.original.text;
        for unit in &document.units {
            let word = text.get(unit.range.clone()).unwrap_or_default();
            match unit.treatment {
                Treatment::Replaced(_) if unit.epsilon == Epsilon::INFINITE => self.moved += 1,
                Treatment::Replaced(_) => {
                    if let Some(kind) = &unit.kind {
                        *self.replaced.entry(kind.name().to_owned()).or_default() += 1;
                    }
                }
                Treatment::Kept => self.kept(unit, word),
                _ => {}
            }
        }
        let replaced = |unit: &ExplainedUnit| matches!(unit.treatment, Treatment::Replaced(_));
        for range in quotations(text) {
            let inside = document
                .units
                .iter()
                .filter(|unit| range.start <= unit.range.start && unit.range.end <= range.end);
            self.quotations += u64::from(!inside.into_iter().any(replaced));
        }
    }

    fn kept(&mut self, unit: &ExplainedUnit, word: &str) {
        match Telling::of(unit, word) {
            Some(Telling::Rare) => self.rare += 1,
            Some(Telling::Number) => self.numbers += 1,
            Some(Telling::Unique) => self.unique += 1,
            None => {}
        }
    }

    /// Returns what was replaced, in words; none if nothing was.
    pub fn replaced(&self) -> Option<String> {
        let mut kinds: Vec<(&String, &u64)> = self.replaced.iter().collect();
        kinds.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), name.as_str()));
        let mut parts: Vec<String> = kinds.iter().map(|(name, count)| format!("{name} {count}")).collect();
        if self.moved > 0 {
            parts.push(format!("dates, ages and amounts that moved together {}", self.moved));
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Returns what may still identify someone, in words; none if nothing was noticed. What is not
    /// noticed can identify someone too.
    pub fn may_identify(&self) -> Option<String> {
        let parts: Vec<String> = [
            (self.rare, "rare word"),
            (self.numbers, "long number"),
            (self.unique, "claim that something exists once"),
            (self.quotations, "long quotation"),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| match (count, what) {
            (1, _) => format!("1 {what}"),
            (_, "claim that something exists once") => format!("{count} claims that something exists once"),
            _ => format!("{count} {what}s"),
        })
        .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Why a kept word may identify someone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Telling {
    /// The lexicon does not have it: a rare word, a code, an unknown name.
    Rare,
    /// A number of three digits or more.
    Number,
    /// It says that something exists once.
    Unique,
}

impl Telling {
    pub(crate) fn of(unit: &ExplainedUnit, word: &str) -> Option<Self> {
        if unit.is_rare && word.contains(char::is_alphabetic) {
            Some(Self::Rare)
        } else if word.chars().filter(char::is_ascii_digit).count() > 2 {
            Some(Self::Number)
        } else {
            UNIQUE.contains(&word.to_lowercase().as_str()).then_some(Self::Unique)
        }
    }

    /// Returns the reason in words.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Rare => "a rare word",
            Self::Number => "a long number",
            Self::Unique => "says that something exists once",
        }
    }
}

/// Returns the places of long quotations, without their marks.
fn quotations(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    for (open, close) in [('"', '"'), ('“', '”'), ('«', '»')] {
        let mut at = 0;
        while let Some(start) = text[at..].find(open).map(|start| at + start + open.len_utf8()) {
            let Some(end) = text[start..].find(close).map(|end| start + end) else { break };
            if text[start..end].split_whitespace().count() >= LONG_QUOTATION {
                found.push(start..end);
            }
            at = end + close.len_utf8();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use inkveil_text::Group;

    use super::super::document::samples::{document, unit};
    use super::*;

    #[test]
    fn what_was_replaced_and_what_may_identify_is_counted() {
        let text = "only 1234 Zyx \"one two three four five\"";
        let kept = |range: std::ops::Range<usize>| unit(range, Group::Neither, Treatment::Kept);
        let mut words = vec![kept(0..4), kept(5..9), kept(10..13)];
        words[2].is_rare = true;
        words.extend([15..18, 19..22, 23..28, 29..33, 34..38].map(kept));
        let mut verdict = Verdict::default();
        verdict.add(&document(text, words));
        assert_eq!((verdict.rare, verdict.numbers, verdict.unique, verdict.quotations), (1, 1, 1, 1));
        assert_eq!(
            verdict.may_identify().as_deref(),
            Some("1 rare word, 1 long number, 1 claim that something exists once, 1 long quotation")
        );
        assert_eq!(verdict.replaced(), None);
        assert_eq!(Verdict::default().may_identify(), None);
    }

    #[test]
    fn quotations_are_found_in_any_text() {
        assert!(quotations("\"").is_empty() && quotations("“ a b c d e").is_empty());
        assert_eq!(quotations("«é b c d e»").len(), 1);
    }
}
