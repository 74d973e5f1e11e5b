//! A page: the text with its spans in colours, each with its reason.

use std::io::{self, Write};

use inkveil::pages::FindingsPage;

use super::writer::Report;
use crate::detect::inputs::{Label, Piece};

#[derive(Default)]
pub(in crate::detect) struct Html {
    page: FindingsPage,
    /// The last input.
    last: Option<Label>,
}

impl Report for Html {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.page.begin(out)
    }

    fn piece(&mut self, piece: &Piece, out: &mut dyn Write) -> io::Result<()> {
        let label = &piece.tag;
        if !self.last.as_ref().is_some_and(|last| last.is_same_input(label)) {
            self.page.input(label.name.as_ref().map(|_| label.shown_name()), out)?;
            self.last = Some(label.clone());
        }
        self.page.piece(piece, out)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.page.end(out)
    }
}
