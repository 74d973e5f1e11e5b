//! Answers from a language model, either on this machine or on a server.
//!
//! [`Chat`] is the common interface. [`LocalChat`] runs a model on this machine, [`RemoteChat`]
//! sends requests to a server with OpenAI's chat completions protocol, and [`open`] chooses between
//! them by the name or address that a user gave. Code that writes prompts works with both.
//!
//! # What leaves this machine
//!
//! - [`LocalChat`] sends nothing over the network.
//! - [`RemoteChat`] sends each request to the given server, and to no other address: the full text
//!   of every message, the name of the model, the [`AnswerSettings`] (with the stop texts and the
//!   seed), the key if there is one, and the program's name and version as user agent. The server's
//!   operator can read and store all of this. If the environment names a proxy, the connection goes
//!   through it, except to servers on this machine. With `https` the content is encrypted on the
//!   way; with plain `http` anyone on the way can read it. This crate does not veil any text: veil
//!   it before you pass it here.
//!
//! # Example
//!
//! ```
//! use inkveil_chat::{Answer, Chat, Error, Request, AnswerSettings};
//!
//! /// A model that repeats the last message.
//! struct Echo;
//!
//! impl Chat for Echo {
//!     fn name(&self) -> String {
//!         "echo".to_owned()
//!     }
//!
//!     fn answer(&self, request: &Request) -> Result<Answer, Error> {
//!         let last = request.messages.last().map(|message| message.content.clone());
//!         Ok(Answer { text: last.unwrap_or_default(), cut: false })
//!     }
//! }
//!
//! let settings = AnswerSettings { max_tokens: 100, temperature: 0.7, seed: Some(1), ..AnswerSettings::default() };
//! let request = Request::new().system("Repeat what you are told.").user("Good morning!").with(settings);
//! assert_eq!(Echo.answer(&request)?.text, "Good morning!");
//! assert!(!format!("{request:?}").contains("morning")); // texts are private
//! # Ok::<(), Error>(())
//! ```
//!
//! Errors, log lines and `Debug` output never contain texts, keys or the messages of a server.
//!
//! # Files
//!
//! - `chat.rs`, `request.rs`: the trait and what is asked.
//! - `local.rs`: a model on this machine. `remote/`: a server. `open.rs`: chooses between them by
//!   name or address.
#![forbid(unsafe_code)]

mod chat;
mod error;
mod local;
mod open;
mod remote;
mod request;

pub use chat::Chat;
pub use error::{Error, ErrorKind};
pub use inkveil_nn::{Message, Role};
pub use local::LocalChat;
pub use open::open;
pub use remote::RemoteChat;
pub use request::{Answer, AnswerSettings, AvoidedWords, Request};
