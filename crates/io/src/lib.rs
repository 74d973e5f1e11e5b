//! Vectors and texts in and out of files, and nothing else of a file touched.
//!
//! A [`RecordReader`] takes texts out of plain text, JSON lines, CSV, Parquet and Arrow files, as Arrow tables ([`Texts`]); a [`Job`]
//! carries files of any size through a [`Work`], can be interrupted at any point, and goes on where it stopped.
//!
//! A [`VectorReader`] takes the vectors out of JSON lines, npy, Parquet and safetensors files, a batch at a time; a
//! [`VectorWriter`] puts them back and keeps everything that stood beside them. [`transform`] does both at once.
//! Outputs are atomic: a file appears under its name whole, or not at all.
//!
//! Errors, logs and debug output of this crate never hold a value that was in a file.
//!
//! ```
//! use inkveil_files::{Input, Output};
//! use inkveil_io::{Error, ReadOptions, VectorFormat, VectorReader, VectorWriter, transform};
//! use std::sync::atomic::AtomicBool;
//!
//! let folder = tempfile::tempdir()?;
//! let (from, to) = (folder.path().join("in.jsonl"), folder.path().join("out.jsonl"));
//! std::fs::write(&from, "{\"id\": \"a\", \"embedding\": [1.0, 2.0]}\n")?;
//!
//! let reader = VectorReader::open(Input::path(&from), VectorFormat::Jsonl, &ReadOptions::default())?;
//! let writer = VectorWriter::like(&reader, Output::file(&to, false)?)?;
//! let finished = transform(reader, writer, &AtomicBool::new(false), |_progress| {}, |batch| {
//!     batch.values_mut().reverse();
//!     Ok::<(), Error>(())
//! })?;
//! finished.commit()?;
//! assert_eq!(std::fs::read_to_string(&to)?, "{\"id\": \"a\", \"embedding\": [2.0, 1.0]}\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod batch;
mod columnar;
mod create;
mod dense;
mod error;
mod float;
mod format;
mod job;
mod jsonl;
mod matrix;
mod npy;
mod reader;
mod records;
mod tensors;
mod transform;
mod writer;

pub use batch::VectorBatch;
pub use create::NewVectors;
pub use error::{Error, ErrorKind};
pub use format::VectorFormat;
pub use job::{
    FileDone, Job, JobFile, JobSettings, Place, Progress as JobProgress, Summary, Work, expand, stream,
};
pub use matrix::{Matrix, read_matrix};
pub use reader::{ReadOptions, VectorReader};
pub use records::{
    Added, Changed, ColumnPath, Columns, Packing, RecordFormat, RecordOptions, RecordReader, Records, Reject,
    Texts, Written,
};
pub use transform::{Progress, transform};
pub use writer::VectorWriter;
