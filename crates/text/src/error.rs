//! Errors of the text veil. None holds a text.

use inkveil_error::{SystemError, error_type};

error_type! {
    /// An error of this crate. It names settings, files and counts, never a text, so it may be logged.
    pub struct Error(ErrorKind) at file;
}

/// The kinds of [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused an operation.
    #[error("cannot {doing}")]
    Io {
        /// The operation.
        doing: &'static str,
        /// Why it was refused.
        #[source]
        cause: SystemError,
    },
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
    /// The lists of surrogates could not be opened.
    #[error(transparent)]
    Surrogates(#[from] inkveil_surrogates::Error),
    /// The sentence encoder failed.
    #[error(transparent)]
    Model(#[from] inkveil_nn::Error),
    /// The language model that repairs or fills text failed.
    #[error(transparent)]
    Chat(#[from] inkveil_chat::Error),
}

impl Error {
    pub(crate) fn io(doing: &'static str, error: &std::io::Error) -> Self {
        ErrorKind::Io { doing, cause: error.into() }.into()
    }

    pub(crate) fn setting(what: impl Into<String>) -> Self {
        ErrorKind::Setting { what: what.into() }.into()
    }

    pub(crate) fn curves(what: impl Into<String>) -> Self {
        ErrorKind::Curves { what: what.into() }.into()
    }
}
