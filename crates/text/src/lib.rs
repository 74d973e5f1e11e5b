//! STAMP: words veiled by their sensitivity and their relevance to a task.
//!
//! ```text
//! documents → spans → units → relevance → group → ε → noise → nearest word → text + receipt
//! ```
//!
//! A word is sensitive or not (names, places, numbers …), and the task needs it or not: four groups, each with a budget ε. Words with a
//! finite budget get noise on their vector and become the nearest word; at ε = 0 they are replaced without looking at them; at ε = ∞ they
//! stay. How budgets are allocated and how words are noised are independent choices.
#![forbid(unsafe_code)]

mod budget;
mod config;
pub mod curves;
mod document;
mod entity;
mod error;
mod fill;
mod group;
mod known;
pub mod mechanism;
mod names;
mod notes;
mod plan;
mod receipt;
mod relevance;
mod repair;
mod sensitivity;
mod settings;
mod treatment;
mod veil;
mod veiled;
mod zero;

pub use budget::{Budgets, PaperRow, Preset};
pub use config::TextConfig;
pub use document::Document;
pub use error::{Error, ErrorKind};
pub use group::Group;
pub use known::Replacements;
pub use mechanism::{Decoding, Mechanism, MechanismSettings};
pub use notes::{LexiconNotes, NOTES, Notes, Point};
pub use plan::{Plan, PlannedUnit};
pub use receipt::Tally;
pub use relevance::{TaskVector, Threshold};
pub use repair::{Repaired, repair};
pub use sensitivity::Grouping;
pub use settings::{Budget, TextSettings};
pub use treatment::{AtZero, Consistency, Identifiers, Punctuation, Treatment, Why};
pub use veil::TextVeil;
pub use veiled::{Replaced, Veiled, Written};
