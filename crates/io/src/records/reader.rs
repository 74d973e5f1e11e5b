//! Reads rows with texts in any format, some at a time.

use std::fmt;

use super::byte_rows::ByteReader;
use super::column_rows::ColumnReader;
use super::columns::Columns;
use super::format::{Packing, RecordFormat};
use super::records::Records;
use super::rows::Limits;
use crate::error::Error;
use inkveil_files::Input;

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
    /// Whether bad rows are set aside ([`Records::rejects`]) instead of ending the reading.
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

/// Reads rows with texts, in memory that does not grow with the file.
///
/// ```
/// use inkveil_files::Input;
/// use inkveil_io::{Changed, Packing, RecordFormat, RecordOptions, RecordReader, Written};
///
/// let rows = b"{\"id\": 1, \"text\": \"one\"}\n{\"id\": 2, \"text\": \"two\"}\n".to_vec();
/// let options = RecordOptions::default();
/// let mut reader = RecordReader::open(Input::from_bytes(rows), RecordFormat::Jsonl, Packing::None, &options)?;
/// let records = reader.next()?.expect("two rows");
/// let texts = records.texts().iter().map(|text| Some(text.to_uppercase())).collect();
/// let Written::Bytes(bytes) = records.write(&Changed { texts, ..Changed::default() })? else { panic!() };
/// assert_eq!(bytes, b"{\"id\": 1, \"text\": \"ONE\"}\n{\"id\": 2, \"text\": \"TWO\"}\n");
/// # Ok::<(), inkveil_io::Error>(())
/// ```
pub struct RecordReader {
    name: String,
    format: RecordFormat,
    kind: Kind,
}

enum Kind {
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
            true => {
                ByteReader::open(input, format, packing, options).map(|reader| Kind::Bytes(Box::new(reader)))
            }
            false => ColumnReader::open(input, format, options).map(|reader| Kind::Columns(Box::new(reader))),
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
            Kind::Bytes(reader) => reader.next(),
            Kind::Columns(reader) => reader.next(),
        };
        next.map_err(|error| error.in_file(&self.name))
    }

    /// Passes over so many rows, and so many texts in them, that were worked on before.
    ///
    /// # Errors
    /// If there are not so many rows.
    pub fn skip(&mut self, rows: u64, texts: u64) -> Result<(), Error> {
        let skipped = match &mut self.kind {
            Kind::Bytes(reader) => reader.skip(rows, texts),
            Kind::Columns(reader) => reader.skip(rows, texts),
        };
        skipped.map_err(|error| error.in_file(&self.name))
    }

    /// A checksum that says whether what was read so far is still the same.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn fingerprint(&mut self) -> Result<String, Error> {
        match &mut self.kind {
            Kind::Bytes(reader) => Ok(reader.fingerprint()),
            Kind::Columns(reader) => reader.fingerprint().map_err(|error| error.in_file(&self.name)),
        }
    }

    /// What stands before the first row of a file like this one, with columns added to it.
    pub fn prelude(&self, added: &[String]) -> Vec<u8> {
        match &self.kind {
            Kind::Bytes(reader) => reader.prelude(added),
            Kind::Columns(_) => Vec::new(),
        }
    }

    /// The columns and their types, in words, to be compared between files.
    pub fn signature(&self) -> Vec<String> {
        match &self.kind {
            Kind::Bytes(reader) => reader.signature(),
            Kind::Columns(reader) => reader.signature(),
        }
    }

    /// The schema of a columnar file.
    pub(crate) fn schema(&self) -> Option<arrow_schema::SchemaRef> {
        match &self.kind {
            Kind::Bytes(_) => None,
            Kind::Columns(reader) => Some(reader.schema()),
        }
    }

    /// What separates the values of a row, and what they are called.
    pub(crate) fn separated(&self) -> Option<(u8, Vec<String>)> {
        match &self.kind {
            Kind::Bytes(reader) => reader.separated(),
            Kind::Columns(_) => None,
        }
    }

    /// Gives no more rows than these.
    pub fn take(&mut self, rows: u64) {
        match &mut self.kind {
            Kind::Bytes(reader) => reader.take(rows),
            Kind::Columns(reader) => reader.take(rows),
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
            Kind::Bytes(reader) => reader.bytes_total(),
            Kind::Columns(reader) => reader.bytes_total(),
        }
    }

    /// How many rows there are, if the file says so.
    pub fn rows_total(&self) -> Option<u64> {
        match &self.kind {
            Kind::Bytes(_) => None,
            Kind::Columns(reader) => reader.rows_total(),
        }
    }
}

impl fmt::Debug for RecordReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecordReader({}, {})", self.name, self.format)
    }
}
