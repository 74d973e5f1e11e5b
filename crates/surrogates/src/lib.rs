//! Surrogates: believable replacements for sensitive values.
//!
//! A surrogate has the same kind and format as the value that it replaces, for example a date in the
//! same notation or a card number with a valid check digit. Its content is drawn at random.
//!
//! ```text
//! original text → Shape::of (keeps the format only) ─┐
//! lists of a pack → Surrogates::open ────────────────┴→ Surrogates::draw → surrogate
//! ```
//!
//! [`Shape::of`] is the only function that reads the original text. [`Shape::reveals`] states for every
//! kind what a shape keeps. [`Generator`] draws values by placeholder name; the taggers of
//! `inkveil-detect` are trained on templates filled this way.
#![forbid(unsafe_code)]

mod calendar;
mod dice;
mod error;
mod generator;
mod letters;
mod lists;
mod numbers;
mod placeholders;
mod shape;
mod surrogates;
#[cfg(test)]
mod testing;
mod values;

pub use error::{Error, ErrorKind};
pub use generator::{Generator, ValuePart};
pub use lists::{List, ListEntry, Lists, is_held_out};
pub use shape::Shape;
pub use surrogates::Surrogates;
