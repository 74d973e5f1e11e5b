//! Windows: what the detector sees at once.

use std::ops::Range;

use super::piece::TextPiece;
use crate::offsets::Offsets;
use crate::span::Span;

/// A piece of a text with some text around it, as the detector sees it.
///
/// `T` is a tag of the caller, for example the name of the file. There is no `Debug`, because it would
/// print the text.
pub struct Window<T = ()> {
    /// The tag of the text.
    pub tag: T,
    /// The number of the line, from 1, if every line is a text.
    pub line: Option<u64>,
    /// The piece and the text around it, without the line break that ends the text.
    pub(super) text: String,
    /// Where the piece is in `text`.
    pub(super) own: Range<usize>,
    /// Whether the piece is the first of its text.
    pub(super) first: bool,
    /// Whether the piece is the last of its text.
    pub(super) last: bool,
    /// The line break after the text: `"\n"`, `"\r\n"` or nothing.
    pub(super) line_break: &'static str,
}

impl<T> Window<T> {
    /// A window with a whole text. `line` is its number, from 1, if it is one of many lines or rows.
    pub fn whole(tag: T, line: Option<u64>, text: String) -> Self {
        let line_break = if line.is_some() { "\n" } else { "" };
        let own = 0..text.len();
        Window { tag, line, text, own, first: true, last: true, line_break }
    }

    /// Returns the number of bytes of the piece with its line break.
    pub fn bytes(&self) -> usize {
        self.own.len() + self.line_break.len()
    }

    /// Returns the piece between these places, once its seams are known. The places of `spans` are in the
    /// piece.
    pub(super) fn into_piece(mut self, range: Range<usize>, spans: Vec<Span>) -> TextPiece<T> {
        self.text.truncate(range.end);
        self.text.drain(..range.start);
        let Window { tag, line, text, first, last, line_break, .. } = self;
        TextPiece { tag, line, text, spans, start: Offsets::START, first, last, line_break }
    }
}
