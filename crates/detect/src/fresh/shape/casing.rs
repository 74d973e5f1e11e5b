//! Small letters or capitals.

use crate::fresh::capitalised;

/// How the letters of a text are cased, as far as it is worth keeping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Casing {
    /// Mixed, or no letters: a surrogate is written as it comes.
    Mixed,
    /// No capitals.
    Lower,
    /// A capital at the start.
    Capital,
    /// Capitals only, and so many of them that it is no abbreviation.
    Upper,
}

/// From this many capitals on, a text is shouted; fewer are often an abbreviation.
const SHOUTED: usize = 6;

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
            () if all >= SHOUTED && upper == all => Casing::Upper,
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
    fn casings() {
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
