//! Attackers on words, by their knowledge.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// The knowledge of an attacker on words beyond the mechanism.
///
/// ```
/// use inkveil_eval::attack::TokenAttacker;
///
/// assert_eq!("language".parse::<TokenAttacker>()?, TokenAttacker::Language);
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum TokenAttacker {
    /// None: the original that makes the released word most likely.
    Likelihood,
    /// How frequent words are.
    Unigram,
    /// Which words follow each other.
    Language,
    /// Which words follow each other, and the scores of a language model.
    Neural,
}

impl TokenAttacker {
    /// All attackers, in the order of their knowledge.
    pub const ALL: [Self; 4] = [Self::Likelihood, Self::Unigram, Self::Language, Self::Neural];

    /// Its name in tables and experiments.
    pub fn name(self) -> &'static str {
        match self {
            Self::Likelihood => "likelihood",
            Self::Unigram => "unigram",
            Self::Language => "language",
            Self::Neural => "neural",
        }
    }
}

impl fmt::Display for TokenAttacker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for TokenAttacker {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|attacker| attacker.name() == name)
            .ok_or_else(|| Error::argument("an attacker on words is likelihood, unigram, language or neural"))
    }
}
