//! Patterns of upper and lower case.

use crate::Flags;

/// The pattern of upper and lower case in a word.
///
/// ```
/// use inkveil_lexicon::Casing;
///
/// assert_eq!(Casing::of("NASA"), Some(Casing::Upper));
/// assert_eq!(Casing::of("I"), Some(Casing::Capital)); // one letter is not ALL CAPITALS
/// assert_eq!(Casing::of("42"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Casing {
    /// All letters are lower case.
    Lower,
    /// The first letter is upper case, the others are lower case.
    Capital,
    /// All letters, at least two, are upper case.
    Upper,
    /// Anything else.
    Mixed,
}

impl Casing {
    /// Returns the pattern of a text, or `None` if none of its letters has a case.
    pub fn of(text: &str) -> Option<Self> {
        Self::of_characters(text.chars())
    }

    /// Returns the pattern of a word that is given as its characters.
    pub(crate) fn of_characters(characters: impl Iterator<Item = char>) -> Option<Self> {
        let (mut upper, mut lower, mut first_is_upper) = (0_usize, 0_usize, false);
        for c in characters {
            if c.is_uppercase() {
                first_is_upper |= upper + lower == 0;
                upper += 1;
            } else if c.is_lowercase() {
                lower += 1;
            }
        }
        match (upper, lower) {
            (0, 0) => None,
            (0, _) => Some(Self::Lower),
            (1, _) if first_is_upper => Some(Self::Capital),
            (_, 0) => Some(Self::Upper),
            _ => Some(Self::Mixed),
        }
    }

    /// Returns a word in this pattern. A mixed pattern cannot be applied to other letters, so it
    /// gives lower case.
    ///
    /// ```
    /// use inkveil_lexicon::Casing;
    ///
    /// assert_eq!(Casing::Capital.applied("river"), "River");
    /// ```
    pub fn applied(self, word: &str) -> String {
        let mut out = String::with_capacity(word.len());
        self.apply(word, true, &mut out);
        out
    }

    /// Appends `text` in this pattern to `out`. `at_start` says whether the text begins a word:
    /// only there is a capital written. A mixed pattern gives lower case.
    pub(crate) fn apply(self, text: &str, at_start: bool, out: &mut String) {
        match self {
            Self::Upper => out.extend(text.chars().flat_map(char::to_uppercase)),
            Self::Capital if at_start => {
                let mut rest = text.chars();
                // The capital is the first letter, which need not be the first character, as in
                // "'Tis".
                for c in rest.by_ref() {
                    out.extend(c.to_uppercase());
                    if c.is_alphabetic() {
                        break;
                    }
                }
                out.push_str(&rest.as_str().to_lowercase());
            }
            Self::Lower | Self::Capital | Self::Mixed => out.push_str(&text.to_lowercase()),
        }
    }

    pub(crate) fn flag(self) -> Flags {
        match self {
            Self::Lower => Flags::LOWER,
            Self::Capital => Flags::CAPITAL,
            Self::Upper => Flags::UPPER,
            Self::Mixed => Flags::MIXED,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_detected() {
        for (text, casing) in [
            ("word", Some(Casing::Lower)),
            ("Word", Some(Casing::Capital)),
            ("'Tis", Some(Casing::Capital)),
            ("WORD", Some(Casing::Upper)),
            ("iPhone", Some(Casing::Mixed)),
            ("McCoy", Some(Casing::Mixed)),
            ("Ωμέγα", Some(Casing::Capital)),
            ("中文", None),
            ("", None),
        ] {
            assert_eq!(Casing::of(text), casing, "{text}");
        }
    }

    #[test]
    fn patterns_are_applied_to_other_words() {
        let applied = |casing: Casing, text: &str, at_start| {
            let mut out = String::new();
            casing.apply(text, at_start, &mut out);
            out
        };
        assert_eq!(applied(Casing::Capital, "river", true), "River");
        assert_eq!(applied(Casing::Capital, "river", false), "river");
        assert_eq!(applied(Casing::Capital, "'tis", true), "'Tis");
        assert_eq!(applied(Casing::Upper, "straße", true), "STRASSE");
        assert_eq!(applied(Casing::Lower, "Paris", true), "paris");
        assert_eq!(applied(Casing::Mixed, "Paris", true), "paris");
    }
}
