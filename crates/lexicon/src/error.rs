//! The errors of this crate. An error states what is wrong, where, and what to do. It never
//! contains a text or a vector.

use std::io;
use std::path::Path;

use inkveil_error::{SystemError, error_type};

error_type! {
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
    pub struct Error(ErrorKind) at subject;
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused something.
    #[error("cannot {doing}")]
    Io {
        /// The operation.
        doing: &'static str,
        /// Why it was refused.
        #[source]
        cause: SystemError,
    },
    /// A file does not have the expected content.
    #[error("not a valid {format}: {what}; download or build it again")]
    Corrupt {
        /// The expected format.
        format: &'static str,
        /// What is wrong.
        what: String,
    },
    /// A newer version of the program wrote the file.
    #[error("its format is version {found}, but this program supports up to version {known}; update inkveil")]
    Version {
        /// The version of the file.
        found: u32,
        /// The newest version this program reads.
        known: u32,
    },
    /// No tensor has a known name of a token table.
    #[error("no tensor has the name of a token table; looked for {}", .looked_for.join(", "))]
    NoTable {
        /// The names that were looked for.
        looked_for: &'static [&'static str],
    },
    /// The vocabulary and the table have different sizes.
    #[error(
        "the vocabulary has {tokens} entries, but the table has {rows} rows; use files of the same model"
    )]
    Mismatch {
        /// The number of entries of the tokenizer or word list.
        tokens: usize,
        /// The number of rows of the table.
        rows: usize,
    },
    /// The stored description was computed from another table or vocabulary.
    #[error("it belongs to another table or vocabulary; build the lexicon again")]
    Stale,
    /// The folder has no lexicon of the kind asked for.
    #[error("there is no {kind} lexicon in this folder; {advice}")]
    NoSuchKind {
        /// The kind asked for.
        kind: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// No entry is allowed, so nothing can be decoded.
    #[error("no entry may be released; at least one must have a text and a direction")]
    NothingAllowed,
    /// A query holds a number that is NaN or infinite.
    #[error("query {query} (counted from 0) contains a number that is not finite; check the noise")]
    NotFinite {
        /// The query, counted from 0.
        query: usize,
    },
    /// A word is not in the vocabulary.
    #[error("the word is not in the vocabulary; try its base form or another lexicon")]
    UnknownWord,
    /// A replacement is an entry that may not be released.
    #[error("the replacement of unit {unit} is entry {id}, which may not be released; use an allowed entry")]
    NotAllowed {
        /// The unit, counted from 0.
        unit: usize,
        /// The entry.
        id: u32,
    },
    /// There are more or fewer replacements than units.
    #[error("there are {found} replacements for {expected} units; exactly one per unit is needed")]
    Replacements {
        /// The number of units.
        expected: usize,
        /// The number of replacements.
        found: usize,
    },
    /// An argument is invalid.
    #[error("{what}")]
    Argument {
        /// What is wrong and what to do.
        what: String,
    },
    /// The model, its weights or its tokenizer failed.
    #[error(transparent)]
    Model(#[from] inkveil_nn::Error),
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] inkveil_files::Error),
}

impl Error {
    pub(crate) fn io(doing: &'static str, error: &io::Error) -> Self {
        ErrorKind::Io { doing, cause: error.into() }.into()
    }

    pub(crate) fn corrupt(format: &'static str, what: impl Into<String>) -> Self {
        ErrorKind::Corrupt { format, what: what.into() }.into()
    }

    pub(crate) fn argument(what: impl Into<String>) -> Self {
        ErrorKind::Argument { what: what.into() }.into()
    }

    /// Names the file, unless the error names one already.
    pub(crate) fn in_file(self, file: &Path) -> Self {
        // The errors of models name their own files.
        if matches!(self.kind(), ErrorKind::Model(_)) { self } else { self.of(file.display()) }
    }
}
