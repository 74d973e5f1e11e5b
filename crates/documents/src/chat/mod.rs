//! Chats: exports in JSON, and lines of WhatsApp.

mod json;
mod lines;

pub use json::looks_like_chat;
pub(crate) use json::read_json;
pub(crate) use lines::read_lines;
