//! Vectors in and out of files; everything else in the files is kept.
//!
//! A [`VectorReader`] reads the vectors of JSON lines, npy, Parquet and safetensors files, one batch at a time. A
//! [`VectorWriter`] writes them back and keeps everything beside them. [`transform`] does both. Outputs are atomic: a
//! file appears under its name whole, or not at all.
//!
//! Errors, logs and debug output of this crate never hold a value from a file.
//!
//! ```
//! use inkveil_files::{Input, Output};
//! use inkveil_privacy::{Epsilon, LaplaceL2, NoiseAddress, NoiseKey, release_rows};
//! use inkveil_vectors_io::{ReadOptions, VectorFormat, VectorReader, VectorWriter, transform};
//! use std::sync::atomic::AtomicBool;
//!
//! let folder = tempfile::tempdir()?;
//! let (from, to) = (folder.path().join("in.jsonl"), folder.path().join("out.jsonl"));
//! std::fs::write(&from, "{\"id\": \"a\", \"embedding\": [1.0, 2.0]}\n")?;
//!
//! let reader = VectorReader::open(Input::path(&from), VectorFormat::Jsonl, &ReadOptions::default())?;
//! let writer = VectorWriter::like(&reader, Output::file(&to, false)?)?;
//! let (veil, key) = (LaplaceL2::new(2, Epsilon::new(5.0)?)?, NoiseKey::fresh()?);
//! let finished = transform(reader, writer, &AtomicBool::new(false), |_progress| {}, |batch| {
//!     let first = NoiseAddress::record(batch.first_row());
//!     batch.release(|values| Ok::<_, Box<dyn std::error::Error>>(release_rows(&veil, values, first, &key)?))
//! })?;
//! finished.commit()?;
//! assert!(std::fs::read_to_string(&to)?.starts_with("{\"id\": \"a\", \"embedding\": ["));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Files
//!
//! - `reader.rs`, `writer.rs`, `create.rs`: one interface for all formats; everything beside the
//!   vectors stays.
//! - `jsonl/`, `npy/`, `tensors/`, `columnar/`: one folder per format.
//! - `transform.rs`: reading, noise and writing at the same time, in bounded memory.
//! - `batch.rs`, `matrix.rs`, `float.rs`: rows in memory.
#![forbid(unsafe_code)]

mod batch;
mod carry;
mod columnar;
mod create;
mod dense;
mod error;
mod float;
mod format;
mod jsonl;
mod matrix;
mod npy;
mod options;
mod reader;
mod tensors;
mod transform;
mod writer;

pub use batch::VectorBatch;
pub use create::NewVectors;
pub use error::{Error, ErrorKind};
pub use format::VectorFormat;
pub use matrix::{Matrix, read_matrix};
pub use options::ReadOptions;
pub use reader::VectorReader;
pub use transform::{VectorProgress, transform};
pub use writer::VectorWriter;
