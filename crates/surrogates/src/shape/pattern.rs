//! Patterns of numbers and codes: letters, digits and separators.

use crate::dice::Dice;

/// One position of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Slot {
    Digit,
    Upper,
    Lower,
    /// A separator, which is kept.
    Sign(char),
}

/// The classes of the characters of a text, and whether its letters are hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Pattern {
    slots: Vec<Slot>,
    hexadecimal: bool,
}

/// Separators between the groups of a code. Other signs are dropped, because a rare sign could identify
/// the original.
const SIGNS: &str = " -./:_,()+#*'&=";

/// The number of characters after which a text is cut.
const LONGEST: usize = 128;

/// Shorter codes may have only letters up to f by chance.
const SHORTEST_HEXADECIMAL: usize = 16;

impl Slot {
    fn of(c: char) -> Option<Self> {
        match c {
            _ if c.is_numeric() => Some(Slot::Digit),
            _ if c.is_uppercase() => Some(Slot::Upper),
            _ if c.is_alphabetic() => Some(Slot::Lower),
            _ if c.is_whitespace() => Some(Slot::Sign(' ')),
            '\u{2010}'..='\u{2015}' | '\u{2212}' => Some(Slot::Sign('-')),
            _ => SIGNS.contains(c).then_some(Slot::Sign(c)),
        }
    }
}

impl Pattern {
    /// Returns the pattern of a text, or of the mask if the text has no letters and digits. In a mask, as for
    /// [`Dice::fill`], `#` is a digit, `@` an upper-case letter and `&` a lower-case letter.
    pub(crate) fn of(text: &str, mask: &str) -> Self {
        let slots: Vec<Slot> = text.trim().chars().filter_map(Slot::of).take(LONGEST).collect();
        if slots.iter().all(|slot| matches!(slot, Slot::Sign(_))) {
            return Pattern::masked(mask);
        }
        Pattern { slots, hexadecimal: false }
    }

    /// As [`Pattern::of`], for codes that may be hexadecimal. If the text is, drawn letters are too.
    pub(crate) fn or_hexadecimal(text: &str, mask: &str) -> Self {
        let pattern = Pattern::of(text, mask);
        let has = |test: fn(&char) -> bool| text.chars().any(|c| test(&c));
        let hexadecimal = pattern.places() >= SHORTEST_HEXADECIMAL
            && has(char::is_ascii_digit)
            && has(|c| c.is_alphabetic())
            && text.chars().all(|c| c.is_ascii_hexdigit() || !c.is_alphabetic());
        Pattern { hexadecimal, ..pattern }
    }

    fn masked(mask: &str) -> Self {
        let slot = |c| match c {
            '#' => Slot::Digit,
            '@' => Slot::Upper,
            '&' => Slot::Lower,
            sign => Slot::Sign(sign),
        };
        Pattern { slots: mask.chars().map(slot).collect(), hexadecimal: false }
    }

    pub(crate) fn from_slots(slots: Vec<Slot>) -> Self {
        Pattern { slots, hexadecimal: false }
    }

    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Returns `9` for every digit and `A` for every letter, without separators.
    pub(crate) fn classes(&self) -> String {
        let class = |slot: &Slot| match slot {
            Slot::Digit => Some('9'),
            Slot::Upper | Slot::Lower => Some('A'),
            Slot::Sign(_) => None,
        };
        self.slots.iter().filter_map(class).collect()
    }

    /// Returns the number of letters and digits.
    pub(crate) fn places(&self) -> usize {
        self.slots.iter().filter(|slot| !matches!(slot, Slot::Sign(_))).count()
    }

    /// Returns whether its letters are hexadecimal digits.
    pub(crate) fn is_hexadecimal(&self) -> bool {
        self.hexadecimal
    }

    pub(crate) fn has_letters(&self) -> bool {
        self.slots.iter().any(|slot| matches!(slot, Slot::Upper | Slot::Lower))
    }

