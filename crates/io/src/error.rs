//! What can go wrong with a file: what, where, and what to do about it. Never a value that was in it.

use std::fmt;
use std::io;

/// An error of this crate.
///
/// Errors name files, rows (counted from 1), fields, dimensions and types. They never hold a coordinate, an id or a
/// text, so they may be logged.
///
/// ```
/// use inkveil_io::{ErrorKind, Input, ReadOptions, VectorFormat, VectorReader};
///
/// let input = Input::from_bytes(b"[1.0, 2.0]\n[3.0]\n".to_vec());
/// let mut reader = VectorReader::open(input, VectorFormat::Jsonl, &ReadOptions::default())?;
/// let error = reader.next_batch().unwrap_err();
/// assert_eq!(error.kind(), &ErrorKind::Ragged { expected: 2, found: 1 });
/// assert_eq!(error.row(), Some(2));
/// # Ok::<(), inkveil_io::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq)]
struct Inner {
    file: Option<String>,
    row: Option<u64>,
    field: Option<String>,
    kind: ErrorKind,
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused something.
    #[error("cannot {doing}: {reason}")]
    Io {
        /// What was tried, in words.
        doing: &'static str,
        /// The kind of failure; a closed pipe is [`io::ErrorKind::BrokenPipe`].
        kind: io::ErrorKind,
        /// What the system said.
        reason: String,
    },
    /// A format's name is not known.
    #[error("unknown format {given:?}; use jsonl, npy, parquet or safetensors")]
    UnknownFormat {
        /// The name as given.
        given: String,
    },
    /// A file's format cannot be told from its name.
    #[error("the format cannot be told from the name; use .jsonl, .npy, .parquet or .safetensors")]
    UnknownExtension,
    /// The bytes are not what the format says.
    #[error("not valid {format}: {what}")]
    Corrupt {
        /// The format that was expected.
        format: &'static str,
        /// What is wrong.
        what: String,
    },
    /// The file is well formed, but holds something this program does not handle.
    #[error("{what} is not supported; {advice}")]
    Unsupported {
        /// What is not supported.
        what: String,
        /// What to do instead.
        advice: &'static str,
    },
    /// No field, column or tensor holds vectors.
    #[error("no vectors found; choose one of [{}] with --column", names(candidates))]
    NoVectors {
        /// The fields there are.
        candidates: Vec<String>,
    },
    /// More than one field, column or tensor may be the vectors.
    #[error("several fields may be the vectors; choose one of [{}] with --column", names(candidates))]
    Ambiguous {
        /// The fields that may be meant.
        candidates: Vec<String>,
    },
    /// The field chosen is not there.
    #[error("the field is missing{}", instead(present))]
    MissingField {
        /// The fields of the first row; empty if the field is missing from a later one.
        present: Vec<String>,
    },
    /// The field occurs twice in one row.
    #[error("the field occurs more than once; keep one of them")]
    DuplicateField,
    /// A row is an array where the first was an object, or the other way round.
    #[error("expected {expected}, as in the first row; write all rows alike")]
    MixedRows {
        /// What the first row was.
        expected: &'static str,
    },
    /// The field is not an array of numbers.
    #[error("expected an array of numbers{}; choose another field with --column or clean the row", coordinate(*.index))]
    NotNumbers {
        /// The coordinate (from 0) that is no number, if the field is an array.
        index: Option<usize>,
    },
    /// A vector has another length than the first.
    #[error("expected {expected} numbers, as in the first row, found {found}; make all vectors equally long")]
    Ragged {
        /// The length of the first vector.
        expected: usize,
        /// The length of this one.
        found: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("coordinate {index} (counted from 0) is not a finite number; clean the data first")]
    NotFinite {
        /// Its position, from 0.
        index: usize,
    },
    /// A vector or a coordinate is null.
    #[error("{} is null; drop the row or fill it in", null_place(*.index))]
    Null {
        /// The coordinate (from 0), or none when the whole vector is null.
        index: Option<usize>,
    },
    /// A finite number is too large for the file's type.
    #[error(
        "coordinate {index} (counted from 0) is too large for {dtype}; use a file of a wider type, or clip"
    )]
    Overflow {
        /// Its position, from 0.
        index: usize,
        /// The file's type.
        dtype: &'static str,
    },
    /// The file ends too early.
    #[error("the file ends here, before its data does; it was cut off, so fetch or write it again")]
    Truncated,
    /// There are bytes after the end of the data.
    #[error("there are bytes after the end of the data; the file is damaged, so fetch or write it again")]
    TrailingBytes,
    /// A line or header is longer than any honest one.
    #[error("{what} is longer than {limit} bytes; check that this is the right file")]
    TooLong {
        /// What is too long.
        what: &'static str,
        /// The longest allowed.
        limit: u64,
    },
    /// A line is not UTF-8.
    #[error("the line is not UTF-8; convert the file, for example with iconv")]
    NotUtf8,
    /// A line in the middle of the file is blank.
    #[error("the line is blank; remove it")]
    BlankLine,
    /// There are no vectors at all.
    #[error("there are no vectors in it; nothing can be done")]
    Empty,
    /// Parquet cannot be read from a pipe.
    #[error("Parquet must be a file; pipe JSONL or npy instead")]
    ParquetNeedsFile,
    /// The destination exists.
    #[error("it exists already; choose another name or allow overwriting")]
    Exists,
    /// The destination is no ordinary file.
    #[error("it is not an ordinary file; choose the name of a file")]
    NotAFile,
    /// The destination is the input.
    #[error("the output would replace the input; choose another name")]
    SameFile,
    /// A batch was given to a writer out of order or from another reader.
    #[error("the batches written are not those of the input, in order; write each batch once")]
    OutOfOrder,
    /// The work was cancelled.
    #[error("cancelled; nothing was written under the final name")]
    Cancelled,
    /// A format of rows is not known.
    #[error("unknown format {given:?}; use text, lines, jsonl, csv, tsv, parquet or arrow")]
    UnknownRecordFormat {
        /// The name as given.
        given: String,
    },
    /// What a file is cannot be told from its name.
    #[error(
        "what it is cannot be told from its name; use .txt, .jsonl, .csv, .tsv (also with .gz or .zst), .parquet or .arrow, or say it with --from"
    )]
    UnknownRecordExtension,
    /// An encoding is not known.
    #[error("unknown encoding {given:?}; use a name such as windows-1252, iso-8859-15 or utf-16le")]
    UnknownEncoding {
        /// The name as given.
        given: String,
    },
    /// Bytes are not packed or encoded as they should be.
    #[error("its bytes are not packed or encoded as its name or --encoding says; check both")]
    NotEncoded,
    /// A path into rows cannot be read.
    #[error(
        "{given:?} is no way into a row; write names with dots and [] for the elements of a list, as in messages[].content"
    )]
    BadPath {
        /// The path as given.
        given: String,
    },
    /// No column is obviously the text.
    #[error("which column holds the texts? choose one of [{}] with --column", names(candidates))]
    NoTexts {
        /// The columns there are.
        candidates: Vec<String>,
    },
    /// A value that should be a text is something else.
    #[error("expected a text; choose another column with --column, or mend the row")]
    NotText,
    /// A row has more or fewer values than the first.
    #[error(
        "expected {expected} values, as in the first row, found {found}; mend the row, or name the separator with --delimiter"
    )]
    FieldCount {
        /// How many the first row has.
        expected: usize,
        /// How many this one has.
        found: usize,
    },
    /// A quote is never closed.
    #[error("a quoted value is not closed before the file ends; mend the row where the quote begins")]
    OpenQuote,
    /// A file has other columns than the first.
    #[error("its columns are not those of {first}: {difference}; work on files of one kind at a time")]
    Drift {
        /// The first file.
        first: String,
        /// What differs.
        difference: String,
    },
    /// Nothing matches a name.
    #[error("no file matches; check the name")]
    NoMatch,
    /// A job cannot begin or go on.
    #[error("{what}; {advice}")]
    Job {
        /// What is wrong.
        what: String,
        /// What to do about it.
        advice: &'static str,
    },
    /// A thread of the pipeline stopped without saying why.
    #[error("a worker stopped unexpectedly; this is a bug, please report it")]
    WorkerLost,
}

