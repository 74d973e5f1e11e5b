//! Rules: patterns with validators and context words.
//!
//! A text is walked once (`scan`); where something could begin, all shapes that could begin there are tried as one
//! automaton (`shapes`); what matches is checked and weighed with the words around it (`finder`). What a rule
//! looks for is in one file per family.

mod account;
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
mod phone;
mod place;
mod rule;
mod scan;
mod secret;
mod shapes;
mod time;
mod vehicle;

#[cfg(test)]
mod testing;

use std::collections::BTreeMap;

use compiled::Compiled;
pub use error::{RuleError, RuleErrorKind};
pub use rule::Rule;

use crate::Span;

/// Rules, ready to run. One set serves any number of threads.
///
/// ```
/// use inkveil_detect::Kind;
/// use inkveil_detect::rules::RuleSet;
///
/// let rules = RuleSet::builtin();
/// let mut found = Vec::new();
/// rules.find("Write to ada@example.org by Friday.", &mut found);
/// let email = found.iter().find(|span| span.kind == Kind::Email).unwrap();
/// assert_eq!(email.range(), 9..24);
/// ```
#[derive(Debug)]
pub struct RuleSet {
    rules: Vec<Rule>,
    /// How many of them are built in; the user's come after.
    builtin: usize,
    compiled: Compiled,
}

impl RuleSet {
    /// The built-in rules.
    pub fn builtin() -> Self {
        let rules = builtin_rules();
        let builtin = rules.len();
        match Compiled::new(&rules) {
            Ok(compiled) => RuleSet { rules, builtin, compiled },
            Err(error) => unreachable!("built-in rules compile, as their test shows: {error}"),
        }
    }

    /// Adds rules of the user's. Names must be new, patterns small.
    pub fn with(mut self, rules: Vec<Rule>) -> Result<Self, RuleError> {
        self.compiled.add(&mut self.rules, rules, self.builtin)?;
        Ok(self)
    }

    /// Adds words that speak for rules when they stand nearby, by the names of the rules.
    pub fn with_context(mut self, words: &BTreeMap<String, Vec<String>>) -> Result<Self, RuleError> {
        if !words.is_empty() {
            self.compiled.add_context(&mut self.rules, words)?;
        }
        Ok(self)
    }

    /// Finds every candidate in a text and appends it, overlapping ones too, in the order of the text. The same text
    /// always gives the same spans.
    pub fn find(&self, text: &str, found: &mut Vec<Span>) {
        finder::find(&self.rules, self.builtin, &self.compiled, text, found);
    }

    /// The rules, built-in ones first.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }
}

/// The built-in rules as they are written.
pub(crate) fn builtin_rules() -> Vec<Rule> {
    [
        network::rules(),
        phone::rules(),
        payment::rules(),
        national::rules(),
        document::rules(),
        vehicle::rules(),
        time::rules(),
        place::rules(),
        money::rules(),
        account::rules(),
        secret::rules(),
        crypto::rules(),
        health::rules(),
        generic::rules(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests;
