//! Where something sensitive is, and why we think so.

use std::borrow::Cow;
use std::ops::Range;

use serde::Serialize;

use crate::Kind;

/// A piece of a text that is sensitive.
///
/// It holds places and reasons only, never the text itself: it may be logged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Span {
    /// Where it begins, in bytes; always on a character boundary.
    pub start: usize,
    /// Where it ends, in bytes; always on a character boundary and after `start`.
    pub end: usize,
    /// What it holds.
    pub kind: Kind,
    /// How sure we are, from 0 to 1.
    pub score: f32,
    /// Why we think so.
    pub why: Why,
}

impl Span {
    /// Its place in the text, in bytes.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// Why a span was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Why {
    /// What found it.
    pub source: Source,
    /// The rule, list or label, for example `"iban"`.
    pub name: Cow<'static, str>,
    /// The word nearby that spoke for it, as the rule lists it (never as it stands in the text).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Cow<'static, str>>,
    /// The check that it passed, for example `"Luhn"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validator: Option<Cow<'static, str>>,
    /// What else found the same thing, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Cow<'static, str>>,
}

/// What can find a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Source {
    /// The user's deny list: always sensitive.
    Deny,
    /// A rule or a word list of the user's.
    User,
    /// A rule of ours.
    Rule,
    /// A list of names that comes with the pack.
    Gazetteer,
    /// The tagger that reads the context.
    Tagger,
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}