impl Error {
    /// What kind of error this is.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The row this error is about, counted from 1.
    pub fn row(&self) -> Option<u64> {
        self.0.row
    }

    /// The field, column or tensor this error is about.
    pub fn field(&self) -> Option<&str> {
        self.0.field.as_deref()
    }

    pub(crate) fn io(doing: &'static str, error: &io::Error) -> Self {
        // Only the system's own words: a writer given by the caller may put anything into its errors.
        let reason = match error.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code).to_string(),
            None => error.kind().to_string(),
        };
        ErrorKind::Io { doing, kind: error.kind(), reason }.into()
    }

    pub(crate) fn corrupt(format: impl Into<&'static str>, what: impl Into<String>) -> Self {
        ErrorKind::Corrupt { format: format.into(), what: what.into() }.into()
    }

    pub(crate) fn unsupported(what: impl Into<String>, advice: &'static str) -> Self {
        ErrorKind::Unsupported { what: what.into(), advice }.into()
    }

    /// Names another format, where calls are shared between two.
    pub(crate) fn in_format(mut self, name: &'static str) -> Self {
        if let ErrorKind::Corrupt { format, .. } = &mut self.0.kind {
            *format = name;
        }
        self
    }

    /// Names the file, unless it has been named already.
    pub(crate) fn in_file(mut self, file: &str) -> Self {
        self.0.file.get_or_insert_with(|| file.to_owned());
        self
    }

    /// Names the row by its position from 0.
    pub(crate) fn in_row(mut self, position: u64) -> Self {
        self.0.row.get_or_insert(position.saturating_add(1));
        self
    }

    pub(crate) fn in_field(mut self, field: Option<&str>) -> Self {
        if self.0.field.is_none() {
            self.0.field = field.map(str::to_owned);
        }
        self
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Error(Box::new(Inner { file: None, row: None, field: None, kind }))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { file, row, field, kind } = &*self.0;
        if let Some(file) = file {
            write!(f, "{file}: ")?;
        }
        match (row, field) {
            (Some(row), Some(field)) => write!(f, "row {row}, field {field:?}: ")?,
            (Some(row), None) => write!(f, "row {row}: ")?,
            (None, Some(field)) => write!(f, "field {field:?}: ")?,
            (None, None) => {}
        }
        write!(f, "{kind}")
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl std::error::Error for Error {}

/// Names in a message: quoted, and few enough to read.
fn names(all: &[String]) -> String {
    const SHOWN: usize = 8;
    const LENGTH: usize = 40;
    let mut text = all
        .iter()
        .take(SHOWN)
        .map(|name| match name.char_indices().nth(LENGTH) {
            Some((end, _)) => format!("{:?}…", &name[..end]),
            None => format!("{name:?}"),
        })
        .collect::<Vec<_>>()
        .join(", ");
    if all.len() > SHOWN {
        text.push_str(&format!(" and {} more", all.len() - SHOWN));
    }
    text
}

fn instead(present: &[String]) -> String {
    match present {
        [] => "; fill it in or drop the row".to_owned(),
        _ => format!("; there is [{}]; choose with --column", names(present)),
    }
}

fn coordinate(index: Option<usize>) -> String {
    index
        .map(|index| format!(", but coordinate {index} (counted from 0) is not a number"))
        .unwrap_or_default()
}

fn null_place(index: Option<usize>) -> String {
    index.map_or_else(|| "the vector".to_owned(), |index| format!("coordinate {index} (counted from 0)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_where() {
        let error = Error::from(ErrorKind::Ragged { expected: 4, found: 3 });
        let error =
            error.in_row(6).in_field(Some("embedding")).in_file("a.jsonl").in_file("b.jsonl").in_row(9);
        assert_eq!(
            error.to_string(),
            "a.jsonl: row 7, field \"embedding\": expected 4 numbers, as in the first row, found 3; make all vectors equally long"
        );
        assert_eq!((error.row(), error.field()), (Some(7), Some("embedding")));
    }

    #[test]
    fn lists_of_names_stay_short() {
        let many: Vec<String> = (0..30).map(|i| format!("{i}{}", "é".repeat(50))).collect();
        let text = names(&many);
        assert!(text.ends_with(" and 22 more") && text.len() < 900, "{text}");
    }

    #[test]
    fn foreign_error_texts_are_dropped() {
        let error = Error::io("write", &io::Error::other("987.654"));
        assert!(!error.to_string().contains("987") && !format!("{error:?}").contains("987"));
    }
}
