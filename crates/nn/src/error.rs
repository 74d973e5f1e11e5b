//! What can go wrong with a model: what, where, and what to do about it. Never a text that was given to it.

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
