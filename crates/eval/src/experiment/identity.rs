//! Which model it is that something was measured with.

use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::Serialize;

use super::Store;
use crate::Error;

/// Which model or pack a file or folder is: what its manifest says or, where there is none, the names, sizes and times of its files.
pub(super) fn identity(model: &Path) -> Result<String, Error> {
    match fs::read(model.join("manifest.json")) {
        Ok(manifest) => Store::key(&manifest),
        Err(_) => {
            let mut files = Vec::new();
            list(model, "", &mut files)?;
            Store::key(&files)
        }
    }
}

#[derive(Serialize)]
struct Seen {
    name: String,
    bytes: u64,
    changed: Option<u128>,
}

fn list(path: &Path, name: &str, files: &mut Vec<Seen>) -> Result<(), Error> {
    let failed = |error: std::io::Error| Error::io("read it", &error).in_file(path);
    let about = fs::metadata(path).map_err(failed)?;
    if !about.is_dir() {
        let changed = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let changed = changed.map(|since| since.as_nanos());
        files.push(Seen { name: name.to_owned(), bytes: about.len(), changed });
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
    fn models_without_a_manifest_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two.gguf"));
        fs::create_dir_all(one.join("1_Pooling")).unwrap();
        fs::write(one.join("1_Pooling/config.json"), "{}").unwrap();
        let before = identity(&one).unwrap();
        assert_eq!(identity(&one).unwrap(), before);
        fs::write(one.join("1_Pooling/config.json"), "{ }").unwrap();
        let changed = identity(&one).unwrap();
        assert_ne!(changed, before);
        fs::write(one.join("manifest.json"), "{}").unwrap();
        let said = identity(&one).unwrap();
        assert_ne!(said, changed);
        // What the manifest does not speak of does not matter.
        fs::write(one.join("notes"), "later").unwrap();
        assert_eq!(identity(&one).unwrap(), said);

        fs::write(&two, "weights").unwrap();
        assert_ne!(identity(&two).unwrap(), said);
        assert!(identity(&folder.path().join("three")).is_err());
    }
}
