//! What identifies a person in a text, whatever its style.

use std::fmt;

use inkveil_detect::Span;
use serde::Serialize;

/// A part of a text that identifies a person. **Private**: it quotes the text.
#[derive(Clone, PartialEq, Serialize)]
pub struct Identifying {
    /// Its line, counted from 1.
    pub line: usize,
    /// What it is, such as "person" or "money".
    pub kind: String,
    /// The part itself.
    pub text: String,
}

impl Identifying {
    /// The parts of a text that were found, in order.
    pub(crate) fn of(text: &str, spans: &[Span]) -> Vec<Self> {
        let part = |span: &Span| {
            let before = text.get(..span.range().start)?;
            Some(Self {
                line: 1 + before.matches('\n').count(),
                kind: span.kind.name().to_owned(),
                text: text.get(span.range())?.to_owned(),
            })
        };
        spans.iter().filter_map(part).collect()
    }
}

/// Shows no text.
impl fmt::Debug for Identifying {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identifying({}, line {})", self.kind, self.line)
    }
}
