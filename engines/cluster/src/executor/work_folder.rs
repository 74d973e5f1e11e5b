//! The folder with the rows of finished tasks. Only its owner may read it, and it is empty when the executor starts and
//! ends.

use std::fs::File;
use std::path::{Path, PathBuf};

use inkveil::files::{create_private_folder, entries_of, lock_private};

use crate::told::{Error, refused};

/// The file that marks a folder as one of an executor. It is locked while the executor runs.
const MARK: &str = ".inkveil-executor";

/// A work folder. It is locked while this lives.
pub(crate) struct WorkFolder {
    path: PathBuf,
    _lock: File,
}

impl WorkFolder {
    /// Opens a folder and removes what an earlier executor has left. Without a path, a folder for temporary files.
    pub(crate) fn open(path: Option<PathBuf>, port: u16) -> Result<Self, Error> {
        let path = path.unwrap_or_else(|| std::env::temp_dir().join(format!("inkveil-executor-{port}")));
        let shown = path.display().to_string();
        let is_ours = path.join(MARK).is_file();
        if !is_ours && !entries_of(&path)?.is_empty() {
            return Err(refused(format!(
                "{shown} holds other files, which would be removed; name a new folder with --work"
            )));
        }
        create_private_folder(&path)?;
        check_private(&path)?;
        let Some(lock) = lock_private(&path.join(MARK))? else {
            return Err(refused(format!(
                "{shown} belongs to another executor; name a new folder with --work"
            )));
        };
        let path = path.canonicalize().map_err(|_| refused(format!("cannot read {shown}")))?;
        let folder = Self { path, _lock: lock };
        folder.clean()?;
        create_private_folder(&folder.spill())?;
        Ok(folder)
    }

    /// The folder for what does not fit into memory. Its name is that of no job.
    pub(crate) fn spill(&self) -> PathBuf {
        self.path.join(".spill")
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes everything in it.
    pub(crate) fn clean(&self) -> Result<(), Error> {
        for entry in entries_of(&self.path)? {
            if entry.file_name().is_none_or(|name| name != MARK) {
                remove(&entry)?;
            }
        }
        Ok(())
    }
}

/// Removes a file or a folder.
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    let is_folder = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    let removed = if is_folder { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(refused(format!("cannot remove {}", path.display())))
        }
        _ => Ok(()),
    }
}

/// Refuses a folder that others may read.
fn check_private(path: &Path) -> Result<(), Error> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let found = std::fs::metadata(path);
        if !found.is_ok_and(|found| found.permissions().mode() & 0o077 == 0) {
            return Err(refused(format!(
                "other users may read {}; remove their permissions, or name a new folder with --work",
                path.display()
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_something_else_is_not_emptied() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work");
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("thesis"), "x").unwrap();
        assert!(WorkFolder::open(Some(path.clone()), 1).is_err());
        assert!(path.join("thesis").exists());
    }

    #[test]
    fn a_folder_is_emptied_at_start_and_belongs_to_one_executor() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work");
        let first = WorkFolder::open(Some(path.clone()), 1).unwrap();
        assert!(WorkFolder::open(Some(path.clone()), 1).is_err());
        std::fs::create_dir_all(path.join("job").join("1")).unwrap();
        std::fs::write(path.join("job").join("1").join("data.arrow"), "x").unwrap();
        drop(first);
        let second = WorkFolder::open(Some(path.clone()), 1).unwrap();
        assert!(!path.join("job").exists());
        assert_eq!(second.path(), path.canonicalize().unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_others_may_read_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work");
        std::fs::create_dir(&path).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(WorkFolder::open(Some(path), 1).is_err());
    }
}
