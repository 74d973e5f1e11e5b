//! Errors of this crate.

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error as Fails;

use crate::rules::RuleError;

/// Why detection failed. It never quotes the searched text.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    path: Option<PathBuf>,
}

/// The kinds of [`Error`].
#[derive(Debug, Fails)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file could not be read or written.
    #[error("cannot {doing}: {reason}")]
    File {
        /// The operation.
        doing: &'static str,
        /// The cause.
        reason: std::io::Error,
    },
    /// A file has invalid content.
    #[error("{what}")]
    Damaged {
        /// What is wrong with it.
        what: String,
    },
    /// A text is not UTF-8.
    #[error("byte {byte} (line {line}) is not UTF-8; convert the text, for example with iconv")]
    NotUtf8 {
        /// The number of valid bytes before.
        byte: u64,
        /// The line, from 1.
        line: u64,
    },
    /// The caller cancelled the work.
    #[error("the work was cancelled")]
    Cancelled,
    /// The tokenizer of a pack lacks a token that the accurate tagger needs.
    #[error("the tokenizer has no token {token}; the accurate tier needs an encoder of the BERT family")]
    NoToken {
        /// The token.
        token: &'static str,
    },
    /// A setting is invalid.
    #[error("{what}")]
    Setting {
        /// What is wrong and what to do.
        what: String,
    },
    /// A rule is invalid.
    #[error(transparent)]
    Rule(RuleError),
    /// A model failed.
    #[error(transparent)]
    Model(inkveil_nn::Error),
}

impl Error {
    /// Returns what went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Adds the name of the file, unless there already is one.
    #[must_use]
    pub fn in_file(mut self, path: &Path) -> Self {
        self.0.path.get_or_insert_with(|| path.to_owned());
        self
    }

    pub(crate) fn io(doing: &'static str, reason: std::io::Error) -> Self {
        ErrorKind::File { doing, reason }.into()
    }

    pub(crate) fn damaged(what: impl Into<String>) -> Self {
        ErrorKind::Damaged { what: what.into() }.into()
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Error(Box::new(Inner { kind, path: None }))
    }
}

impl From<inkveil_nn::Error> for Error {
    fn from(error: inkveil_nn::Error) -> Self {
        ErrorKind::Model(error).into()
    }
}

impl From<RuleError> for Error {
    fn from(error: RuleError) -> Self {
        ErrorKind::Rule(error).into()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.0.path {
            write!(f, "{}: ", path.display())?;
        }
        self.0.kind.fmt(f)
    }
}

impl std::error::Error for Error {}
