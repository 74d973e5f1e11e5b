//! Reading files: weights are mapped into memory, small files are read whole.
#![allow(unsafe_code)] // Another program may change a mapped file. See `FileBytes::map`.

use std::fs::File;
use std::io::Read as _;
use std::ops::Deref;
use std::path::{Component, Path};

use memmap2::Mmap;

use crate::Error;

/// The content of a file of weights.
pub(crate) enum FileBytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl FileBytes {
    /// Maps a file, so that processes share its pages and only the used parts are read.
    pub(crate) fn map(path: &Path) -> Result<Self, Error> {
        let file = open_regular(path)?;
        // SAFETY: the map is private and read-only, and every bit pattern is valid for the types
        // read from it (bytes, and numbers by checked casts). The file must not change while it is
        // mapped: truncating it ends this process with a bus error. Files of weights are replaced
        // by renaming, which leaves the old pages intact.
        let map =
            unsafe { Mmap::map(&file) }.map_err(|e| Error::io("map it into memory", &e).in_file(path))?;
        Ok(FileBytes::Mapped(map))
    }
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            FileBytes::Mapped(map) => map,
            FileBytes::Owned(bytes) => bytes,
        }
    }
}

/// Reads a small file such as settings or a vocabulary. A file longer than `limit` bytes is
/// refused.
pub(crate) fn read_small(path: &Path, format: &'static str, limit: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    open_regular(path)?
        .take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| Error::io("read it", &e).in_file(path))?;
    match bytes.len() as u64 > limit {
        true => Err(Error::corrupt(format, format!("it is longer than {limit} bytes")).in_file(path)),
        false => Ok(bytes),
    }
}

/// Opens a file. Folders, devices and pipes are refused, because they may block forever.
fn open_regular(path: &Path) -> Result<File, Error> {
    let failed = |error: std::io::Error| Error::io("open it", &error).in_file(path);
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(Error::from(inkveil_files::Error::from(inkveil_files::ErrorKind::NotAFile)).in_file(path));
    }
    File::open(path).map_err(failed)
}

/// Returns whether a name from a downloaded file is the name of a file or folder beside it. Any
/// other path could refer to the rest of the disk.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_do_not_leave_their_folder() {
        for name in ["", ".", "..", "../a", "a/b", "/a"] {
            assert!(!is_plain_name(name), "{name}");
        }
        assert!(is_plain_name("model-00001-of-00002.safetensors"));
    }
}
