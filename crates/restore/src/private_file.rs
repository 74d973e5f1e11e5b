//! Writes files that only their owner may read, completely or not at all.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use crate::{Error, ErrorKind};

/// Writes a file under a temporary name in the same folder, flushes it to disk and renames it. Only
/// the owner may read the temporary file from its first byte on.
pub(crate) fn write(path: &Path, bytes: &[u8], overwrite: bool) -> Result<(), Error> {
    if !overwrite && fs::symlink_metadata(path).is_ok() {
        return Err(ErrorKind::Exists.into());
    }
    // A symbolic link is followed, not replaced.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".inkveil-").suffix(".tmp");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600));
    let mut temporary =
        builder.tempfile_in(folder).map_err(|e| Error::io("create a file in its folder", &e))?;
    temporary.write_all(bytes).map_err(|e| Error::io("write it", &e))?;
    temporary.as_file().sync_all().map_err(|e| Error::io("flush it to disk", &e))?;
    let renamed = if overwrite { temporary.persist(path) } else { temporary.persist_noclobber(path) };
    renamed.map_err(|e| match e.error.kind() {
        io::ErrorKind::AlreadyExists => ErrorKind::Exists.into(),
        _ => Error::io("rename the finished file", &e.error),
    })?;
    sync_folder(folder)
}

/// Without this, a crash may undo the renaming.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> Result<(), Error> {
    fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(|e| Error::io("flush its folder", &e))
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> Result<(), Error> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_complete_and_no_temporary_files_remain() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write(&path, b"1", false).unwrap();
        assert!(matches!(write(&path, b"2", false).unwrap_err().kind(), ErrorKind::Exists));
        assert_eq!(fs::read(&path).unwrap(), b"1");
        write(&path, b"3", true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"3");
        assert!(write(&folder.path().join("no/a"), b"1", false).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
