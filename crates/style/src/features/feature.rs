//! The definition of a feature.

use super::sign::{Sign, Slot, Tally};

/// A family of habits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FeatureGroup {
    /// The length of sentences, and how they start and end.
    Sentences,
    /// The length of words, and their endings.
    Words,
    /// Marks, and the spaces around them.
    Punctuation,
    /// Function words.
    FunctionWords,
    /// "don't" or "do not".
    Contractions,
    /// Capital and small letters.
    Casing,
    /// British or American, and mistakes.
    Spelling,
    /// Richness, hedges and slang.
    Vocabulary,
    /// Letters, emoji and emoticons.
    Characters,
    /// Paragraphs, lists and links.
    Layout,
}

/// The unit of a feature's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FeatureUnit {
    /// Occurrences per 1000 words.
    PerThousandWords,
    /// Occurrences per 1000 letters.
    PerThousandLetters,
    /// Occurrences per 1000 characters.
    PerThousandCharacters,
    /// A share of the occasions, from 0 to 1.
    Share,
    /// A number of words.
    Words,
    /// A number of letters.
    Letters,
    /// A number of sentences.
    Sentences,
}

/// A measured habit.
///
/// ```
/// use inkveil_style::features::{FeatureGroup, features};
///
/// let semicolons = features().iter().find(|feature| feature.name == "semicolon").unwrap();
/// assert_eq!(semicolons.group, FeatureGroup::Punctuation);
/// assert_eq!(semicolons.label, "semicolons");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Feature {
    /// A stable key, such as `two-spaces-after-stop`.
    pub name: &'static str,
    /// Its family.
    pub group: FeatureGroup,
    /// A label for people, such as "words per sentence".
    pub label: &'static str,
    /// The unit of its value.
    pub unit: FeatureUnit,
    /// Whether a person can act on it. Letters and pairs of letters distinguish authors, but "you
    /// often use the letter e" is no useful advice. They are in the vector and never among the
    /// habits.
    pub shown: bool,
    pub(super) measure: Measure,
}

/// How a value is computed from counts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Measure {
    /// The number of one per 1000 of another.
    Rate { of: Slot, per: Sign },
    /// The share of one of two choices.
    Choice { of: Sign, other: Sign },
    /// The mean of an amount.
    Mean { of: Sign, per: Sign },
    /// The standard deviation of an amount.
    Spread { of: Sign, squares: Sign, per: Sign },
}

impl Measure {
    /// Returns the value and the number of occasions; no value without an occasion.
    pub(super) fn of(self, tally: &Tally) -> (Option<f64>, f64) {
        let count = |sign: Sign| tally.get(sign.slot());
        let over = |sum: f64, occasions: f64| (occasions > 0.0).then(|| sum / occasions);
        match self {
            Self::Rate { of, per } => (over(1000.0 * tally.get(of), count(per)), count(per)),
            Self::Mean { of, per } => (over(count(of), count(per)), count(per)),
            Self::Choice { of, other } => {
                let occasions = count(of) + count(other);
                (over(count(of), occasions), occasions)
            }
            Self::Spread { of, squares, per } => {
                let occasions = count(per);
                let spread = (occasions >= 2.0).then(|| {
                    let mean = count(of) / occasions;
                    (count(squares) / occasions - mean * mean).max(0.0).sqrt()
                });
                (spread, if spread.is_some() { occasions } else { 0.0 })
            }
        }
    }

    /// The number of occasions of the population's median that are added to those of the text. It
    /// is about the number from which on the value of a text says more about its author than the
    /// median does.
    pub(super) fn prior(self) -> f64 {
        match self {
            Self::Choice { .. } => 3.0,
            Self::Rate { per, .. } | Self::Mean { per, .. } | Self::Spread { per, .. } => match per {
                Sign::Words | Sign::Windows => 100.0,
                Sign::Letters | Sign::Characters => 500.0,
                Sign::Blocks => 1.0,
                Sign::Lines => 3.0,
                _ => 5.0,
            },
        }
    }
}
