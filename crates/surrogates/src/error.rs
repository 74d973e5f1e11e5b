//! Errors of this crate.

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error as Fails;

/// Why the lists of surrogates could not be opened. It never quotes a text that is replaced.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    path: PathBuf,
}

/// The kinds of [`Error`].
#[derive(Debug, Fails)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file could not be read.
    #[error("cannot read the list: {0}")]
    File(std::io::Error),
    /// A file does not hold what it should.
    #[error("{what}")]
    Damaged {
        /// What is wrong with it.
        what: String,
    },
}

impl Error {
    pub(crate) fn io(path: &Path, reason: std::io::Error) -> Self {
        Error(Box::new(Inner { kind: ErrorKind::File(reason), path: path.to_owned() }))
    }

    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        Error(Box::new(Inner { kind: ErrorKind::Damaged { what: what.into() }, path: path.to_owned() }))
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.path.display(), self.0.kind)
    }
}

impl std::error::Error for Error {}
