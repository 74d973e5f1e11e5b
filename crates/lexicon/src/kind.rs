//! The kinds of lexicons.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// The kind of a lexicon's units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LexiconKind {
    /// The tokens of a model's tokenizer: words and pieces of words.
    Subword,
    /// Whole words.
    Words,
}

impl LexiconKind {
    /// Returns its name: `subword` or `words`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Subword => "subword",
            Self::Words => "words",
        }
    }
}

impl fmt::Display for LexiconKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for LexiconKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        [Self::Subword, Self::Words]
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| Error::argument("unknown kind of lexicon; use subword or words"))
    }
}
