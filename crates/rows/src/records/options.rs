//! How rows are read.

use super::columns::Columns;
use super::split::Limits;

/// How rows are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordOptions {
    /// Which values are wanted.
    pub columns: Columns,
    /// The encoding of text formats, such as `windows-1252`; UTF-8 if there is none.
    pub encoding: Option<String>,
    /// What separates values; found by itself in `.csv` files.
    pub delimiter: Option<u8>,
    /// Whether the first row of separated values names them. Without names they are called `1`, `2` …
    pub header: bool,
    /// Whether bad rows are set aside ([`Records::rejects`](crate::Records::rejects)) instead of ending the reading.
    pub reject: bool,
    /// The most rows that are read together.
    pub batch_rows: usize,
    /// About how many bytes are read together; one long row may be more.
    pub batch_bytes: usize,
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
        }
    }
}

impl RecordOptions {
    pub(crate) fn limits(&self) -> Limits {
        Limits { rows: self.batch_rows.max(1), bytes: self.batch_bytes.max(1) }
    }
}
