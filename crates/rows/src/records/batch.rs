//! Rows that were read together: their texts as a table, and everything else as it was.

use std::fmt;

use arrow_array::RecordBatch;

use super::byte_rest::ByteRest;
use super::column_rest::ColumnRest;
use super::table::{Changed, Texts};
use crate::error::Error;

/// Rows that were read together.
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
}

/// A row that could not be read.
pub struct Reject {
    /// What is wrong with it, and where.
    pub error: Error,
    /// The row as it stands in the file. Private.
    pub raw: Vec<u8>,
}

/// Rows as they are written: bytes of the same format, or an Arrow table.
pub enum WrittenRows {
    /// Rows of a text format.
    Bytes(Vec<u8>),
    /// Rows of a columnar format.
    Batch(RecordBatch),
}

impl Records {
    /// The texts.
    pub fn texts(&self) -> &Texts {
        &self.texts
    }

    /// Which row of the file the first is, from 0.
    pub fn first_row(&self) -> u64 {
        self.first_row
    }

    /// How many rows were read, bad ones too.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Which text of the file the first is, from 0.
    pub fn first_text(&self) -> u64 {
        self.first_text
    }

    /// Rows that could not be read.
    pub fn rejects(&self) -> &[Reject] {
        &self.rejects
    }

    /// The row of a text as it stands in a file of a text format, without its line break.
    pub fn raw(&self, index: usize) -> Option<&str> {
        match &self.rest {
            Rest::Bytes(rest) => rest.raw(index),
            Rest::Columns(_) => None,
        }
    }

    /// What ends the row of a text in its file: `"\n"`, `"\r\n"` or nothing.
    pub fn line_break(&self, index: usize) -> &'static str {
        match &self.rest {
            Rest::Bytes(rest) => rest.line_break(index),
            Rest::Columns(_) => "\n",
        }
    }

    /// How much of the file was read when these rows were.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// A checksum of all rows of the file up to the last of these.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The rows with what became of their texts. Everything else is as it was: byte for byte, or value for value.
    ///
    /// # Errors
    /// If there are not as many texts as before, or one cannot stand in such a file.
    pub fn write(&self, changed: &Changed) -> Result<WrittenRows, Error> {
        match &self.rest {
            Rest::Bytes(rest) => rest.write(&self.texts, changed).map(WrittenRows::Bytes),
            Rest::Columns(rest) => rest.write(&self.texts, changed).map(WrittenRows::Batch),
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
