//! Errors about rules of users.

use std::fmt;

/// Why a rule of the user was refused.
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
    /// The name is empty or too long.
    #[error("the name must have 1 to {most} bytes")]
    Name {
        /// The most bytes a name may have.
        most: usize,
    },
    /// Another rule has this name.
    #[error("another rule has this name; choose another")]
    Duplicate,
    /// The pattern is not a regular expression.
    #[error("the pattern is not a regular expression: {reason}")]
    Pattern {
        /// The problem in one line.
        reason: String,
    },
    /// The pattern is too large.
    #[error(
        "the pattern is too large; use at most {most} bytes and small repetition counts, or split the rule"
    )]
    TooLarge {
        /// The most bytes a pattern may have.
        most: usize,
    },
    /// The pattern matches the empty text.
    #[error("the pattern matches the empty text; it must match at least one character")]
    Empty,
    /// There is no check of this name.
    #[error("there is no check {given:?}; use a check of a built-in rule")]
    UnknownCheck {
        /// The given name.
        given: String,
    },
    /// Context words were given for an unknown rule.
    #[error("there is no rule of this name to add context words to")]
    UnknownRule,
    /// There are too many rules.
    #[error("there are more than {most} rules; join some patterns with |")]
    TooMany {
        /// The most rules of the user.
        most: usize,
    },
    /// A context word is empty or too long, or there are too many.
    #[error("a rule can have at most {most} context words, each of 1 to {longest} bytes")]
    Context {
        /// The most context words of one rule.
        most: usize,
        /// The most bytes of a context word.
        longest: usize,
    },
}

impl RuleError {
    pub(super) fn new(rule: &str, kind: RuleErrorKind) -> Self {
        RuleError { rule: rule.to_owned(), kind }
    }

    /// Returns the name of the rule.
    pub fn rule(&self) -> &str {
        &self.rule
    }

    /// Returns what is wrong with it.
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
