//! What can go wrong in this crate.

use std::borrow::Borrow;
use std::io;

use inkveil_error::{Cause, SystemError, error_type};

error_type! {
    /// An error of this crate. It names files, lines and counts, never a text, so it may be logged.
    ///
    /// ```
    /// use inkveil_eval::{ErrorKind, sts};
    ///
    /// let error = sts::read_stsb(std::path::Path::new("nowhere")).unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::Io { .. }));
    /// assert!(std::error::Error::source(&error).is_some());
    /// ```
    pub struct Error(ErrorKind) at file, line;
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
    /// A file, or a line of it, does not have the expected format.
    #[error("{what}")]
    Format {
        /// What is wrong and what to do.
        what: String,
    },
    /// Arguments do not fit each other.
    #[error("{what}")]
    Argument {
        /// What is wrong and what to do.
        what: String,
    },
    /// A step failed for a reason that another library reports.
    #[error("{what}")]
    Caused {
        /// The step.
        what: String,
        /// Why it failed.
        #[source]
        cause: Cause,
    },
    /// The folder of a test set is missing in the data folder.
    #[error("there is no such folder")]
    NoTestSet,
    /// A test set has questions, and there is no model that answers them.
    #[error("the test set has questions, and no model was given that answers them")]
    NoAnsweringModel,
    /// A neural network failed.
    #[error(transparent)]
    Model(#[from] inkveil_nn::Error),
    /// Words could not be veiled.
    #[error(transparent)]
    Veil(#[from] inkveil_text::Error),
    /// Vectors could not be veiled, or a mask could not be fitted.
    #[error(transparent)]
    Vector(#[from] inkveil_vector::Error),
    /// A lexicon failed.
    #[error(transparent)]
    Lexicon(#[from] inkveil_lexicon::Error),
    /// Detection failed.
    #[error(transparent)]
    Detection(#[from] inkveil_detect::Error),
    /// A name is not known.
    #[error(transparent)]
    Unknown(#[from] inkveil_settings::UnknownName),
    /// A mechanism refused its parameters, or there was no randomness.
    #[error(transparent)]
    Privacy(#[from] inkveil_privacy::Error),
    /// A language model did not answer.
    #[error(transparent)]
    Chat(#[from] inkveil_chat::Error),
    /// A style could not be measured, or texts with authors could not be read.
    #[error(transparent)]
    Style(#[from] inkveil_style::Error),
    /// Rows of a file could not be read.
    #[error(transparent)]
    Rows(#[from] inkveil_rows::Error),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] inkveil_files::Error),
    /// The work was cancelled. Finished measurements are stored.
    #[error("cancelled; finished measurements are stored")]
    Cancelled,
}

impl Error {
    pub(crate) fn io(doing: &'static str, error: impl Borrow<io::Error>) -> Self {
        ErrorKind::Io { doing, cause: error.borrow().into() }.into()
    }

    /// Adds the cause to an error of a format or an argument. Its text must not quote input.
    pub(crate) fn caused_by(self, cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        match self.kind() {
            ErrorKind::Format { what } | ErrorKind::Argument { what } => {
                ErrorKind::Caused { what: what.clone(), cause: Cause::new(cause) }.into()
            }
            _ => self,
        }
    }

    pub(crate) fn format(what: impl Into<String>) -> Self {
        ErrorKind::Format { what: what.into() }.into()
    }

    pub(crate) fn argument(what: impl Into<String>) -> Self {
        ErrorKind::Argument { what: what.into() }.into()
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;
    use std::path::Path;

    use super::*;

    #[test]
    fn an_error_names_its_file_and_line() {
        let error = Error::format("a field is missing").in_line(6).in_file(Path::new("a.csv"));
        assert_eq!(error.to_string(), "a.csv: line 7: a field is missing");
        assert_eq!(error.line(), Some(7));
    }

    #[test]
    fn an_error_keeps_its_cause() {
        let error = Error::io("read the file", io::Error::from(io::ErrorKind::NotFound));
        assert_eq!(error.to_string(), "cannot read the file");
        assert_eq!(error.source().unwrap().to_string(), "entity not found");
    }
}
