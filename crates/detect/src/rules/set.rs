//! A set of rules, ready to run.

use std::collections::BTreeMap;

use super::builtin::builtin_rules;
use super::compiled::Compiled;
use super::error::RuleError;
use super::finder;
use super::rule::Rule;
use crate::span::Span;

/// Compiled rules. One set serves any number of threads.
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
    /// The number of built-in rules, which come first.
    builtin: usize,
    pub(super) compiled: Compiled,
}

impl RuleSet {
    /// Compiles the built-in rules.
    pub fn builtin() -> Self {
        let rules = builtin_rules();
        let builtin = rules.len();
        match Compiled::new(&rules) {
            Ok(compiled) => RuleSet { rules, builtin, compiled },
            Err(error) => unreachable!("a test compiles all built-in rules: {error}"),
        }
    }

    /// Adds rules of the user.
    ///
    /// # Errors
    /// Fails if a name is not unique or a pattern is invalid or too large.
    pub fn with(mut self, rules: Vec<Rule>) -> Result<Self, RuleError> {
        self.compiled.add(&mut self.rules, rules, self.builtin)?;
        Ok(self)
    }

    /// Adds context words to rules, by the names of the rules.
    ///
    /// # Errors
    /// Fails if there is no rule of a name, or if there are too many words.
    pub fn with_context(mut self, words: &BTreeMap<String, Vec<String>>) -> Result<Self, RuleError> {
        if !words.is_empty() {
            self.compiled.add_context(&mut self.rules, words)?;
        }
        Ok(self)
    }

    /// Appends all candidates in a text in order. They may overlap. The same text always gives the same
    /// spans.
    pub fn find(&self, text: &str, found: &mut Vec<Span>) {
        finder::find(&self.rules, self.builtin, &self.compiled, text, found);
    }

    /// Returns the rules, built-in ones first.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }
}
