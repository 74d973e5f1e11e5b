//! Which bytes of a text belong to which entry of the vocabulary.

use std::fmt;
use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

/// A text, taken apart: every byte belongs to one [`Unit`] or to one [`Gap`].
///
/// Units stand for tokens or words. Gaps are white space, characters that the tokenizer drops because they cannot be seen
/// (zero-width characters, control characters), and in a lexicon of words also symbols. Letters and digits are never in a gap: where a tokenizer drops some, they are
/// a unit of their own, marked unknown.
///
/// ```
/// # use inkveil_lexicon::Lexicon;
/// # let words = vec!["tea".to_owned(), "pot".to_owned()];
/// # let lexicon = Lexicon::words_from_table(words, &[1.0, 0.0, 0.0, 1.0], 2)?;
/// let alignment = lexicon.align("Hot tea!")?;
/// let pieces: Vec<&str> = alignment.pieces().map(|piece| alignment.text_of(&piece)).collect();
/// assert_eq!(pieces, ["Hot", " ", "tea", "!"]);
/// let unknown: Vec<bool> = alignment.units().iter().map(|unit| unit.is_unknown()).collect();
/// assert_eq!(unknown, [true, false]);
/// # Ok::<(), inkveil_lexicon::Error>(())
/// ```
#[derive(Clone)]
pub struct Alignment<'t> {
    text: &'t str,
    /// In order, apart from each other, at the borders of characters, none empty. What is between them is the gaps.
    units: Vec<Unit>,
}

/// A stretch of text that stands for one entry of the vocabulary, or for something that is not in it.
#[derive(Clone, PartialEq, Eq)]
pub struct Unit {
    range: Range<usize>,
    id: Option<u32>,
    unknown: bool,
    starts_word: bool,
}

/// A stretch of text between units.
#[derive(Clone, PartialEq, Eq)]
pub struct Gap {
    range: Range<usize>,
    white_space: bool,
}

/// A unit or a gap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A token or word.
    Unit(Unit),
    /// What is between.
    Gap(Gap),
}

impl Unit {
    /// Its bytes in the text.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The entry whose direction it has. An unknown unit has that of the vocabulary's "unknown" token, or none.
    pub fn id(&self) -> Option<u32> {
        self.id
    }

    /// Whether no entry of the vocabulary stands for its text.
    pub fn is_unknown(&self) -> bool {
        self.unknown
    }

    /// Whether it begins a word; otherwise it goes on with the word of the unit before.
    pub fn starts_word(&self) -> bool {
        self.starts_word
    }
}

impl Gap {
    /// Its bytes in the text.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Whether it is nothing but white space.
    pub fn is_white_space(&self) -> bool {
        self.white_space
    }
}

/// A token as the tokenizer or the word list gives it.
pub(crate) struct Token {
    pub(crate) range: Range<usize>,
    /// The entry, if there is one with a direction.
    pub(crate) id: Option<u32>,
    pub(crate) unknown: bool,
    pub(crate) starts_word: bool,
}

/// What becomes of text that no token has.
#[derive(Clone, Copy)]
pub(crate) struct Fallback {
    /// The entry for unknown text.
    pub(crate) unknown: Option<u32>,
}

impl<'t> Alignment<'t> {
    /// Lays tokens over a text. Whatever ranges they claim, the result covers every byte once.
    pub(crate) fn new(text: &'t str, tokens: impl Iterator<Item = Token>, fallback: Fallback) -> Self {
        let mut alignment = Alignment { text, units: Vec::new() };
        for token in tokens {
            alignment.place(token, fallback);
        }
        alignment.fill_up_to(text.len(), fallback);
        alignment
    }

