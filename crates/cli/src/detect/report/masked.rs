//! The text with `[KIND]` in place of what was found, and nothing else changed.

use std::io::{self, Write};

use inkveil_detect::Span;

use super::{Finding, Part, Report, parts};
use crate::detect::batch::{Origin, Piece};

/// What stands where something was found.
pub(in crate::detect) fn placeholder(span: &Span) -> String {
    format!("[{}]", span.kind.name().to_uppercase())
}

pub(in crate::detect) struct Masked;

impl Report for Masked {
    fn piece(&mut self, piece: &Piece, findings: &[Finding<'_>], out: &mut dyn Write) -> io::Result<()> {
        for part in parts(piece, findings) {
            match part {
                Part::Plain(text) => out.write_all(text.as_bytes())?,
                Part::Found(finding) => out.write_all(placeholder(finding.span).as_bytes())?,
            }
        }
        out.write_all(piece.line_break.as_bytes())?;
        // A text from the command line has no line break of its own, and a prompt should not follow it.
        if piece.last && piece.line_break.is_empty() && *piece.origin == Origin::Argument {
            writeln!(out)?;
        }
        Ok(())
    }
}
