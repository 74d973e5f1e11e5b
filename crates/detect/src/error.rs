//! What can go wrong.

use inkveil_error::{SystemError, error_type};

use crate::rules::RuleError;

error_type! {
    /// Why detection could not be set up or run. It never quotes the text that was looked at.
    pub struct Error(ErrorKind) at file;
}

/// What kind of thing went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file could not be read or written.
    #[error("cannot {doing}")]
    File {
        /// The operation.
        doing: &'static str,
        /// Why it was refused.
        #[source]
        cause: SystemError,
    },
    /// A file is not what it should be.
    #[error("{what}")]
    Damaged {
        /// What is wrong with it.
        what: String,
    },
    /// A text is not UTF-8.
    #[error("byte {byte} (line {line}) is not UTF-8; convert the text, for example with iconv")]
    NotUtf8 {
        /// The number of valid bytes before.
        byte: u64,
        /// The line, from 1.
        line: u64,
    },
    /// The caller cancelled the work.
    #[error("the work was cancelled")]
    Cancelled,
    /// A tokenizer lacks a token that the tagger needs.
    #[error("the tokenizer has no {token}; the accurate tier needs an encoder of the BERT family")]
    NoToken {
        /// The token.
        token: &'static str,
    },
    /// A rule, a word list or a threshold cannot be used.
    #[error("{what}")]
    Setting {
        /// What is wrong and what to do.
        what: String,
    },
    /// A rule cannot be used.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// A model failed.
    #[error(transparent)]
    Model(#[from] inkveil_nn::Error),
}

impl Error {
    pub(crate) fn io(doing: &'static str, reason: std::io::Error) -> Self {
        ErrorKind::File { doing, cause: reason.into() }.into()
    }

    pub(crate) fn damaged(what: impl Into<String>) -> Self {
        ErrorKind::Damaged { what: what.into() }.into()
    }
}
