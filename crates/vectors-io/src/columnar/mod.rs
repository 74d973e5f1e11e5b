//! Vectors in Parquet files.

mod column;
mod create;
mod read;
mod write;

pub(crate) use create::NewColumns;
pub(crate) use read::ColumnarReader;
pub(crate) use write::ColumnarWriter;
