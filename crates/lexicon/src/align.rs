//! Assigns every byte of a text to an entry of the vocabulary.

use std::fmt;
use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

/// A text split into units and gaps: every byte belongs to one [`TextUnit`] or to one [`TextGap`].
///
/// Units are tokens or words. Gaps are white space, invisible characters that the tokenizer drops
/// (zero-width and control characters) and, in a word lexicon, symbols. Letters and digits are
/// never in a gap: if a tokenizer drops some, they form a separate unit that is marked unknown.
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
    /// In text order, on character boundaries, not overlapping, none empty. The gaps are the text
    /// between them.
    units: Vec<TextUnit>,
}

/// A span of text that corresponds to one entry of the vocabulary, or to text outside it.
#[derive(Clone, PartialEq, Eq)]
pub struct TextUnit {
    range: Range<usize>,
    id: Option<u32>,
    unknown: bool,
    starts_word: bool,
}

/// A span of text between units.
#[derive(Clone, PartialEq, Eq)]
pub struct TextGap {
    range: Range<usize>,
    white_space: bool,
}

/// A unit or a gap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextPiece {
    /// A token or word.
    Unit(TextUnit),
    /// The text between two units.
    Gap(TextGap),
}

impl TextUnit {
    /// Returns its byte range in the text.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Returns the entry whose direction it has. For an unknown unit this is the vocabulary's
    /// "unknown" token, if there is one.
    pub fn id(&self) -> Option<u32> {
        self.id
    }

    /// Returns whether its text is not in the vocabulary.
    pub fn is_unknown(&self) -> bool {
        self.unknown
    }

    /// Returns whether it begins a word. If not, it continues the word of the previous unit.
    pub fn starts_word(&self) -> bool {
        self.starts_word
    }
}

impl TextGap {
    /// Returns its byte range in the text.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Returns whether it consists of white space only.
    pub fn is_white_space(&self) -> bool {
        self.white_space
    }
}

/// A token as the tokenizer or the word index produces it.
pub(crate) struct Token {
    pub(crate) range: Range<usize>,
    /// The entry, if it has a direction.
    pub(crate) id: Option<u32>,
    pub(crate) unknown: bool,
    pub(crate) starts_word: bool,
}

impl<'t> Alignment<'t> {
    /// Aligns tokens with a text. The result covers every byte once, whatever ranges the tokens
    /// claim.
    pub(crate) fn new(text: &'t str, tokens: impl Iterator<Item = Token>, unknown_id: Option<u32>) -> Self {
        let mut alignment = Alignment { text, units: Vec::new() };
        for token in tokens {
            alignment.add(token, unknown_id);
        }
        alignment.fill_up_to(text.len(), unknown_id);
        alignment
    }

    /// Returns the text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// Returns the units in text order.
    pub fn units(&self) -> &[TextUnit] {
        &self.units
    }

    /// Returns units and gaps in text order. Concatenated, they are the text byte for byte.
    pub fn pieces(&self) -> impl Iterator<Item = TextPiece> {
        let ends = self.units.iter().map(|unit| unit.range.end);
        let starts = self.units.iter().map(|unit| unit.range.start).chain([self.text.len()]);
        let gaps = [0].into_iter().chain(ends).zip(starts).map(|(start, end)| start..end);
        let units = self.units.iter().cloned().map(Some).chain([None]);
        gaps.zip(units).flat_map(|(gap, unit)| {
            let white_space = self.text[gap.clone()].chars().all(char::is_whitespace);
            let gap = (!gap.is_empty()).then_some(TextPiece::Gap(TextGap { range: gap, white_space }));
            gap.into_iter().chain(unit.map(TextPiece::Unit))
        })
    }

    /// Returns the text of a piece of this alignment, or an empty text for a piece of another one.
    pub fn text_of(&self, piece: &TextPiece) -> &'t str {
        let range = match piece {
            TextPiece::Unit(unit) => unit.range(),
            TextPiece::Gap(gap) => gap.range(),
        };
        self.text.get(range).unwrap_or_default()
    }

    /// Returns where the next unit may begin.
    fn end(&self) -> usize {
        self.units.last().map_or(0, |unit| unit.range.end)
    }

    fn add(&mut self, token: Token, unknown_id: Option<u32>) {
        let before = self.end();
        let start = self.text.floor_char_boundary(token.range.start).max(before);
        let end = self.text.ceil_char_boundary(token.range.end).max(start);
        let claimed = &self.text[start..end];
        let start = start + (claimed.len() - claimed.trim_start().len());
        let end = start + claimed.trim().len();
        if start < end {
            self.fill_up_to(start, unknown_id);
            let Token { id, unknown, .. } = token;
            // The space before this token may have been a token of its own that began the word.
            let apart = self.text[self.end()..start].contains(char::is_whitespace);
            let starts_word = token.starts_word || apart || self.units.is_empty();
            self.units.push(TextUnit { range: start..end, id, unknown, starts_word });
        } else if token.range.start < before && !token.range.is_empty() {
            // Several tokens share the bytes of one character, so none of them alone represents it.
            if let Some(shared) = self.units.last_mut() {
                shared.unknown = true;
                shared.id = unknown_id;
            }
        }
    }

    /// Handles the text before `end` that the tokenizer left out. Combining marks join the
    /// preceding unit; letters and digits become unknown units.
    fn fill_up_to(&mut self, end: usize, unknown_id: Option<u32>) {
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
                self.units.push(TextUnit { range, id: unknown_id, unknown: true, starts_word: true });
            }
            at += word.len();
        }
    }
}

/// Returns whether a character modifies the one before it: joiners and variation selectors.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

// The text and the ids are private, so `Debug` prints counts and ranges only.
impl fmt::Debug for Alignment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Alignment({} bytes, {} units)", self.text.len(), self.units.len())
    }
}

impl fmt::Debug for TextUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unit({:?})", self.range)
    }
}

impl fmt::Debug for TextGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gap({:?})", self.range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const UNKNOWN: Option<u32> = Some(0);

    fn token(range: Range<usize>) -> Token {
        Token { range, id: Some(7), unknown: false, starts_word: true }
    }

    fn pieces(text: &str, tokens: Vec<Range<usize>>) -> (Vec<&str>, Vec<bool>) {
        let alignment = Alignment::new(text, tokens.into_iter().map(token), UNKNOWN);
        let pieces: Vec<TextPiece> = alignment.pieces().collect();
        let texts = pieces.iter().map(|piece| alignment.text_of(piece)).collect();
        let unknown = alignment.units().iter().map(TextUnit::is_unknown).collect();
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
                if matches!(piece, TextPiece::Gap(_)) {
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
        let starts: Vec<bool> = alignment.units().iter().map(TextUnit::starts_word).collect();
        assert_eq!(starts, [true, true, false, false]);
    }

    #[test]
    fn combining_marks_belong_to_the_preceding_unit() {
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
    fn gaps_with_hidden_characters_are_not_white_space() {
        let alignment =
            Alignment::new("a \u{200b}b c", [token(0..1), token(5..6), token(7..8)].into_iter(), UNKNOWN);
        let gaps = alignment.pieces().filter_map(|piece| match piece {
            TextPiece::Gap(gap) => Some(gap.is_white_space()),
            TextPiece::Unit(_) => None,
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
