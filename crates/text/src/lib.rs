//! STAMP: a veil over words, by their sensitivity and their relevance to a task.
//!
//! ```text
//! documents → spans → units → relevance → group → ε → noise → decoding → text + receipt
//! ```
//!
//! A word is sensitive or not (names, places, numbers …), and the task needs it or not. This gives
//! four groups, each with a budget ε. A word with a finite budget gets noise on its vector and
//! becomes the nearest word, or
//! the likeliest one in the released text. At ε = 0 it is replaced by something that depends on its kind and shape
//! only. At ε = ∞ it is kept. The allocation of budgets and the mechanism are independent choices.
//!
//! # Files
//!
//! - `plan.rs`: decides what happens to each unit before anything is drawn. `veil/`: carries it
//!   out.
//! - `relevance.rs`, `in_text.rs`, `sensitivity.rs`, `group.rs`: the two axes and the four groups.
//!   `doubt.rs`: texts that are searched again. `budget.rs`, `notes.rs`: an ε for each group.
//! - `mechanism/`: one file per mechanism, in two families: noise on a vector (`directions.rs`)
//!   and draws of an entry by its distance (`candidates.rs`).
//! - `decode/`: noised words read together, with a public prior.
//! - `zero.rs`, `fill.rs`, `names.rs`: what is written at ε = 0. `linked.rs`: forms of one identity. `entity.rs`, `known.rs`: the
//!   same replacement for the same original. `repair.rs`: the check of a repaired text.
//! - `endings.rs`: endings such as 's stay with their word. `layout.rs`: what texts must share for a
//!   guarantee to compare them.
//! - `mechanism/worst_loss.rs`: the true worst case, for receipts that state it.
//! - `receipt.rs`: the receipt. `alternatives.rs`: the ε of other mechanisms. `curves.rs`,
//!   `curves_in_context.rs`: survival by ε, stored in the pack's `veil.json`.
//! - `config/`: the settings `[text]`.
#![forbid(unsafe_code)]

mod alternatives;
mod budget;
mod choice;
mod config;
pub mod curves;
mod curves_in_context;
mod decode;
mod document;
mod doubt;
mod endings;
mod entity;
mod error;
mod fill;
mod group;
mod in_text;
mod known;
mod layout;
mod linked;
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
pub use decode::Decoding;
pub use document::Document;
pub use error::{Error, ErrorKind};
pub use group::Group;
pub use inkveil_surrogates::ShapeLevel;
pub use known::Replacements;
pub use layout::Layout;
pub use mechanism::{Mechanism, MechanismName, MechanismSettings, NearestBy};
pub use notes::{CurvePoint, LexiconNotes, NOTES_FILE, VeilNotes};
pub use plan::{PlannedUnit, TextPlan};
pub use receipt::{TextTally, UserDecisions};
pub use relevance::{TaskVector, Threshold};
pub use repair::{Repaired, repair};
pub use sensitivity::Grouping;
pub use settings::{Budget, TextSettings};
pub use treatment::{AtZero, Consistency, Identifiers, Links, Punctuation, ReplacementReason, Treatment};
pub use veil::TextVeil;
pub use veiled::{Replaced, Veiled};
