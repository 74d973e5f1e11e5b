//! safetensors files, read in order: a header, then the bytes of all tensors.

mod header;
mod read;

pub(crate) use read::TensorsReader;
