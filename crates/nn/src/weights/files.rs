//! The content of opened files of weights.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::file::FileBytes;
use super::gguf::Metadata;
use super::stored::StoredTensor;
use crate::Error;

/// The content of a set of files.
pub(super) struct WeightFiles {
    pub(super) files: Vec<Arc<FileBytes>>,
    pub(super) tensors: BTreeMap<String, StoredTensor>,
    /// The settings in a GGUF header.
    pub(super) metadata: Option<Metadata>,
}

/// Adds a tensor. Two tensors of the same name are an error, because one of them would be ignored.
pub(super) fn insert_new(
    tensors: &mut BTreeMap<String, StoredTensor>,
    format: &'static str,
    name: String,
    stored: StoredTensor,
) -> Result<(), Error> {
    match tensors.contains_key(&name) {
        true => Err(Error::corrupt(format, format!("two tensors are named {name:?}"))),
        false => {
            tensors.insert(name, stored);
            Ok(())
        }
    }
}
