//! The text for people: what was found stands in `[kind: …]`, in colours where they can be seen.

use std::io::{self, Write};
use std::sync::Arc;

use owo_colors::{OwoColorize as _, Style};

use super::{Finding, Part, Report, parts};
use crate::detect::batch::{Origin, Piece};
use crate::detect::family::Family;
use crate::{reason, visible};

pub(in crate::detect) struct Marked {
    /// Whether reasons follow each line.
    explain: bool,
    /// Whether files are named.
    several: bool,
    colours: bool,
    /// Whether a terminal would act on what the text holds.
    careful: bool,
    /// Reasons for what was found in the line so far.
    reasons: Vec<String>,
    /// Whether the last thing written ended a line.
    line_ended: bool,
    /// The input that was last written about.
    origin: Option<Arc<Origin>>,
}

impl Marked {
    pub(in crate::detect) fn new(explain: bool, several: bool, colours: bool, careful: bool) -> Self {
        Self { explain, several, colours, careful, reasons: Vec::new(), line_ended: true, origin: None }
    }

    /// Names the input when it is a new one of several.
    fn heading(&mut self, piece: &Piece, out: &mut dyn Write) -> io::Result<()> {
        if !self.several || self.origin.as_ref().is_some_and(|origin| Arc::ptr_eq(origin, &piece.origin)) {
            return Ok(());
        }
        let between = if self.origin.is_some() { "\n" } else { "" };
        self.origin = Some(Arc::clone(&piece.origin));
        let name: String =
            piece.origin.name().unwrap_or("-").chars().map(|c| visible::stand_in(c).unwrap_or(c)).collect();
        writeln!(out, "{between}{}", name.style(self.seen(Style::new().bold())))
    }

    /// The style where it can be seen, and none elsewhere.
    fn seen(&self, style: Style) -> Style {
        if self.colours { style } else { Style::new() }
    }

    /// Writes a part of the text; reasons follow each line break.
    fn text(&mut self, text: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
        for line in text.split_inclusive('\n') {
            let words = line.strip_suffix('\n').unwrap_or(line);
            self.line_ended = words.len() < line.len();
            if self.careful {
                let words = words.strip_suffix('\r').filter(|_| self.line_ended).unwrap_or(words);
                let safe: String = words.chars().map(|c| visible::stand_in(c).unwrap_or(c)).collect();
                write!(out, "{}", safe.style(style))?;
            } else {
                write!(out, "{}", words.style(style))?;
            }
            if self.line_ended {
                writeln!(out)?;
                self.flush_reasons(out)?;
            }
        }
        Ok(())
    }

    fn found(&mut self, finding: &Finding<'_>, out: &mut dyn Write) -> io::Result<()> {
        let kind = &finding.span.kind;
        let (dim, colour) = (
            self.seen(Style::new().dimmed()),
            self.seen(Style::new().bold().color(Family::of(kind).colour())),
        );
        write!(out, "{}", format_args!("[{kind}: ").style(dim))?;
        if self.explain {
            let score = reason::score(finding.span);
            self.reasons.push(format!("{kind} {score:.3}  {}", reason::words(finding.span)));
        }
        self.text(finding.text, colour, out)?;
        self.line_ended = false;
        write!(out, "{}", "]".style(dim))
    }

    fn flush_reasons(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let dim = self.seen(Style::new().dimmed());
        for reason in self.reasons.drain(..) {
            writeln!(out, "    {}", format_args!("└ {reason}").style(dim))?;
        }
        Ok(())
    }
}

impl Report for Marked {
    fn piece(&mut self, piece: &Piece, findings: &[Finding<'_>], out: &mut dyn Write) -> io::Result<()> {
        self.heading(piece, out)?;
        for part in parts(piece, findings) {
            match part {
                Part::Plain(text) => self.text(text, Style::new(), out)?,
                Part::Found(finding) => self.found(finding, out)?,
            }
        }
        self.text(piece.line_break, Style::new(), out)?;
        // The last line of a text may have no break of its own.
        if piece.last && !self.line_ended {
            writeln!(out)?;
            self.line_ended = true;
            self.flush_reasons(out)?;
        }
        Ok(())
    }
}
