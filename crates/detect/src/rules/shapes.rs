//! All shapes of all rules as one automaton.
//!
//! The automaton is walked byte by byte instead of searched. This gives all ends of all patterns in one
//! pass, allows a check of the next character at each end, and maps all kinds of spaces and dashes to one
//! byte.

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};

use super::letters::{char_at, char_before, is_word_char};

/// The longest match. A longer token is rejected or extended by its rule.
const LONGEST: usize = 320;

/// The size of the cache of lazily built states.
const CACHE_BYTES: usize = 8 << 20;

/// The compiled shapes.
#[derive(Debug)]
pub(super) struct Shapes {
    dfa: DFA,
}

/// A shape that matched: its index and the end of the match.
pub(super) type End = (usize, usize);

impl Shapes {
    pub(super) fn new(patterns: &[&str]) -> Result<Self, String> {
        let dfa = DFA::builder()
            .configure(
                DFA::config()
                    .match_kind(MatchKind::All)
                    .cache_capacity(CACHE_BYTES)
                    .skip_cache_capacity_check(true),
            )
            .syntax(syntax::Config::new().unicode(true).utf8(true))
            .thompson(thompson::Config::new().shrink(false))
            .build_many(patterns)
            .map_err(|error| error.to_string())?;
        Ok(Shapes { dfa })
    }

    /// Returns a function that makes the cache of a thread.
    pub(super) fn cache_maker(&self) -> impl Fn() -> Cache + Send + Sync + 'static {
        let dfa = self.dfa.clone();
        move || dfa.create_cache()
    }

    /// Returns every shape that starts at `start` with all its ends that do not split a word. Shapes are in
    /// ascending order, and the longest match of each comes first.
    pub(super) fn ends(&self, cache: &mut Cache, text: &str, start: usize, ends: &mut Vec<End>) {
        ends.clear();
        self.walk(cache, text, start, ends);
        ends.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
    }

    fn walk(&self, cache: &mut Cache, text: &str, start: usize, ends: &mut Vec<End>) {
        let bytes = text.as_bytes();
        let input = Input::new(bytes).span(start..bytes.len()).anchored(Anchored::Yes);
        // Neither call can fail: there are no quit bytes, and the cache may be cleared any number of times.
        let Ok(mut state) = self.dfa.start_state_forward(cache, &input) else { return };
        let last = bytes.len().min(start + LONGEST);
        let mut at = start;
        while at < last {
            let (byte, width) = plain(bytes, at);
            let Ok(next) = self.dfa.next_state(cache, state, byte) else { return };
            state = next;
            if state.is_tagged() {
                if state.is_dead() {
                    return;
                }
                // A match is reported one byte late.
                if state.is_match() {
                    self.record(cache, state, text, at, ends);
                }
            }
            at += width;
        }
        if at >= bytes.len() {
            let Ok(state) = self.dfa.next_eoi_state(cache, state) else { return };
            if state.is_match() {
                self.record(cache, state, text, bytes.len(), ends);
            }
        }
    }

    fn record(
        &self,
        cache: &Cache,
        state: regex_automata::hybrid::LazyStateID,
        text: &str,
        end: usize,
        ends: &mut Vec<End>,
    ) {
        if glued(text, end) {
            return;
        }
        for index in 0..self.dfa.match_len(cache, state) {
            ends.push((self.dfa.match_pattern(cache, state, index).as_usize(), end));
        }
    }
}

/// Returns whether `at` is inside a word.
pub(super) fn glued(text: &str, at: usize) -> bool {
    let Some(after) = text.as_bytes().get(at) else { return false };
    // A fast path, because most ends are before a space.
    !matches!(after, b' ' | b'\n' | b'.' | b',')
        && char_at(text, at).is_none_or(is_word_char)
        && char_before(text, at).is_none_or(is_word_char)
}

/// Returns the byte for the automaton at `at` and the number of bytes that it replaces: special spaces become
/// a space, and dashes become a hyphen.
fn plain(bytes: &[u8], at: usize) -> (u8, usize) {
    match bytes[at] {
        0xC2 if bytes.get(at + 1) == Some(&0xA0) => (b' ', 2),
        0xE2 => match (bytes.get(at + 1), bytes.get(at + 2)) {
            (Some(0x80), Some(0x90..=0x94)) | (Some(0x88), Some(0x92)) => (b'-', 3),
            (Some(0x80), Some(0x82..=0x8A | 0xAF)) => (b' ', 3),
            (Some(0x80), Some(0x99)) => (b'\'', 3),
            _ => (bytes[at], 1),
        },
        byte => (byte, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(patterns: &[&str], text: &str) -> Vec<End> {
        let shapes = Shapes::new(patterns).unwrap();
        let mut found = Vec::new();
        shapes.ends(&mut shapes.cache_maker()(), text, 0, &mut found);
        found
    }

    #[test]
    fn all_ends_are_found_the_longest_first() {
        let patterns = ["[0-9]{2}(?: [0-9]{2})*", "[0-9 ]+"];
        assert_eq!(
            ends(&patterns, "12 34 56"),
            [(0, 8), (0, 5), (0, 2), (1, 8), (1, 6), (1, 5), (1, 3), (1, 2)]
        );
        assert_eq!(ends(&["[0-9]{2,4}"], "12345"), []);
        assert_eq!(ends(&["[0-9]{2,4}"], "1234é"), []);
        assert_eq!(ends(&["[0-9]{2,4}"], "1234—"), [(0, 4)]);
    }

    #[test]
    fn special_spaces_and_dashes_match() {
        assert_eq!(ends(&["[0-9] [0-9]-[0-9]"], "1\u{a0}2\u{2011}3"), [(0, 8)]);
    }
}
