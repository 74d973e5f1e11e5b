//! Pieces of a text with the spans found in them.

use std::ops::Range;

use serde::Serialize;

use crate::kind::Kind;
use crate::offsets::Offsets;
use crate::span::{Reason, Span};

/// A piece of a text with the spans in it. Pieces follow one another without gaps.
///
/// All pieces of an input, with their line breaks, are exactly the input. There is no `Debug`, because it
/// would print the text.
pub struct TextPiece<T = ()> {
    /// The tag of the text.
    pub tag: T,
    /// The number of the line, from 1, if every line is a text.
    pub line: Option<u64>,
    /// The piece, without the line break that ends the text.
    pub text: String,
    /// The spans, with places in the piece: sorted and not overlapping.
    pub spans: Vec<Span>,
    /// Where the piece starts in its text.
    pub start: Offsets,
    /// Whether the piece is the first of its text.
    pub first: bool,
    /// Whether the piece is the last of its text.
    pub last: bool,
    /// The line break after the text: `"\n"`, `"\r\n"` or nothing.
    pub line_break: &'static str,
}

/// A span with its place in the whole text. There is no `Debug`, because it would print the text.
#[derive(Clone)]
pub struct FoundSpan<'a> {
    /// The span, with its place in the piece.
    pub span: &'a Span,
    /// The place in the whole text.
    pub place: Range<Offsets>,
    /// The text of the span.
    pub text: &'a str,
}

impl<'a> FoundSpan<'a> {
    /// Returns the span for data formats, with its text only if `with_text` is true.
    pub fn record(&self, with_text: bool) -> SpanRecord<'a> {
        let Range { start, end } = self.place;
        SpanRecord {
            start: start.byte,
            end: end.byte,
            char_start: start.char,
            char_end: end.char,
            utf16_start: start.utf16,
            utf16_end: end.utf16,
            kind: &self.span.kind,
            score: self.span.rounded_score(),
            why: &self.span.reason,
            text: with_text.then_some(self.text),
        }
    }
}

/// A span as data formats show it: places are in the whole text.
#[derive(Serialize)]
pub struct SpanRecord<'a> {
    /// The start in bytes.
    pub start: u64,
    /// The end in bytes.
    pub end: u64,
    /// The start in characters.
    pub char_start: u64,
    /// The end in characters.
    pub char_end: u64,
    /// The start in UTF-16 units.
    pub utf16_start: u64,
    /// The end in UTF-16 units.
    pub utf16_end: u64,
    /// The kind of sensitive information.
    pub kind: &'a Kind,
    /// The score, rounded.
    pub score: f32,
    /// Why it was found.
    pub why: &'a Reason,
    /// The text of the span, if wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'a str>,
}

/// A part of a piece.
pub enum TextPart<'a> {
    /// Text between spans.
    Plain(&'a str),
    /// A span.
    Found(FoundSpan<'a>),
}

impl<T> TextPiece<T> {
    /// Returns the spans with their places in the whole text.
    pub fn found(&self) -> impl Iterator<Item = FoundSpan<'_>> {
        let places = self.start.of_spans(&self.text, &self.spans);
        self.spans.iter().zip(places).map(|(span, place)| FoundSpan {
            span,
            place,
            text: self.text.get(span.range()).unwrap_or_default(),
        })
    }

    /// Returns the spans and the text between them, in order.
    pub fn parts(&self) -> impl Iterator<Item = TextPart<'_>> {
        let mut at = 0;
        // `None` at the end is for the text after the last span.
        self.found().map(Some).chain([None]).flat_map(move |found| {
            let next = found.as_ref().map_or(self.text.len()..self.text.len(), |found| found.span.range());
            let plain = self.text.get(at..next.start).filter(|plain| !plain.is_empty());
            at = next.end;
            plain.map(TextPart::Plain).into_iter().chain(found.map(TextPart::Found))
        })
    }
}
