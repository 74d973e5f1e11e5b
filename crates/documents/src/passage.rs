//! Passages: continuous text, made of runs that know their places.

use std::fmt;
use std::ops::Range;

/// What a passage is in its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PassageKind {
    /// A paragraph of the text.
    Paragraph,
    /// The header or footer of pages.
    Header,
    /// A footnote or an endnote.
    Note,
    /// A cell of a table. The cells of a row follow each other.
    Cell,
    /// The first cell of a row.
    FirstCell,
    /// The subject of a mail, the title of a page or a chat.
    Title,
    /// A sender or a recipient.
    Person,
    /// A message of a chat.
    Message,
    /// The text of an attachment.
    Attachment,
}

impl PassageKind {
    /// What is written before a passage in the text of the whole document.
    pub(crate) fn separator(self) -> &'static str {
        match self {
            Self::Cell => "\t",
            Self::FirstCell | Self::Person => "\n",
            _ => "\n\n",
        }
    }
}

/// A passage as it was read.
pub(crate) struct StoredPassage {
    pub(crate) kind: PassageKind,
    pub(crate) text: String,
    pub(crate) runs: Vec<PassageRun>,
}

/// A part of a passage.
pub(crate) struct PassageRun {
    /// Its bytes in the text.
    pub(crate) range: Range<usize>,
    /// The number of the run; none for text that cannot be changed, such as a line break.
    pub(crate) run: Option<usize>,
}

/// Continuous text of a document. **Private**: it holds the text.
#[derive(Clone, Copy)]
pub struct Passage<'d> {
    pub(crate) kind: PassageKind,
    pub(crate) text: &'d str,
    pub(crate) runs: &'d [PassageRun],
    pub(crate) start: usize,
}

impl<'d> Passage<'d> {
    /// Returns what it is.
    pub fn kind(&self) -> PassageKind {
        self.kind
    }

    /// Returns its text.
    pub fn text(&self) -> &'d str {
        self.text
    }

    /// Returns where it begins in the text of the whole document, in bytes.
    pub fn start(&self) -> usize {
        self.start
    }

    /// Returns the bytes of each run that can be changed.
    pub fn runs(&self) -> impl Iterator<Item = Range<usize>> + 'd {
        self.runs.iter().filter(|run| run.run.is_some()).map(|run| run.range.clone())
    }
}

impl fmt::Debug for Passage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Passage({:?}, {} bytes, {} runs)", self.kind, self.text.len(), self.runs.len())
    }
}
