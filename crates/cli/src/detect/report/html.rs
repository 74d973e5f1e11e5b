//! A page: the text with its findings in colours, each with its reason.

use std::io::{self, Write};
use std::sync::Arc;

use inkveil_report::{AnnotatedHead, AnnotatedPage, LegendEntry, Mark};

use super::summary::Counts;
use super::{Finding, Part, Report, parts};
use crate::detect::batch::{Origin, Piece};
use crate::detect::family::Family;
use crate::reason;

pub(in crate::detect) struct Html {
    page: AnnotatedPage,
    counts: Counts,
    /// The input that was written last.
    origin: Option<Arc<Origin>>,
}

impl Default for Html {
    fn default() -> Self {
        let entry = |family: Family| LegendEntry {
            name: family.name().to_owned(),
            colour: family.page_colour(),
            ..LegendEntry::default()
        };
        let page = AnnotatedPage::new(AnnotatedHead {
            title: "Findings".to_owned(),
            warning: "This page contains the text. Protect it like the original.".to_owned(),
            text: String::new(),
            legend: Family::ALL.map(entry).to_vec(),
            note: "Point at a mark, or move to it with the tab key, to see the reason.".to_owned(),
        });
        Self { page, counts: Counts::default(), origin: None }
    }
}

impl Report for Html {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.page.begin(out)
    }

    fn piece(&mut self, piece: &Piece, findings: &[Finding<'_>], out: &mut dyn Write) -> io::Result<()> {
        self.counts.add(piece, findings);
        if !self.origin.as_ref().is_some_and(|origin| Arc::ptr_eq(origin, &piece.origin)) {
            if self.origin.is_some() {
                self.page.close_text(out)?;
            }
            if let Some(name) = piece.origin.name() {
                self.page.heading(out, if name == "-" { "standard input" } else { name })?;
            }
            self.page.open_text(out, None)?;
            self.origin = Some(Arc::clone(&piece.origin));
        }
        for part in parts(piece, findings) {
            match part {
                Part::Plain(text) => self.page.plain(out, text)?,
                Part::Found(finding) => self.mark(finding, out)?,
            }
        }
        self.page.plain(out, piece.line_break)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.origin.is_some() {
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
    fn mark(&self, finding: &Finding<'_>, out: &mut dyn Write) -> io::Result<()> {
        let kind = &finding.span.kind;
        let family = Family::of(kind);
        let reason = [format!("{kind} {:.3}: {}", reason::score(finding.span), reason::words(finding.span))];
        let mark = Mark {
            text: finding.text,
            kind: Family::ALL.iter().position(|other| *other == family).unwrap_or(0),
            label: Some(kind.name()),
            bold: false,
            reason: &reason,
        };
        self.page.mark(out, &mark)
    }
}
