//! What can go wrong with an evaluation: what, where, and what to do about it. Never a text.

use std::io;

use inkveil_error::{SystemError, error_type};

error_type! {
    /// An error of this crate. It names files, lines and counts, never a text, so it may be logged.
    ///
    /// ```
    /// use inkveil_eval::{ErrorKind, sts};
    ///
    /// let error = sts::read_stsb(std::path::Path::new("nowhere")).unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::Io { .. }));
    /// ```
    pub struct Error(ErrorKind) at file, line;
}

/// The kinds of [`Error`].
#[derive(Debug, thiserror::Error)]
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
    /// A file or a line of it is not what the format says.
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
    /// A network failed.
    #[error(transparent)]
    Model(#[from] inkveil_nn::Error),
    /// Words could not be veiled.
    #[error(transparent)]
    Text(#[from] inkveil_text::Error),
    /// Vectors could not be veiled.
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
    /// Rows of a file could not be read.
    #[error(transparent)]
    Rows(#[from] inkveil_rows::Error),
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] inkveil_files::Error),
    /// The caller asked to stop.
    #[error("stopped; the finished measurements are kept and will be reused")]
    Stopped,
    /// Texts with authors could not be read, or a style could not be measured.
    #[error(transparent)]
    Style(#[from] inkveil_style::Error),
}

impl Error {
    pub(crate) fn io(doing: &'static str, error: &io::Error) -> Self {
        ErrorKind::Io { doing, cause: error.into() }.into()
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
    use std::path::Path;

    use super::*;

    #[test]
    fn says_where() {
        let error = Error::format("a field is missing").in_line(6).in_file(Path::new("a.csv"));
        assert_eq!(error.to_string(), "a.csv: line 7: a field is missing");
        assert_eq!(error.line(), Some(7));
    }
}
