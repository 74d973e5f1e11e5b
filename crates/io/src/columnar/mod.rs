//! Parquet files, through Arrow. Arrow's types do not leave this module.

mod column;
mod create;
mod guard;
mod read;
mod source;
mod write;

pub(crate) use create::NewColumns;
pub(crate) use read::{ColumnarCarry, ColumnarReader};
pub(crate) use write::ColumnarWriter;
