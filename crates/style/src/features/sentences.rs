//! The bounds of sentences.
//!
//! A sentence ends with its mark if a space or a line break follows. The next letter may be small,
//! for authors who write no capitals. Abbreviations do not end a sentence, and an ellipsis ends it
//! only before a capital. A line break ends it too, unless the line looks wrapped: it is long, and
//! the next line starts with a small letter.

use std::ops::Range;

use super::reading::Reading;
use super::role::Role;
use super::tokens::{Kind, Token};
use super::word::{Case, Word};

/// The end of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Stop,
    Question,
    Exclamation,
    /// An ellipsis.
    Dots,
    /// No mark.
    Nothing,
}

/// A sentence with at least one word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sentence {
    /// Its tokens, without the space after it.
    pub(super) tokens: Range<usize>,
    pub(super) words: Range<usize>,
    pub(super) end: End,
}

/// Returns the bytes of the sentences of a text, without the space around each.
pub(crate) fn sentence_ranges(text: &str) -> Vec<Range<usize>> {
    let Reading { tokens, sentences, .. } = Reading::new(text);
    let range = |sentence: &Sentence| {
        let tokens = tokens.get(sentence.tokens.clone())?;
        let (start, end) = (tokens.first()?.start, tokens.last()?.end);
        let part = text.get(start..end)?;
        Some(end - part.trim_start().len()..start + part.trim_end().len())
    };
    sentences.iter().filter_map(range).collect()
}

/// A line of at least this many bytes may be wrapped.
const WRAPPED: usize = 50;

/// Splits a text into sentences.
pub(super) fn split(text: &str, tokens: &[Token], words: &[Word]) -> Vec<Sentence> {
    let mut splitter =
        Splitter { words, sentences: Vec::new(), start: 0, word: 0, seen: 0, end: End::Nothing };
    let mut line_start = 0;
    for (n, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Break => {
                let wrapped =
                    token.start - line_start >= WRAPPED && is_single(text, token) && goes_on(tokens, n + 1);
                line_start = token.end;
                if !wrapped {
                    splitter.close(n, n + 1);
                }
            }
            Kind::Space => {
                if splitter.end != End::Nothing && splitter.ends_here(tokens, n) {
                    splitter.close(n, n + 1);
                }
            }
            Kind::Sign => splitter.sign(token, tokens.get(n + 1)),
            Kind::Emoticon | Kind::Emoji => {}
            kind => {
                splitter.seen += usize::from(kind == Kind::Word);
                splitter.end = End::Nothing;
            }
        }
    }
    splitter.close(tokens.len(), tokens.len());
    splitter.sentences
}

/// Returns whether a break is a single line end without an empty line.
fn is_single(text: &str, token: &Token) -> bool {
    matches!(&text[token.range()], "\n" | "\r\n" | "\r")
}

/// Returns whether the next line starts with a small letter.
fn goes_on(tokens: &[Token], from: usize) -> bool {
    let next = tokens.iter().skip(from).find(|token| token.kind != Kind::Space);
    next.is_some_and(|token| token.kind == Kind::Word && token.first.is_lowercase())
}

struct Splitter<'w> {
    words: &'w [Word],
    sentences: Vec<Sentence>,
    /// The first token and the first word of the sentence.
    start: usize,
    word: usize,
    /// The number of words so far.
    seen: usize,
    /// The last mark, if only closing signs follow it.
    end: End,
}

impl Splitter<'_> {
    fn sign(&mut self, token: &Token, next: Option<&Token>) {
        // A dot inside a token never ends a sentence.
        let inside = next.is_some_and(|next| matches!(next.kind, Kind::Word | Kind::Number));
        self.end = match token.first {
            _ if inside => End::Nothing,
            '?' => End::Question,
            '!' if self.end != End::Question => End::Exclamation,
            '…' => End::Dots,
            '.' if token.run() > 1 => End::Dots,
            '.' => End::Stop,
            '"' | '\'' | '”' | '’' | ')' | ']' | '*' | '_' | '!' => self.end,
            _ => End::Nothing,
        };
    }

    /// Returns whether the mark before a space ends the sentence.
    fn ends_here(&self, tokens: &[Token], space: usize) -> bool {
        let before = space.checked_sub(1).and_then(|at| tokens.get(at));
        let next = tokens.get(space + 1);
        let small = next.is_some_and(|token| token.kind == Kind::Word && token.first.is_lowercase());
        let in_quotes = before.is_some_and(|token| matches!(token.first, '"' | '\'' | '”' | '’' | ')'));
        match self.end {
            End::Nothing => false,
            // "Really?" she said.
            _ if small && in_quotes => false,
            End::Dots => !small,
            End::Stop => !self.is_abbreviation(space, small),
            End::Question | End::Exclamation => true,
        }
    }

    /// Returns whether the word before the dot is an abbreviation.
    fn is_abbreviation(&self, space: usize, small: bool) -> bool {
        let last = self.seen.checked_sub(1);
        // Only the dot lies between the word and the space.
        let Some(word) = last.and_then(|at| self.words.get(at)).filter(|word| word.token + 2 == space) else {
            return false;
        };
        // Single letters are initials or parts of "e.g." and "a.m.", but "I" can end a sentence.
        let initial = word.letters == 1 && word.place.len() == 1 && !word.is(Role::FirstSingular);
        word.is(Role::Abbreviation) && word.case != Case::Upper
            || initial
            || word.is(Role::AbbreviationAtEnd) && small
    }

    /// Ends the sentence before token `end`; the next one starts at `next`. A sentence without
    /// words is dropped.
    fn close(&mut self, end: usize, next: usize) {
        if self.seen > self.word {
            let words = self.word..self.seen;
            self.sentences.push(Sentence { tokens: self.start..end, words, end: self.end });
            self.word = self.seen;
        }
        self.start = next;
        self.end = End::Nothing;
    }
}

#[cfg(test)]
mod tests {
    use super::super::reading::Reading;
    use super::*;

    fn sentences(text: &str) -> Vec<(&str, End)> {
        let reading = Reading::new(text);
        let range = |s: &Sentence| reading.tokens[s.tokens.start].start..reading.tokens[s.tokens.end - 1].end;
        reading.sentences.iter().map(|s| (&text[range(s)], s.end)).collect()
    }

    #[test]
    fn marks_end_sentences() {
        assert_eq!(
            sentences("It rains. \"Why?\" he asked!  i left. then... nothing… Well"),
            [
                ("It rains.", End::Stop),
                ("\"Why?\" he asked!", End::Exclamation),
                (" i left.", End::Stop),
                ("then... nothing…", End::Dots),
                ("Well", End::Nothing),
            ]
            .map(|(text, end)| (text.trim_start(), end))
        );
    }

    #[test]
    fn abbreviations_and_numbers_do_not_end_sentences() {
        assert_eq!(sentences("Dr. J. Lee paid 3.50, e.g. for tea etc. and left. So did I. Bye").len(), 3);
        assert_eq!(sentences("no. that is it. Inc. magazines, vs. books").len(), 3);
    }

    #[test]
    fn line_breaks_end_sentences_unless_lines_are_wrapped() {
        assert_eq!(sentences("hey\nyou there\n\nok").len(), 3);
        let wrapped =
            "This line is long enough that somebody has wrapped it\nin the middle of a sentence. Yes.";
        assert_eq!(sentences(wrapped).len(), 2);
        assert_eq!(sentences(&wrapped.replace("\nin", "\n\nin")).len(), 3);
        assert_eq!(sentences("... 12. !!").len(), 0);
    }
}
