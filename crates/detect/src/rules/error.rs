//! What can be wrong with a rule of the user's.

use std::fmt;

/// Reason rules of the user's were refused. It names the rule.
///
/// ```
/// use inkveil_detect::Kind;
/// use inkveil_detect::rules::{Rule, RuleErrorKind, RuleSet};
///
/// let unclosed = Rule::pattern("badge", Kind::named("badge"), r"B-[0-9");
/// let error = RuleSet::builtin().with(vec![unclosed]).unwrap_err();
/// assert_eq!(error.rule(), "badge");
/// assert!(matches!(error.kind(), RuleErrorKind::Pattern { .. }));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleError {
    rule: String,
    kind: RuleErrorKind,
}

/// The kinds of [`RuleError`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleErrorKind {
    /// The name is empty or longer than a name may be.
    #[error("its name must have 1 to {most} bytes; choose another")]
    Name {
        /// The most bytes a name may have.
        most: usize,
    },
    /// Another rule has the name.
    #[error("another rule has this name; choose another")]
    Duplicate,
    /// The pattern cannot be read.
    #[error("its pattern is not a regular expression: {reason}")]
    Pattern {
        /// What is wrong and where, in one line.
        reason: String,
    },
    /// The pattern is too long to write or too large to run.
    #[error("its pattern is too large; use at most {most} bytes and small repeat counts, or split the rule")]
    TooLarge {
        /// The most bytes a pattern may have.
        most: usize,
    },
    /// The pattern matches the empty text, and so everywhere.
    #[error("its pattern matches the empty text; make it match at least one character")]
    Empty,
    /// No check has the name.
    #[error("there is no check named {given:?}; use one that a built-in rule uses")]
    UnknownCheck {
        /// The name as given.
        given: String,
    },
    /// Context words were given for a rule that is not there.
    #[error("there is no such rule to add context words to; check its name")]
    UnknownRule,
    /// There are more rules than can be run together.
    #[error("there are more than {most} rules; join some of their patterns with |")]
    TooMany {
        /// The most rules of the user's.
        most: usize,
    },
    /// A context word is empty, too long, or there are too many.
    #[error("its context words must be at most {most}, each of 1 to {longest} bytes")]
    Context {
        /// The most context words of one rule.
        most: usize,
        /// The most bytes of one.
        longest: usize,
    },
}

impl RuleError {
    pub(super) fn new(rule: &str, kind: RuleErrorKind) -> Self {
        RuleError { rule: rule.to_owned(), kind }
    }

    /// The name of the rule that is wrong.
    pub fn rule(&self) -> &str {
        &self.rule
    }

    /// What is wrong with it.
    pub fn kind(&self) -> &RuleErrorKind {
        &self.kind
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {:?}: {}", self.rule, self.kind)
    }
}

impl std::error::Error for RuleError {}
