//! Folders and locks that only their owner may use.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use crate::Error;

/// Creates a folder and its parents. Only their owner may read what is created; folders that exist
/// stay unchanged.
///
/// # Errors
/// If a folder cannot be created.
pub fn create_private_folder(path: &Path) -> Result<(), Error> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|e| Error::io("create this folder", &e).in_file(path))
}

/// Locks a file, and creates it if it does not exist. Returns none if another process holds the lock.
/// The lock ends with the returned file.
///
/// # Errors
/// If the file cannot be opened or locked.
pub fn lock_private(path: &Path) -> Result<Option<File>, Error> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(|e| Error::io("open it", &e).in_file(path))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(e)) => Err(Error::io("lock it", &e).in_file(path)),
    }
}

/// Returns the paths of all entries of a folder; none if there is no such folder.
///
/// # Errors
/// If the folder cannot be read.
pub fn entries_of(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |e: &std::io::Error| Error::io("read this folder", e).in_file(folder);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(failed(&e)),
    };
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(|e| failed(&e))).collect()
}

/// Removes a file. It is no error if there is none.
///
/// # Errors
/// If the file cannot be removed.
pub fn remove_if_there(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io("remove it", &e).in_file(path)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_has_one_holder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a").join("lock");
        create_private_folder(path.parent().unwrap()).unwrap();
        let held = lock_private(&path).unwrap();
        assert!(held.is_some());
        assert!(lock_private(&path).unwrap().is_none());
        drop(held);
        assert!(lock_private(&path).unwrap().is_some());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(path.parent().unwrap()), 0o700);
            assert_eq!(mode(&path), 0o600);
        }
        remove_if_there(&path).unwrap();
        remove_if_there(&path).unwrap();
    }
}
