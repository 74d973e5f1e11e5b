//! A self-contained page: the text with coloured spans, each with its reason.

use std::io::{self, Write};

use inkveil_detect::Family;
use inkveil_detect::windows::{FoundSpan, SpanCounts, TextPart};

use super::writer::Report;
use crate::detect::inputs::{Label, Piece};
use crate::visible::Escaped;

#[derive(Default)]
pub(in crate::detect) struct Html {
    counts: SpanCounts,
    /// The last input.
    last: Option<Label>,
}

/// The style without the colours of families.
const STYLE: &str = include_str!("page.css");

impl Report for Html {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(
            b"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
              <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
              <title>inkveil detect</title>\n<style>\n",
        )?;
        out.write_all(STYLE.as_bytes())?;
        for family in Family::ALL {
            let (hue, saturation) = hue(family).map_or((0, 0), |hue| (hue, 75));
            writeln!(out, ".{} {{ --hue: {hue}; --saturation: {saturation}%; }}", family.name())?;
        }
        out.write_all(
            b"</style>\n</head>\n<body>\n<h1>Sensitive information in the text</h1>\n<p class=\"legend\">",
        )?;
        for family in Family::ALL {
            write!(out, "<span class=\"{0}\">{0}</span> ", family.name())?;
        }
        out.write_all(
            b"</p>\n<p class=\"note\">Point at a mark or open it to see the reason. \
              This page contains the text. Keep it as safe as the original.</p>\n",
        )
    }

    fn piece(&mut self, piece: &Piece, out: &mut dyn Write) -> io::Result<()> {
        self.counts.add(piece);
        let label = &piece.tag;
        if !self.last.as_ref().is_some_and(|last| last.is_same_input(label)) {
            if self.last.is_some() {
                out.write_all(b"</div>\n")?;
            }
            if label.name.is_some() {
                writeln!(out, "<h2>{}</h2>", Escaped(label.shown_name()))?;
            }
            out.write_all(b"<div class=\"text\">")?;
            self.last = Some(label.clone());
        }
        for part in piece.parts() {
            match part {
                TextPart::Plain(text) => write!(out, "{}", Escaped(text))?,
                TextPart::Found(found) => mark(&found, out)?,
            }
        }
        write!(out, "{}", Escaped(piece.line_break))
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.last.is_some() {
            out.write_all(b"</div>\n")?;
        }
        let kinds = self.counts.kinds();
        if kinds.is_empty() {
            out.write_all(b"<p>Nothing was found.</p>\n")?;
        } else {
            out.write_all(b"<h2>Counts</h2>\n<table>\n")?;
            for (kind, count) in kinds {
                writeln!(out, "<tr><td>{}</td><td>{count}</td></tr>", Escaped(kind))?;
            }
            out.write_all(b"</table>\n")?;
        }
        out.write_all(b"</body>\n</html>\n")
    }
}

/// Writes a mark. It shows its reason under the pointer, and on a touch screen when it is opened.
fn mark(found: &FoundSpan<'_>, out: &mut dyn Write) -> io::Result<()> {
    let kind = &found.span.kind;
    let why = format!("{kind} {:.3}: {}", found.span.rounded_score(), found.span.reason);
    write!(
        out,
        "<details class=\"{}\"><summary title=\"{why}\">{}<sup>{}</sup></summary><span>{why}</span></details>",
        kind.family().name(),
        Escaped(found.text),
        Escaped(kind.name()),
        why = Escaped(&why),
    )
}

/// Returns the hue of a family in degrees; grey has none.
fn hue(family: Family) -> Option<u16> {
    match family {
        Family::People => Some(285),
        Family::Places => Some(215),
        Family::Times => Some(190),
        Family::Contact => Some(45),
        Family::Money => Some(130),
        Family::Identity => Some(25),
        Family::Secrets => Some(0),
        Family::Health => Some(325),
        _ => None,
    }
}
