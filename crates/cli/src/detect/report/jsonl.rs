//! A JSON object for each text, one per line.

use std::io::{self, Write};

use super::writer::Report;
use crate::detect::inputs::Piece;

pub(in crate::detect) struct Jsonl {
    with_text: bool,
    /// Whether the current object already has a span.
    any: bool,
}

impl Jsonl {
    pub(in crate::detect) fn new(with_text: bool) -> Self {
        Self { with_text, any: false }
    }
}

impl Report for Jsonl {
    fn piece(&mut self, piece: &Piece, out: &mut dyn Write) -> io::Result<()> {
        if piece.first {
            self.any = false;
            out.write_all(b"{")?;
            if let Some(name) = piece.tag.name.as_deref() {
                write!(out, "\"file\":{},", serde_json::to_string(name)?)?;
            }
            if let Some(line) = piece.line {
                write!(out, "\"line\":{line},")?;
            }
            if let Some(id) = &piece.tag.id {
                write!(out, "\"id\":{},", serde_json::to_string(id)?)?;
            }
            out.write_all(b"\"spans\":[")?;
        }
        for found in piece.found() {
            if std::mem::replace(&mut self.any, true) {
                out.write_all(b",")?;
            }
            serde_json::to_writer(&mut *out, &found.record(self.with_text))?;
        }
        if piece.last {
            out.write_all(b"]}\n")?;
        }
        Ok(())
    }
}
