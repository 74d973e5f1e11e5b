//! Where data is read from.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};

/// Where data is read from: a file, standard input, or bytes in memory.
///
/// ```
/// use inkveil_files::Input;
///
/// let input = Input::from_bytes(b"[0.25, 0.5]".to_vec());
/// assert_eq!(format!("{input:?}"), "Input(11 bytes)"); // the content stays out of logs
/// ```
pub struct Input(InputSource);

/// The kinds of [`Input`].
pub enum InputSource {
    /// A file.
    Path(PathBuf),
    /// Standard input.
    Stdin,
    /// Bytes in memory.
    Bytes(Vec<u8>),
}

impl Input {
    /// A file.
    pub fn path(path: impl Into<PathBuf>) -> Self {
        Input(InputSource::Path(path.into()))
    }

    /// Standard input.
    pub fn stdin() -> Self {
        Input(InputSource::Stdin)
    }

    /// Bytes in memory, for tests and fuzzing.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Input(InputSource::Bytes(bytes))
    }

    /// Returns the kind of input.
    pub fn source(&self) -> &InputSource {
        &self.0
    }

    /// Returns the kind of input with its path or bytes.
    pub fn into_source(self) -> InputSource {
        self.0
    }

    /// Opens the input. Returns the number of its bytes too, if it is known.
    ///
    /// # Errors
    /// If a file cannot be opened or is a folder.
    pub fn open(self) -> Result<(Box<dyn Read + Send>, Option<u64>), Error> {
        Ok(match self.0 {
            InputSource::Path(path) => {
                let (file, total) = open_file(&path)?;
                (Box::new(file), total)
            }
            InputSource::Stdin => (Box::new(io::stdin()), None),
            InputSource::Bytes(bytes) => {
                let total = bytes.len() as u64;
                (Box::new(Cursor::new(bytes)), Some(total))
            }
        })
    }

    /// Returns the name of this input for messages.
    pub fn name(&self) -> String {
        match &self.0 {
            InputSource::Path(path) => path.display().to_string(),
            InputSource::Stdin => "standard input".to_owned(),
            InputSource::Bytes(_) => "bytes in memory".to_owned(),
        }
    }

    /// Returns the path of a file, with symbolic links resolved.
    pub fn canonical(&self) -> Option<PathBuf> {
        match &self.0 {
            InputSource::Path(path) => path.canonicalize().ok(),
            InputSource::Stdin | InputSource::Bytes(_) => None,
        }
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            InputSource::Path(path) => write!(f, "Input({path:?})"),
            InputSource::Stdin => f.write_str("Input(standard input)"),
            InputSource::Bytes(bytes) => write!(f, "Input({} bytes)", bytes.len()),
        }
    }
}

/// Opens a file. Returns its length too if it is an ordinary file.
///
/// # Errors
/// If the file cannot be opened or is a folder.
pub fn open_file(path: &Path) -> Result<(File, Option<u64>), Error> {
    let open = || -> Result<(File, Option<u64>), Error> {
        let file = File::open(path).map_err(|e| Error::io("open it", &e))?;
        let metadata = file.metadata().map_err(|e| Error::io("open it", &e))?;
        if metadata.is_dir() {
            return Err(ErrorKind::NotAFile.into());
        }
        Ok((file, metadata.is_file().then_some(metadata.len())))
    };
    open().map_err(|e| e.in_file(path))
}

/// Returns whether a path leads to a pipe or a device: something that can be opened and read only once, for example the
/// output of another program that a shell gives as a file.
pub fn is_pipe(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// A buffered reader that counts the bytes it has read.
pub struct ByteStream {
    name: String,
    inner: BufReader<Box<dyn Read + Send>>,
    total: Option<u64>,
    read: u64,
}

/// Large enough that a system call per buffer costs nothing compared with decoding.
const BUFFER: usize = 256 * 1024;

impl ByteStream {
    /// Opens an input.
    ///
    /// # Errors
    /// If a file cannot be opened or is a folder.
    pub fn open(input: Input) -> Result<Self, Error> {
        let name = input.name();
        let (inner, total) = input.open()?;
        Ok(ByteStream { name, inner: BufReader::with_capacity(BUFFER, inner), total, read: 0 })
    }

    /// Returns the number of all bytes, if it is known.
    pub fn total(&self) -> Option<u64> {
        self.total
    }

    /// Returns the number of bytes read so far.
    pub fn bytes_read(&self) -> u64 {
        self.read
    }

    /// Appends up to `count` bytes; fewer only at the end. Memory grows with the bytes that arrive, not with `count`.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn read_up_to(&mut self, count: u64, into: &mut Vec<u8>) -> Result<u64, Error> {
        let read = (&mut self.inner).take(count).read_to_end(into);
        self.count(read)
    }

    /// Appends bytes up to and including the next line feed, or up to `limit` bytes.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn read_line(&mut self, limit: u64, into: &mut Vec<u8>) -> Result<u64, Error> {
        let read = (&mut self.inner).take(limit).read_until(b'\n', into);
        self.count(read)
    }

    /// Returns whether everything has been read. A byte that is still there is lost.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn is_at_end(&mut self) -> Result<bool, Error> {
        Ok(self.read_up_to(1, &mut Vec::new())? == 0)
    }

    fn count(&mut self, read: io::Result<usize>) -> Result<u64, Error> {
        let read = read.map_err(|e| Error::io("read it", &e).in_file(&self.name))? as u64;
        self.read += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted() {
        let mut stream = ByteStream::open(Input::from_bytes(b"ab\ncdef".to_vec())).unwrap();
        assert_eq!(stream.total(), Some(7));
        let mut line = Vec::new();
        assert_eq!(stream.read_line(10, &mut line).unwrap(), 3);
        assert_eq!(line, b"ab\n");
        let mut rest = Vec::new();
        assert_eq!(stream.read_up_to(3, &mut rest).unwrap(), 3);
        assert_eq!(stream.bytes_read(), 6);
        assert!(!stream.is_at_end().unwrap());
        assert_eq!(stream.read_up_to(u64::MAX, &mut rest).unwrap(), 0);
        assert!(stream.is_at_end().unwrap());
    }

    #[test]
    fn the_reason_is_named_if_a_file_cannot_be_opened() {
        let error = ByteStream::open(Input::path("/no/such/file")).err().unwrap();
        assert!(format!("{error:#}").starts_with("/no/such/file: cannot open it: No such file"), "{error:#}");
        let folder = ByteStream::open(Input::path(std::env::temp_dir())).err().unwrap();
        assert_eq!(folder.kind(), &ErrorKind::NotAFile);
    }
}
