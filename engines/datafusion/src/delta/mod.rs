//! Delta tables, for reading.
//!
//! A Delta table is a folder of Parquet files and a log. Only the files that the log names count: the others were deleted
//! or replaced, and may hold rows of people who asked to be deleted. A table that needs what is not supported here
//! (deletion vectors, renamed columns) is refused, because its files alone would show such rows.

mod log;
mod schema;
mod table;

pub(crate) use log::LOG;
pub(crate) use table::DeltaTable;