    /// Returns whether there are letters and all are lower-case.
    pub(crate) fn is_lower(&self) -> bool {
        self.slots.contains(&Slot::Lower) && !self.slots.contains(&Slot::Upper)
    }

    /// Returns the lengths of the groups between separators.
    pub(crate) fn groups(&self) -> Vec<usize> {
        let groups = self.slots.split(|slot| matches!(slot, Slot::Sign(_)));
        groups.map(<[Slot]>::len).filter(|length| *length > 0).collect()
    }

    /// Returns whether the other pattern has the same digits, letters and separators, ignoring case.
    pub(crate) fn matches(&self, other: &Pattern) -> bool {
        let class = |slot: &Slot| if *slot == Slot::Lower { Slot::Upper } else { *slot };
        self.slots.iter().map(class).eq(other.slots.iter().map(class))
    }

    /// Draws a random value of this pattern: every digit and letter is uniform and independent.
    pub(crate) fn fill(&self, dice: &mut Dice) -> String {
        let (upper, lower) = match self.hexadecimal {
            true => ("ABCDEF", "abcdef"),
            false => ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"),
        };
        self.write(|slot| match slot {
            Slot::Digit => dice.char_of(b"0123456789"),
            Slot::Upper => dice.char_of(upper.as_bytes()),
            Slot::Lower => dice.char_of(lower.as_bytes()),
            Slot::Sign(sign) => sign,
        })
    }

    /// Writes letters and digits into the positions of the pattern, in order. Their number must match.
    pub(crate) fn pour(&self, value: &str) -> String {
        let lower = self.is_lower();
        let mut rest = value.chars();
        self.write(|slot| match slot {
            Slot::Sign(sign) => sign,
            _ => match rest.next().unwrap_or('0') {
                c if lower => c.to_ascii_lowercase(),
                c => c,
            },
        })
    }

    pub(crate) fn write(&self, letter: impl FnMut(Slot) -> char) -> String {
        self.slots.iter().copied().map(letter).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::words;

    #[test]
    fn only_classes_and_known_separators_are_kept() {
        let pattern = |text| Pattern::of(text, "###");
        assert_eq!(pattern("AB-12 c"), pattern("XY-98 z"));
        assert_eq!(pattern("AB–12"), pattern("AB-12"));
        assert_eq!(pattern("٣٤5"), pattern("345"));
        assert_eq!(pattern("Ωμ🦊"), pattern("Ab"));
        assert_eq!(pattern("🦊🦊"), pattern("123"));
        assert_eq!(pattern(" -- "), pattern("123"));
        assert_ne!(pattern("AB-12"), pattern("AB12"));
        assert_eq!(pattern("0a1b2c3d"), pattern("0a1b2c3z"));
        assert_ne!(
            Pattern::or_hexadecimal("0a1b2c3d4e5f6a7b", ""),
            Pattern::or_hexadecimal("0a1b2c3d4e5f6a7z", "")
        );
        assert_eq!(pattern(&"7".repeat(500)).places(), LONGEST);
    }

    #[test]
    fn filled_patterns_have_the_same_pattern() {
        let mut dice = Dice::new(words(1));
        for text in ["AB-12 c", "(7) x/9", "0a1b2c3d4e5f6a7b8c", "Zz"] {
            let pattern = Pattern::or_hexadecimal(text, "#");
            for _ in 0..50 {
                assert_eq!(Pattern::or_hexadecimal(&pattern.fill(&mut dice), "#"), pattern);
            }
        }
    }

    #[test]
    fn values_are_written_between_separators() {
        assert_eq!(Pattern::of("12-34 x", "#").pour("ABCDE"), "ab-cd e");
        assert_eq!(Pattern::of("12-34 X", "#").pour("1B3D5"), "1B-3D 5");
        assert_eq!(Pattern::of("12-345", "#").groups(), [2, 3]);
        assert_eq!(Pattern::of("AB-1 c", "#").classes(), "AA9A");
    }
}
