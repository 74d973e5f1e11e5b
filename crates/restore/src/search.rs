//! Finds patterns in a text, whatever the case of their ASCII letters.

use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::{Error, ErrorKind};

/// Up to this many patterns, the sorted list is searched: an automaton takes longer to build than a request takes to
/// search. A job has many more, and reads many texts with them.
const FEW: usize = 2000;

/// Patterns to search for.
pub(crate) struct Search {
    /// Sorted, without repetitions, with ASCII letters in lower case.
    patterns: Vec<String>,
    how: How,
}

enum How {
    Few(Box<Beginnings>),
    Many(AhoCorasick),
}

impl Search {
    /// Takes patterns that are sorted, not empty, different, and have ASCII letters in lower case.
    ///
    /// # Errors
    /// If there are more than one search can hold.
    pub(crate) fn new(patterns: Vec<String>) -> Result<Self, Error> {
        debug_assert!(patterns.is_sorted());
        let how = match patterns.len() {
            0..=FEW => How::Few(Beginnings::of(&patterns)),
            _ => How::Many(automaton(&patterns)?),
        };
        Ok(Self { patterns, how })
    }

    /// The patterns, in order.
    pub(crate) fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// Returns every place of every pattern, also those that overlap.
    pub(crate) fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
        match &self.how {
            How::Few(beginnings) => {
                let mut found = Vec::new();
                for start in (0..text.len()).filter(|&start| beginnings.may_be_at(text, start)) {
                    find_at(&self.patterns, text, start, &mut found);
                }
                found
            }
            How::Many(search) => search.find_overlapping_iter(text).map(|found| found.range()).collect(),
        }
    }
}

fn automaton(patterns: &[String]) -> Result<AhoCorasick, Error> {
    AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .ascii_case_insensitive(true)
        // A table of all transitions would take too much memory.
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .build(patterns)
        .map_err(|_| ErrorKind::TooMany { what: "replacements" }.into())
}

/// Adds the places of the patterns that start here. `left` holds the patterns that begin with the bytes so far. Those
/// that end first are sorted first.
fn find_at(mut left: &[String], text: &[u8], start: usize, found: &mut Vec<Range<usize>>) {
    let rest = text.get(start..).unwrap_or_default();
    for (at, byte) in rest.iter().map(u8::to_ascii_lowercase).enumerate() {
        let next = |pattern: &String| pattern.as_bytes().get(at).copied();
        let from = left.partition_point(|pattern| next(pattern) < Some(byte));
        left = left.get(from..).unwrap_or_default();
        let to = left.partition_point(|pattern| next(pattern) == Some(byte));
        left = left.get(..to).unwrap_or_default();
        match left.first() {
            Some(pattern) if pattern.len() == at + 1 => found.push(start..start + at + 1),
            Some(_) => {}
            None => return,
        }
    }
}

/// The first two bytes of the patterns, a bit for each pair.
struct Beginnings([u64; 1 << 10]);

impl Beginnings {
    fn of(patterns: &[String]) -> Box<Self> {
        let mut bits = Box::new(Self([0; 1 << 10]));
        for pattern in patterns {
            match *pattern.as_bytes() {
                [] => {}
                // Anything may follow.
                [first] => (0..=u8::MAX).for_each(|second| bits.add(first, second)),
                [first, second, ..] => bits.add(first, second),
            }
        }
        bits
    }

    fn add(&mut self, first: u8, second: u8) {
        let (word, bit) = Self::place(first, second);
        self.0[word] |= bit;
    }

    fn may_be_at(&self, text: &[u8], start: usize) -> bool {
        match text.get(start..) {
            Some([first, second, ..]) => {
                let (word, bit) = Self::place(first.to_ascii_lowercase(), second.to_ascii_lowercase());
                self.0[word] & bit != 0
            }
            Some([_]) => true,
            _ => false,
        }
    }

    fn place(first: u8, second: u8) -> (usize, u64) {
        let pair = usize::from(first) << 8 | usize::from(second);
        (pair / 64, 1 << (pair % 64))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn few(patterns: &[&str]) -> Search {
        let mut patterns: Vec<String> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        patterns.sort_unstable();
        Search::new(patterns).unwrap()
    }

    fn many(search: &Search) -> Search {
        let patterns = search.patterns.clone();
        Search { how: How::Many(automaton(&patterns).unwrap()), patterns }
    }

    fn sorted(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
        found.sort_unstable_by_key(|range| (range.start, range.end));
        found
    }

    #[test]
    fn patterns_are_found_in_any_case_and_where_they_overlap() {
        let search = few(&["ana", "ana novak", "novak", "é", "7"]);
        let found = sorted(search.find("Ana NOVAK, anÉ é 7".as_bytes()));
        assert_eq!(found, [0..3, 0..9, 4..9, 16..18, 19..20]);
        assert!(search.find(b"").is_empty() && few(&[]).find(b"Ana").is_empty());
    }

    #[test]
    fn many_patterns_are_an_automaton() {
        let patterns: Vec<String> = (10_000..10_001 + FEW).map(|number| number.to_string()).collect();
        let search = Search::new(patterns).unwrap();
        assert!(matches!(search.how, How::Many(_)));
        assert_eq!(search.find(b"no. 10007"), [4..9]);
    }

    proptest! {
        #[test]
        fn few_and_many_patterns_are_found_alike(
            patterns in proptest::collection::btree_set("[abé .]{1,4}|[0-9]{1,2}", 0..30),
            text in "[aAbBéÉ .0-9]{0,60}",
        ) {
            let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
            let search = few(&patterns);
            prop_assert_eq!(sorted(search.find(text.as_bytes())), sorted(many(&search).find(text.as_bytes())));
        }

        #[test]
        fn any_bytes_are_searched_alike(
            patterns in proptest::collection::btree_set("\\PC{1,3}", 0..10),
            text in proptest::collection::vec(any::<u8>(), 0..40),
        ) {
            let patterns: std::collections::BTreeSet<String> =
                patterns.iter().map(|pattern| pattern.to_ascii_lowercase()).collect();
            let search = Search::new(patterns.into_iter().collect()).unwrap();
            prop_assert_eq!(sorted(search.find(&text)), sorted(many(&search).find(&text)));
        }
    }
}
