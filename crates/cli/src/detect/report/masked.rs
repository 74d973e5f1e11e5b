//! The text with placeholders such as `[EMAIL]`, otherwise unchanged.

use std::io::{self, Write};

use inkveil::detect::mask;

use super::writer::Report;
use crate::detect::inputs::Piece;

pub(in crate::detect) struct Masked;

impl Report for Masked {
    fn piece(&mut self, piece: &Piece, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{}{}", mask(&piece.text, &piece.spans), piece.line_break)?;
        // A text of the command line has no line break, but the prompt needs one.
        if piece.last && piece.line_break.is_empty() && piece.tag.name.is_none() {
            writeln!(out)?;
        }
        Ok(())
    }
}
