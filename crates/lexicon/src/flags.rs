//! Properties of a vocabulary entry, as a set of bits.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

/// A set of properties of an entry.
///
/// ```
/// use inkveil_lexicon::Flags;
///
/// let flags = Flags::WORD_START | Flags::ALPHABETIC | Flags::LOWER;
/// assert!(flags.contains(Flags::ALPHABETIC) && !flags.contains(Flags::NUMBER));
/// assert_eq!(format!("{flags:?}"), "word-start|alphabetic|lower");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(u16);

impl Flags {
    /// No property.
    pub const NONE: Flags = Flags(0);
    /// Added by the tokenizer around or in place of text: `[CLS]`, `[UNK]`, `<s>`.
    pub const SPECIAL: Flags = Flags(1);
    /// Reserved or padding: `[unused7]`, a row that no token has.
    pub const UNUSED: Flags = Flags(1 << 1);
    /// A control character, a single byte, or bytes that are not whole characters.
    pub const CONTROL: Flags = Flags(1 << 2);
    /// Continues a word: `##ing`.
    pub const PIECE: Flags = Flags(1 << 3);
    /// Begins a word.
    pub const WORD_START: Flags = Flags(1 << 4);
    /// Letters only.
    pub const ALPHABETIC: Flags = Flags(1 << 5);
    /// Digits and other numerals only.
    pub const NUMBER: Flags = Flags(1 << 6);
    /// Neither letters nor digits: punctuation and symbols.
    pub const PUNCTUATION: Flags = Flags(1 << 7);
    /// All its letters are lower case.
    pub const LOWER: Flags = Flags(1 << 8);
    /// Its first letter is upper case, the others are lower case.
    pub const CAPITAL: Flags = Flags(1 << 9);
    /// All its letters, at least two, are upper case.
    pub const UPPER: Flags = Flags(1 << 10);
    /// Upper and lower case in another pattern.
    pub const MIXED: Flags = Flags(1 << 11);
    /// White space only.
    pub const WHITE_SPACE: Flags = Flags(1 << 12);
    /// Its row is zero or not finite, so it has no direction.
    pub const DIRECTIONLESS: Flags = Flags(1 << 13);

    /// Every flag with its name.
    pub const ALL: [(Flags, &'static str); 14] = [
        (Flags::SPECIAL, "special"),
        (Flags::UNUSED, "unused"),
        (Flags::CONTROL, "control"),
        (Flags::PIECE, "piece"),
        (Flags::WORD_START, "word-start"),
        (Flags::ALPHABETIC, "alphabetic"),
        (Flags::NUMBER, "number"),
        (Flags::PUNCTUATION, "punctuation"),
        (Flags::LOWER, "lower"),
        (Flags::CAPITAL, "capital"),
        (Flags::UPPER, "upper"),
        (Flags::MIXED, "mixed"),
        (Flags::WHITE_SPACE, "white-space"),
        (Flags::DIRECTIONLESS, "directionless"),
    ];

    /// Returns whether all of `other` are set.
    pub const fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns whether any of `other` is set.
    pub const fn intersects(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the union of both sets; a `const` version of `|`.
    pub const fn union(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl BitOr for Flags {
    type Output = Flags;

    fn bitor(self, other: Flags) -> Flags {
        self.union(other)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Flags) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> =
            Flags::ALL.iter().filter(|(flag, _)| self.contains(*flag)).map(|(_, name)| *name).collect();
        f.write_str(&names.join("|"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_is_a_distinct_bit() {
        let all = Flags::ALL.iter().fold(0, |seen, (flag, _)| {
            assert_eq!(flag.0.count_ones(), 1);
            assert_eq!(seen & flag.0, 0);
            seen | flag.0
        });
        assert_eq!(all.count_ones(), 14);
    }
}
