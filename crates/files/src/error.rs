//! What can go wrong with a file. Errors name files, never their content.

use std::io;

use inkveil_error::{SystemError, error_type};

error_type! {
    /// An error of this crate.
    ///
    /// ```
    /// use inkveil_files::{ErrorKind, Output};
    ///
    /// let error = Output::file(std::env::temp_dir(), false).unwrap_err();
    /// assert_eq!(error.kind(), &ErrorKind::NotAFile);
    /// ```
    #[derive(Clone, PartialEq, Eq)]
    pub struct Error(ErrorKind) at file;
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused an operation.
    #[error("cannot {doing}")]
    Io {
        /// The operation.
        doing: &'static str,
        /// Why it was refused. The kind of a closed pipe is [`io::ErrorKind::BrokenPipe`].
        #[source]
        cause: SystemError,
    },
    /// The destination exists.
    #[error("this file exists already")]
    Exists,
    /// The path is not that of an ordinary file.
    #[error("this is not an ordinary file; choose the name of a file")]
    NotAFile,
    /// Standard output is closed.
    #[error("standard output is closed, so the result would be lost; open it, or write a file")]
    StdoutClosed,
    /// Two arguments name the same file.
    #[error("{first} and {second} are the same file; choose another name")]
    SameFile {
        /// The first argument.
        first: String,
        /// The second argument.
        second: String,
    },
}

impl Error {
    pub(crate) fn io(doing: &'static str, error: &io::Error) -> Self {
        ErrorKind::Io { doing, cause: error.into() }.into()
    }
}
