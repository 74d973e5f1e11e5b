//! Where vectors are read from.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};

/// Where vectors are read from: a file, standard input, or bytes in memory.
///
/// ```
/// use inkveil_io::Input;
///
/// let input = Input::from_bytes(b"[0.25, 0.5]".to_vec());
/// assert_eq!(format!("{input:?}"), "Input(11 bytes)"); // what is in it stays out of logs
/// ```
pub struct Input(pub(crate) Source);

pub(crate) enum Source {
    Path(PathBuf),
    Stdin,
    Bytes(Vec<u8>),
}

impl Input {
    /// A file.
    pub fn path(path: impl Into<PathBuf>) -> Self {
        Input(Source::Path(path.into()))
    }

    /// Standard input. Parquet cannot be read from it.
    pub fn stdin() -> Self {
        Input(Source::Stdin)
    }

    /// Bytes in memory, for tests and fuzzing.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Input(Source::Bytes(bytes))
    }

    /// What errors call this input.
    pub(crate) fn name(&self) -> String {
        match &self.0 {
            Source::Path(path) => path.display().to_string(),
            Source::Stdin => "standard input".to_owned(),
            Source::Bytes(_) => "bytes in memory".to_owned(),
        }
    }

    /// The file behind this input, with symbolic links resolved.
    pub(crate) fn canonical(&self) -> Option<PathBuf> {
        match &self.0 {
            Source::Path(path) => path.canonicalize().ok(),
            Source::Stdin | Source::Bytes(_) => None,
        }
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Source::Path(path) => write!(f, "Input({path:?})"),
            Source::Stdin => f.write_str("Input(standard input)"),
            Source::Bytes(bytes) => write!(f, "Input({} bytes)", bytes.len()),
        }
    }
}

/// Opens a file and says how long it is, if it is an ordinary file.
pub(crate) fn open_file(path: &Path) -> Result<(File, Option<u64>), Error> {
    let file = File::open(path).map_err(|e| Error::io("open it", &e))?;
    let metadata = file.metadata().map_err(|e| Error::io("open it", &e))?;
    if metadata.is_dir() {
        return Err(ErrorKind::NotAFile.into());
    }
    Ok((file, metadata.is_file().then_some(metadata.len())))
}

/// Bytes in order, counted.
pub(crate) struct ByteStream {
    inner: BufReader<Box<dyn Read + Send>>,
    total: Option<u64>,
    read: u64,
}

/// Large enough that a system call per buffer costs nothing beside decoding it.
const BUFFER: usize = 256 * 1024;

impl ByteStream {
    pub(crate) fn open(input: Input) -> Result<Self, Error> {
        let (inner, total): (Box<dyn Read + Send>, _) = match input.0 {
            Source::Path(path) => {
                let (file, total) = open_file(&path)?;
                (Box::new(file), total)
            }
            Source::Stdin => (Box::new(io::stdin()), None),
            Source::Bytes(bytes) => {
                let total = bytes.len() as u64;
                (Box::new(Cursor::new(bytes)), Some(total))
            }
        };
        Ok(ByteStream { inner: BufReader::with_capacity(BUFFER, inner), total, read: 0 })
    }

    pub(crate) fn total(&self) -> Option<u64> {
        self.total
    }

    pub(crate) fn bytes_read(&self) -> u64 {
        self.read
    }

    /// Appends up to `count` bytes; fewer only at the end. Memory grows with what arrives, not with `count`.
    pub(crate) fn read_up_to(&mut self, count: u64, into: &mut Vec<u8>) -> Result<u64, Error> {
        let read =
            (&mut self.inner).take(count).read_to_end(into).map_err(|e| Error::io("read it", &e))? as u64;
        self.read += read;
        Ok(read)
    }

    /// Appends bytes up to and with the next line feed, or up to `limit` bytes.
    pub(crate) fn read_line(&mut self, limit: u64, into: &mut Vec<u8>) -> Result<u64, Error> {
        use std::io::BufRead as _;
        let read =
            (&mut self.inner).take(limit).read_until(b'\n', into).map_err(|e| Error::io("read it", &e))?
                as u64;
        self.read += read;
        Ok(read)
    }

    /// Fails unless everything has been read.
    pub(crate) fn expect_end(&mut self) -> Result<(), Error> {
        match self.read_up_to(1, &mut Vec::new())? {
            0 => Ok(()),
            _ => Err(ErrorKind::TrailingBytes.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_it_reads() {
        let mut stream = ByteStream::open(Input::from_bytes(b"ab\ncdef".to_vec())).unwrap();
        assert_eq!(stream.total(), Some(7));
        let mut line = Vec::new();
        assert_eq!(stream.read_line(10, &mut line).unwrap(), 3);
        assert_eq!(line, b"ab\n");
        let mut rest = Vec::new();
        assert_eq!(stream.read_up_to(3, &mut rest).unwrap(), 3);
        assert_eq!(stream.bytes_read(), 6);
        assert_eq!(stream.expect_end().unwrap_err().kind(), &ErrorKind::TrailingBytes);
        assert_eq!(stream.read_up_to(u64::MAX, &mut rest).unwrap(), 0);
        stream.expect_end().unwrap();
    }

    #[test]
    fn says_why_a_file_cannot_be_opened() {
        let error = ByteStream::open(Input::path("/no/such/file")).err().unwrap();
        assert!(error.to_string().starts_with("cannot open it: No such file"), "{error}");
        let folder = ByteStream::open(Input::path(std::env::temp_dir())).err().unwrap();
        assert_eq!(folder.kind(), &ErrorKind::NotAFile);
    }
}
