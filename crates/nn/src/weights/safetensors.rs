//! Safetensors: one file, or shards with an index.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use safetensors::{Dtype, SafeTensors};

use super::file::{FileBytes, is_plain_name, read_small};
use super::files::{WeightFiles, insert_new};
use super::stored::{NumberFormat, StoredTensor, count_of};
use crate::Error;

const FORMAT: &str = "safetensors";
/// The largest index accepted. An index names every tensor once, in about 100 bytes.
const LONGEST_INDEX: u64 = 64 << 20;

/// Lists the tensors of one file. The format's own parser checks offsets, lengths and overlaps.
pub(super) fn read(bytes: FileBytes) -> Result<WeightFiles, Error> {
    let mut tensors = BTreeMap::new();
    list(&bytes, 0, |name, stored| insert_new(&mut tensors, FORMAT, name.to_owned(), stored))?;
    Ok(WeightFiles { files: vec![Arc::new(bytes)], tensors, metadata: None })
}

/// Lists the tensors of shards, as the index specifies.
pub(super) fn read_shards(folder: &Path, index: &Path) -> Result<WeightFiles, Error> {
    let text = read_small(index, FORMAT, LONGEST_INDEX)?;
    let index: Index = serde_json::from_slice(&text).map_err(|e| {
        Error::corrupt(FORMAT, format!("the index does not have the expected structure: {e}")).in_file(index)
    })?;
    let mut contents = WeightFiles { files: Vec::new(), tensors: BTreeMap::new(), metadata: None };
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, shard) in &index.weight_map {
        names.entry(shard).or_default().push(name);
    }
    for (shard, wanted) in names {
        if !is_plain_name(shard) {
            return Err(Error::corrupt(FORMAT, "the index names a file outside its folder"));
        }
        let path = folder.join(shard);
        let bytes = FileBytes::map(&path)?;
        let mut found = BTreeMap::new();
        list(&bytes, contents.files.len(), |name, stored| {
            insert_new(&mut found, FORMAT, name.to_owned(), stored)
        })
        .map_err(|e| e.in_file(&path))?;
        for name in wanted {
            let missing = || {
                Error::corrupt(
                    FORMAT,
                    format!("the index lists {name:?} for this file, but the file does not contain it"),
                )
                .in_file(&path)
            };
            contents.tensors.insert(name.to_owned(), found.remove(name).ok_or_else(missing)?);
        }
        contents.files.push(Arc::new(bytes));
    }
    Ok(contents)
}

#[derive(serde::Deserialize)]
struct Index {
    weight_map: BTreeMap<String, String>,
}

fn list(
    bytes: &FileBytes,
    file: usize,
    mut each: impl FnMut(&str, StoredTensor) -> Result<(), Error>,
) -> Result<(), Error> {
    let parsed = SafeTensors::deserialize(bytes).map_err(|e| Error::corrupt(FORMAT, e.to_string()))?;
    for (name, view) in parsed.iter() {
        if count_of(view.shape()).is_none() {
            return Err(Error::corrupt(
                FORMAT,
                format!("the tensor {name:?} is larger than the address space"),
            ));
        }
        // The views are slices of the file, so their offset is the distance of the pointers.
        let start = view.data().as_ptr().addr() - bytes.as_ptr().addr();
        let stored = StoredTensor {
            numbers: numbers(view.dtype()),
            shape: view.shape().to_vec(),
            file,
            bytes: start..start + view.data().len(),
        };
        each(name, stored)?;
    }
    Ok(())
}

fn numbers(dtype: Dtype) -> NumberFormat {
    match dtype {
        Dtype::F64 => NumberFormat::F64,
        Dtype::F32 => NumberFormat::F32,
        Dtype::F16 => NumberFormat::F16,
        Dtype::BF16 => NumberFormat::Bf16,
        Dtype::I8 => NumberFormat::Int8,
        Dtype::I64 => NumberFormat::Other("I64"),
        Dtype::I32 => NumberFormat::Other("I32"),
        Dtype::U8 => NumberFormat::Other("U8"),
        Dtype::BOOL => NumberFormat::Other("BOOL"),
        _ => NumberFormat::Other("that is unknown"),
    }
}
