//! Settings files in TOML: values with their positions, and messages that point at mistakes.
//!
//! [`parse`] reads a text and passes its root [`Table`] and a [`Reader`] to a function of yours.
//! The reader takes values out of the table. It notes each invalid value with its position, skips
//! it and continues, so that the author of the file sees all mistakes at once, in a
//! [`SettingsError`].
//!
//! ```
//! use inkveil_settings::{Reader, SettingsError, Table, parse};
//!
//! #[derive(Debug, PartialEq)]
//! enum Ending { Cut, Fold }
//!
//! #[derive(Debug, PartialEq)]
//! struct Page { width: f64, ending: Ending, titles: Vec<String> }
//!
//! /// Reads the given settings; the others keep their defaults.
//! fn page(reader: &mut Reader, table: Table<'_>) -> Page {
//!     let mut page = Page { width: 80.0, ending: Ending::Cut, titles: Vec::new() };
//!     reader.only_keys(table, "setting", &["width", "ending", "titles"]);
//!     if let Some(width) = table.get("width").and_then(|value| reader.number(value, 20.0..=400.0)) {
//!         page.width = width;
//!     }
//!     if let Some(value) = table.get("ending") {
//!         let endings = [("cut", Ending::Cut), ("fold", Ending::Fold)];
//!         page.ending = reader.choice(value, "ending", endings).unwrap_or(Ending::Cut);
//!     }
//!     if let Some(value) = table.get("titles") {
//!         page.titles = reader.strings(value);
//!     }
//!     page
//! }
//!
//! let read = |text| parse(text, "page.toml", page);
//! assert_eq!(
//!     read("width = 100\nending = \"fold\"\n")?,
//!     Page { width: 100.0, ending: Ending::Fold, titles: Vec::new() }
//! );
//! assert_eq!(
//!     read("width = 4\nending = \"flod\"\n").unwrap_err().to_string(),
//!     r#"page.toml:1:9: this is less than 20
//!   |
//! 1 | width = 4
//!   |         ^
//!   = write a number from 20 to 400
//!
//! page.toml:2:10: there is no ending "flod"
//!   |
//! 2 | ending = "flod"
//!   |          ^^^^^^
//!   = did you mean "fold"?"#
//! );
//! # Ok::<(), SettingsError>(())
//! ```
//!
//! # Files
//!
//! - `document.rs`: a TOML file and the positions in it. `value.rs`: values with positions.
//! - `reader/`: takes values out of a table and notes every problem. `bounds.rs`: ranges of
//!   numbers.
//! - `problem.rs`, `excerpt.rs`: a problem with the line it is in. `unknown_name.rs`: "did you
//!   mean …?".
#![forbid(unsafe_code)]

mod bounds;
mod document;
mod excerpt;
mod file;
mod problem;
mod reader;
mod unknown_name;
mod value;

pub use document::parse;
pub use file::read_file;
pub use problem::{Problem, SettingsError};
pub use reader::Reader;
pub use unknown_name::UnknownName;
pub use value::{Key, Table, Value};
