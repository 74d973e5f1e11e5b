//! What can go wrong with rows of texts. Errors never hold a value from a file.

use std::io;
use std::path::{Path, PathBuf};

use inkveil_error::{SystemError, error_type, name_list};

error_type! {
    /// An error of this crate.
    ///
    /// Errors name files, rows (counted from 1), fields, dimensions and types. They never hold a text, so they may be
    /// logged.
    ///
    /// ```
    /// use inkveil_files::Input;
    /// use inkveil_rows::{ErrorKind, Packing, RecordFormat, RecordOptions, RecordReader};
    ///
    /// let input = Input::from_bytes(b"id,text\n1,one\n2\n".to_vec());
    /// let mut reader = RecordReader::open(input, RecordFormat::Csv, Packing::None, &RecordOptions::default())?;
    /// reader.next()?; // the good row
    /// let error = reader.next().unwrap_err();
    /// assert_eq!(error.kind(), &ErrorKind::FieldCount { expected: 2, found: 1 });
    /// assert_eq!(error.row(), Some(2));
    /// # Ok::<(), inkveil_rows::Error>(())
    /// ```
    #[derive(Clone, PartialEq)]
    pub struct Error(ErrorKind) at file, row, field;
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused an operation.
    #[error("cannot {doing}")]
    Io {
        /// The operation.
        doing: &'static str,
        /// Why it was refused. The kind of a closed pipe is [`io::ErrorKind::BrokenPipe`].
        #[source]
        cause: SystemError,
    },
    /// A document could not be read or written.
    #[error(transparent)]
    Document(#[from] inkveil_documents::Error),
    /// A file could not be opened or written.
    #[error(transparent)]
    File(#[from] inkveil_files::Error),
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
    /// The chosen field is missing.
    #[error("the field is missing{}", inkveil_error::other_names(present))]
    MissingField {
        /// The fields of the first row; empty if the field is missing from a later one.
        present: Vec<String>,
    },
    /// Two columns have the same name, or a field occurs twice in one row.
    #[error("the name occurs more than once; rename or remove one of them")]
    DuplicateField,
    /// The file ends too early.
    #[error("the file ends here, before its data does; it was cut off, so fetch or write it again")]
    Truncated,
    /// A line or header is too long.
    #[error("{what} is longer than {limit} bytes; split it, or check that this is the right file")]
    TooLong {
        /// What is too long.
        what: &'static str,
        /// The longest allowed.
        limit: u64,
    },
    /// A line is not UTF-8.
    #[error("the line is not UTF-8; convert the file, for example with iconv")]
    NotUtf8,
    /// There are no rows.
    #[error("there are no rows in it")]
    Empty,
    /// Parquet cannot be read from a pipe.
    #[error("Parquet must be a file; pipe JSONL or npy instead")]
    ParquetNeedsFile,
    /// A batch was given to a writer out of order or from another reader.
    #[error("the batches written are not those of the input, in order; write each batch once")]
    OutOfOrder,
    /// The work was cancelled.
    #[error("cancelled; no file was released")]
    Cancelled,
    /// A format of rows is not known.
    #[error(
        "unknown format {given:?}; use text, lines, jsonl, csv, tsv, parquet, arrow, or a format of documents such as docx"
    )]
    UnknownFormat {
        /// The name as given.
        given: String,
    },
    /// The format is not known from the name of the file.
    #[error(
        "the format is not known from the name; use .txt, .jsonl, .csv, .tsv (also with .gz or .zst), .parquet, .arrow or a document such as .docx, or name the format"
    )]
    UnknownExtension,
    /// An encoding is not known.
    #[error("unknown encoding {given:?}; use a name such as windows-1252, iso-8859-15 or utf-16le")]
    UnknownEncoding {
        /// The name as given.
        given: String,
    },
    /// The bytes do not have the expected compression or encoding.
    #[error("the bytes do not have the compression of the name or the encoding that was given; check both")]
    NotEncoded,
    /// A path into rows cannot be read.
    #[error(
        "{given:?} is not a path; write names with dots and [] for the elements of a list, for example messages[].content"
    )]
    BadPath {
        /// The path as given.
        given: String,
    },
    /// No column is obviously the text.
    #[error("it is not known which column holds the texts; choose one of [{}]", name_list(candidates))]
    NoTexts {
        /// The columns of the file.
        candidates: Vec<String>,
    },
    /// Several columns may hold the texts.
    #[error("several columns may hold texts: [{}]", name_list(candidates))]
    SeveralTexts {
        /// These columns.
        candidates: Vec<String>,
    },
    /// A column is copied, but what is in it cannot be checked.
    #[error("the column holds texts in a form that cannot be read")]
    Unreadable,
    /// The line ends are carriage returns.
    #[error("the lines end with a carriage return alone; write the file with other line ends")]
    LineEnds,
    /// A value that should be a text is something else.
    #[error("expected a text; choose another column or correct the row")]
    NotText,
    /// A row has more or fewer values than the first.
    #[error(
        "expected {expected} values, as in the first row, found {found}; correct the row, or give the right delimiter"
    )]
    FieldCount {
        /// The number of values of the first row.
        expected: usize,
        /// The number of values of this row.
        found: usize,
    },
    /// A quote is never closed.
    #[error("a quoted value is not closed before the file ends; correct the row in which the quote begins")]
    OpenQuote,
    /// A file has other columns than the first file.
    #[error("the columns are not those of {first}: {difference}; process files of one kind at a time")]
    Drift {
        /// The first file.
        first: String,
        /// What differs.
        difference: String,
    },
    /// Nothing matches a name.
    #[error("no file matches; check the name")]
    NoMatch,
    /// A new job cannot start, because an interrupted one is there.
    #[error("an interrupted job is in {}; resume it or replace it", folder.display())]
    InterruptedJob {
        /// The folder of the job.
        folder: PathBuf,
    },
    /// There is no job to resume.
    #[error("there is nothing to resume: {} does not exist; start a new job", folder.display())]
    NothingToResume {
        /// The folder in which the job would be.
        folder: PathBuf,
    },
    /// Another process works on the job.
    #[error("another process works on {}; wait for it, or stop it first", folder.display())]
    JobBusy {
        /// The folder of the job.
        folder: PathBuf,
    },
    /// An interrupted job cannot be resumed. Files that it has released are complete.
    #[error("{what}, so it cannot be resumed; replace it by a new job")]
    CannotResume {
        /// Why.
        what: String,
    },
    /// A thread of the pipeline stopped unexpectedly.
    #[error("a worker stopped unexpectedly; this is a bug, please report it")]
    WorkerLost,
}

