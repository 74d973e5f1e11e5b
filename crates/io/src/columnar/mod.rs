//! Parquet files, through Arrow, and Arrow's own.

mod column;
mod create;
pub(crate) mod guard;
mod ipc;
mod read;
mod rows;
mod rows_writer;
mod source;
mod write;

pub(crate) use create::NewColumns;
pub(crate) use ipc::IpcSource;
pub(crate) use read::{ColumnarCarry, ColumnarReader};
pub(crate) use rows::{ParquetSource, parquet_rows};
pub(crate) use rows_writer::RowsWriter;
pub(crate) use write::ColumnarWriter;
