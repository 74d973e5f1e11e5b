//! How rows are read.

use super::columns::Columns;
use super::parts::parts_of;
use super::split::Limits;
use crate::error::{Error, ErrorKind};

/// How rows are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordOptions {
    /// The columns to read.
    pub columns: Columns,
    /// The encoding of text formats, for example `windows-1252`. The default is UTF-8.
    pub encoding: Option<String>,
    /// The delimiter of values. By default it is detected in `.csv` files.
    pub delimiter: Option<u8>,
    /// Whether the first row of separated values holds the column names. Without it columns are called `1`, `2` …
    pub header: bool,
    /// Whether bad rows are collected in [`Records::rejects`](crate::Records::rejects) instead of ending with an error.
    pub reject: bool,
    /// The most rows in a batch.
    pub batch_rows: usize,
    /// The approximate number of bytes in a batch. One long row may be larger.
    pub batch_bytes: usize,
    /// The longest text, in bytes. Work on a text needs many times its length in memory, and a small compressed file can
    /// hold a very long one. A plain text that is longer comes in parts.
    pub longest_text: usize,
    /// Whether a longer text of a row comes in parts too, each as a text of its own. Otherwise it is an error.
    pub parts: bool,
    /// The longest row of a text format, in bytes. It is in memory as a whole.
    pub longest_row: usize,
    /// Whether a document is written as its text alone.
    pub documents_as_text: bool,
}

impl Default for RecordOptions {
    fn default() -> Self {
        Self {
            columns: Columns::default(),
            encoding: None,
            delimiter: None,
            header: true,
            reject: false,
            batch_rows: 512,
            batch_bytes: 512 << 10,
            longest_text: 4 << 20,
            parts: false,
            longest_row: 256 << 20,
            documents_as_text: false,
        }
    }
}

impl RecordOptions {
    /// Returns the parts of a text: the text itself, unless it is too long.
    ///
    /// # Errors
    /// If it is too long and must not be cut, or if a word in it is.
    pub(crate) fn parts_of<'t>(&self, text: &'t str) -> Result<Vec<&'t str>, Error> {
        match text.len() > self.longest_text {
            true if self.parts => parts_of(text, self.longest_text.max(1)),
            true => Err(ErrorKind::TooLong { what: "a text", limit: self.longest_text as u64 }.into()),
            false => Ok(vec![text]),
        }
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits { rows: self.batch_rows.max(1), bytes: self.batch_bytes.max(1) }
    }
}
