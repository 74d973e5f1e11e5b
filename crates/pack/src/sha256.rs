//! SHA-256 checksums of bytes and files.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::error::{Error, ErrorKind};

/// A SHA-256 checksum, written as 64 hexadecimal digits.
///
/// ```
/// use inkveil_pack::Sha256Sum;
///
/// let sum = Sha256Sum::of(b"abc");
/// assert_eq!(sum.to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
/// assert_eq!("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD".parse(), Ok(sum));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sha256Sum([u8; 32]);

impl Sha256Sum {
    /// The checksum of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The checksum and the size of a file. `progress` is called with the size of each block read; an error stops the
    /// reading.
    pub fn of_file(
        path: &Path,
        progress: &mut dyn FnMut(u64) -> Result<(), Error>,
    ) -> Result<(Self, u64), Error> {
        let name = path.display();
        let mut file = File::open(path).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => Error::from(ErrorKind::MissingFile).of(&name),
            _ => Error::io("open it", &e).of(&name),
        })?;
        let mut hasher = Hasher::default();
        let mut buffer = vec![0; 1 << 20];
        loop {
            let read = match file.read(&mut buffer) {
                Ok(read) => read,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(Error::io("read it", &e).of(&name)),
            };
            if read == 0 {
                return Ok(hasher.finish());
            }
            hasher.update(buffer.get(..read).unwrap_or_default());
            progress(read as u64)?;
        }
    }

    /// The first eight digits, for display.
    pub fn short(&self) -> String {
        self.to_string().chars().take(8).collect()
    }

    /// Fails if the checksums differ.
    pub(crate) fn expect(self, expected: Sha256Sum) -> Result<(), Error> {
        if self == expected {
            return Ok(());
        }
        Err(ErrorKind::WrongHash { expected: expected.to_string(), found: self.to_string() }.into())
    }
}

impl fmt::Display for Sha256Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Sha256Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sha256Sum({self})")
    }
}

impl FromStr for Sha256Sum {
    type Err = InvalidSha256;

    fn from_str(text: &str) -> Result<Self, InvalidSha256> {
        let digits = text.as_bytes();
        let mut sum = [0; 32];
        if digits.len() != 64 {
            return Err(InvalidSha256);
        }
        for (byte, pair) in sum.iter_mut().zip(digits.chunks_exact(2)) {
            for digit in pair {
                let value = char::from(*digit).to_digit(16).ok_or(InvalidSha256)?;
                *byte = *byte << 4 | value as u8;
            }
        }
        Ok(Self(sum))
    }
}

/// The error for a text that is not 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a sha256 has 64 hexadecimal digits")]
pub struct InvalidSha256;

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

/// Counts and hashes bytes.
#[derive(Clone, Default)]
pub(crate) struct Hasher {
    hash: Sha256,
    bytes: u64,
}

impl Hasher {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
    }

    pub(crate) fn finish(self) -> (Sha256Sum, u64) {
        (Sha256Sum(self.hash.finalize().into()), self.bytes)
    }
}

/// A writer that hashes the bytes it passes on.
pub(crate) struct HashingWriter<W> {
    inner: W,
    hasher: Hasher,
}

impl<W: Write> HashingWriter<W> {
    pub(crate) fn new(inner: W) -> Self {
        Self { inner, hasher: Hasher::default() }
    }

    pub(crate) fn finish(self) -> (W, Sha256Sum, u64) {
        let (sum, bytes) = self.hasher.finish();
        (self.inner, sum, bytes)
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
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
    fn accepts_only_64_digits() {
        for wrong in ["", "ab", &"g".repeat(64), &"a".repeat(63), &"a".repeat(65), &"é".repeat(32)] {
            assert_eq!(wrong.parse::<Sha256Sum>(), Err(InvalidSha256), "{wrong}");
        }
    }

    #[test]
    fn files_and_bytes_agree() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let bytes = vec![7; 3 << 20];
        std::fs::write(&path, &bytes).unwrap();
        let mut seen = 0;
        let (sum, size) = Sha256Sum::of_file(&path, &mut |more| {
            seen += more;
            Ok(())
        })
        .unwrap();
        assert_eq!((sum, size, seen), (Sha256Sum::of(&bytes), 3 << 20, 3 << 20));
        let stopped = Sha256Sum::of_file(&path, &mut |_| Err(ErrorKind::Cancelled.into()));
        assert_eq!(stopped.unwrap_err().kind(), &ErrorKind::Cancelled);
        let missing = Sha256Sum::of_file(&folder.path().join("b"), &mut |_| Ok(()));
        assert_eq!(missing.unwrap_err().kind(), &ErrorKind::MissingFile);
    }
}