    /// The text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The units, in order.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// Units and gaps in order; together they are the text, byte for byte.
    pub fn pieces(&self) -> impl Iterator<Item = Piece> {
        let ends = self.units.iter().map(|unit| unit.range.end);
        let starts = self.units.iter().map(|unit| unit.range.start).chain([self.text.len()]);
        let gaps = [0].into_iter().chain(ends).zip(starts).map(|(start, end)| start..end);
        let units = self.units.iter().cloned().map(Some).chain([None]);
        gaps.zip(units).flat_map(|(gap, unit)| {
            let white_space = self.text[gap.clone()].chars().all(char::is_whitespace);
            let gap = (!gap.is_empty()).then_some(Piece::Gap(Gap { range: gap, white_space }));
            gap.into_iter().chain(unit.map(Piece::Unit))
        })
    }

    /// The text of a piece of this alignment; empty for one of another text.
    pub fn text_of(&self, piece: &Piece) -> &'t str {
        let range = match piece {
            Piece::Unit(unit) => unit.range(),
            Piece::Gap(gap) => gap.range(),
        };
        self.text.get(range).unwrap_or_default()
    }

    /// Where the next unit may begin.
    fn end(&self) -> usize {
        self.units.last().map_or(0, |unit| unit.range.end)
    }

    fn place(&mut self, token: Token, fallback: Fallback) {
        let before = self.end();
        let start = self.text.floor_char_boundary(token.range.start).max(before);
        let end = self.text.ceil_char_boundary(token.range.end).max(start);
        let claimed = &self.text[start..end];
        let start = start + (claimed.len() - claimed.trim_start().len());
        let end = start + claimed.trim().len();
        if start < end {
            self.fill_up_to(start, fallback);
            let Token { id, unknown, .. } = token;
            // The token that began the word may have been the space before it.
            let apart = self.text[self.end()..start].contains(char::is_whitespace);
            let starts_word = token.starts_word || apart || self.units.is_empty();
            self.units.push(Unit { range: start..end, id, unknown, starts_word });
        } else if token.range.start < before && !token.range.is_empty() {
            // Several tokens share the bytes of one character: none of them stands for it.
            if let Some(shared) = self.units.last_mut() {
                shared.unknown = true;
                shared.id = fallback.unknown;
            }
        }
    }

    /// Looks through what the tokenizer left out before `end`. Combining marks go to the unit they are written on; letters
    /// and digits become unknown units.
    fn fill_up_to(&mut self, end: usize, fallback: Fallback) {
        let skipped = &self.text[self.end()..end];
        if let Some(unit) = self.units.last_mut() {
            let marks = skipped.trim_start_matches(|c| is_combining_mark(c) || is_joiner(c));
            unit.range.end += skipped.len() - marks.len();
        }
        let mut at = self.end();
        for word in self.text[at..end].split_inclusive(char::is_whitespace) {
            let trimmed = word.trim_end();
            if trimmed.contains(char::is_alphanumeric) {
                let range = at..at + trimmed.len();
                self.units.push(Unit { range, id: fallback.unknown, unknown: true, starts_word: true });
            }
            at += word.len();
        }
    }
}

/// Characters that change the one before them: joiners and variation selectors.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

// What the ranges hold is private, and so are ids: counts are all there is to see.
impl fmt::Debug for Alignment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Alignment({} bytes, {} units)", self.text.len(), self.units.len())
    }
}

impl fmt::Debug for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unit({:?})", self.range)
    }
}

