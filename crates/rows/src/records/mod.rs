//! Rows of texts in any format: the texts as an Arrow table, and everything around them unchanged.

mod batch;
mod byte_rest;
mod byte_rows;
mod bytes;
mod column_rest;
mod column_rows;
mod columns;
mod csv;
mod documents;
mod format;
mod json;
mod nested;
mod options;
mod parts;
mod path;
mod reader;
mod split;
mod table;

pub use batch::{Records, Reject, WrittenRows};
pub(crate) use bytes::Packer;
pub(crate) use column_rest::with_added;
pub use columns::{ColumnUse, Columns, CopiedValue};
pub use format::{Packing, RecordFormat};
pub use options::RecordOptions;
pub use path::ColumnPath;
pub use reader::RecordReader;
pub use table::{Added, Changed, Texts};
