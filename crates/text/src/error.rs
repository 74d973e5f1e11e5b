//! Errors of the text veil. None holds a text.

use std::fmt;

/// An error of this crate. It names settings, files and counts, never a text, so it may be logged.
pub struct Error(Box<ErrorKind>);

/// The kinds of [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A setting is not valid.
    #[error("{what}")]
    Setting {
        /// What is wrong, and what to do.
        what: String,
    },
    /// The curves of a pack are missing or do not cover the request.
    #[error("{what}")]
    Curves {
        /// What is wrong, and what to do.
        what: String,
    },
    /// A name is not known.
    #[error(transparent)]
    Unknown(#[from] inkveil_settings::UnknownName),
    /// A mechanism refused its parameters, or the system has no randomness.
    #[error(transparent)]
    Privacy(#[from] inkveil_privacy::Error),
    /// The lexicon failed.
    #[error(transparent)]
    Lexicon(#[from] inkveil_lexicon::Error),
    /// Detection failed.
    #[error(transparent)]
    Detection(#[from] inkveil_detect::Error),
    /// The sentence encoder failed.
    #[error(transparent)]
    Model(#[from] inkveil_nn::Error),
    /// The language model that repairs or fills text failed.
    #[error(transparent)]
    Chat(#[from] inkveil_chat::Error),
}

impl Error {
    /// Returns the kind of this error.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    pub(crate) fn setting(what: impl Into<String>) -> Self {
        ErrorKind::Setting { what: what.into() }.into()
    }

    pub(crate) fn curves(what: impl Into<String>) -> Self {
        ErrorKind::Curves { what: what.into() }.into()
    }
}

impl<E: Into<ErrorKind>> From<E> for Error {
    fn from(error: E) -> Self {
        Error(Box::new(error.into()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl std::error::Error for Error {}
