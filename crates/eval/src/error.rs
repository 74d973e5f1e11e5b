//! What can go wrong with an evaluation: what, where, and what to do about it. Never a text.

use std::fmt;
use std::io;
use std::path::Path;

/// An error of this crate. It names files, lines and counts, never a text, so it may be logged.
///
/// ```
/// use inkveil_eval::{ErrorKind, sts};
///
/// let error = sts::read_stsb(std::path::Path::new("nowhere")).unwrap_err();
/// assert!(matches!(error.kind(), ErrorKind::Io { .. }));
/// ```
#[derive(Clone, PartialEq)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq)]
struct Inner {
    file: Option<String>,
    line: Option<usize>,
    kind: ErrorKind,
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused something.
    #[error("cannot {doing}: {reason}")]
    Io {
        /// What was tried, in words.
        doing: &'static str,
        /// The kind of failure.
        kind: io::ErrorKind,
        /// What the system said.
        reason: String,
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
    #[error("{what}")]
    Veil {
        /// What is wrong and what to do.
        what: String,
    },
    /// A language model did not answer.
    #[error("{what}")]
    Chat {
        /// What is wrong and what to do.
        what: String,
    },
    /// It was asked to stop.
    #[error("stopped; what was measured is kept, and the same command goes on from there")]
    Stopped,
    /// Texts with authors could not be read, or a style not be measured.
    #[error("{what}")]
    Style {
        /// What is wrong and what to do.
        what: String,
    },
}

impl Error {
    /// What kind of error this is.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The line this error is about, counted from 1.
    pub fn line(&self) -> Option<usize> {
        self.0.line
    }

    pub(crate) fn io(doing: &'static str, error: &io::Error) -> Self {
        ErrorKind::Io { doing, kind: error.kind(), reason: error.to_string() }.into()
    }

    pub(crate) fn format(what: impl Into<String>) -> Self {
        ErrorKind::Format { what: what.into() }.into()
    }

    pub(crate) fn argument(what: impl Into<String>) -> Self {
        ErrorKind::Argument { what: what.into() }.into()
    }

    pub(crate) fn in_file(mut self, file: &Path) -> Self {
        self.0.file.get_or_insert_with(|| file.display().to_string());
        self
    }

    /// Names the line by its position from 0.
    pub(crate) fn in_line(mut self, position: usize) -> Self {
        self.0.line.get_or_insert(position.saturating_add(1));
        self
    }
}

impl From<inkveil_style::Error> for ErrorKind {
    fn from(error: inkveil_style::Error) -> Self {
        Self::Style { what: error.to_string() }
    }
}

impl From<inkveil_text::Error> for ErrorKind {
    fn from(error: inkveil_text::Error) -> Self {
        Self::Veil { what: error.to_string() }
    }
}

impl From<inkveil_chat::Error> for ErrorKind {
    fn from(error: inkveil_chat::Error) -> Self {
        Self::Chat { what: error.to_string() }
    }
}

impl From<inkveil_lexicon::Error> for ErrorKind {
    fn from(error: inkveil_lexicon::Error) -> Self {
        Self::Veil { what: error.to_string() }
    }
}

impl<E: Into<ErrorKind>> From<E> for Error {
    fn from(error: E) -> Self {
        Error(Box::new(Inner { file: None, line: None, kind: error.into() }))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { file, line, kind } = &*self.0;
        if let Some(file) = file {
            write!(f, "{file}: ")?;
        }
        if let Some(line) = line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "{kind}")
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_where() {
        let error = Error::format("a field is missing").in_line(6).in_file(Path::new("a.csv"));
        assert_eq!(error.to_string(), "a.csv: line 7: a field is missing");
        assert_eq!(error.line(), Some(7));
    }
}
