//! What all reports have in common.

use std::io::{self, Write};

use inkveil::{FindingLines, FindingPlaces};

use crate::detect::inputs::Piece;

/// A format of a report.
pub(in crate::detect) trait Report {
    /// Writes what comes before all texts.
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let _ = out;
        Ok(())
    }

    /// Writes the next piece.
    fn piece(&mut self, piece: &Piece, out: &mut dyn Write) -> io::Result<()>;

    /// Writes what comes after all texts.
    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let _ = out;
        Ok(())
    }

    /// Is called when everything is written and a file has its name.
    fn released(self: Box<Self>) -> anyhow::Result<()> {
        Ok(())
    }
}

impl Report for FindingLines {
    fn piece(&mut self, piece: &Piece, out: &mut dyn Write) -> io::Result<()> {
        self.piece(piece, (piece.tag.name.as_deref(), piece.tag.id.as_deref()), out)
    }
}

impl Report for FindingPlaces {
    fn piece(&mut self, piece: &Piece, out: &mut dyn Write) -> io::Result<()> {
        self.piece(piece, piece.tag.name.as_deref(), out)
    }
}

/// Writes nothing. The exit code is the result.
pub(in crate::detect) struct Silent;

impl Report for Silent {
    fn piece(&mut self, _: &Piece, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
