//! The text for people: spans are in `[kind: …]`, with colours on a terminal.

use std::io::{self, Write};

use inkveil::detect::Family;
use inkveil::detect::windows::{FoundSpan, TextPart};
use inkveil::report::stand_in;
use owo_colors::{AnsiColors, OwoColorize as _, Style};

use super::writer::Report;
use crate::detect::inputs::{Label, Piece};

pub(in crate::detect) struct Marked {
    /// Whether reasons follow each line.
    explain: bool,
    /// Whether there are several inputs, which get headings.
    several: bool,
    colours: bool,
    /// Whether control characters are replaced, because a terminal would act on them.
    escape: bool,
    /// The reasons of the current line.
    reasons: Vec<String>,
    /// Whether the last text ended a line.
    line_ended: bool,
    /// The last input.
    last: Option<Label>,
}

impl Marked {
    pub(in crate::detect) fn new(explain: bool, several: bool, colours: bool, escape: bool) -> Self {
        Self { explain, several, colours, escape, reasons: Vec::new(), line_ended: true, last: None }
    }

    /// Writes the name of a new input.
    fn heading(&mut self, piece: &Piece, out: &mut dyn Write) -> io::Result<()> {
        let label = &piece.tag;
        if !self.several || self.last.as_ref().is_some_and(|last| last.is_same_input(label)) {
            return Ok(());
        }
        let between = if self.last.replace(label.clone()).is_some() { "\n" } else { "" };
        let name = escaped(label.name.as_deref().unwrap_or("-"));
        writeln!(out, "{between}{}", name.style(self.if_colours(Style::new().bold())))
    }

    fn if_colours(&self, style: Style) -> Style {
        if self.colours { style } else { Style::new() }
    }

    /// Writes text. Reasons follow each line break.
    fn text(&mut self, text: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
        for line in text.split_inclusive('\n') {
            let words = line.strip_suffix('\n').unwrap_or(line);
            self.line_ended = words.len() < line.len();
            if self.escape {
                let words = words.strip_suffix('\r').filter(|_| self.line_ended).unwrap_or(words);
                write!(out, "{}", escaped(words).style(style))?;
            } else {
                write!(out, "{}", words.style(style))?;
            }
            if self.line_ended {
                writeln!(out)?;
                self.write_reasons(out)?;
            }
        }
        Ok(())
    }

    fn found(&mut self, found: &FoundSpan<'_>, out: &mut dyn Write) -> io::Result<()> {
        let span = found.span;
        let dim = self.if_colours(Style::new().dimmed());
        let colour = self.if_colours(Style::new().bold().color(colour(span.kind.family())));
        write!(out, "{}", format_args!("[{}: ", span.kind).style(dim))?;
        if self.explain {
            self.reasons.push(format!("{} {:.3}  {}", span.kind, span.rounded_score(), span.reason));
        }
        self.text(found.text, colour, out)?;
        self.line_ended = false;
        write!(out, "{}", "]".style(dim))
    }

    fn write_reasons(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let dim = self.if_colours(Style::new().dimmed());
        for reason in self.reasons.drain(..) {
            writeln!(out, "    {}", format_args!("└ {reason}").style(dim))?;
        }
        Ok(())
    }
}

impl Report for Marked {
    fn piece(&mut self, piece: &Piece, out: &mut dyn Write) -> io::Result<()> {
        self.heading(piece, out)?;
        for part in piece.parts() {
            match part {
                TextPart::Plain(text) => self.text(text, Style::new(), out)?,
                TextPart::Found(found) => self.found(&found, out)?,
            }
        }
        self.text(piece.line_break, Style::new(), out)?;
        // The last line of a text may have no line break.
        if piece.last && !self.line_ended {
            writeln!(out)?;
            self.line_ended = true;
            self.write_reasons(out)?;
        }
        Ok(())
    }
}

fn escaped(text: &str) -> String {
    text.chars().map(|c| stand_in(c).unwrap_or(c)).collect()
}

fn colour(family: Family) -> AnsiColors {
    match family {
        Family::People => AnsiColors::Magenta,
        Family::Places => AnsiColors::Blue,
        Family::Times => AnsiColors::Cyan,
        Family::Contact => AnsiColors::Yellow,
        Family::Money => AnsiColors::Green,
        Family::Identity => AnsiColors::BrightYellow,
        Family::Secrets => AnsiColors::Red,
        Family::Health => AnsiColors::BrightMagenta,
        _ => AnsiColors::BrightCyan,
    }
}
