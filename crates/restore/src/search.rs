//! Finds patterns in a text, whatever the case of their ASCII letters.

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::{Error, ErrorKind};

/// Up to this many patterns, the sorted list is searched: an automaton takes longer to build than the texts of a request
/// take to search.
const FEW: usize = 2000;
/// From this many bytes on, an automaton pays.
const LONG: usize = 32 << 10;

/// Patterns to search for.
pub(crate) struct Search {
    /// Sorted, without repetitions, with ASCII letters in lower case.
    patterns: Vec<String>,
    how: How,
}

enum How {
    /// The automaton is built for the first long text.
    Few(Box<Beginnings>, OnceLock<Option<AhoCorasick>>),
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
            0..=FEW => How::Few(Beginnings::of(&patterns), OnceLock::new()),
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
        let (beginnings, automaton) = match &self.how {
            How::Many(automaton) => return find_all(automaton, text),
            How::Few(beginnings, built) => {
                let build = || automaton(&self.patterns).ok();
                (beginnings, if text.len() < LONG { None } else { built.get_or_init(build).as_ref() })
            }
        };
        if let Some(automaton) = automaton {
            return find_all(automaton, text);
        }
        let mut found = Vec::new();
        for start in (0..text.len()).filter(|&start| beginnings.may_be_at(text, start)) {
            find_at(&self.patterns, text, start, &mut found);
        }
        found
    }
}

fn find_all(search: &AhoCorasick, text: &[u8]) -> Vec<Range<usize>> {
    search.find_overlapping_iter(text).map(|found| found.range()).collect()
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
    use std::time::Instant;

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
    fn long_texts_are_read_by_an_automaton() {
        let search = few(&["ana", "ana novak"]);
        let text = "Ana Novak and Ana, ".repeat(10);
        let short = sorted(search.find(text.as_bytes()));
        assert!(matches!(&search.how, How::Few(_, built) if built.get().is_none()));
        let long = sorted(search.find(text.repeat(LONG / text.len() + 1).as_bytes()));
        assert!(matches!(&search.how, How::Few(_, built) if matches!(built.get(), Some(Some(_)))));
        assert_eq!((short.len(), &long[..short.len()]), (30, &short[..]));
    }

    #[test]
    fn many_patterns_are_an_automaton() {
        let patterns: Vec<String> = (10_000..10_001 + FEW).map(|number| number.to_string()).collect();
        let search = Search::new(patterns).unwrap();
        assert!(matches!(search.how, How::Many(_)));
        assert_eq!(search.find(b"no. 10007").first(), Some(&(4..9)));
    }

    /// Returns the shortest times to build a search and to use it, in microseconds.
    fn times(text: &str, build: impl Fn() -> Search) -> [f64; 2] {
        let mut best = [f64::MAX; 2];
        for _ in 0..300 {
            let begun = Instant::now();
            let search = build();
            let built = begun.elapsed();
            std::hint::black_box(search.find(text.as_bytes()));
            let used = begun.elapsed() - built;
            best = [best[0].min(built.as_secs_f64() * 1e6), best[1].min(used.as_secs_f64() * 1e6)];
        }
        best
    }

    #[test]
    #[ignore = "it measures"]
    fn a_list_is_faster_than_an_automaton_for_the_replacements_of_a_prompt() {
        let (given, family) =
            (["Marion", "Jorge", "Petra", "Samir"], ["Antonov", "Calderon", "Nguyen", "Lindqvist"]);
        let mut forms = std::collections::BTreeSet::new();
        let mut text = String::new();
        for (n, (g, f)) in given.iter().zip(family).cycle().take(8).enumerate() {
            let (name, address) = (format!("{g} {f}{n}"), format!("{g}.{f}{n}@example.net"));
            let initials = [
                format!("{}. {f}{n}", &g[..1]),
                format!("{f}{n}, {g}"),
                format!("{g}{n}"),
                format!("48201{n}"),
            ];
            text +=
                &"The garden behind the house is small but it gets sun until late in the evening. ".repeat(6);
            text += &format!("Ask {name} ({address}) about item 48201{n}. ");
            forms.extend(initials.into_iter().chain([name, address]).map(|form| form.to_ascii_lowercase()));
        }
        let patterns: Vec<String> = forms.into_iter().collect();
        let list = times(&text, || Search::new(patterns.clone()).unwrap());
        let automaton = times(&text, || Search {
            how: How::Many(automaton(&patterns).unwrap()),
            patterns: patterns.clone(),
        });
        println!(
            "{} patterns, {} bytes, µs to build and to search: list {list:.0?}, automaton {automaton:.0?}",
            patterns.len(),
            text.len()
        );
        assert!(list.iter().sum::<f64>() < automaton.iter().sum::<f64>());
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
