//! What can go wrong with documents. Errors never hold a text of a document.

use inkveil_error::error_type;

error_type! {
    /// An error of this crate. It never holds a text of a document, so it may be logged.
    #[derive(Clone, PartialEq)]
    pub struct Error(ErrorKind);
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes are not what the format says.
    #[error("not a valid {format} document: {what}")]
    Damaged {
        /// The format that was expected.
        format: &'static str,
        /// What is wrong.
        what: &'static str,
    },
    /// A part of the document is too large.
    #[error("{what} is larger than {limit}; split the document, or check that this is the right file")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// The largest allowed.
        limit: u64,
    },
    /// Elements are nested too deeply.
    #[error("its elements are nested deeper than {limit} levels; check that this is the right file")]
    TooDeep {
        /// The most levels.
        limit: usize,
    },
    /// The document is encrypted.
    #[error("the document is encrypted; save it without a password first")]
    Encrypted,
    /// The document is well formed, but holds something that this program does not handle.
    #[error("{what} is not supported; {advice}")]
    Unsupported {
        /// What is not supported.
        what: &'static str,
        /// What to do instead.
        advice: &'static str,
    },
    /// A format is not known.
    #[error("unknown format of documents {given:?}")]
    UnknownFormat {
        /// The name as given.
        given: String,
    },
    /// A changed text has no place in the document.
    #[error("a changed text has no place in the document, so nothing was written")]
    NotPlaced,
}

impl Error {
    pub(crate) fn damaged(format: &'static str, what: &'static str) -> Self {
        ErrorKind::Damaged { format, what }.into()
    }

    pub(crate) fn too_large(what: &'static str, limit: u64) -> Self {
        ErrorKind::TooLarge { what, limit }.into()
    }
}