impl fmt::Debug for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gap({:?})", self.range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const UNKNOWN: Fallback = Fallback { unknown: Some(0) };

    fn token(range: Range<usize>) -> Token {
        Token { range, id: Some(7), unknown: false, starts_word: true }
    }

    fn pieces(text: &str, tokens: Vec<Range<usize>>) -> (Vec<&str>, Vec<bool>) {
        let alignment = Alignment::new(text, tokens.into_iter().map(token), UNKNOWN);
        let pieces: Vec<Piece> = alignment.pieces().collect();
        let texts = pieces.iter().map(|piece| alignment.text_of(piece)).collect();
        let unknown = alignment.units().iter().map(Unit::is_unknown).collect();
        (texts, unknown)
    }

    proptest! {
        #[test]
        fn every_byte_is_in_one_piece(
            text in "(\\PC|[ \\n\\x00\u{301}\u{200d}\u{e0041}é𝄞👩]){0,40}",
            claims in proptest::collection::vec((0..200_usize, 0..200_usize), 0..30),
            sorted: bool,
        ) {
            let mut claims: Vec<Range<usize>> = claims.into_iter().map(|(a, b)| a..b).collect();
            if sorted {
                claims.sort_by_key(|range| (range.start, range.end));
            }
            let (pieces, _) = pieces(&text, claims);
            prop_assert_eq!(pieces.concat(), &*text);
            prop_assert!(pieces.iter().all(|piece| !piece.is_empty()));
        }

        #[test]
        fn letters_are_never_in_a_gap(
            text in "(\\PC|[ a-z0-9\u{301}]){0,40}",
            claims in proptest::collection::vec((0..60_usize, 0..60_usize), 0..10),
        ) {
            let tokens = claims.into_iter().map(|(a, b)| token(a..b));
            let alignment = Alignment::new(&text, tokens, UNKNOWN);
            for piece in alignment.pieces() {
                if matches!(piece, Piece::Gap(_)) {
                    prop_assert!(!alignment.text_of(&piece).contains(char::is_alphanumeric));
                }
            }
        }
    }

    #[test]
    fn white_space_is_not_part_of_a_unit() {
        assert_eq!(pieces(" tea pot ", vec![0..4, 4..9]).0, [" ", "tea", " ", "pot", " "]);
        assert_eq!(pieces(" \n ", vec![0..1, 1..3]).0, [" \n "]);
    }

    #[test]
    fn white_space_begins_a_word() {
        let inner = |range| Token { starts_word: false, ..token(range) };
        let tokens = [inner(0..1), inner(2..3), inner(3..4), inner(7..8)];
        let alignment = Alignment::new("a bc\u{200b}d", tokens.into_iter(), UNKNOWN);
        let starts: Vec<bool> = alignment.units().iter().map(Unit::starts_word).collect();
        assert_eq!(starts, [true, true, false, false]);
    }

    #[test]
    fn marks_belong_to_what_they_are_written_on() {
        assert_eq!(pieces("cafe\u{301} au", vec![0..4, 7..9]).0, ["cafe\u{301}", " ", "au"]);
        assert_eq!(pieces("\u{301}x y", vec![2..3, 4..5]).0, ["\u{301}", "x", " ", "y"]);
    }

    #[test]
    fn tokens_that_share_a_character_become_one_unknown_unit() {
        assert_eq!(pieces("a👩", vec![0..1, 1..5, 1..5, 1..5]), (vec!["a", "👩"], vec![false, true]));
    }

    #[test]
    fn dropped_letters_are_unknown_units() {
        let (texts, unknown) = pieces("a tea pot\u{200b} lid", vec![0..1, 2..5]);
        assert_eq!(texts, ["a", " ", "tea", " ", "pot\u{200b}", " ", "lid"]);
        assert_eq!(unknown, [false, false, true, true]);
    }

    #[test]
    fn hidden_characters_are_told_from_white_space() {
        let alignment =
            Alignment::new("a \u{200b}b c", [token(0..1), token(5..6), token(7..8)].into_iter(), UNKNOWN);
        let gaps = alignment.pieces().filter_map(|piece| match piece {
            Piece::Gap(gap) => Some(gap.is_white_space()),
            Piece::Unit(_) => None,
        });
        assert_eq!(gaps.collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn nothing_private_is_printed() {
        let alignment = Alignment::new("secret", [token(0..6)].into_iter(), UNKNOWN);
        let printed =
            format!("{alignment:?} {:?} {:?}", alignment.units(), alignment.pieces().collect::<Vec<_>>());
        assert!(!printed.contains("secret") && !printed.contains('7'), "{printed}");
    }
}
