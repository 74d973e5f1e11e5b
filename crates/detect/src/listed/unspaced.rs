//! A text without spaces between words, read by letters.

use std::collections::HashSet;

use super::letters::is_han;
use super::{ALONE, Name};

/// The letters of a text, by their number.
pub(super) struct Letters<'t> {
    text: &'t str,
    chars: Vec<(usize, char)>,
}

impl<'t> Letters<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Letters { text, chars: text.char_indices().collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.chars.len()
    }

    fn byte(&self, at: usize) -> usize {
        self.chars.get(at).map_or(self.text.len(), |(byte, _)| *byte)
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> &'t str {
        self.text.get(self.byte(from)..self.byte(to)).unwrap_or_default()
    }

    pub(super) fn char(&self, at: usize) -> Option<char> {
        self.chars.get(at).map(|(_, c)| *c)
    }

    pub(super) fn is_han(&self, at: usize) -> bool {
        self.char(at).is_some_and(is_han)
    }

    pub(super) fn name(&self, at: usize, length: usize, score: f32) -> Name {
        Name { start: self.byte(at), end: self.byte(at + length), score }
    }

    /// Returns whether one of the words, of up to three letters, starts at a place.
    pub(super) fn starts(&self, at: usize, words: &HashSet<&'static str>) -> bool {
        (1..=3).any(|length| at + length <= self.len() && words.contains(self.slice(at, at + length)))
    }

    /// Returns whether one of the words, of up to `longest` letters, ends at a place.
    pub(super) fn ends(&self, at: usize, longest: usize, words: &HashSet<&'static str>) -> bool {
        (1..=longest).any(|length| length <= at && words.contains(self.slice(at - length, at)))
    }

    /// Adds the known names at places that none of `names[first..]` covers, if `fits` accepts the place.
    pub(super) fn add_repeated(
        &self,
        known: &HashSet<&str>,
        fits: impl Fn(usize, usize) -> bool,
        first: usize,
        names: &mut Vec<Name>,
    ) {
        if known.is_empty() {
            return;
        }
        let mut more = Vec::new();
        let mut found = names[first..].iter().map(|name| (name.start, name.end)).peekable();
        let mut at = 0;
        while at < self.len() {
            let start = self.byte(at);
            while found.next_if(|(_, end)| *end <= start).is_some() {}
            let covered = found.peek().is_some_and(|(from, _)| *from <= start);
            let length = [4, 3, 2].into_iter().filter(|_| !covered).find(|length| {
                at + length <= self.len()
                    && fits(at, at + length)
                    && known.contains(self.slice(at, at + length))
            });
            match length {
                Some(length) => {
                    more.push(self.name(at, length, ALONE));
                    at += length;
                }
                None => at += 1,
            }
        }
        names.extend(more);
    }
}
