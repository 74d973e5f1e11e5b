//! JSON lines. Only the vector of a line is rewritten; every other byte comes back as it was.

mod line;
mod read;
mod write;

pub(crate) use line::{fields, span};
pub(crate) use read::{JsonlCarry, JsonlReader};
pub(crate) use write::write_rows;
