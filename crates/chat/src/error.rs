//! What can go wrong with a question: what, where, and what to do about it. Never a text, a key, or a server's own words.

use std::time::Duration;

use inkveil_error::error_type;

error_type! {
    /// An error of this crate.
    ///
    /// Errors name servers (scheme, host and port), models, statuses and settings. They never hold a text that was asked or
    /// answered, a key, or what a server wrote, so they may be logged.
    ///
    /// ```
    /// use inkveil_chat::{ErrorKind, RemoteChat};
    ///
    /// let key = Some("sk-secret".to_owned());
    /// let error = RemoteChat::new("http://models.example/v1", "some-model", key).unwrap_err();
    /// assert_eq!(error.kind(), &ErrorKind::PlainKey);
    /// assert!(!error.to_string().contains("secret"));
    /// ```
    #[derive(Clone, PartialEq)]
    pub struct Error(ErrorKind) at subject;
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A request makes no sense.
    #[error("{what}")]
    BadRequest {
        /// What is wrong and what to do.
        what: &'static str,
    },
    /// There is no such model on this machine.
    #[error(
        "there is no such model on this machine; give the name of an installed pack, the folder of a model, or an address such as http://localhost:8080/v1#MODEL"
    )]
    NoSuchModel {
        /// The name as given.
        name: String,
    },
    /// A local model failed.
    #[error(transparent)]
    Model(#[from] inkveil_nn::Error),
    /// A local model has no conversations, or writes them in a way that is not known here.
    #[error(
        "its tokenizer has no <|im_start|> and <|im_end|>, so how it writes conversations is not known; use a model tuned for chat in ChatML, such as SmolLM2-Instruct or Qwen2.5-Instruct"
    )]
    NoTemplate,
    /// A model's tokenizer would take a part of a text for a control.
    #[error(
        "the text spells one of the model's control tokens, and its tokenizer would obey it; use a model with byte-level tokens, or take the control out of the text"
    )]
    ControlInText,
    /// A text is too long for a local model.
    #[error(
        "the conversation has {tokens} tokens, and the model reads fewer than {most}; shorten it or divide it"
    )]
    TooLong {
        /// How long it is.
        tokens: usize,
        /// What the model can read, its answer included.
        most: usize,
    },
    /// An address cannot be used.
    #[error("the address {what}; write it as https://HOST/v1 or http://localhost:PORT/v1")]
    BadAddress {
        /// What is wrong with it.
        what: &'static str,
    },
    /// An address does not say which model to ask.
    #[error("the address names no model; write it behind a #, as in https://HOST/v1#MODEL")]
    NoModelName,
    /// A key cannot be sent.
    #[error("the key has characters that no key has; check what INKVEIL_API_KEY is set to")]
    BadKey,
    /// A key would cross the network in the clear.
    #[error(
        "a key is not sent over plain http to another machine, where it can be read on the way; use https, or unset INKVEIL_API_KEY"
    )]
    PlainKey,
    /// A server cannot be reached.
    #[error("cannot reach the server: {reason}; check that it runs, and its address and port")]
    Unreachable {
        /// Why, in words of this program or of the system.
        reason: String,
    },
    /// A server is not who it says.
    #[error(
        "the server's certificate is not trusted; check the address, or add its authority to the system's certificates"
    )]
    Untrusted,
    /// A server took too long.
    #[error("no answer came within {} s; ask for fewer tokens, or allow more time", .after.as_secs_f64())]
    TimedOut {
        /// How long it was waited for.
        after: Duration,
    },
    /// A server wants a key, or another one.
    #[error("the server does not accept the key (status {status}); set INKVEIL_API_KEY to one that it knows")]
    Unauthorised {
        /// 401 or 403.
        status: u16,
    },
    /// A server does not know the model, or has nothing at this address.
    #[error(
        "the server knows no model {model:?}, or has nothing at this path (status 404); check the model's name and that the address ends in /v1"
    )]
    NotFound {
        /// The model that was asked for.
        model: String,
    },
    /// A server sends elsewhere. Texts are not sent to an address that the user did not give.
    #[error(
        "the server sends to another address (status {status}), which is not followed; give that address"
    )]
    Redirected {
        /// 300 to 399.
        status: u16,
    },
    /// A server answers with another status than success.
    #[error("the server answers with status {status}; {advice}")]
    Status {
        /// The status.
        status: u16,
        /// What to do.
        advice: &'static str,
    },
    /// An answer has more bytes than any honest one.
    #[error("the answer is longer than {limit} bytes; check that the address is that of a language model")]
    AnswerTooLong {
        /// The longest allowed.
        limit: u64,
    },
    /// An answer is not what the protocol says.
    #[error("the answer {what}; check that the address is that of a server with chat completions")]
    NotAnAnswer {
        /// What is wrong with it.
        what: &'static str,
    },
}
