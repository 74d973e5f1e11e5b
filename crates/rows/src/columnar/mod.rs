//! Parquet and Arrow files. Damage in a file becomes an error of this crate, and messages of the libraries, which may
//! quote data, are dropped.
//!
//! `inkveil-vectors-io` uses this module too.

mod chunks;
mod guard;
mod ipc;
mod noting;
mod parquet_source;
mod parquet_writer;

pub use chunks::Chunks;
pub use guard::{arrow_error, corrupt, guarded, parquet_error};
pub(crate) use ipc::IpcSource;
pub use noting::{Failure, NotingWriter, failure_of, finish_parquet, options_like, refused, start_parquet};
pub use parquet_source::parquet_row_count;
pub(crate) use parquet_source::{ParquetSource, parquet_rows};
pub(crate) use parquet_writer::RowsWriter;
