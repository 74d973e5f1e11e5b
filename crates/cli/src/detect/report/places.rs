//! A line for each span, as compilers print errors: place, kind and reason. The text is never printed, because
//! the report may be in a build log.

use std::io::{self, Write};

use inkveil::detect::LineColumn;
use inkveil::detect::windows::TextPart;

use super::writer::Report;
use crate::detect::inputs::Piece;

pub(in crate::detect) struct Places {
    at: LineColumn,
}

impl Default for Places {
    fn default() -> Self {
        Self { at: LineColumn::START }
    }
}

impl Report for Places {
    fn piece(&mut self, piece: &Piece, out: &mut dyn Write) -> io::Result<()> {
        if piece.first {
            self.at = LineColumn { line: piece.line.unwrap_or(1), column: 1 };
        }
        for part in piece.parts() {
            let text = match part {
                TextPart::Plain(text) => text,
                TextPart::Found(found) => {
                    if let Some(name) = &piece.tag.name {
                        write!(out, "{name}:")?;
                    }
                    let (LineColumn { line, column }, span) = (self.at, found.span);
                    let (kind, score) = (&span.kind, span.rounded_score());
                    writeln!(out, "{line}:{column}: {kind} {score:.3} ({})", span.reason)?;
                    found.text
                }
            };
            self.at = self.at.after(text);
        }
        Ok(())
    }
}
