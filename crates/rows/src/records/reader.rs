//! Reads rows with texts in any format, one batch at a time.

use std::fmt;

use super::batch::Records;
use super::byte_rows::ByteReader;
use super::column_rows::ColumnReader;
use super::documents::DocumentReader;
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
    Documents(Box<DocumentReader>),
}

impl RecordReader {
    /// Opens an input and finds its columns.
    ///
    /// # Errors
    /// If the input cannot be read, or a column is missing.
    pub fn open(
        input: Input,
        format: RecordFormat,
        packing: Packing,
        options: &RecordOptions,
    ) -> Result<Self, Error> {
        let name = input.name();
        let kind = match format {
            RecordFormat::Document(document) => DocumentReader::open(input, document, options)
                .map(|reader| ReaderKind::Documents(Box::new(reader))),
            _ if format.is_bytes() => ByteReader::open(input, format, packing, options)
                .map(|reader| ReaderKind::Bytes(Box::new(reader))),
            _ => {
                ColumnReader::open(input, format, options).map(|reader| ReaderKind::Columns(Box::new(reader)))
            }
        };
        Ok(Self { kind: kind.map_err(|error| error.in_file(&name))?, name, format })
    }

    /// Returns the next rows, or nothing at the end.
    ///
    /// # Errors
    /// If a row is bad and bad rows are not collected. The rows before it are returned first.
    #[expect(
        clippy::should_implement_trait,
        reason = "an error does not end it for good, as an iterator would promise"
    )]
    pub fn next(&mut self) -> Result<Option<Records>, Error> {
        let next = match &mut self.kind {
            ReaderKind::Bytes(reader) => reader.next(),
            ReaderKind::Columns(reader) => reader.next(),
            ReaderKind::Documents(reader) => reader.next(),
        };
        next.map_err(|error| error.in_file(&self.name))
    }

    /// Skips this number of rows, with this number of texts in them, which were processed before.
    ///
    /// # Errors
    /// If there are fewer rows.
    pub fn skip(&mut self, rows: u64, texts: u64) -> Result<(), Error> {
        let skipped = match &mut self.kind {
            ReaderKind::Bytes(reader) => reader.skip(rows, texts),
            ReaderKind::Columns(reader) => reader.skip(rows, texts),
            ReaderKind::Documents(reader) => reader.skip(rows, texts),
        };
        skipped.map_err(|error| error.in_file(&self.name))
    }

    /// Returns a checksum of the input up to the last row read.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn fingerprint(&mut self) -> Result<String, Error> {
        match &mut self.kind {
            ReaderKind::Bytes(reader) => Ok(reader.fingerprint()),
            ReaderKind::Columns(reader) => reader.fingerprint().map_err(|error| error.in_file(&self.name)),
            ReaderKind::Documents(reader) => Ok(reader.fingerprint()),
        }
    }

    /// Returns the bytes before the first row of an output, including the names of added columns.
    pub fn prelude(&self, added: &[String]) -> Vec<u8> {
        match &self.kind {
            ReaderKind::Bytes(reader) => reader.prelude(added),
            ReaderKind::Columns(_) | ReaderKind::Documents(_) => Vec::new(),
        }
    }

    /// Returns the columns and their types as text, for comparing files.
    pub fn signature(&self) -> Vec<String> {
        match &self.kind {
            ReaderKind::Bytes(reader) => reader.signature(),
            ReaderKind::Columns(reader) => reader.signature(),
            ReaderKind::Documents(_) => Vec::new(),
        }
    }

    /// Returns the schema of a columnar file.
    pub(crate) fn schema(&self) -> Option<arrow_schema::SchemaRef> {
        match &self.kind {
            ReaderKind::Bytes(_) | ReaderKind::Documents(_) => None,
            ReaderKind::Columns(reader) => Some(reader.schema()),
        }
    }

    /// Returns the delimiter and the column names of separated values.
    pub(crate) fn separated(&self) -> Option<(u8, Vec<String>)> {
        match &self.kind {
            ReaderKind::Bytes(reader) => reader.separated(),
            ReaderKind::Columns(_) | ReaderKind::Documents(_) => None,
        }
    }

    /// Limits the number of rows that are returned from now on.
    pub fn take(&mut self, rows: u64) {
        match &mut self.kind {
            ReaderKind::Bytes(reader) => reader.take(rows),
            ReaderKind::Columns(reader) => reader.take(rows),
            ReaderKind::Documents(reader) => reader.take(rows),
        }
    }

    /// Returns the format.
    pub fn format(&self) -> RecordFormat {
        self.format
    }

    /// Returns the name of the input for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the size of the file, if it is known.
    pub fn bytes_total(&self) -> Option<u64> {
        match &self.kind {
            ReaderKind::Bytes(reader) => reader.bytes_total(),
            ReaderKind::Columns(reader) => reader.bytes_total(),
            ReaderKind::Documents(reader) => reader.bytes_total(),
        }
    }

    /// Returns the number of rows, if the file stores it.
    pub fn rows_total(&self) -> Option<u64> {
        match &self.kind {
            ReaderKind::Bytes(_) => None,
            ReaderKind::Columns(reader) => reader.rows_total(),
            ReaderKind::Documents(reader) => Some(reader.rows_total()),
        }
    }
}

impl fmt::Debug for RecordReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecordReader({}, {})", self.name, self.format)
    }
}
