//! Folders: their files, and the free space on their disk.

use std::fs;
use std::path::Path;

use crate::error::{Error, ErrorKind};

/// Deeper than the folders of any pack.
const DEEPEST: usize = 8;
const MOST: usize = 10_000;

/// The files in a folder and its subfolders, sorted, with forward slashes. Hidden files and the manifest are left out.
/// Links are followed, because the hub's own cache consists of links.
pub(crate) fn files(folder: &Path) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    walk(folder, "", DEEPEST, &mut found)?;
    found.retain(|path| path != crate::MANIFEST && path != crate::manifest::MANIFEST_SUM);
    found.sort();
    Ok(found)
}

fn walk(folder: &Path, prefix: &str, depth: usize, found: &mut Vec<String>) -> Result<(), Error> {
    let failed = |e: &std::io::Error| Error::io("list this folder", e).of(folder.display());
    for entry in fs::read_dir(folder).map_err(|e| failed(&e))? {
        let entry = entry.map_err(|e| failed(&e))?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            let path = name.to_string_lossy().into_owned();
            return Err(Error::from(ErrorKind::UnsafePath { path }).of(folder.display()));
        };
        if name.starts_with('.') {
            continue;
        }
        let path = format!("{prefix}{name}");
        let metadata = fs::metadata(entry.path()).map_err(|e| failed(&e))?;
        if metadata.is_dir() && depth > 0 {
            walk(&entry.path(), &format!("{path}/"), depth - 1, found)?;
        } else if metadata.is_file() {
            found.push(path);
        }
        if found.len() > MOST {
            return Err(Error::manifest(format!("more than {MOST} files")).of(folder.display()));
        }
    }
    Ok(())
}

/// The total size of the files directly in a folder. A missing folder has none.
pub(crate) fn bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| entry.metadata().ok()).fold(0, |sum, found| sum.saturating_add(found.len()))
}

/// Creates a folder and its parents.
pub(crate) fn create(folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(|e| Error::io("create this folder", &e).of(folder.display()))
}

/// Removes a folder and its contents, if it exists.
pub(crate) fn remove(folder: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("remove this folder", &e).of(folder.display()))
        }
        _ => Ok(()),
    }
}

/// Renames a folder.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    fs::rename(from, to).map_err(|e| Error::io("rename the finished folder", &e).of(to.display()))
}

/// Fails if the disk has less free space than needed.
pub(crate) fn check_free_space(folder: &Path, needed: u64) -> Result<(), Error> {
    match free_bytes(folder) {
        Some(free) if free < needed => {
            let kind = ErrorKind::DiskFull { needed: Some(needed), free: Some(free) };
            Err(Error::from(kind).of(folder.display()))
        }
        _ => Ok(()),
    }
}

/// The free space for this user, if the system reports it.
#[cfg(unix)]
fn free_bytes(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    disk.f_frsize.checked_mul(disk.f_bavail)
}

#[cfg(not(unix))]
fn free_bytes(_folder: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_detected_before_writing() {
        let folder = tempfile::tempdir().unwrap();
        check_free_space(folder.path(), 1).unwrap();
        #[cfg(unix)]
        assert!(matches!(
            check_free_space(folder.path(), u64::MAX).unwrap_err().kind(),
            ErrorKind::DiskFull { needed: Some(u64::MAX), free: Some(_) }
        ));
    }

    #[test]
    fn removing_a_missing_folder_succeeds() {
        let folder = tempfile::tempdir().unwrap();
        remove(&folder.path().join("absent")).unwrap();
    }
}
