//! What reading hands on to detection.

use std::sync::Arc;

/// A piece of a text: all of it, or as much as is looked at together.
///
/// Reports must give back the input as it was, so that a piece has the line break that followed it too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// What it was read from.
    pub(super) origin: Arc<Origin>,
    /// The line that this text is, from 1, where every line is a text.
    pub(super) line: Option<u64>,
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
#[derive(Debug)]
pub(super) enum Message {
    /// The next pieces, in order.
    Pieces(Vec<Piece>),
    /// All inputs are read.
    End,
}
