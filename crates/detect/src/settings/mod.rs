//! Settings: what to find, and with which confidence.
//!
//! [`Settings`] are plain data. They come from code or from a TOML file. Errors list all problems of a file,
//! each with its line and a caret.

mod file;
mod known;
mod values;

pub use inkveil_settings::{Problem, SettingsError, UnknownName};
pub use values::{Allow, Phrase, Settings, Tier, UserRule, WordList};
