//! A page that stands by itself: the text with what was found in colours, each with its reason.

use std::io::{self, Write};
use std::sync::Arc;

use super::summary::Counts;
use super::{Finding, Part, Report, parts};
use crate::detect::batch::{Origin, Piece};
use crate::detect::family::Family;
use crate::reason;
use crate::visible::Escaped;

#[derive(Default)]
pub(in crate::detect) struct Html {
    counts: Counts,
    /// The input that was last written about.
    origin: Option<Arc<Origin>>,
}

/// What does not depend on the families.
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
            let (hue, saturation) = family.hue().map_or((0, 0), |hue| (hue, 75));
            writeln!(out, ".{} {{ --hue: {hue}; --saturation: {saturation}%; }}", family.name())?;
        }
        out.write_all(b"</style>\n</head>\n<body>\n<h1>What was found</h1>\n<p class=\"legend\">")?;
        for family in Family::ALL {
            write!(out, "<span class=\"{0}\">{0}</span> ", family.name())?;
        }
        out.write_all(
            b"</p>\n<p class=\"note\">Point at a mark, or open it, for the reason. \
              This page holds the text itself: keep it as safe as the original.</p>\n",
        )
    }

    fn piece(&mut self, piece: &Piece, findings: &[Finding<'_>], out: &mut dyn Write) -> io::Result<()> {
        self.counts.add(piece, findings);
        if !self.origin.as_ref().is_some_and(|origin| Arc::ptr_eq(origin, &piece.origin)) {
            if self.origin.is_some() {
                out.write_all(b"</div>\n")?;
            }
            if let Some(name) = piece.origin.name() {
                let name = if name == "-" { "standard input" } else { name };
                writeln!(out, "<h2>{}</h2>", Escaped(name))?;
            }
            out.write_all(b"<div class=\"text\">")?;
            self.origin = Some(Arc::clone(&piece.origin));
        }
        for part in parts(piece, findings) {
            match part {
                Part::Plain(text) => write!(out, "{}", Escaped(text))?,
                Part::Found(finding) => mark(finding, out)?,
            }
        }
        write!(out, "{}", Escaped(piece.line_break))
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.origin.is_some() {
            out.write_all(b"</div>\n")?;
        }
        let kinds = self.counts.kinds();
        if kinds.is_empty() {
            out.write_all(b"<p>Nothing was found.</p>\n")?;
        } else {
            out.write_all(b"<h2>How often</h2>\n<table>\n")?;
            for (kind, count) in kinds {
                writeln!(out, "<tr><td>{}</td><td>{count}</td></tr>", Escaped(kind))?;
            }
            out.write_all(b"</table>\n")?;
        }
        out.write_all(b"</body>\n</html>\n")
    }
}

/// A mark that shows its reason when one points at it, and where one cannot point, when it is opened.
fn mark(finding: &Finding<'_>, out: &mut dyn Write) -> io::Result<()> {
    let kind = &finding.span.kind;
    let why = format!("{kind} {:.3}: {}", reason::score(finding.span), reason::words(finding.span));
    write!(
        out,
        "<details class=\"{}\"><summary title=\"{why}\">{}<sup>{}</sup></summary><span>{why}</span></details>",
        Family::of(kind).name(),
        Escaped(finding.text),
        Escaped(kind.name()),
        why = Escaped(&why),
    )
}
