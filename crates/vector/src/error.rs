//! Errors of the vector veil. None holds a text or a vector.

use std::path::Path;

use inkveil_error::{SystemError, error_type};

error_type! {
    /// An error of this crate. It names settings, files, dimensions and counts, never a text or a vector, so it may be logged.
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
    /// There is too little data to learn from.
    #[error("{what}")]
    TooFew {
        /// What is missing, and what to do.
        what: String,
    },
    /// Dimensions or counts do not match.
    #[error("{what}")]
    Shape {
        /// What is wrong, and what to do.
        what: String,
    },
    /// A mask file cannot be used.
    #[error("{file}: {what}")]
    Mask {
        /// Its name.
        file: String,
        /// What is wrong, and what to do.
        what: String,
    },
    /// The progress callback asked to stop.
    #[error("stopped before the end; nothing was written")]
    Stopped,
    /// A mechanism refused its parameters, or the system has no randomness.
    #[error(transparent)]
    Privacy(#[from] inkveil_privacy::Error),
    /// Detection failed.
    #[error(transparent)]
    Detection(#[from] inkveil_detect::Error),
    /// A network failed.
    #[error(transparent)]
    Model(#[from] inkveil_nn::Error),
}

impl Error {
    pub(crate) fn io(doing: &'static str, error: &std::io::Error) -> Self {
        ErrorKind::Io { doing, cause: error.into() }.into()
    }

    pub(crate) fn setting(what: impl Into<String>) -> Self {
        ErrorKind::Setting { what: what.into() }.into()
    }

    pub(crate) fn too_few(what: impl Into<String>) -> Self {
        ErrorKind::TooFew { what: what.into() }.into()
    }

    pub(crate) fn shape(what: impl Into<String>) -> Self {
        ErrorKind::Shape { what: what.into() }.into()
    }

    pub(crate) fn mask(file: &Path, what: impl Into<String>) -> Self {
        ErrorKind::Mask { file: file.display().to_string(), what: what.into() }.into()
    }
}
