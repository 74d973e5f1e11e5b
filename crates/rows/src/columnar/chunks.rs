//! The bytes of a Parquet file, at any position.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use crate::error::{Error, ErrorKind};
use inkveil_files::{Input, InputSource, open_file};

/// A file or bytes in memory. Unlike the readers of the library, these do not share a position, and a length that a
/// damaged file claims is checked before memory is allocated for it.
#[derive(Clone)]
pub struct Chunks {
    store: Store,
    length: u64,
    read: Arc<AtomicU64>,
}

#[derive(Clone)]
enum Store {
    File(Arc<File>),
    Bytes(Bytes),
}

impl Chunks {
    /// Opens a file or bytes in memory.
    ///
    /// # Errors
    /// If the input is a pipe or cannot be opened.
    pub fn open(input: Input) -> Result<Self, Error> {
        let (store, length) = match input.into_source() {
            InputSource::Stdin => return Err(ErrorKind::ParquetNeedsFile.into()),
            InputSource::Path(path) => match open_file(&path)? {
                (file, Some(length)) => (Store::File(Arc::new(file)), length),
                (_, None) => return Err(ErrorKind::ParquetNeedsFile.into()),
            },
            InputSource::Bytes(bytes) => {
                let length = bytes.len() as u64;
                (Store::Bytes(Bytes::from(bytes)), length)
            }
        };
        Ok(Chunks { store, length, read: Arc::default() })
    }

    /// Returns the number of bytes read, at most the length of the file.
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed).min(self.length)
    }
}

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Chunks {
    type T = BufReader<Window>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(BufReader::new(Window { store: self.store.clone(), at: start, ended: false }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let outside = || ParquetError::EOF("a chunk lies outside the file".to_owned());
        let end = start.checked_add(length as u64).filter(|end| *end <= self.length).ok_or_else(outside)?;
        self.read.fetch_add(length as u64, Ordering::Relaxed);
        match &self.store {
            Store::Bytes(bytes) => Ok(bytes.slice(start as usize..end as usize)),
            Store::File(_) => {
                let mut buffer = vec![0; length];
                Window { store: self.store.clone(), at: start, ended: false }.read_exact(&mut buffer)?;
                Ok(buffer.into())
            }
        }
    }
}

/// A reader with a position of its own.
pub struct Window {
    store: Store,
    at: u64,
    /// Whether a read found the end of the file.
    ended: bool,
}

impl Read for Window {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = match &self.store {
            Store::File(file) => read_at(file, into, self.at)?,
            Store::Bytes(bytes) => {
                let rest = usize::try_from(self.at).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
                let count = rest.len().min(into.len());
                into[..count].copy_from_slice(&rest[..count]);
                count
            }
        };
        self.at += read as u64;
        if read == 0 && !into.is_empty() {
            // The library skips a list of a damaged header element by element. At the end of the file it would skip
            // two thousand million elements of no bytes.
            if self.ended {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.ended = true;
        }
        Ok(read)
    }
}

#[cfg(unix)]
fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, into, at)
}

#[cfg(windows)]
fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, into, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_and_memory_give_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, b"0123456789").unwrap();
        for input in [Input::path(&path), Input::from_bytes(b"0123456789".to_vec())] {
            let chunks = Chunks::open(input).unwrap();
            assert_eq!(chunks.len(), 10);
            assert_eq!(&chunks.get_bytes(3, 4).unwrap()[..], b"3456");
            assert_eq!(chunks.bytes_read(), 4);
            assert!(chunks.get_bytes(8, 3).is_err() && chunks.get_bytes(u64::MAX, 2).is_err());
            let mut rest = String::new();
            chunks.get_read(7).unwrap().read_to_string(&mut rest).unwrap();
            assert_eq!(rest, "789");
            let mut at_end = chunks.get_read(10).unwrap();
            assert_eq!(at_end.read(&mut [0; 4]).unwrap(), 0);
            assert!(at_end.read(&mut [0; 4]).is_err(), "nobody reads at the end for ever");
            assert_eq!(
                chunks.get_read(u64::MAX).ok().and_then(|mut r| r.read(&mut [0; 4]).ok()).unwrap_or(0),
                0
            );
        }
        assert_eq!(Chunks::open(Input::stdin()).err().unwrap().kind(), &ErrorKind::ParquetNeedsFile);
    }
}
