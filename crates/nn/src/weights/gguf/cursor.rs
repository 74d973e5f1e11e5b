//! Reads a header step by step. Every read is checked against the end of the file.

use crate::Error;

/// The format's name in errors.
pub(super) const FORMAT: &str = "GGUF";

/// A position in the bytes of a file.
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Cursor { bytes, position: 0 }
    }

    /// Creates a cursor at a position that was read before.
    pub(super) fn at(bytes: &'a [u8], position: usize) -> Self {
        Cursor { bytes, position }
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let end = self.position.checked_add(count);
        let taken = end.and_then(|end| self.bytes.get(self.position..end));
        let taken = taken.ok_or_else(|| Error::corrupt(FORMAT, "the file ends inside its header"))?;
        self.position += count;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Error> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, Error> {
        self.array().map(u64::from_le_bytes)
    }

    /// Reads a text with its length in front.
    pub(super) fn text(&mut self) -> Result<&'a str, Error> {
        let length = self.u64()?;
        let bytes = self.take(usize::try_from(length).unwrap_or(usize::MAX))?;
        std::str::from_utf8(bytes).map_err(|_| Error::corrupt(FORMAT, "a text in its header is not UTF-8"))
    }
}
