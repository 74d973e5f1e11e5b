//! The bytes of files: weights mapped into memory, small files read whole.
#![allow(unsafe_code)] // Mapping a file is unsafe by nature: another program may change it. See `FileBytes::map`.

use std::fs::File;
use std::io::Read as _;
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;

use crate::Error;

/// The bytes of a file of weights.
pub(crate) enum FileBytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl FileBytes {
    /// Maps a file, so that programs share its pages and only what is used is read.
    pub(crate) fn map(path: &Path) -> Result<Self, Error> {
        let file = open_regular(path)?;
        // SAFETY: the map is private and read-only, and every bit pattern is valid for what is read from it (bytes, and
        // numbers by checked casts). Nobody may change the file while it is mapped: a program that truncates it ends
        // this one with a bus error. Files of weights are replaced by renaming, which leaves the old pages alone.
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

/// Reads a small file whole: settings, vocabularies. One that is longer than `limit` bytes is refused.
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

/// Opens a file, and refuses folders, devices and pipes, which may block for ever.
fn open_regular(path: &Path) -> Result<File, Error> {
    let opened = std::fs::metadata(path).and_then(|found| match found.is_file() {
        true => File::open(path),
        false => Err(std::io::Error::other("it is not an ordinary file")),
    });
    opened.map_err(|e| Error::io("open it", &e).in_file(path))
}
