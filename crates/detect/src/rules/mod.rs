//! Rules: patterns with checks and context words.
//!
//! `scan` walks a text once. At every place where something sensitive may start, `shapes` tries all patterns
//! as one automaton. `finder` checks the matches and scores them with the words nearby. The rules of each
//! group of kinds are in a file of their own.

mod account;
mod builtin;
mod checksum;
mod compiled;
mod context;
mod crypto;
mod document;
mod error;
mod finder;
mod generic;
mod health;
mod label;
pub(crate) mod letters;
mod money;
mod national;
mod network;
mod payment;
mod person;
mod phone;
mod place;
mod rule;
mod scan;
mod secret;
mod set;
mod shapes;
mod special;
mod spoken;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod time;
mod vehicle;

pub(crate) use builtin::builtin_rules;
pub use error::{RuleError, RuleErrorKind};
pub use rule::Rule;
pub use set::RuleSet;
