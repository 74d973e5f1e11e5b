//! Errors of the style veil. None holds a text or a vector.

use std::path::Path;

use inkveil_error::{SystemError, error_type};

error_type! {
    /// An error of this crate. It names settings, files, rows and fields, never a text or a vector, so it may be logged.
    pub struct Error(ErrorKind) at subject;
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
    /// A settings file has mistakes.
    #[error(transparent)]
    Settings(#[from] inkveil_settings::SettingsError),
    /// There is too little data to learn from or to compare with.
    #[error("{what}")]
    TooFew {
        /// What is missing, and what to do.
        what: String,
    },
    /// Two things do not belong together, for example a memory and another encoder.
    #[error("{what}")]
    Mismatch {
        /// What is wrong, and what to do.
        what: String,
    },
    /// A file cannot be used.
    #[error("{file}: {what}")]
    File {
        /// Its name.
        file: String,
        /// What is wrong, and what to do.
        what: String,
    },
    /// A row of a file cannot be used.
    #[error("{file}, row {row}: {what}")]
    Row {
        /// The name of the file.
        file: String,
        /// The row, from 1.
        row: usize,
        /// What is wrong, and what to do.
        what: String,
    },
    /// The progress callback asked to stop.
    #[error("stopped before the end")]
    Stopped,
    /// A file could not be written.
    #[error(transparent)]
    Output(#[from] inkveil_files::Error),
    /// Detection failed.
    #[error(transparent)]
    Detection(#[from] inkveil_detect::Error),
    /// The lexicon of a pack cannot be used.
    #[error(transparent)]
    Lexicon(#[from] inkveil_lexicon::Error),
    /// A language model did not answer.
    #[error(transparent)]
    Chat(#[from] inkveil_chat::Error),
    /// A receipt cannot be made.
    #[error(transparent)]
    Receipt(#[from] inkveil_privacy::Error),
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

    pub(crate) fn mismatch(what: impl Into<String>) -> Self {
        ErrorKind::Mismatch { what: what.into() }.into()
    }

    pub(crate) fn file(file: &Path, what: impl Into<String>) -> Self {
        ErrorKind::File { file: file.display().to_string(), what: what.into() }.into()
    }

    pub(crate) fn row(file: &Path, row: usize, what: impl Into<String>) -> Self {
        ErrorKind::Row { file: file.display().to_string(), row, what: what.into() }.into()
    }
}
