//! What can go wrong with files of vectors. Errors never hold a value from a file.

use std::io;

use inkveil_error::{SystemError, error_type, name_list};

error_type! {
    /// An error of this crate.
    ///
    /// Errors name files, rows (counted from 1), fields, dimensions and types. They never hold a
    /// coordinate, an id or a text, so they may be logged.
    ///
    /// ```
    /// use inkveil_files::Input;
    /// use inkveil_vectors_io::{ErrorKind, ReadOptions, VectorFormat, VectorReader};
    ///
    /// let input = Input::from_bytes(b"[1.0, 2.0]\n[3.0]\n".to_vec());
    /// let mut reader = VectorReader::open(input, VectorFormat::Jsonl, &ReadOptions::default())?;
    /// let error = reader.next_batch().unwrap_err();
    /// assert_eq!(error.kind(), &ErrorKind::Ragged { expected: 2, found: 1 });
    /// assert_eq!(error.row(), Some(2));
    /// # Ok::<(), inkveil_vectors_io::Error>(())
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
    /// A file could not be opened or written.
    #[error(transparent)]
    File(#[from] inkveil_files::Error),
    /// A Parquet file could not be read or written.
    #[error(transparent)]
    Rows(#[from] inkveil_rows::Error),
    /// A format's name is not known.
    #[error("unknown format {given:?}; use jsonl, npy, parquet or safetensors")]
    UnknownFormat {
        /// The name as given.
        given: String,
    },
    /// The format is not known from the name of the file.
    #[error("the format is not known from the name; use .jsonl, .npy, .parquet or .safetensors")]
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
    #[error("no vectors found; choose one of the columns [{}]", name_list(candidates))]
    NoVectors {
        /// The fields of the file.
        candidates: Vec<String>,
    },
    /// More than one field, column or tensor may hold the vectors.
    #[error("several columns may hold the vectors; choose one of [{}]", name_list(candidates))]
    Ambiguous {
        /// The fields that may hold the vectors.
        candidates: Vec<String>,
    },
    /// The chosen field is missing.
    #[error("the field is missing{}", inkveil_error::other_names(present))]
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
        /// The coordinate (from 0) that is not a number, if the field is an array.
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
    /// A line or header is too long.
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
    /// There are no vectors.
    #[error("there are no vectors in it")]
    Empty,
    /// The destination is the input.
    #[error("the output would replace the input; choose another name")]
    SameFile,
    /// A batch was given to a writer out of order or from another reader.
    #[error("the batches written are not those of the input, in order; write each batch once")]
    OutOfOrder,
    /// The work was cancelled.
    #[error("cancelled; nothing was written under the final name")]
    Cancelled,
    /// A thread of the pipeline stopped unexpectedly.
    #[error("a worker stopped unexpectedly; this is a bug, please report it")]
    WorkerLost,
}

impl Error {
    pub(crate) fn io(doing: &'static str, error: &io::Error) -> Self {
        ErrorKind::Io { doing, cause: error.into() }.into()
    }

    pub(crate) fn corrupt(format: impl Into<&'static str>, what: impl Into<String>) -> Self {
        ErrorKind::Corrupt { format: format.into(), what: what.into() }.into()
    }

    pub(crate) fn unsupported(what: impl Into<String>, advice: &'static str) -> Self {
        ErrorKind::Unsupported { what: what.into(), advice }.into()
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
    fn the_place_comes_first() {
        let error = Error::from(ErrorKind::Ragged { expected: 4, found: 3 });
        let error =
            error.in_row(6).in_field(Some("embedding")).in_file("a.jsonl").in_file("b.jsonl").in_row(9);
        assert_eq!(
            error.to_string(),
            "a.jsonl: row 7, field \"embedding\": expected 4 numbers, as in the first row, found 3; make all vectors equally long"
        );
        assert_eq!((error.row(), error.field()), (Some(7), Some("embedding")));
    }
}
