//! Rows with texts, in any format: the texts as an Arrow table, and everything else as it was.

mod byte_rows;
mod bytes;
mod column_rows;
mod columns;
mod csv;
mod format;
mod json;
mod nested;
mod path;
mod reader;
#[expect(clippy::module_inception, reason = "the rows are what the module is about")]
mod records;
mod rows;
mod table;

pub(crate) use bytes::Packer;
pub(crate) use column_rows::with_added;
pub use columns::Columns;
pub use format::{Packing, RecordFormat};
pub use path::ColumnPath;
pub use reader::{RecordOptions, RecordReader};
pub use records::{Records, Reject, Written};
pub(crate) use rows::hex;
pub use table::{Added, Changed, Texts};
