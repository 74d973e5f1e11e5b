//! Errors of evaluations. They never contain a text.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// An error of this crate. It names files, lines and counts, never a text, so it may be logged.
///
/// ```
/// use inkveil_eval::{ErrorKind, sts};
///
/// let error = sts::read_stsb(std::path::Path::new("nowhere")).unwrap_err();
/// assert!(matches!(error.kind(), ErrorKind::Io { .. }));
/// assert!(std::error::Error::source(&error).is_some());
/// ```
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    file: Option<String>,
    line: Option<usize>,
    kind: ErrorKind,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused an operation; the source says why.
    #[error("cannot {doing}")]
    Io {
        /// The operation, in words.
        doing: &'static str,
        /// The kind of failure.
        kind: io::ErrorKind,
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
    /// The folder of a test set is missing in the data folder.
    #[error("there is no such folder")]
    NoTestSet,
    /// A test set has questions, and there is no model that answers them.
    #[error("the test set has questions, and no model was given that answers them")]
    NoAnsweringModel,
    /// A neural network failed; see the source.
    #[error("a model failed")]
    Model,
    /// Detection failed; see the source.
    #[error("detection failed")]
    Detection,
    /// Words could not be veiled; see the source.
    #[error("words cannot be veiled")]
    Veil,
    /// Vectors could not be veiled, or a mask not be fitted; see the source.
    #[error("vectors cannot be veiled")]
    Vector,
    /// A style could not be measured, or texts with authors not be read; see the source.
    #[error("the style cannot be measured")]
    Style,
    /// A language model did not answer; see the source.
    #[error("the language model did not answer")]
    Chat,
    /// The work was cancelled. Finished measurements are stored.
    #[error("cancelled; finished measurements are stored")]
    Cancelled,
}

impl Error {
    /// What kind of error this is.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The line that the error is about, counted from 1.
    pub fn line(&self) -> Option<usize> {
        self.0.line
    }

    pub(crate) fn io(doing: &'static str, error: io::Error) -> Self {
        Self::from(ErrorKind::Io { doing, kind: error.kind() }).caused_by(error)
    }

    pub(crate) fn format(what: impl Into<String>) -> Self {
        ErrorKind::Format { what: what.into() }.into()
    }

    pub(crate) fn argument(what: impl Into<String>) -> Self {
        ErrorKind::Argument { what: what.into() }.into()
    }

    /// Adds the cause. Its text must not quote input.
    pub(crate) fn caused_by(mut self, cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(cause));
        self
    }

    pub(crate) fn in_file(mut self, file: &Path) -> Self {
        self.0.file.get_or_insert_with(|| file.display().to_string());
        self
    }

    /// Adds the line by its position from 0.
    pub(crate) fn in_line(mut self, position: usize) -> Self {
        self.0.line.get_or_insert(position.saturating_add(1));
        self
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(Inner { file: None, line: None, kind, source: None }))
    }
}

/// Errors of other crates become the cause of an error of this kind.
macro_rules! from_cause {
    ($($cause:ty => $kind:ident),* $(,)?) => {
        $(impl From<$cause> for Error {
            fn from(error: $cause) -> Self {
                Self::from(ErrorKind::$kind).caused_by(error)
            }
        })*
    };
}

from_cause! {
    inkveil_nn::Error => Model,
    inkveil_detect::Error => Detection,
    inkveil_text::Error => Veil,
    inkveil_lexicon::Error => Veil,
    inkveil_privacy::Error => Vector,
    inkveil_vector::Error => Vector,
    inkveil_style::Error => Style,
    inkveil_chat::Error => Chat,
}

/// The cause is not compared.
impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        (&self.0.file, self.0.line, &self.0.kind) == (&other.0.file, other.0.line, &other.0.kind)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { file, line, kind, .. } = &*self.0;
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

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|cause| &**cause as &(dyn std::error::Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

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
