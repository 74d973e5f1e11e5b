//! Which word stood there? Attackers on words that a mechanism replaced.
//!
//! An attacker sees the released word v and knows the mechanism and the budget, so they know how likely v is for every original w
//! ([`TokenChannel`]). What they guess besides depends on what they know of language: nothing (the most likely original,
//! [`TokenAttacker::Likelihood`]), how frequent words are ([`TokenAttacker::Unigram`]), or which words follow each other
//! ([`TokenAttacker::Language`]), where all words of a text are guessed together. The last two know besides which words are often hidden
//! ([`Hidden`]): a budget that only sensitive words get tells that a word is one, whatever the noise, and what stood where a word was replaced by
//! a placeholder or a surrogate is guessed among them. [`TokenAttacker::Neural`] lets a language model read the last one's guesses again. A release is as
//! private as the best of them allows.

mod beam;
mod channel;
mod hidden;
mod language;
mod neural;
mod pairs;
mod space;
mod unigram;

pub use beam::{Place, Reconstruction, TokenAttack};
pub use channel::TokenChannel;
pub use hidden::{Hidden, Tells};
pub use language::Trigrams;
pub use neural::{Continued, Reads, Scores};
pub use pairs::{PairedWord, pair_words};
pub use space::TokenSpace;
pub use unigram::Unigrams;

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// What an attacker on words knows besides the mechanism.
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
    /// Nothing: the original that makes what was released most likely.
    Likelihood,
    /// How frequent words are.
    Unigram,
    /// Which words follow each other.
    Language,
    /// That, and what a language model makes of whole texts.
    Neural,
}

impl TokenAttacker {
    /// All of them, from the least to the most they know.
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
        Self::ALL.into_iter().find(|attacker| attacker.name() == name).ok_or_else(|| {
            Error::argument(
                "an attacker on words is likelihood, unigram, language or neural; choose one of them",
            )
        })
    }
}
