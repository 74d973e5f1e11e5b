//! A document: passages that can be changed, and everything around them.

use std::fmt;
use std::ops::Range;

use crate::align::changes;
use crate::builder::Builder;
use crate::error::{Error, ErrorKind};
use crate::format::DocumentFormat;
use crate::limits::Limits;
use crate::passage::{Passage, PassageRun, StoredPassage};
use crate::pieces::{Piece, RunTexts, render};
use crate::purpose::Purpose;
use crate::removed::Removed;
use crate::{chat, html, mail, markdown, odf, ooxml, package, pdf};

/// A document in memory.
///
/// ```
/// use inkveil_documents::{Document, DocumentFormat, Edit, Limits, Purpose};
///
/// let page = b"<p>Ask <b>Ana</b> Lima.</p><!-- Ana's page -->";
/// let mut document = Document::open(page, DocumentFormat::Html, Purpose::Release, &Limits::default())?;
/// assert_eq!(document.text(), "Ask Ana Lima.");
/// assert_eq!(document.removed().count("comments"), 1);
/// document.replace(0, vec![Edit::new(4..12, "Mira Rose")])?;
/// assert_eq!(document.write()?, b"<p>Ask <b>Mira Rose</b>.</p>");
/// # Ok::<(), inkveil_documents::Error>(())
/// ```
pub struct Document {
    format: DocumentFormat,
    body: Body,
    passages: Vec<StoredPassage>,
    /// Where each passage begins in the text of the whole document.
    starts: Vec<usize>,
    text: String,
    runs: usize,
    removed: Removed,
    /// Changes of the text of the whole document, in order.
    edits: Vec<Edit>,
}

/// The file that a document is written to.
pub(crate) enum Body {
    /// One file.
    File(Vec<Piece>),
    /// A packed file of parts.
    Package(Vec<package::Part>),
    /// A flat PDF of the text.
    FlatPdf,
}

/// A change of a text.
#[derive(Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that are replaced.
    pub range: Range<usize>,
    /// What is written instead.
    pub text: String,
}

impl Edit {
    /// A change of these bytes.
    pub fn new(range: Range<usize>, text: impl Into<String>) -> Self {
        Self { range, text: text.into() }
    }
}

impl fmt::Debug for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Edit({:?}, {} bytes)", self.range, self.text.len())
    }
}

impl Document {
    /// Reads a document.
    ///
    /// # Errors
    /// If the bytes are not a document of this format, or exceed a limit.
    pub fn open(
        bytes: &[u8],
        format: DocumentFormat,
        purpose: Purpose,
        limits: &Limits,
    ) -> Result<Self, Error> {
        if bytes.len() as u64 > limits.bytes {
            return Err(Error::too_large("the file", limits.bytes));
        }
        let mut builder = Builder::new(*limits, purpose);
        let body = match format {
            DocumentFormat::Docx | DocumentFormat::Pptx | DocumentFormat::Xlsx => {
                ooxml::read(bytes, format, &mut builder)
            }
            DocumentFormat::Odt | DocumentFormat::Ods | DocumentFormat::Odp => {
                odf::read(bytes, format, &mut builder)
            }
            DocumentFormat::Html => html::read(bytes, &mut builder),
            DocumentFormat::Markdown => markdown::read(bytes, &mut builder),
            DocumentFormat::Eml => mail::read(bytes, &mut builder),
            DocumentFormat::Mbox => mail::read_mailbox(bytes, &mut builder),
            DocumentFormat::Pdf => pdf::read(bytes, &mut builder),
            DocumentFormat::Chat => chat::read_json(bytes, &mut builder),
            DocumentFormat::WhatsApp => chat::read_lines(bytes, &mut builder),
        }?;
        let (passages, runs, removed) = builder.finish();
        let (mut text, mut starts) = (String::new(), Vec::with_capacity(passages.len()));
        for passage in &passages {
            if !starts.is_empty() {
                text.push_str(passage.kind.separator());
            }
            starts.push(text.len());
            text.push_str(&passage.text);
        }
        Ok(Self { format, body, passages, starts, text, runs, removed, edits: Vec::new() })
    }

