//! Finds sensitive information in texts and reports why it was found.
//!
//! ```text
//! text, plain view → rules, lists, tagger → candidates → thresholds, allow list → merge → spans
//! ```
//!
//! [`Detector`] does all of it, and [`Settings`] state what to find. [`rules`] are patterns with checks and
//! context words, which work in any language. A tagger reads English, and another one German, French, Spanish,
//! Italian, Portuguese and Dutch: [`passages`] finds the [`Language`] of each passage. In other scripts than Latin,
//! lists find names of people. [`windows`] detects long texts and streams with bounded memory. [`train`] trains the
//! taggers.
//!
//! # Files
//!
//! - `detector.rs`: the path of a text through all finders. `view.rs`: the text in plain letters.
//! - `rules/`: one file per family of rules; `scan.rs` and `shapes.rs` make all of them cost one
//!   pass; `checksum.rs` has the check digits.
//! - `tagger/`: `fast.rs` and `accurate.rs` are the two tiers; `train/` trains them.
//! - `gazetteer.rs`, `phrases.rs`: lists. `names.rs`: words that are names by their place. `special/`: words
//!   of special categories. `merge.rs`: what wins where findings overlap.
//! - `language/`: the language of each passage. `listed/`: names in other scripts than Latin; `data/` beside `src/`
//!   has their lists.
//! - `settings/`: the user's file. `kind.rs`, `span.rs`, `offsets.rs`: what is returned.
//! - `train/` beside `src/`: templates, lists and their sources.
#![forbid(unsafe_code)]

mod detector;
mod error;
mod gazetteer;
mod kind;
mod language;
mod listed;
mod merge;
mod names;
mod offsets;
mod phrases;
pub mod rules;
mod settings;
mod span;
pub mod special;
mod tagger;
mod view;
pub mod windows;

pub use detector::Detector;
pub use error::{Error, ErrorKind};
pub use gazetteer::{EntryFlags, Gazetteer};
pub use kind::{Family, Kind};
pub use language::{Language, Passage, Unsupported, passages, sentences};
pub use listed::{ListedPart, ListedSpeech};
pub use offsets::{LineColumn, Offsets};
pub use settings::{Allow, Phrase, Problem, Settings, SettingsError, Tier, UnknownName, UserRule, WordList};
pub use span::{FoundBy, Reason, Span, mask};
pub use tagger::train;
