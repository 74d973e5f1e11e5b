//! What a feature is.

use super::sign::{Sign, Slot, Tally};

/// A family of habits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Group {
    /// How long sentences are, how they start and end.
    Sentences,
    /// How long words are, and their endings.
    Words,
    /// Marks, and the spaces around them.
    Punctuation,
    /// Single small words.
    FunctionWords,
    /// "don't" or "do not".
    Contractions,
    /// Capital and small letters.
    Casing,
    /// British or American, and slips.
    Spelling,
    /// Richness, hedges, slang.
    Vocabulary,
    /// Letters, emoji and emoticons.
    Characters,
    /// Paragraphs, lists, links.
    Layout,
}

/// What the value of a feature is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// Occurrences per 1000 words.
    PerThousandWords,
    /// Occurrences per 1000 letters.
    PerThousandLetters,
    /// Occurrences per 1000 characters.
    PerThousandCharacters,
    /// From 0 to 1: how often, of the times it could have been.
    Share,
    /// A number of words.
    Words,
    /// A number of letters.
    Letters,
    /// A number of sentences.
    Sentences,
}

/// One measured habit.
///
/// ```
/// use inkveil_style::features::{Group, features};
///
/// let semicolons = features().iter().find(|feature| feature.name == "semicolon").unwrap();
/// assert_eq!(semicolons.group, Group::Punctuation);
/// assert_eq!(semicolons.label, "semicolons");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Feature {
    /// A key that stays the same between versions, such as `two-spaces-after-stop`.
    pub name: &'static str,
    /// The family it belongs to.
    pub group: Group,
    /// A few words for people, such as "words per sentence".
    pub label: &'static str,
    /// What its value is measured in.
    pub unit: Unit,
    /// Whether a person can do something about it. Letters and pairs of letters tell writers apart, but "you use the
    /// letter e much" helps nobody: they are in the vector and never among the habits.
    pub shown: bool,
    pub(super) measure: Measure,
}

/// How a value follows from the counts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Measure {
    /// So many of one per 1000 of another.
    Rate { of: Slot, per: Sign },
    /// One of two choices.
    Choice { of: Sign, other: Sign },
    /// The mean of an amount.
    Mean { of: Sign, per: Sign },
    /// The spread of an amount: its standard deviation.
    Spread { of: Sign, squares: Sign, per: Sign },
}

impl Measure {
    /// The value, and how many occasions the text gave for it; no value without an occasion.
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

    /// How many occasions the population's median counts for against the text's own: about as many as it takes until
    /// the value of a text says more about its writer than the median does.
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
