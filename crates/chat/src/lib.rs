//! Answers from a language model: a local one, or one behind an address that speaks the usual protocol.
//!
//! [`Chat`] is the one interface; [`LocalChat`] reads a model from this machine, [`RemoteChat`] asks a server, and [`open`]
//! chooses between them by what a user typed. Whoever writes prompts need not know which of them answers.
//!
//! ```
//! use inkveil_chat::{Answer, Chat, Error, Request, Settings};
//!
//! /// A model that is easily understood.
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
//! let settings = Settings { max_tokens: 100, temperature: 0.7, seed: Some(1), ..Settings::default() };
//! let request = Request::new().system("Repeat what you are told.").user("Good morning!").with(settings);
//! assert_eq!(Echo.answer(&request)?.text, "Good morning!");
//! assert!(!format!("{request:?}").contains("morning")); // texts are private
//! # Ok::<(), Error>(())
//! ```
//!
//! Texts are never in an error, a log line or a `Debug` output; neither are keys, nor what a server says when it refuses.
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
pub use request::{Answer, Request, Settings};
