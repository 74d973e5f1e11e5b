//! Spans: where something sensitive is, and why it was found.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::Serialize;

use crate::kind::Kind;

/// A part of a text that is sensitive.
///
/// It holds the place and the reason, never the text, so it may be logged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Span {
    /// The start in bytes, on a character boundary.
    pub start: usize,
    /// The end in bytes, on a character boundary and after `start`.
    pub end: usize,
    /// The kind of sensitive information.
    pub kind: Kind,
    /// The confidence, from 0 to 1.
    pub score: f32,
    /// Why it was found.
    #[serde(rename = "why")]
    pub reason: Reason,
}

impl Span {
    /// Returns the place in the text, in bytes.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns the score rounded to three decimals, for reports.
    pub fn rounded_score(&self) -> f32 {
        (self.score * 1000.0).round() / 1000.0
    }
}

/// Why a span was found. Displayed, it is one line such as
/// `rule iban, near "account", passed IBAN mod 97`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// What found it.
    #[serde(rename = "source")]
    pub found_by: FoundBy,
    /// The name of the rule, list or tagger label, for example `"iban"`.
    pub name: Cow<'static, str>,
    /// The context word nearby, as the rule lists it, not as the text spells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Cow<'static, str>>,
    /// The check that it passed, for example `"Luhn"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validator: Option<Cow<'static, str>>,
    /// The names of others that found the same text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Cow<'static, str>>,
}

impl Reason {
    /// A reason without context, check or others.
    pub(crate) fn new(found_by: FoundBy, name: impl Into<Cow<'static, str>>) -> Self {
        Reason { found_by, name: name.into(), context: None, validator: None, also: Vec::new() }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = match self.found_by {
            FoundBy::Deny => "",
            FoundBy::User => "your own ",
            FoundBy::Rule => "rule ",
            FoundBy::Gazetteer => "list ",
            FoundBy::Tagger => "tagger ",
        };
        write!(f, "{by}{}", self.name)?;
        if let Some(context) = &self.context {
            write!(f, ", near {context:?}")?;
        }
        if let Some(validator) = &self.validator {
            write!(f, ", passed {validator}")?;
        }
        if !self.also.is_empty() {
            write!(f, ", also {}", self.also.join(", "))?;
        }
        Ok(())
    }
}

/// What found a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FoundBy {
    /// The user's deny list, which is always sensitive.
    Deny,
    /// A rule or a word list of the user.
    User,
    /// A built-in rule.
    Rule,
    /// A list of names in the pack.
    Gazetteer,
    /// The tagger, which reads the context.
    Tagger,
}

impl FoundBy {
    /// Returns its name in data formats.
    pub fn name(self) -> &'static str {
        match self {
            FoundBy::Deny => "deny",
            FoundBy::User => "user",
            FoundBy::Rule => "rule",
            FoundBy::Gazetteer => "gazetteer",
            FoundBy::Tagger => "tagger",
        }
    }
}

/// Returns the text with a placeholder such as `[EMAIL]` in place of each span. The spans must be sorted
/// and must not overlap, as [`Detector::detect`](crate::Detector::detect) returns them.
///
/// ```
/// use inkveil_detect::{Detector, Settings, Tier, mask};
///
/// let detector = Detector::open(None, Settings::of(Tier::Rules))?;
/// let text = "Write to ana@example.org.";
/// assert_eq!(mask(text, &detector.detect(&[text])?[0]), "Write to [EMAIL].");
/// # Ok::<(), inkveil_detect::Error>(())
/// ```
pub fn mask(text: &str, spans: &[Span]) -> String {
    let (mut masked, mut at) = (String::with_capacity(text.len()), 0);
    for span in spans {
        masked.push_str(text.get(at..span.start).unwrap_or_default());
        masked.push_str(&span.kind.placeholder());
        at = span.end;
    }
    masked.push_str(text.get(at..).unwrap_or_default());
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_line() {
        let mut span = Span {
            start: 0,
            end: 4,
            kind: Kind::Iban,
            score: 0.98765,
            reason: Reason::new(FoundBy::Rule, "iban"),
        };
        assert_eq!(span.reason.to_string(), "rule iban");
        span.reason.context = Some("account".into());
        span.reason.validator = Some("IBAN mod 97".into());
        span.reason.also = vec!["bank-account".into(), "tagger".into()];
        assert_eq!(
            span.reason.to_string(),
            "rule iban, near \"account\", passed IBAN mod 97, also bank-account, tagger"
        );
        assert_eq!(span.rounded_score(), 0.988);
    }

    #[test]
    fn names_are_those_of_serialisation() {
        for found_by in [FoundBy::Deny, FoundBy::User, FoundBy::Rule, FoundBy::Gazetteer, FoundBy::Tagger] {
            assert_eq!(serde_json::to_value(found_by).unwrap(), found_by.name());
        }
    }
}
