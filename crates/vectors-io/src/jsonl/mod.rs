//! JSON lines. Only the vector of a line is rewritten; every other byte is kept.

mod line;
mod read;
mod write;

pub(crate) use read::JsonlReader;
pub(crate) use write::write_rows;