    /// Returns the format.
    pub fn format(&self) -> DocumentFormat {
        self.format
    }

    /// Returns the text of all passages: paragraphs with a blank line between them, cells of a row with a tab.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the passages, in order.
    pub fn passages(&self) -> impl ExactSizeIterator<Item = Passage<'_>> {
        self.passages.iter().zip(&self.starts).map(|(passage, start)| Passage {
            kind: passage.kind,
            text: &passage.text,
            runs: &passage.runs,
            start: *start,
        })
    }

    /// Returns what was removed.
    pub fn removed(&self) -> &Removed {
        &self.removed
    }

    /// Replaces bytes of a passage. A replacement goes into the run in which its bytes begin; the rest of the bytes is
    /// removed from the runs after it.
    ///
    /// # Errors
    /// If the bytes are not in the passage, overlap, or are not between characters.
    pub fn replace(&mut self, passage: usize, edits: Vec<Edit>) -> Result<(), Error> {
        let (Some(stored), Some(start)) = (self.passages.get(passage), self.starts.get(passage)) else {
            return Err(ErrorKind::NotPlaced.into());
        };
        let (start, end) = (*start, start + stored.text.len());
        let is_inside = |edit: &Edit| stored.text.get(edit.range.clone()).is_some();
        if !edits.iter().all(is_inside) {
            return Err(ErrorKind::NotPlaced.into());
        }
        self.edits.retain(|edit| edit.range.end < start || edit.range.start > end);
        let moved = |edit: Edit| Edit::new(edit.range.start + start..edit.range.end + start, edit.text);
        self.edits.extend(edits.into_iter().map(moved));
        self.edits.sort_by_key(|edit| edit.range.start);
        match self.edits.windows(2).all(|two| two[0].range.end <= two[1].range.start) {
            true => Ok(()),
            false => {
                self.edits.clear();
                Err(ErrorKind::NotPlaced.into())
            }
        }
    }

    /// Replaces the text of the whole document by a changed one, for example the veiled text. What is equal stays in its
    /// run. If both texts have as many lines, each line stays in its passage.
    ///
    /// # Errors
    /// If the document has no place for the text.
    pub fn set_text(&mut self, text: &str) -> Result<(), Error> {
        self.edits = self.edits_of(text)?;
        Ok(())
    }

    /// Writes the document with a changed text, as after [`set_text`](Self::set_text).
    ///
    /// # Errors
    /// If the document has no place for the text.
    pub fn written(&self, text: &str) -> Result<Vec<u8>, Error> {
        self.write_edits(&self.edits_of(text)?)
    }

    fn edits_of(&self, text: &str) -> Result<Vec<Edit>, Error> {
        let edits = changes(&self.text, text);
        // Nothing may get lost and nothing may stay: separators alone may differ.
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        match letters(&self.joined(&self.run_texts(&edits)?)) == letters(text) {
            true => Ok(edits),
            false => Err(ErrorKind::NotPlaced.into()),
        }
    }

    /// Returns the text with all changes.
    ///
    /// # Errors
    /// If a change has no place.
    pub fn changed_text(&self) -> Result<String, Error> {
        Ok(self.joined(&self.run_texts(&self.edits)?))
    }

    /// The text of all passages with these runs.
    fn joined(&self, runs: &RunTexts) -> String {
        let mut text = String::with_capacity(self.text.len());
        for (index, passage) in self.passages.iter().enumerate() {
            if index > 0 {
                text.push_str(passage.kind.separator());
            }
            for PassageRun { range, run } in &passage.runs {
                match run {
                    Some(run) => text.push_str(&runs.texts[*run]),
                    None => text.push_str(&passage.text[range.clone()]),
                }
            }
        }
        text
    }

    /// Writes the document with all changes.
    ///
    /// # Errors
    /// If a change has no place.
    pub fn write(&self) -> Result<Vec<u8>, Error> {
        self.write_edits(&self.edits)
    }

    fn write_edits(&self, edits: &[Edit]) -> Result<Vec<u8>, Error> {
        let runs = self.run_texts(edits)?;
        let mut bytes = Vec::new();
        match &self.body {
            Body::File(pieces) => render(pieces, &runs, &mut bytes),
            Body::Package(parts) => package::write(parts, &runs, &mut bytes)?,
            Body::FlatPdf => pdf::write(&self.joined(&runs), &mut bytes),
        }
        Ok(bytes)
    }

    /// The texts of all runs after the changes.
    fn run_texts(&self, edits: &[Edit]) -> Result<RunTexts, Error> {
        let mut texts = vec![String::new(); self.runs];
        let mut changed = vec![false; self.runs];
        let flat: Vec<FlatRun> = self
            .passages
            .iter()
            .zip(&self.starts)
            .enumerate()
            .flat_map(|(number, (passage, start))| {
                passage.runs.iter().filter_map(move |run| {
                    let range = run.range.start + start..run.range.end + start;
                    run.run.map(|run| FlatRun { range, run, passage: number })
                })
            })
            .collect();
        let homes: Vec<usize> = edits.iter().map(|edit| self.home(&flat, edit)).collect::<Result<_, _>>()?;
        let mut by_home: Vec<usize> = (0..edits.len()).collect();
        by_home.sort_by_key(|edit| homes[*edit]);
        let mut waiting = by_home.into_iter().peekable();
        for (index, flat) in flat.iter().enumerate() {
            let text = &mut texts[flat.run];
            let mut at = flat.range.start;
            // The changes that touch this run, and those that are written here.
            let first = edits.partition_point(|edit| edit.range.end <= flat.range.start);
            let mut here: Vec<usize> = Vec::new();
            while waiting.peek().is_some_and(|edit| homes[*edit] == index) {
                here.extend(waiting.next());
            }
            let touching = (first..edits.len())
                .take_while(|edit| edits[*edit].range.start < flat.range.end)
                .filter(|edit| edits[*edit].range.end > flat.range.start);
            let mut all: Vec<usize> = touching.chain(here.iter().copied()).collect();
            all.sort_unstable();
            all.dedup();
            for number in all {
                let edit = &edits[number];
                let (start, end) = (
                    edit.range.start.clamp(at, flat.range.end),
                    edit.range.end.clamp(at, flat.range.end.max(at)),
                );
                text.push_str(self.text.get(at..start).unwrap_or_default());
                if homes[number] == index {
                    text.push_str(&edit.text);
                }
                at = end.max(start);
                changed[flat.run] = true;
            }
            text.push_str(self.text.get(at..flat.range.end).unwrap_or_default());
        }
        Ok(RunTexts { texts, changed })
    }

    /// The run that a replacement is written to.
    fn home(&self, flat: &[FlatRun], edit: &Edit) -> Result<usize, Error> {
        let at = edit.range.start;
        // The first run that ends behind the place.
        let next = flat.partition_point(|run| run.range.end <= at);
        if flat.get(next).is_some_and(|run| run.range.start <= at && !edit.range.is_empty()) {
            return Ok(next);
        }
        let passage = self.starts.partition_point(|start| *start <= at).saturating_sub(1);
        let before = next.checked_sub(1).filter(|index| flat[*index].range.end == at);
        let same = |index: &usize| flat[*index].passage == passage;
        let inside = Some(next).filter(|index| flat.get(*index).is_some_and(|run| run.range.start <= at));
        let after = Some(next).filter(|index| *index < flat.len());
        inside
            .or(before.filter(same))
            .or(after.filter(same))
            .or(next.checked_sub(1))
            .or(after)
            .ok_or_else(|| ErrorKind::NotPlaced.into())
    }
}

struct FlatRun {
    range: Range<usize>,
    run: usize,
    passage: usize,
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Document({}, {} passages, {} bytes)", self.format, self.passages.len(), self.text.len())
    }
}
