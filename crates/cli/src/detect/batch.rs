//! What reading hands on to detection, and detection to reports.
//!
//! Nothing here can be printed for debugging: it would print the text.

use std::ops::Range;
use std::sync::Arc;

/// A piece of a text as it is looked at: all of it, or as much as is looked at together, with some of what stands around it.
pub(super) struct Window {
    /// What it was read from.
    pub(super) origin: Arc<Origin>,
    /// The line that this text is, from 1, where every line is a text.
    pub(super) line: Option<u64>,
    /// What its row is called, where the input says so.
    pub(super) id: Option<String>,
    /// The piece and what stands around it, without a line break that ends its text.
    pub(super) text: String,
    /// Where in it the piece lies.
    pub(super) own: Range<usize>,
    /// Whether a text begins with the piece.
    pub(super) first: bool,
    /// Whether a text ends with it.
    pub(super) last: bool,
    /// What separates the text from the next: `"\n"`, `"\r\n"` or nothing.
    pub(super) line_break: &'static str,
}

impl Window {
    /// The piece, where its borders are settled.
    pub(super) fn into_piece(mut self, borders: Range<usize>) -> Piece {
        self.text.truncate(borders.end);
        self.text.drain(..borders.start);
        let Window { origin, line, id, text, first, last, line_break, .. } = self;
        Piece { origin, line, id, text, first, last, line_break }
    }
}

/// A piece of a text as it is reported. Pieces follow one another without a gap.
///
/// Reports must give back the input as it was, so that a piece has the line break that followed it too.
pub(super) struct Piece {
    /// What it was read from.
    pub(super) origin: Arc<Origin>,
    /// The line that this text is, from 1, where every line is a text.
    pub(super) line: Option<u64>,
    /// What its row is called, where the input says so.
    pub(super) id: Option<String>,
    /// The piece, without a line break that ends its text.
    pub(super) text: String,
    /// Whether a text begins with it.
    pub(super) first: bool,
    /// Whether a text ends with it.
    pub(super) last: bool,
    /// What separates the text from the next: `"\n"`, `"\r\n"` or nothing.
    pub(super) line_break: &'static str,
}

/// Where a text was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// The command line.
    Argument,
    /// Standard input.
    Stdin,
    /// A file, by the name it was given.
    File(String),
}

impl Origin {
    /// The name that data formats give it, as it would be typed.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Argument => None,
            Self::Stdin => Some("-"),
            Self::File(name) => Some(name),
        }
    }
}

/// What reading says.
pub(super) enum Message {
    /// The next pieces, in order.
    Windows(Vec<Window>),
    /// All inputs are read.
    End,
}
