//! Finds what is sensitive in a text, and says why.
//!
//! ```text
//! text → rules, lists, tagger → candidates → thresholds, allow list → merge → spans
//! ```
//!
//! [`Detector`] does all of it; [`Settings`] say what to look for. [`rules`] hold patterns with checks and context words,
//! which work in any language; the taggers read English. [`fresh`] draws new values of a kind, and [`train`] is how the
//! taggers were made.
#![forbid(unsafe_code)]

mod detector;
mod error;
pub mod fresh;
mod gazetteer;
mod kind;
mod merge;
mod numbers;
mod offsets;
mod phrases;
pub mod rules;
mod settings;
mod span;
mod tagger;

pub use detector::Detector;
pub use error::{Error, ErrorKind};
pub use gazetteer::{Entry, Gazetteer};
pub use kind::Kind;
pub use offsets::*;
pub use settings::*;
pub use span::{Source, Span, Why};
pub use tagger::train;
