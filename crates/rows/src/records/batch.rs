//! A batch of rows: the texts as a table, and everything around them unchanged.

use std::fmt;

use arrow_array::RecordBatch;

use super::byte_rest::ByteRest;
use super::column_rest::ColumnRest;
use super::documents::DocumentRest;
use super::table::{Changed, Texts};
use crate::error::Error;

/// Consecutive rows of a file.
pub struct Records {
    pub(crate) first_row: u64,
    pub(crate) rows: u64,
    pub(crate) first_text: u64,
    pub(crate) texts: Texts,
    pub(crate) rejects: Vec<Reject>,
    pub(crate) rest: Rest,
    pub(crate) bytes_read: u64,
    pub(crate) fingerprint: String,
}

pub(crate) enum Rest {
    Bytes(ByteRest),
    Columns(ColumnRest),
    Document(Box<DocumentRest>),
}

/// A row that could not be read.
pub struct Reject {
    /// The problem and its place.
    pub error: Error,
    /// The bytes of the row. **Private.**
    pub raw: Vec<u8>,
}

/// Written rows: bytes of a text format, or an Arrow table.
pub enum WrittenRows {
    /// Rows of a text format.
    Bytes(Vec<u8>),
    /// Rows of a columnar format.
    Batch(RecordBatch),
}

impl Records {
    /// Returns the texts.
    pub fn texts(&self) -> &Texts {
        &self.texts
    }

    /// Returns the position of the first row in the file, from 0.
    pub fn first_row(&self) -> u64 {
        self.first_row
    }

    /// Returns the number of rows, including rejected ones.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns the position of the first text in the file, from 0.
    pub fn first_text(&self) -> u64 {
        self.first_text
    }

    /// Returns the rows that could not be read.
    pub fn rejects(&self) -> &[Reject] {
        &self.rejects
    }

    /// Returns the row of a text in a text format, without its line break.
    pub fn raw(&self, index: usize) -> Option<&str> {
        match &self.rest {
            Rest::Bytes(rest) => rest.raw(self.texts.value_of(index)),
            Rest::Columns(_) | Rest::Document(_) => None,
        }
    }

    /// Returns the line break after the row of a text: `"\n"`, `"\r\n"` or nothing.
    pub fn line_break(&self, index: usize) -> &'static str {
        match &self.rest {
            Rest::Bytes(rest) => rest.line_break(self.texts.value_of(index)),
            Rest::Columns(_) => "\n",
            Rest::Document(_) => "",
        }
    }

    /// Returns the number of bytes of the file that were read up to the end of these rows.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// Returns a checksum of all rows of the file up to the last of these.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Writes the rows with changed texts. Everything else is kept, byte for byte or value for value.
    ///
    /// # Errors
    /// If the number of texts is different, or the file format cannot hold one of them.
    pub fn write(&self, changed: &Changed) -> Result<WrittenRows, Error> {
        match &self.rest {
            Rest::Bytes(rest) => rest.write(&self.texts, changed).map(WrittenRows::Bytes),
            Rest::Columns(rest) => rest.write(&self.texts, changed).map(WrittenRows::Batch),
            Rest::Document(rest) => rest.write(&self.texts, changed).map(WrittenRows::Bytes),
        }
    }
}

impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Records({} rows, {} texts)", self.rows, self.texts.len())
    }
}

impl fmt::Debug for Reject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reject({})", self.error)
    }
}

impl fmt::Debug for WrittenRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "WrittenRows({} bytes)", bytes.len()),
            Self::Batch(batch) => write!(f, "WrittenRows({} rows)", batch.num_rows()),
        }
    }
}
