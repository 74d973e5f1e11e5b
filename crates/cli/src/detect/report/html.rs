//! A page: the text with its spans in colours, each with its reason.

use std::io::{self, Write};

use inkveil::detect::Family;
use inkveil::detect::windows::{FoundSpan, SpanCounts, TextPart};
use inkveil_report::{AnnotatedHead, AnnotatedPage, Colour, LegendEntry, Mark};

use super::writer::Report;
use crate::detect::inputs::{Label, Piece};

pub(in crate::detect) struct Html {
    page: AnnotatedPage,
    counts: SpanCounts,
    /// The last input.
    last: Option<Label>,
}

impl Default for Html {
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
        Self { page, counts: SpanCounts::default(), last: None }
    }
}

impl Report for Html {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.page.begin(out)
    }

    fn piece(&mut self, piece: &Piece, out: &mut dyn Write) -> io::Result<()> {
        self.counts.add(piece);
        let label = &piece.tag;
        if !self.last.as_ref().is_some_and(|last| last.is_same_input(label)) {
            if self.last.is_some() {
                self.page.close_text(out)?;
            }
            if label.name.is_some() {
                self.page.heading(out, label.shown_name())?;
            }
            self.page.open_text(out, None)?;
            self.last = Some(label.clone());
        }
        for part in piece.parts() {
            match part {
                TextPart::Plain(text) => self.page.plain(out, text)?,
                TextPart::Found(found) => self.mark(&found, out)?,
            }
        }
        self.page.plain(out, piece.line_break)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.last.is_some() {
            self.page.close_text(out)?;
        }
        match self.counts.kinds().as_slice() {
            [] => self.page.note(out, "Nothing was found.")?,
            kinds => self.page.counts(out, "Findings by kind", kinds)?,
        }
        self.page.end(out)
    }
}

impl Html {
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
