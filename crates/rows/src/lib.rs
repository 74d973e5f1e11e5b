//! Rows of texts in files of any format, and jobs over them that can be resumed.
//!
//! A [`RecordReader`] reads the texts of plain text, JSON lines, CSV, Parquet and Arrow files as Arrow tables
//! ([`Texts`]). [`Records::write`] writes changed texts back and keeps everything else, byte for byte or value for value.
//! A [`Job`] applies a [`Work`] to files of any size; it can be interrupted at any point and resumed. A [`JobFolder`]
//! is the part of a job that other kinds of work use to resume.
//!
//! Errors, logs and debug output of this crate never hold a value from a file.
//!
//! ```
//! use inkveil_files::Input;
//! use inkveil_rows::{Changed, Packing, RecordFormat, RecordOptions, RecordReader, WrittenRows};
//!
//! let rows = Input::from_bytes(b"id,text\n1,one\n".to_vec());
//! let mut reader = RecordReader::open(rows, RecordFormat::Csv, Packing::None, &RecordOptions::default())?;
//! let records = reader.next()?.expect("one row");
//! let texts = records.texts().iter().map(|text| Some(text.to_uppercase())).collect();
//! let WrittenRows::Bytes(bytes) = records.write(&Changed { texts, ..Changed::default() })? else { panic!() };
//! assert_eq!(bytes, b"1,ONE\n");
//! # Ok::<(), inkveil_rows::Error>(())
//! ```
//!
//! # Files
//!
//! - `records/`: texts in rows. `byte_rows.rs` finds texts in the bytes of JSON lines and CSV and
//!   writes them back between the other bytes; `column_rows.rs` does the same for Arrow columns;
//!   `table.rs` is the Arrow table that a veil receives; `path.rs` is the path of a column into a
//!   value.
//! - `columnar/`: Parquet and Arrow files. `ipc.rs` reads Arrow message by message and checks
//!   lengths first.
//! - `job/`: `run.rs` is a job, `pipeline.rs` one file on all cores, `part.rs` finished rows,
//!   `assemble.rs` and `convert.rs` the file that is written, `folder.rs` the job folder,
//!   `stream.rs` rows in a pipe.
#![forbid(unsafe_code)]

pub mod columnar;
mod error;
mod job;
pub mod json_line;
mod records;

pub use error::{Error, ErrorKind};
pub use inkveil_documents::DocumentFormat;
pub use job::{
    BatchAddress, Expanded, FileDone, FileState, Job, JobFile, JobFolder, JobProgress, JobSettings,
    SkipReason, Skipped, Summary, Work, expand, stream,
};
pub use records::{
    Added, Changed, ColumnPath, ColumnUse, Columns, CopiedValue, Packing, RecordFormat, RecordOptions,
    RecordReader, Records, Reject, Texts, WrittenRows,
};
