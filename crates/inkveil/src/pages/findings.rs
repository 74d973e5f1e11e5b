//! Texts with what detection found in them, each finding with its reason.

use std::io::{self, Write};

use inkveil_detect::Family;
use inkveil_detect::windows::{FoundSpan, SpanCounts, TextPart, TextPiece};
use inkveil_report::{AnnotatedHead, AnnotatedPage, Colour, LegendEntry, Mark};

/// A page of texts with their findings. It is written piece by piece, so that memory does not grow with the texts.
/// **Private**: it holds the texts.
///
/// # Errors
/// All functions fail only if `out` cannot be written.
#[derive(Debug)]
pub struct FindingsPage {
    page: AnnotatedPage,
    counts: SpanCounts,
    is_open: bool,
}

impl Default for FindingsPage {
    fn default() -> Self {
        let entry = |family: Family| LegendEntry {
            name: family.name().to_owned(),
            colour: colour(family),
            ..LegendEntry::default()
        };
        let page = AnnotatedPage::new(AnnotatedHead {
            title: "Sensitive information in the text".to_owned(),
            warning: "This page contains the text. Protect it like the original.".to_owned(),
            text: String::new(),
            legend: Family::ALL.map(entry).to_vec(),
            note: "Point at a mark, or move to it with the tab key, to see the reason.".to_owned(),
        });
        Self { page, counts: SpanCounts::default(), is_open: false }
    }
}

impl FindingsPage {
    /// Begins the page.
    pub fn begin(&self, out: &mut dyn Write) -> io::Result<()> {
        self.page.begin(out)
    }

    /// Begins the text of another input, under its name if it has one.
    pub fn input(&mut self, name: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
        if self.is_open {
            self.page.close_text(out)?;
        }
        if let Some(name) = name {
            self.page.heading(out, name)?;
        }
        self.is_open = true;
        self.page.open_text(out, None)
    }

    /// Writes the next piece of the text.
    pub fn piece<T>(&mut self, piece: &TextPiece<T>, out: &mut dyn Write) -> io::Result<()> {
        self.counts.add(piece);
        for part in piece.parts() {
            match part {
                TextPart::Plain(text) => self.page.plain(out, text)?,
                TextPart::Found(found) => self.mark(&found, out)?,
            }
        }
        self.page.plain(out, piece.line_break)
    }

    /// Ends the page with the number of findings of each kind.
    pub fn end(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.is_open {
            self.page.close_text(out)?;
        }
        match self.counts.kinds().as_slice() {
            [] => self.page.note(out, "Nothing was found.")?,
            kinds => self.page.counts(out, "Findings by kind", kinds)?,
        }
        self.page.end(out)
    }

    fn mark(&self, found: &FoundSpan<'_>, out: &mut dyn Write) -> io::Result<()> {
        let kind = &found.span.kind;
        let family = kind.family();
        let reason = [format!("{kind} {:.3}: {}", found.span.rounded_score(), found.span.reason)];
        let mark = Mark {
            text: found.text,
            kind: Family::ALL.iter().position(|other| *other == family).unwrap_or(0),
            label: Some(kind.name()),
            bold: false,
            reason: &reason,
        };
        self.page.mark(out, &mark)
    }
}

/// The colour of a family.
fn colour(family: Family) -> Colour {
    match family {
        Family::People => Colour::PINK,
        Family::Places => Colour::BLUE,
        Family::Times => Colour::SKY,
        Family::Contact => Colour::AMBER,
        Family::Money => Colour::GREEN,
        Family::Identity => Colour::OLIVE,
        Family::Secrets => Colour::RED,
        Family::Health => Colour::WINE,
        _ => Colour::GREY,
    }
}