impl Error {
    pub(crate) fn io(doing: &'static str, error: &io::Error) -> Self {
        ErrorKind::Io { doing, cause: error.into() }.into()
    }

    pub(crate) fn exists(path: &Path) -> Self {
        Self::from(inkveil_files::Error::from(inkveil_files::ErrorKind::Exists)).in_file(path)
    }

    pub(crate) fn cannot_resume(what: impl Into<String>) -> Self {
        ErrorKind::CannotResume { what: what.into() }.into()
    }

    pub(crate) fn corrupt(format: impl Into<&'static str>, what: impl Into<String>) -> Self {
        ErrorKind::Corrupt { format: format.into(), what: what.into() }.into()
    }

    pub(crate) fn unsupported(what: impl Into<String>, advice: &'static str) -> Self {
        ErrorKind::Unsupported { what: what.into(), advice }.into()
    }

    /// Names another format, where calls are shared between two.
    pub(crate) fn in_format(self, format: &'static str) -> Self {
        match self.kind() {
            ErrorKind::Corrupt { what, .. } => Self::corrupt(format, what.clone()),
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_comes_first() {
        let error = Error::from(ErrorKind::FieldCount { expected: 4, found: 3 });
        let error = error.in_row(6).in_field(Some("text")).in_file("a.csv").in_file("b.csv").in_row(9);
        assert!(error.to_string().starts_with("a.csv: row 7, field \"text\": expected 4 values"), "{error}");
        assert_eq!((error.row(), error.field()), (Some(7), Some("text")));
    }
}
