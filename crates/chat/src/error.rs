//! Errors of language models: what happened, where, and what to do. They never contain a text, a
//! key or a message of a server.

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
    /// A request is not valid.
    #[error("{what}")]
    BadRequest {
        /// The problem and the advice.
        what: &'static str,
    },
    /// There is no such model on this machine.
    #[error(
        "there is no model {name:?} on this machine; give the name of an installed pack, the folder of a model, or an address such as http://localhost:8080/v1#MODEL"
    )]
    NoSuchModel {
        /// The name as given.
        name: String,
    },
    /// A local model failed.
    #[error(transparent)]
    Model(#[from] inkveil_nn::Error),
    /// A local model has no chat template, or an unknown one.
    #[error(
        "its tokenizer has no <|im_start|> and <|im_end|>, so its chat format is unknown; use a model tuned for chat in ChatML, such as SmolLM2-Instruct or Qwen2.5-Instruct"
    )]
    NoTemplate,
    /// A model's tokenizer would read part of a text as a control token.
    #[error(
        "the text contains one of the model's control tokens, and the model would obey it; use a model with byte-level tokens, or remove the control token from the text"
    )]
    ControlInText,
    /// A text is too long for a local model.
    #[error(
        "the conversation has {tokens} tokens, and the model accepts fewer than {most}; shorten it or divide it"
    )]
    TooLong {
        /// Its number of tokens.
        tokens: usize,
        /// The context length of the model, including its answer.
        most: usize,
    },
    /// An address is not valid.
    #[error("the address {what}; write it as https://HOST/v1 or http://localhost:PORT/v1")]
    BadAddress {
        /// The problem.
        what: &'static str,
    },
    /// An address does not name a model.
    #[error("the address has no model; add it after a #, as in https://HOST/v1#MODEL")]
    NoModelName,
    /// A key cannot be sent.
    #[error("the key contains invalid characters; check the value of INKVEIL_API_KEY")]
    BadKey,
    /// A key would be sent unencrypted.
    #[error(
        "a key is not sent to another machine over plain http, since it could be read on the way; use https, or unset INKVEIL_API_KEY"
    )]
    PlainKey,
    /// A server cannot be reached.
    #[error("cannot reach the server: {reason}; check that it runs, and check its address and port")]
    Unreachable {
        /// The reason, in words of this program or of the system.
        reason: String,
    },
    /// The certificate of a server is not trusted.
    #[error(
        "the server's certificate is not trusted; check the address, or add its authority to the system's certificates"
    )]
    Untrusted,
    /// A server did not answer in time.
    #[error("no answer within {} s; request fewer tokens, or allow more time", .after.as_secs_f64())]
    TimedOut {
        /// The time limit.
        after: Duration,
    },
    /// A server needs a key, or another key.
    #[error("the server does not accept the key (status {status}); set INKVEIL_API_KEY to a valid key")]
    Unauthorised {
        /// 401 or 403.
        status: u16,
    },
    /// A server does not have the model, or has nothing at this path.
    #[error(
        "the server has no model {model:?}, or nothing at this path (status 404); check the name of the model, and that the address ends in /v1"
    )]
    NotFound {
        /// The requested model.
        model: String,
    },
    /// A server redirects to another address. Texts are only sent to the address that the user
    /// gave.
    #[error(
        "the server redirects to another address (status {status}), and redirects are not followed; use that address if you trust it"
    )]
    Redirected {
        /// 300 to 399.
        status: u16,
    },
    /// A server answers with another status than 200.
    #[error("the server answers with status {status}; {advice}")]
    Status {
        /// The status.
        status: u16,
        /// The advice.
        advice: &'static str,
    },
    /// An answer is too long.
    #[error("the answer is longer than {limit} bytes; check that the address is that of a language model")]
    AnswerTooLong {
        /// The longest allowed.
        limit: u64,
    },
    /// An answer does not follow the protocol.
    #[error("the answer {what}; check that the address is that of a server with chat completions")]
    NotAnAnswer {
        /// The problem.
        what: &'static str,
    },
}
