//! A text to veil.

use std::fmt;
use std::ops::Range;

/// A text to veil, and the tasks it is meant for.
///
/// ```
/// use inkveil_text::Document;
///
/// let document = Document::new("My knee hurts since Monday.").task("What helps against pain?");
/// assert!(!format!("{document:?}").contains("knee"));
/// ```
#[derive(Clone, Default)]
pub struct Document<'t> {
    pub(crate) text: &'t str,
    pub(crate) tasks: Vec<&'t str>,
    /// The record of its noise, if it is not the next one.
    pub(crate) record: Option<u64>,
    /// Places that are released as they are.
    pub(crate) kept: Vec<Range<usize>>,
}

impl<'t> Document<'t> {
    /// Returns a document with the tasks of the veil.
    pub fn new(text: &'t str) -> Self {
        Self { text, tasks: Vec::new(), record: None, kept: Vec::new() }
    }

    /// Adds a task of its own, which replaces the tasks of the veil. Each of several tasks counts
    /// separately.
    pub fn task(mut self, task: &'t str) -> Self {
        self.tasks.push(task);
        self
    }

    /// Takes the noise at this record of the key, wherever the document stands in a batch. A row of a
    /// table then gets the same replacements in every order and on every machine.
    pub fn at_record(mut self, record: u64) -> Self {
        self.record = Some(record);
        self
    }

    /// Releases these places of the text as they are, whatever detection finds there. Only the owner of
    /// the text can decide this. A word that a place touches is kept as a whole.
    pub fn keep(mut self, places: impl IntoIterator<Item = Range<usize>>) -> Self {
        self.kept.extend(places);
        self
    }

    /// Returns the text.
    pub fn text(&self) -> &'t str {
        self.text
    }
}

impl fmt::Debug for Document<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Document({} bytes, {} tasks)", self.text.len(), self.tasks.len())
    }
}
