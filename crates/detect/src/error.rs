//! Errors of this crate.

use inkveil_error::{SystemError, error_type};

use crate::language::Language;
use crate::rules::RuleError;

error_type! {
    /// Why detection failed. It never quotes the searched text.
    pub struct Error(ErrorKind) at file;
}

/// The kinds of [`Error`].
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
    /// A file has invalid content.
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
    /// The tokenizer of a pack lacks a token that the accurate tagger needs.
    #[error("the tokenizer has no token {token}; the accurate tier needs an encoder of the BERT family")]
    NoToken {
        /// The token.
        token: &'static str,
    },
    /// A setting is invalid.
    #[error("{what}")]
    Setting {
        /// What is wrong and what to do.
        what: String,
    },
    /// A passage is in a language without a tagger, and the settings refuse such texts.
    #[error("a passage is in {language}, which detection supports {}", Language::support_of(language.name()))]
    Language {
        /// The language.
        language: Language,
    },
    /// A rule is invalid.
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
