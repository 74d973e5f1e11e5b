//! Safetensors: one file, or shards with an index.

use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::sync::Arc;

use safetensors::{Dtype, SafeTensors};

use super::file::{FileBytes, read_small};
use super::stored::{Numbers, Stored};
use super::{Contents, insert_new};
use crate::Error;

const FORMAT: &str = "safetensors";
/// An index names every tensor once, in about 100 bytes.
const LONGEST_INDEX: u64 = 64 << 20;

/// The tensors of one file. The format's own parser checks offsets, lengths and overflow, and that nothing overlaps.
pub(super) fn read(bytes: FileBytes) -> Result<Contents, Error> {
    let mut tensors = BTreeMap::new();
    list(&bytes, 0, |name, stored| insert_new(&mut tensors, FORMAT, name.to_owned(), stored))?;
    Ok(Contents { files: vec![Arc::new(bytes)], tensors, metadata: None })
}

/// The tensors of shards, as the index says.
pub(super) fn read_shards(folder: &Path, index: &Path) -> Result<Contents, Error> {
    let text = read_small(index, FORMAT, LONGEST_INDEX)?;
    let index: Index = serde_json::from_slice(&text)
        .map_err(|e| Error::corrupt(FORMAT, format!("the index is not as expected: {e}")).in_file(index))?;
    let mut contents = Contents { files: Vec::new(), tensors: BTreeMap::new(), metadata: None };
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, shard) in &index.weight_map {
        names.entry(shard).or_default().push(name);
    }
    for (shard, wanted) in names {
        let path = folder.join(plain_name(shard)?);
        let bytes = FileBytes::map(&path)?;
        let mut found = BTreeMap::new();
        list(&bytes, contents.files.len(), |name, stored| {
            insert_new(&mut found, FORMAT, name.to_owned(), stored)
        })
        .map_err(|e| e.in_file(&path))?;
        for name in wanted {
            let missing = || {
                Error::corrupt(FORMAT, format!("the index puts {name:?} here, but it is not")).in_file(&path)
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

/// An index may name only files beside it: it comes with a download, and the rest of the disk is none of its business.
fn plain_name(shard: &str) -> Result<&str, Error> {
    let mut parts = Path::new(shard).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(_)), None) => Ok(shard),
        _ => Err(Error::corrupt(FORMAT, "the index names a file outside its folder")),
    }
}

fn list(
    bytes: &FileBytes,
    file: usize,
    mut each: impl FnMut(&str, Stored) -> Result<(), Error>,
) -> Result<(), Error> {
    let parsed = SafeTensors::deserialize(bytes).map_err(|e| Error::corrupt(FORMAT, e.to_string()))?;
    for (name, view) in parsed.iter() {
        // The views are slices of the file, so their place in it is the distance of the pointers.
        let start = view.data().as_ptr().addr() - bytes.as_ptr().addr();
        let stored = Stored {
            numbers: numbers(view.dtype()),
            shape: view.shape().to_vec(),
            file,
            bytes: start..start + view.data().len(),
        };
        each(name, stored)?;
    }
    Ok(())
}

fn numbers(dtype: Dtype) -> Numbers {
    match dtype {
        Dtype::F64 => Numbers::F64,
        Dtype::F32 => Numbers::F32,
        Dtype::F16 => Numbers::F16,
        Dtype::BF16 => Numbers::Bf16,
        Dtype::I8 => Numbers::Int8,
        Dtype::I64 => Numbers::Other("I64"),
        Dtype::I32 => Numbers::Other("I32"),
        Dtype::U8 => Numbers::Other("U8"),
        Dtype::BOOL => Numbers::Other("BOOL"),
        _ => Numbers::Other("that is not known here"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_stays_in_its_folder() {
        for name in ["", ".", "..", "../a", "a/b", "/a"] {
            assert!(plain_name(name).is_err(), "{name}");
        }
        assert_eq!(
            plain_name("model-00001-of-00002.safetensors").unwrap(),
            "model-00001-of-00002.safetensors"
        );
    }
}
