//! What can go wrong with a model: what, where, and what to do about it. Never a text that was given to it.

use std::fmt;
use std::io;
use std::path::Path;

/// An error of this crate.
///
/// Errors name files, tensors, shapes and settings. They never hold a text or a vector, so they may be logged.
///
/// ```
/// use inkveil_nn::{ErrorKind, Weights};
///
/// let error = Weights::open(std::path::Path::new("nowhere")).unwrap_err();
/// assert!(matches!(error.kind(), ErrorKind::Io { .. }));
/// ```
#[derive(Clone, PartialEq)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq)]
struct Inner {
    file: Option<String>,
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
    /// The bytes are not what the format says.
    #[error("not valid {format}: {what}; fetch or write the file again")]
    Corrupt {
        /// The format that was expected.
        format: &'static str,
        /// What is wrong.
        what: String,
    },
    /// The file is well formed, but holds something this program does not handle.
    #[error("{what} is not supported; {advice}")]
    Unsupported {
        /// What is not supported.
        what: String,
        /// What to do instead.
        advice: &'static str,
    },
    /// A tensor the model needs is not in its weights.
    #[error("the tensor {name:?} is missing; these are not the weights of such a model")]
    MissingTensor {
        /// Its name.
        name: String,
    },
    /// A tensor has another shape than the model needs.
    #[error(
        "the tensor {name:?} has shape {found:?}, expected {expected:?}; weights and config do not match"
    )]
    Shape {
        /// Its name.
        name: String,
        /// The shape the model needs.
        expected: Vec<usize>,
        /// The shape it has.
        found: Vec<usize>,
    },
    /// A setting of a model is missing or makes no sense.
    #[error("the setting {field:?} {what}")]
    Config {
        /// Its name.
        field: &'static str,
        /// What is wrong, after the name: "is missing", "must be above 0".
        what: String,
    },
    /// The tokenizer's ids and the table's rows do not belong together.
    #[error("the tokenizer has {tokens} tokens, the table has {rows} rows; take both from the same model")]
    TokenizerMismatch {
        /// How many ids the tokenizer may give.
        tokens: usize,
        /// How many rows the table has.
        rows: usize,
    },
    /// The model does not fit into memory.
    #[error(
        "{what} needs {needed} bytes of memory and {available} are free; use a smaller or more quantised model"
    )]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Bytes needed.
        needed: u64,
        /// Bytes there are.
        available: u64,
    },
    /// An argument makes no sense.
    #[error("{what}")]
    Argument {
        /// What is wrong and what to do.
        what: String,
    },
    /// A trainable variable got no gradient.
    #[error("the variable {name:?} got no gradient; it is not part of what is being trained")]
    NoGradient {
        /// Its name.
        name: String,
    },
    /// Numbers grew beyond all bounds in training.
    #[error("{what} is not finite; lower the learning rate, warm up longer or clip gradients")]
    NotFinite {
        /// What is not finite.
        what: &'static str,
    },
    /// The tensor library failed.
    #[error("cannot {doing}: {reason}")]
    Backend {
        /// What was tried.
        doing: &'static str,
        /// What it said.
        reason: String,
    },
}

impl Error {
    /// What kind of error this is.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    pub(crate) fn io(doing: &'static str, error: &io::Error) -> Self {
        ErrorKind::Io { doing, kind: error.kind(), reason: error.to_string() }.into()
    }

    pub(crate) fn corrupt(format: &'static str, what: impl Into<String>) -> Self {
        ErrorKind::Corrupt { format, what: what.into() }.into()
    }

    pub(crate) fn argument(what: impl Into<String>) -> Self {
        ErrorKind::Argument { what: what.into() }.into()
    }

    pub(crate) fn backend(doing: &'static str) -> impl Fn(candle_core::Error) -> Self {
        move |error| ErrorKind::Backend { doing, reason: error.to_string() }.into()
    }

    /// Names the file, unless it has been named already.
    pub(crate) fn in_file(mut self, file: &Path) -> Self {
        self.0.file.get_or_insert_with(|| file.display().to_string());
        self
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Error(Box::new(Inner { file: None, kind }))
    }
}

impl From<candle_core::Error> for Error {
    fn from(error: candle_core::Error) -> Self {
        Error::backend("compute")(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.0.file {
            write!(f, "{file}: ")?;
        }
        write!(f, "{}", self.0.kind)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl std::error::Error for Error {}
