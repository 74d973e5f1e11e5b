//! The symbols that a prior counts: words of a lexicon, and classes of everything else.

use crate::{Alignment, TextPiece};

/// A symbol of a [`WordPrior`](super::WordPrior): a word of the lexicon, or a class of other text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PriorSymbol(pub(super) u16);

impl PriorSymbol {
    /// The start or end of a text, a line or a sentence.
    pub const BREAK: Self = Self(0);
    /// Punctuation within a sentence.
    pub const COMMA: Self = Self(1);
    /// A name or another capitalised word outside the lexicon.
    pub const NAME: Self = Self(2);
    /// Another word outside the lexicon.
    pub const UNKNOWN: Self = Self(3);
    /// A number.
    pub const NUMBER: Self = Self(4);
    /// An ending such as 's or n't.
    pub const ENDING: Self = Self(5);

    /// The number of symbols that are not words.
    pub(super) const CLASSES: u16 = 6;
    /// The most words that a prior can have.
    pub(super) const MOST_WORDS: usize = (u16::MAX - Self::CLASSES) as usize;

    /// Returns the symbol of an entry of the lexicon; none if there are more entries than symbols.
    pub fn word(id: u32) -> Option<Self> {
        let id = u16::try_from(id).ok().filter(|id| usize::from(*id) < Self::MOST_WORDS)?;
        Some(Self(id + Self::CLASSES))
    }

    /// Returns its place among all symbols.
    pub fn index(self) -> usize {
        self.0.into()
    }

    /// Returns whether it is a word of the lexicon.
    pub fn is_word(self) -> bool {
        self.0 >= Self::CLASSES
    }

    /// Returns the entry of a word; none for other symbols.
    pub fn entry(self) -> Option<u32> {
        self.0.checked_sub(Self::CLASSES).map(u32::from)
    }

    /// Returns the symbol of text outside the lexicon. None for symbols that a prior passes over, such
    /// as quotation marks.
    pub fn of_text(text: &str) -> Option<Self> {
        let first = text.chars().next()?;
        let apostrophe = |c: char| matches!(c, '\'' | '\u{2019}');
        if text.contains(char::is_numeric) {
            return Some(Self::NUMBER);
        }
        if text.contains(char::is_alphabetic) {
            let is_ending = apostrophe(first) || text.starts_with("n'") || text.starts_with("n\u{2019}");
            return Some(match (is_ending, first.is_uppercase()) {
                (true, _) => Self::ENDING,
                (false, true) => Self::NAME,
                (false, false) => Self::UNKNOWN,
            });
        }
        if text.contains(['.', '!', '?', '…']) {
            return Some(Self::BREAK);
        }
        text.contains([',', ';', ':', '—', '–', '(', ')']).then_some(Self::COMMA)
    }

    /// Returns whether the text between two units ends a line.
    pub fn breaks(gap: &str) -> bool {
        gap.contains(['\n', '\r'])
    }
}

/// Appends the symbols of a text, from break to break, with the index of the unit of each.
pub(super) fn symbols_of(alignment: &Alignment<'_>, out: &mut Vec<(PriorSymbol, Option<usize>)>) {
    out.push((PriorSymbol::BREAK, None));
    let mut units = 0;
    for piece in alignment.pieces() {
        let text = alignment.text_of(&piece);
        let (symbol, index) = match &piece {
            TextPiece::Gap(_) => (PriorSymbol::breaks(text).then_some(PriorSymbol::BREAK), None),
            TextPiece::Unit(unit) => {
                units += 1;
                let word = unit.id().filter(|_| !unit.is_unknown()).and_then(PriorSymbol::word);
                (word.or_else(|| PriorSymbol::of_text(text)), Some(units - 1))
            }
        };
        push(out, symbol, index);
    }
    push(out, Some(PriorSymbol::BREAK), None);
}

/// Appends a symbol. Several breaks in a row are one.
fn push(out: &mut Vec<(PriorSymbol, Option<usize>)>, symbol: Option<PriorSymbol>, index: Option<usize>) {
    let repeated =
        symbol == Some(PriorSymbol::BREAK) && out.last().is_some_and(|(last, _)| *last == PriorSymbol::BREAK);
    out.extend(symbol.filter(|_| !repeated).map(|symbol| (symbol, index)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_outside_the_lexicon_has_a_class() {
        for (text, symbol) in [
            ("1,200", Some(PriorSymbol::NUMBER)),
            ("3rd", Some(PriorSymbol::NUMBER)),
            ("Novak", Some(PriorSymbol::NAME)),
            ("novakian", Some(PriorSymbol::UNKNOWN)),
            ("'s", Some(PriorSymbol::ENDING)),
            ("n’t", Some(PriorSymbol::ENDING)),
            ("?!", Some(PriorSymbol::BREAK)),
            (",", Some(PriorSymbol::COMMA)),
            ("\"", None),
            ("", None),
        ] {
            assert_eq!(PriorSymbol::of_text(text), symbol, "{text}");
        }
        assert_eq!(PriorSymbol::word(0), Some(PriorSymbol(6)));
        assert_eq!(PriorSymbol::word(70_000), None);
    }
}
