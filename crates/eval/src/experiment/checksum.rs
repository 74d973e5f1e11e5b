//! Checksums of models, which are part of the key of a measurement.

use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::Serialize;

use super::store::MeasurementStore;
use crate::Error;

/// Returns a checksum of a model or pack: of its manifest or, if it has none, of the names, sizes
/// and times of its files.
pub(super) fn model_checksum(model: &Path) -> Result<String, Error> {
    match fs::read(model.join("manifest.json")) {
        Ok(manifest) => MeasurementStore::key(&manifest),
        Err(_) => {
            let mut files = Vec::new();
            list(model, "", &mut files)?;
            MeasurementStore::key(&files)
        }
    }
}

#[derive(Serialize)]
struct FileState {
    name: String,
    bytes: u64,
    changed: Option<u128>,
}

fn list(path: &Path, name: &str, files: &mut Vec<FileState>) -> Result<(), Error> {
    let failed = |error: std::io::Error| Error::io("read the model", error).in_file(path);
    let about = fs::metadata(path).map_err(failed)?;
    if !about.is_dir() {
        let changed = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let changed = changed.map(|since| since.as_nanos());
        files.push(FileState { name: name.to_owned(), bytes: about.len(), changed });
        return Ok(());
    }
    let mut entries = fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(failed)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        list(&entry.path(), &format!("{name}/{}", entry.file_name().to_string_lossy()), files)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_without_a_manifest_have_different_checksums() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two.gguf"));
        fs::create_dir_all(one.join("1_Pooling")).unwrap();
        fs::write(one.join("1_Pooling/config.json"), "{}").unwrap();
        let before = model_checksum(&one).unwrap();
        assert_eq!(model_checksum(&one).unwrap(), before);
        fs::write(one.join("1_Pooling/config.json"), "{ }").unwrap();
        let changed = model_checksum(&one).unwrap();
        assert_ne!(changed, before);
        fs::write(one.join("manifest.json"), "{}").unwrap();
        let with_manifest = model_checksum(&one).unwrap();
        assert_ne!(with_manifest, changed);
        // Files that the manifest does not list do not matter.
        fs::write(one.join("notes"), "later").unwrap();
        assert_eq!(model_checksum(&one).unwrap(), with_manifest);

        fs::write(&two, "weights").unwrap();
        assert_ne!(model_checksum(&two).unwrap(), with_manifest);
        assert!(model_checksum(&folder.path().join("three")).is_err());
    }
}
