//! A JSON object for each text, on a line of its own.

use std::io::{self, Write};

use inkveil_detect::{Kind, Why};
use serde::Serialize;

use super::{Finding, Report};
use crate::detect::batch::Piece;
use crate::reason;

pub(in crate::detect) struct Jsonl {
    with_text: bool,
    /// Whether the object under way has a span already.
    any: bool,
}

/// A span as it is printed. Its places are those in the whole text.
#[derive(Serialize)]
struct Row<'a> {
    start: u64,
    end: u64,
    char_start: u64,
    char_end: u64,
    utf16_start: u64,
    utf16_end: u64,
    kind: &'a Kind,
    score: f32,
    why: &'a Why,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

impl Jsonl {
    pub(in crate::detect) fn new(with_text: bool) -> Self {
        Self { with_text, any: false }
    }
}

impl Report for Jsonl {
    fn piece(&mut self, piece: &Piece, findings: &[Finding<'_>], out: &mut dyn Write) -> io::Result<()> {
        if piece.first {
            self.any = false;
            out.write_all(b"{")?;
            if let Some(name) = piece.origin.name() {
                write!(out, "\"file\":{},", serde_json::to_string(name)?)?;
            }
            if let Some(line) = piece.line {
                write!(out, "\"line\":{line},")?;
            }
            if let Some(id) = &piece.id {
                write!(out, "\"id\":{},", serde_json::to_string(id)?)?;
            }
            out.write_all(b"\"spans\":[")?;
        }
        for Finding { span, place, text } in findings {
            if self.any {
                out.write_all(b",")?;
            }
            self.any = true;
            let row = Row {
                start: place.start.byte,
                end: place.end.byte,
                char_start: place.start.char,
                char_end: place.end.char,
                utf16_start: place.start.utf16,
                utf16_end: place.end.utf16,
                kind: &span.kind,
                score: reason::score(span),
                why: &span.why,
                text: self.with_text.then_some(text),
            };
            serde_json::to_writer(&mut *out, &row)?;
        }
        if piece.last {
            out.write_all(b"]}\n")?;
        }
        Ok(())
    }
}
