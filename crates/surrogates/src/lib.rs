//! Surrogates: believable replacements for sensitive values.
//!
//! A surrogate has the same kind as the value that it replaces and, as far as the level of the shape
//! says, the same format: a date in the same notation, a card number with a valid check digit. Its
//! content is drawn at random.
//!
//! ```text
//! original text → Shape::of (keeps some of the format) ─┐
//! lists of a pack → Surrogates::open ───────────────────┴→ Surrogates::draw → surrogate
//! ```
//!
//! [`Shape::of`] is the only function that reads the original text. [`ShapeLevel`] chooses how much of
//! the format it keeps, and [`Shape::reveals`] states it for every kind. [`Generator`] draws values by placeholder name; the taggers of
//! `inkveil-detect` are trained on templates filled this way.
//!
//! # Files
//!
//! - `generator.rs`, `placeholders.rs`: the placeholders of templates and the values for them.
//! - `values/`: one file per family of kinds: persons, addresses, banks, telephones, dates, ….
//! - `shape/`: what a surrogate keeps of its original; `Shape::reveals` states what that reveals.
//! - `surrogates/`: a value of the same kind and shape. `lists/`: the names and places they are
//!   drawn from.
//! - `speech.rs`: surrogates in other languages than English. `listed.rs`: names in other scripts than Latin.
//! - `dice.rs`: draws from a keyed stream. `letters.rs`, `numbers.rs`: parts of
//!   values.
//! - `lists/` beside `src/`: the lists and their sources.
#![forbid(unsafe_code)]

mod dice;
mod error;
mod generator;
mod letters;
mod listed;
mod lists;
mod numbers;
mod placeholders;
mod shape;
mod speech;
mod surrogates;
#[cfg(test)]
mod testing;
mod values;

pub use error::{Error, ErrorKind};
pub use generator::{Generator, ValuePart};
pub use listed::ListedNames;
pub use lists::{CitySize, List, ListEntry, Lists, PlaceSort, is_held_out, is_language};
pub use shape::{Shape, ShapeLevel};
pub use surrogates::Surrogates;
