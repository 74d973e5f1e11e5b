//! Words with an apostrophe: endings such as 's and n't stay with their word.
//!
//! Noise or a replacement for such an ending alone would garble the word ("wasn'creek"). So endings
//! are kept, as punctuation is, and the receipt lists them as part of the layout.

use std::ops::Range;

use inkveil_detect::Span;
use inkveil_lexicon::ApostropheWord;

/// The words of a text with an apostrophe.
pub(crate) struct Endings(Vec<ApostropheWord>);

/// What a unit is to a word with an apostrophe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Nothing, or all of its host.
    Whole,
    /// A clitic, or a part of one.
    Clitic,
    /// One of several parts of a host such as "O'Brien". The parts mean nothing by themselves.
    Part,
}

impl Endings {
    /// Finds the endings of a text.
    pub(crate) fn of(text: &str) -> Self {
        Self(ApostropheWord::all(text))
    }

    /// No endings: every unit is treated by itself, as in the paper.
    pub(crate) fn ignored() -> Self {
        Self(Vec::new())
    }

    /// Returns what a unit is. `known` says whether it is in the lexicon.
    pub(crate) fn place(&self, text: &str, unit: &Range<usize>, known: bool) -> Place {
        let last = unit.end.saturating_sub(1);
        let Some(word) = self.word(last) else { return Place::Whole };
        let (host, clitics) = (word.host(), word.clitics());
        // A token may hold the verb too ("wasn" before "'t"). The verbs are a short public list.
        let has_verb = unit.end > clitics.start && text[clitics.clone()].starts_with(['n', 'N']);
        match () {
            // The lexicon has the whole word, for example "don't".
            () if known && *unit == (host.start..clitics.end) => Place::Whole,
            () if unit.start >= clitics.start || has_verb => Place::Clitic,
            () if *unit != host && is_compound(text, &host) => Place::Part,
            () => Place::Whole,
        }
    }

    /// Takes endings off spans: the name in "Ana's" is "Ana". Spans of endings alone are removed.
    pub(crate) fn trim(&self, text: &str, spans: &mut Vec<Span>) {
        spans.retain_mut(|span| {
            let left = self.trimmed(text, span.range());
            (span.start, span.end) = (left.start, left.end);
            !left.is_empty()
        });
    }

    fn trimmed(&self, text: &str, mut span: Range<usize>) -> Range<usize> {
        let last = span.end.saturating_sub(1);
        if let Some(clitics) = self.word(last).map(ApostropheWord::clitics) {
            // Other endings of a span may belong to a name, as in "Sa'd".
            let possessive = matches!(text[clitics.clone()].to_lowercase().as_str(), "'s" | "’s");
            if possessive && clitics.end == span.end && span.start < clitics.start {
                span.end = clitics.start;
            }
        }
        if let Some(clitics) = self.word(span.start).map(ApostropheWord::clitics)
            && clitics.contains(&span.start)
        {
            let after = &text[clitics.end.min(span.end)..span.end];
            span.start = span.end - after.trim_start().len();
        }
        span
    }

    /// Returns the hosts that have an apostrophe themselves.
    pub(crate) fn compounds(&self, text: &str) -> impl Iterator<Item = Range<usize>> {
        self.0.iter().map(ApostropheWord::host).filter(|host| is_compound(text, host))
    }

    /// Returns the word at a byte.
    fn word(&self, byte: usize) -> Option<&ApostropheWord> {
        let at = self.0.partition_point(|word| word.clitics().end <= byte);
        self.0.get(at).filter(|word| word.host().start <= byte)
    }
}

/// Returns whether a host has an apostrophe itself.
fn is_compound(text: &str, host: &Range<usize>) -> bool {
    text[host.clone()].contains(['\'', '’'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places<const N: usize>(text: &str, units: [Range<usize>; N]) -> [Place; N] {
        let endings = Endings::of(text);
        units.map(|unit| endings.place(text, &unit, false))
    }

    #[test]
    fn endings_do_not_belong_to_spans() {
        let text = "Ana's Sa'd wasn't";
        let endings = Endings::of(text);
        for (span, left) in [(0..5, "Ana"), (3..5, ""), (3..10, "Sa'd"), (6..10, "Sa'd"), (14..17, "")] {
            assert_eq!(&text[endings.trimmed(text, span)], left);
        }
    }

    #[test]
    fn endings_are_clitics_and_hosts_are_whole() {
        use Place::{Clitic, Part, Whole};
        assert_eq!(places("Ana's cat", [0..3, 3..5, 6..9]), [Whole, Clitic, Whole]);
        // A word lexicon has "was" and "n't", a subword lexicon "wasn", "'" and "t".
        assert_eq!(places("wasn't", [0..3, 3..6]), [Whole, Clitic]);
        assert_eq!(places("wasn't", [0..4, 4..5, 5..6]), [Clitic; 3]);
        assert_eq!(places("can't", [0..3, 3..4, 4..5]), [Clitic; 3]);
        assert_eq!(places("O'Brien's", [0..1, 1..2, 2..7, 7..9]), [Part, Part, Part, Clitic]);
        assert_eq!(places("O'Brien's", [0..7, 7..9]), [Whole, Clitic]);
        assert_eq!(Endings::of("don't").place("don't", &(0..5), true), Whole);
        // A unit with a name and its ending is no ending.
        assert_eq!(Endings::of("Ana's").place("Ana's", &(0..5), false), Whole);
    }
}
