//! Reads rows with texts in any format, some at a time.

use std::fmt;

use super::batch::Records;
use super::byte_rows::ByteReader;
use super::column_rows::ColumnReader;
use super::format::{Packing, RecordFormat};
use super::options::RecordOptions;
use crate::error::Error;
use inkveil_files::Input;

/// Reads rows with texts, in memory that does not grow with the file.
///
/// ```
/// use inkveil_files::Input;
/// use inkveil_rows::{Changed, Packing, RecordFormat, RecordOptions, RecordReader, WrittenRows};
///
/// let rows = b"{\"id\": 1, \"text\": \"one\"}\n{\"id\": 2, \"text\": \"two\"}\n".to_vec();
/// let options = RecordOptions::default();
/// let mut reader = RecordReader::open(Input::from_bytes(rows), RecordFormat::Jsonl, Packing::None, &options)?;
/// let records = reader.next()?.expect("two rows");
/// let texts = records.texts().iter().map(|text| Some(text.to_uppercase())).collect();
/// let WrittenRows::Bytes(bytes) = records.write(&Changed { texts, ..Changed::default() })? else { panic!() };
/// assert_eq!(bytes, b"{\"id\": 1, \"text\": \"ONE\"}\n{\"id\": 2, \"text\": \"TWO\"}\n");
/// # Ok::<(), inkveil_rows::Error>(())
/// ```
pub struct RecordReader {
    name: String,
    format: RecordFormat,
    kind: ReaderKind,
}

enum ReaderKind {
    Bytes(Box<ByteReader>),
    Columns(Box<ColumnReader>),
}

impl RecordReader {
    /// Opens an input, and finds its columns.
    ///
    /// # Errors
    /// If it cannot be read, or a column is not there.
    pub fn open(
        input: Input,
        format: RecordFormat,
        packing: Packing,
        options: &RecordOptions,
    ) -> Result<Self, Error> {
        let name = input.name();
        let kind = match format.is_bytes() {
            true => ByteReader::open(input, format, packing, options)
                .map(|reader| ReaderKind::Bytes(Box::new(reader))),
            false => {
                ColumnReader::open(input, format, options).map(|reader| ReaderKind::Columns(Box::new(reader)))
            }
        };
        Ok(Self { kind: kind.map_err(|error| error.in_file(&name))?, name, format })
    }

    /// The next rows; none at the end.
    ///
    /// # Errors
    /// If a row is bad and bad rows are not set aside. Rows before it are given first.
    #[expect(
        clippy::should_implement_trait,
        reason = "an error does not end it for good, as an iterator would promise"
    )]
    pub fn next(&mut self) -> Result<Option<Records>, Error> {
        let next = match &mut self.kind {
            ReaderKind::Bytes(reader) => reader.next(),
            ReaderKind::Columns(reader) => reader.next(),
        };
        next.map_err(|error| error.in_file(&self.name))
    }

    /// Passes over so many rows, and so many texts in them, that were worked on before.
    ///
    /// # Errors
    /// If there are not so many rows.
    pub fn skip(&mut self, rows: u64, texts: u64) -> Result<(), Error> {
        let skipped = match &mut self.kind {
            ReaderKind::Bytes(reader) => reader.skip(rows, texts),
            ReaderKind::Columns(reader) => reader.skip(rows, texts),
        };
        skipped.map_err(|error| error.in_file(&self.name))
    }

    /// A checksum that says whether what was read so far is still the same.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn fingerprint(&mut self) -> Result<String, Error> {
        match &mut self.kind {
            ReaderKind::Bytes(reader) => Ok(reader.fingerprint()),
            ReaderKind::Columns(reader) => reader.fingerprint().map_err(|error| error.in_file(&self.name)),
        }
    }

    /// What stands before the first row of a file like this one, with columns added to it.
    pub fn prelude(&self, added: &[String]) -> Vec<u8> {
        match &self.kind {
            ReaderKind::Bytes(reader) => reader.prelude(added),
            ReaderKind::Columns(_) => Vec::new(),
        }
    }

    /// The columns and their types, in words, to be compared between files.
    pub fn signature(&self) -> Vec<String> {
        match &self.kind {
            ReaderKind::Bytes(reader) => reader.signature(),
            ReaderKind::Columns(reader) => reader.signature(),
        }
    }

    /// The schema of a columnar file.
    pub(crate) fn schema(&self) -> Option<arrow_schema::SchemaRef> {
        match &self.kind {
            ReaderKind::Bytes(_) => None,
            ReaderKind::Columns(reader) => Some(reader.schema()),
        }
    }

    /// What separates the values of a row, and what they are called.
    pub(crate) fn separated(&self) -> Option<(u8, Vec<String>)> {
        match &self.kind {
            ReaderKind::Bytes(reader) => reader.separated(),
            ReaderKind::Columns(_) => None,
        }
    }

    /// Gives no more rows than these.
    pub fn take(&mut self, rows: u64) {
        match &mut self.kind {
            ReaderKind::Bytes(reader) => reader.take(rows),
            ReaderKind::Columns(reader) => reader.take(rows),
        }
    }

    /// What it is.
    pub fn format(&self) -> RecordFormat {
        self.format
    }

    /// What errors call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How large the file is, if that is known.
    pub fn bytes_total(&self) -> Option<u64> {
        match &self.kind {
            ReaderKind::Bytes(reader) => reader.bytes_total(),
            ReaderKind::Columns(reader) => reader.bytes_total(),
        }
    }

    /// How many rows there are, if the file says so.
    pub fn rows_total(&self) -> Option<u64> {
        match &self.kind {
            ReaderKind::Bytes(_) => None,
            ReaderKind::Columns(reader) => reader.rows_total(),
        }
    }
}

impl fmt::Debug for RecordReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecordReader({}, {})", self.name, self.format)
    }
}
