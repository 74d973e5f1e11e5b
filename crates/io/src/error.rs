//! What can go wrong with a file: what, where, and what to do about it. Never a value that was in it.

use std::io;
use std::path::{Path, PathBuf};

use inkveil_error::{SystemError, error_type};

error_type! {
    /// An error of this crate.
    ///
    /// Errors name files, rows (counted from 1), fields, dimensions and types. They never hold a coordinate, an id or a
    /// text, so they may be logged.
    ///
    /// ```
    /// use inkveil_io::{ErrorKind, ReadOptions, VectorFormat, VectorReader};
    ///
    /// let input = inkveil_files::Input::from_bytes(b"[1.0, 2.0]\n[3.0]\n".to_vec());
    /// let mut reader = VectorReader::open(input, VectorFormat::Jsonl, &ReadOptions::default())?;
    /// let error = reader.next_batch().unwrap_err();
    /// assert_eq!(error.kind(), &ErrorKind::Ragged { expected: 2, found: 1 });
    /// assert_eq!(error.row(), Some(2));
    /// # Ok::<(), inkveil_io::Error>(())
    /// ```
    #[derive(Clone, PartialEq)]
    pub struct Error(ErrorKind) at file, row, field;
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused something.
    #[error("cannot {doing}")]
    Io {
        /// The operation.
        doing: &'static str,
        /// Why it was refused. The kind of a closed pipe is [`io::ErrorKind::BrokenPipe`].
        #[source]
        cause: SystemError,
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
    #[error("no vectors found; choose one of the columns [{}]", names(candidates))]
    NoVectors {
        /// The fields there are.
        candidates: Vec<String>,
    },
    /// More than one field, column or tensor may be the vectors.
    #[error("several columns may hold the vectors; choose one of [{}]", names(candidates))]
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
    #[error("expected an array of numbers{}; choose another column or clean the row", coordinate(*.index))]
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
    /// A file could not be opened or written.
    #[error(transparent)]
    File(#[from] inkveil_files::Error),
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
        "the format is not known from the name; use .txt, .jsonl, .csv, .tsv (also with .gz or .zst), .parquet or .arrow, or name the format"
    )]
    UnknownRecordExtension,
    /// An encoding is not known.
    #[error("unknown encoding {given:?}; use a name such as windows-1252, iso-8859-15 or utf-16le")]
    UnknownEncoding {
        /// The name as given.
        given: String,
    },
    /// Bytes are not packed or encoded as they should be.
    #[error("the bytes do not have the compression of the name or the encoding that was given; check both")]
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
    #[error("it is not known which column holds the texts; choose one of [{}]", names(candidates))]
    NoTexts {
        /// The columns there are.
        candidates: Vec<String>,
    },
    /// A value that should be a text is something else.
    #[error("expected a text; choose another column or correct the row")]
    NotText,
    /// A row has more or fewer values than the first.
    #[error(
        "expected {expected} values, as in the first row, found {found}; correct the row, or give the right delimiter"
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
    /// A thread of the pipeline stopped without saying why.
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
}

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
        _ => format!("; choose one of [{}]", names(present)),
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
