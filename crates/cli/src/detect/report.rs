//! How findings are printed: one file per format. All are written piece by piece, so that memory does not grow with the text.

mod csv;
mod html;
mod jsonl;
mod marked;
mod masked;
mod places;
mod summary;

use std::io::{self, Write};
use std::ops::Range;

use inkveil_detect::{Offsets, Span};

use super::batch::Piece;

pub(super) use csv::Csv;
pub(super) use html::Html;
pub(super) use jsonl::Jsonl;
pub(super) use marked::Marked;
pub(super) use masked::{Masked, placeholder};
pub(super) use places::Places;
pub(super) use summary::{Summary, SummaryFormat};

/// A way to print findings.
pub(super) trait Report {
    /// What comes before all texts.
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let _ = out;
        Ok(())
    }

    /// The next piece, and what was found in it, in order.
    fn piece(&mut self, piece: &Piece, findings: &[Finding<'_>], out: &mut dyn Write) -> io::Result<()>;

    /// What comes after all texts.
    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let _ = out;
        Ok(())
    }
}

/// Something that was found in a piece. Not for debugging output, which would print the text.
pub(super) struct Finding<'a> {
    /// Its place in the piece, and why it was found.
    pub(super) span: &'a Span,
    /// Its place in its text.
    pub(super) place: Range<Offsets>,
    /// What stands there.
    pub(super) text: &'a str,
}

impl<'a> Finding<'a> {
    /// A finding; none if the span is not one of this text.
    pub(super) fn new(text: &'a str, span: &'a Span, place: Range<Offsets>) -> Option<Self> {
        Some(Self { span, place, text: text.get(span.range())? })
    }
}

/// A piece taken apart: what is between findings, and the findings, in order.
enum Part<'a> {
    Plain(&'a str),
    Found(&'a Finding<'a>),
}

fn parts<'a>(piece: &'a Piece, findings: &'a [Finding<'a>]) -> impl Iterator<Item = Part<'a>> {
    let mut at = 0;
    // One more at the end, for what follows the last finding.
    findings.iter().map(Some).chain([None]).flat_map(move |finding| {
        let start = finding.map_or(piece.text.len(), |finding| finding.span.start);
        let plain = piece.text.get(at..start).unwrap_or_default();
        at = finding.map_or(start, |finding| finding.span.end);
        let plain = (!plain.is_empty()).then_some(Part::Plain(plain));
        plain.into_iter().chain(finding.map(Part::Found))
    })
}

/// Prints nothing: the exit code says it all.
pub(super) struct Silent;

impl Report for Silent {
    fn piece(&mut self, _: &Piece, _: &[Finding<'_>], _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
