//! What can go wrong with a lexicon: what, where, and what to do about it. Never a text or a vector.

use std::fmt;
use std::io;
use std::path::Path;

/// An error of this crate.
///
/// Errors name files, settings, ids and counts. They never hold a text or a vector, so they may be logged.
///
/// ```
/// use inkveil_lexicon::{ErrorKind, Lexicon};
///
/// let lexicon = Lexicon::words_from_table(vec!["tea".into(), "pot".into()], &[1.0, 0.0, 0.0, 1.0], 2)?;
/// let error = lexicon.neighbours("kettle", 1).unwrap_err();
/// assert_eq!(error.kind(), &ErrorKind::UnknownWord);
/// # Ok::<(), inkveil_lexicon::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq)]
struct Inner {
    file: Option<String>,
    kind: ErrorKind,
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused something.
    #[error("cannot {doing}: {reason}")]
    Io {
        /// What was tried, in words.
        doing: &'static str,
        /// The kind of failure.
        kind: io::ErrorKind,
        /// What the system said.
        reason: String,
    },
    /// The bytes of a file are not what they should be.
    #[error("not a valid {format}: {what}; fetch or make it again")]
    Corrupt {
        /// What the file should have been.
        format: &'static str,
        /// What is wrong.
        what: String,
    },
    /// A newer version of the program wrote the file.
    #[error("its format is version {found}, this program knows version {known}; update inkveil")]
    Version {
        /// The version of the file.
        found: u32,
        /// The newest version this program reads.
        known: u32,
    },
    /// No tensor is known to be the table of token vectors.
    #[error("no tensor is a table of token vectors; looked for {}", .looked_for.join(", "))]
    NoTable {
        /// The names such tables have.
        looked_for: &'static [&'static str],
    },
    /// The tokenizer's ids and the table's rows do not belong together.
    #[error("the vocabulary has {tokens} entries, the table has {rows} rows; take both from the same model")]
    Mismatch {
        /// How many entries the tokenizer or word list has.
        tokens: usize,
        /// How many rows the table has.
        rows: usize,
    },
    /// What is stored about a table was computed from another one.
    #[error("it was made for another table or vocabulary; make it again")]
    Stale,
    /// The folder has no lexicon of the kind asked for.
    #[error("there is no {kind} lexicon in this folder; {advice}")]
    NoSuchKind {
        /// The kind asked for.
        kind: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// Nothing is left to decode to.
    #[error("no entry is allowed to be released; at least one needs a text and a direction")]
    NothingAllowed,
    /// A query holds a number that is NaN or infinite.
    #[error("query {query} (counted from 0) holds a number that is not finite; check the noise")]
    NotFinite {
        /// The query, counted from 0.
        query: usize,
    },
    /// A word is not in the vocabulary.
    #[error("the word is not in the vocabulary; try its base form or another lexicon")]
    UnknownWord,
    /// A replacement has no text that may be released.
    #[error("the replacement of unit {unit} is entry {id}, which may not be released; choose an allowed one")]
    NotAllowed {
        /// The unit, counted from 0.
        unit: usize,
        /// The entry.
        id: u32,
    },
    /// There are more or fewer replacements than units.
    #[error("there are {found} replacements for {expected} units; give one for each")]
    Replacements {
        /// The number of units.
        expected: usize,
        /// The number of replacements.
        found: usize,
    },
    /// An argument makes no sense.
    #[error("{what}")]
    Argument {
        /// What is wrong and what to do.
        what: String,
    },
    /// The model, its weights or its tokenizer failed.
    #[error(transparent)]
    Model(inkveil_nn::Error),
}

impl Error {
    /// What kind of error this is.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    pub(crate) fn io(doing: &'static str, error: &io::Error) -> Self {
        ErrorKind::Io { doing, kind: error.kind(), reason: error.to_string() }.into()
    }

    pub(crate) fn corrupt(format: &'static str, what: impl Into<String>) -> Self {
        ErrorKind::Corrupt { format, what: what.into() }.into()
    }

    pub(crate) fn argument(what: impl Into<String>) -> Self {
        ErrorKind::Argument { what: what.into() }.into()
    }

    /// Names the file, unless the error names one already.
    pub(crate) fn in_file(mut self, file: &Path) -> Self {
        // The errors of models name their own files.
        if !matches!(self.0.kind, ErrorKind::Model(_)) {
            self.0.file.get_or_insert_with(|| file.display().to_string());
        }
        self
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Error(Box::new(Inner { file: None, kind }))
    }
}

impl From<inkveil_nn::Error> for Error {
    fn from(error: inkveil_nn::Error) -> Self {
        ErrorKind::Model(error).into()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.0.file {
            write!(f, "{file}: ")?;
        }
        write!(f, "{}", self.0.kind)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl std::error::Error for Error {}
