//! The text with placeholders such as `[EMAIL]`, otherwise unchanged.

use std::io::{self, Write};

use inkveil::release::MaskRelease;

use super::writer::Report;
use crate::detect::inputs::Piece;

pub(in crate::detect) struct Masked(pub(in crate::detect) MaskRelease);

impl Report for Masked {
    fn piece(&mut self, piece: &Piece, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{}{}", self.0.masked(&piece.text, &piece.spans), piece.line_break)?;
        // A text of the command line has no line break, but the prompt needs one.
        if piece.last && piece.line_break.is_empty() && piece.tag.name.is_none() {
            writeln!(out)?;
        }
        Ok(())
    }

    fn released(self: Box<Self>) -> anyhow::Result<()> {
        Ok(self.0.confirm()?)
    }
}
