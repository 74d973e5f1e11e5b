//! SHA-256 checksums of bytes and files.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::hex;

/// A SHA-256 checksum. It is printed as 64 lowercase hexadecimal digits.
///
/// ```
/// use inkveil_files::Sha256Sum;
///
/// let sum = Sha256Sum::of(b"abc");
/// assert_eq!(sum.to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
/// assert_eq!("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD".parse(), Ok(sum));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sha256Sum([u8; 32]);

impl Sha256Sum {
    /// Returns the checksum of bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Returns the checksum of a file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn of_file(path: &Path) -> Result<Self, Error> {
        let sum = File::open(path).and_then(|file| Self::of_reader(file, |_| Ok::<(), io::Error>(())));
        sum.map(|(sum, _)| sum).map_err(|e| Error::io("read it", &e).in_file(path))
    }

    /// Returns the checksum and the number of all bytes of a reader. `progress` receives the number of bytes of each
    /// step, and can stop the work with an error.
    ///
    /// # Errors
    /// Those of the reader and of `progress`.
    pub fn of_reader<E: From<io::Error>>(
        mut reader: impl Read,
        mut progress: impl FnMut(u64) -> Result<(), E>,
    ) -> Result<(Self, u64), E> {
        let (mut hasher, mut buffer) = (Sha256Hasher::new(), vec![0; 1 << 20]);
        loop {
            let read = match reader.read(&mut buffer) {
                Ok(read) => read,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e.into()),
            };
            if read == 0 {
                return Ok((hasher.sum(), hasher.bytes()));
            }
            hasher.update(buffer.get(..read).unwrap_or_default());
            progress(read as u64)?;
        }
    }

    /// Returns the 32 bytes of the checksum.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the first eight digits, for people.
    pub fn short(&self) -> String {
        hex::encode(&self.0[..4])
    }
}

impl fmt::Display for Sha256Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&hex::encode(self.0))
    }
}

impl fmt::Debug for Sha256Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sha256Sum({self})")
    }
}

impl FromStr for Sha256Sum {
    type Err = NotASum;

    fn from_str(text: &str) -> Result<Self, NotASum> {
        hex::decode_array(text).map(Self).ok_or(NotASum)
    }
}

/// The error for a text that is not 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a sha256 has 64 hexadecimal digits")]
pub struct NotASum;

impl Serialize for Sha256Sum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sha256Sum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// A SHA-256 checksum in the making, which also counts bytes.
///
/// ```
/// use inkveil_files::{Sha256Hasher, Sha256Sum};
///
/// let mut hasher = Sha256Hasher::new();
/// hasher.update("ab");
/// hasher.update("c");
/// assert_eq!((hasher.sum(), hasher.bytes()), (Sha256Sum::of(b"abc"), 3));
/// ```
#[derive(Clone, Default)]
pub struct Sha256Hasher {
    hash: Sha256,
    bytes: u64,
}

impl Sha256Hasher {
    /// Returns a hasher without bytes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
    }

    /// Returns the checksum of the bytes so far.
    pub fn sum(&self) -> Sha256Sum {
        Sha256Sum(self.hash.clone().finalize().into())
    }

    /// Returns the number of bytes so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl fmt::Debug for Sha256Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sha256Hasher({} bytes)", self.bytes)
    }
}

/// A writer that computes the checksum of the bytes that pass through it.
#[derive(Debug)]
pub struct HashingWriter<W> {
    inner: W,
    hasher: Sha256Hasher,
}

impl<W: Write> HashingWriter<W> {
    /// Wraps a writer.
    pub fn new(inner: W) -> Self {
        Self { inner, hasher: Sha256Hasher::new() }
    }

    /// Returns the writer, the checksum and the number of bytes.
    pub fn finish(self) -> (W, Sha256Sum, u64) {
        (self.inner, self.hasher.sum(), self.hasher.bytes())
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        // A writer that claims more than it was given must not make this panic.
        self.hasher.update(bytes.get(..written).unwrap_or(bytes));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_64_digits_are_a_sum() {
        for wrong in ["", "ab", &"g".repeat(64), &"a".repeat(63), &"a".repeat(65), &"é".repeat(32)] {
            assert_eq!(wrong.parse::<Sha256Sum>(), Err(NotASum), "{wrong}");
        }
    }

    #[test]
    fn files_readers_writers_and_bytes_agree() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let bytes = vec![7; 3 << 20];
        std::fs::write(&path, &bytes).unwrap();
        let sum = Sha256Sum::of(&bytes);
        assert_eq!(Sha256Sum::of_file(&path).unwrap(), sum);
        let mut seen = 0;
        let counted = Sha256Sum::of_reader(&bytes[..], |more| {
            seen += more;
            Ok::<(), io::Error>(())
        });
        assert_eq!((counted.unwrap(), seen), ((sum, 3 << 20), 3 << 20));
        let mut writer = HashingWriter::new(Vec::new());
        writer.write_all(&bytes).unwrap();
        assert_eq!(writer.finish(), (bytes, sum, 3 << 20));
    }

    #[test]
    fn progress_can_stop_the_work_and_missing_files_are_named() {
        let stopped = Sha256Sum::of_reader(&b"abc"[..], |_| Err(io::Error::other("stop")));
        assert!(stopped.is_err());
        let missing = Sha256Sum::of_file(Path::new("/no/such/file")).unwrap_err();
        assert!(missing.to_string().starts_with("/no/such/file: "), "{missing}");
    }

    #[test]
    fn sums_are_texts_in_json() {
        let json = serde_json::to_string(&Sha256Sum::of(b"abc")).unwrap();
        assert!(json.starts_with("\"ba7816bf"), "{json}");
        assert_eq!(serde_json::from_str::<Sha256Sum>(&json).unwrap(), Sha256Sum::of(b"abc"));
        assert_eq!(Sha256Sum::of(b"abc").short(), "ba7816bf");
    }
}
