//! Counts of spans.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use super::piece::TextPiece;
use crate::span::FoundBy;

/// The number of spans per kind, and per rule, list or tagger.
#[derive(Debug, Clone, Default)]
pub struct SpanCounts {
    texts: u64,
    texts_with_spans: u64,
    /// Whether the current text has a span.
    in_this_text: bool,
    by_kind: BTreeMap<String, BTreeMap<(FoundBy, String), u64>>,
}

/// How often a rule, list or tagger found a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpanCount<'a> {
    /// The name of the kind.
    pub kind: &'a str,
    /// What found it.
    pub source: FoundBy,
    /// The name of the rule, list or tagger.
    pub name: &'a str,
    /// The number of spans.
    pub count: u64,
}

impl SpanCounts {
    /// Adds the spans of a piece. The pieces of a text must be in order.
    pub fn add<T>(&mut self, piece: &TextPiece<T>) {
        self.in_this_text &= !piece.first;
        for span in &piece.spans {
            let found_by = (span.reason.found_by, span.reason.name.to_string());
            *self.by_kind.entry(span.kind.name().to_owned()).or_default().entry(found_by).or_default() += 1;
        }
        self.in_this_text |= !piece.spans.is_empty();
        if piece.last {
            self.texts += 1;
            self.texts_with_spans += u64::from(self.in_this_text);
        }
    }

    /// Returns the number of texts.
    pub fn texts(&self) -> u64 {
        self.texts
    }

    /// Returns the number of texts with at least one span.
    pub fn texts_with_spans(&self) -> u64 {
        self.texts_with_spans
    }

    /// Returns the kinds with their numbers of spans, the most frequent first.
    pub fn kinds(&self) -> Vec<(&str, u64)> {
        let mut kinds: Vec<(&str, u64)> =
            self.by_kind.iter().map(|(kind, found_by)| (kind.as_str(), found_by.values().sum())).collect();
        kinds.sort_by_key(|(_, count)| Reverse(*count));
        kinds
    }

    /// Returns the counts per kind and rule, list or tagger, the most frequent kinds first.
    pub fn counts(&self) -> Vec<SpanCount<'_>> {
        let mut counts = Vec::new();
        for (kind, _) in self.kinds() {
            let mut found_by: Vec<_> = self.by_kind.get(kind).into_iter().flatten().collect();
            found_by.sort_by_key(|(_, count)| Reverse(**count));
            counts.extend(found_by.into_iter().map(|((source, name), count)| SpanCount {
                kind,
                source: *source,
                name,
                count: *count,
            }));
        }
        counts
    }
}
