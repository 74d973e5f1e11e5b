//! NumPy files: a short header, then one matrix.

mod header;
mod read;

pub(crate) use read::NpyReader;
