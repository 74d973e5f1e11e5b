//! Casing of texts.

use crate::letters::capitalised;

/// The casing of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Casing {
    /// Mixed, or no letters: a surrogate keeps its own casing.
    Mixed,
    /// All letters lower-case.
    Lower,
    /// The first letter upper-case.
    Capital,
    /// All letters upper-case, and too long to be an abbreviation.
    Upper,
}

/// Shorter texts in upper case are often abbreviations.
const SHORTEST_UPPER: usize = 6;

impl Casing {
    pub(crate) fn of(text: &str) -> Self {
        let mut letters = text.chars().filter(|c| c.is_alphabetic()).peekable();
        let capital = letters.peek().is_some_and(|first| first.is_uppercase());
        let (mut all, mut lower, mut upper) = (0, 0, 0);
        for letter in letters {
            all += 1;
            lower += usize::from(letter.is_lowercase());
            upper += usize::from(letter.is_uppercase());
        }
        match () {
            () if all >= SHORTEST_UPPER && upper == all => Casing::Upper,
            () if all > 0 && lower == all => Casing::Lower,
            () if capital => Casing::Capital,
            () => Casing::Mixed,
        }
    }

    pub(crate) fn apply(self, text: String) -> String {
        match self {
            Casing::Mixed => text,
            Casing::Lower => text.to_lowercase(),
            Casing::Capital => capitalised(&text),
            Casing::Upper => text.to_uppercase(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casings_are_recognised_and_applied() {
        let casings = ["lisbon", "Lisbon", "LISBON", "USA", "iPhone", "山", "12", ""].map(Casing::of);
        assert_eq!(
            casings,
            [
                Casing::Lower,
                Casing::Capital,
                Casing::Upper,
                Casing::Capital,
                Casing::Mixed,
                Casing::Mixed,
                Casing::Mixed,
                Casing::Mixed
            ]
        );
        assert_eq!(Casing::Capital.apply("new Town".to_owned()), "New Town");
        assert_eq!(Casing::Upper.apply("Straße".to_owned()), "STRASSE");
    }
}
