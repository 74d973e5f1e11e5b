//! The errors of this crate. An error states what is wrong, where, and what to do. It never
//! contains a text given to a model.

use std::io;

use inkveil_error::{Cause, SystemError, error_type};

error_type! {
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
    pub struct Error(ErrorKind) at file;
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
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
    /// The bytes do not follow the format.
    #[error("not valid {format}: {what}; download or write the file again")]
    Corrupt {
        /// The format that was expected.
        format: &'static str,
        /// What is wrong.
        what: String,
    },
    /// The file is valid, but contains something that is not supported.
    #[error("{what} is not supported; {advice}")]
    Unsupported {
        /// What is not supported.
        what: String,
        /// What to do instead.
        advice: &'static str,
    },
    /// A tensor the model needs is not in its weights.
    #[error("the tensor {name:?} is missing; these weights belong to another model")]
    MissingTensor {
        /// Its name.
        name: String,
    },
    /// A tensor does not have the shape that the model needs.
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
    /// A setting of a model is missing or invalid.
    #[error("the setting {field:?} {what}")]
    Config {
        /// Its name.
        field: &'static str,
        /// What is wrong, to follow the name: "is missing", "must be above 0".
        what: String,
    },
    /// The tokenizer and the table have different sizes.
    #[error("the tokenizer has {tokens} tokens, but the table has {rows} rows; use files of the same model")]
    TokenizerMismatch {
        /// The number of ids of the tokenizer.
        tokens: usize,
        /// The number of rows of the table.
        rows: usize,
    },
    /// The model does not fit into memory.
    #[error(
        "{what} needs {needed} bytes of memory, but only {available} are available; use a smaller model or stronger quantisation"
    )]
    TooLarge {
        /// What does not fit.
        what: &'static str,
        /// Bytes needed.
        needed: u64,
        /// The available bytes.
        available: u64,
    },
    /// An argument is invalid.
    #[error("{what}")]
    Argument {
        /// What is wrong and what to do.
        what: String,
    },
    /// A trainable variable got no gradient.
    #[error("the variable {name:?} has no gradient; the loss does not depend on it")]
    NoGradient {
        /// Its name.
        name: String,
    },
    /// Numbers overflowed in training.
    #[error("{what} is not finite; lower the learning rate, use a longer warm-up or clip gradients")]
    NotFinite {
        /// What is not finite.
        what: &'static str,
    },
    /// The tensor library failed.
    #[error("cannot {doing}")]
    Backend {
        /// The operation.
        doing: &'static str,
        /// Why it failed.
        #[source]
        cause: Cause,
    },
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] inkveil_files::Error),
}

impl Error {
    pub(crate) fn io(doing: &'static str, error: &io::Error) -> Self {
        ErrorKind::Io { doing, cause: error.into() }.into()
    }

    pub(crate) fn corrupt(format: &'static str, what: impl Into<String>) -> Self {
        ErrorKind::Corrupt { format, what: what.into() }.into()
    }

    pub(crate) fn argument(what: impl Into<String>) -> Self {
        ErrorKind::Argument { what: what.into() }.into()
    }

    pub(crate) fn backend(doing: &'static str) -> impl Fn(candle_core::Error) -> Self {
        move |error| ErrorKind::Backend { doing, cause: Cause::new(error) }.into()
    }
}

impl From<candle_core::Error> for ErrorKind {
    fn from(error: candle_core::Error) -> Self {
        ErrorKind::Backend { doing: "compute", cause: Cause::new(error) }
    }
}
