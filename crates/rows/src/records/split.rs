//! Splits bytes into rows, in memory that grows with the longest row and not with the file.

use inkveil_files::Sha256Hasher;

use super::bytes::Bytes;
use super::csv::RowEnds;
use super::parts::first_part;
use crate::error::{Error, ErrorKind};

/// The bytes of consecutive rows.
pub(crate) struct RawRows {
    pub(crate) bytes: Vec<u8>,
    /// The end of each row.
    pub(crate) ends: Vec<usize>,
    /// The position of the first row in the file, from 0.
    pub(crate) first: u64,
}

/// What ends a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// A line break.
    Line,
    /// A line break outside of quotes.
    Separated(u8),
    /// The end of the file, or of a part of a long one.
    File,
}

/// The limits of a batch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) rows: usize,
    pub(crate) bytes: usize,
}

/// Splits bytes into rows.
pub(crate) struct RowSplitter {
    bytes: Bytes,
    ending: Ending,
    /// The longest part of a plain text. A longer text comes in parts.
    part: usize,
    /// The longest row. A longer one means a file of another format, or a quote that is never closed.
    longest: usize,
    waiting: Vec<u8>,
    /// The number of waiting bytes that were searched for the end of a row.
    seen: usize,
    ends: RowEnds,
    ended: bool,
    /// The number of rows before the data: 1 after a header was taken.
    header: u64,
    /// The number of rows that were returned, and of their bytes.
    done: u64,
    consumed: u64,
    /// The checksum of the bytes passed to [`note`](Self::note).
    hash: Sha256Hasher,
}

impl RowSplitter {
    pub(crate) fn new(bytes: Bytes, ending: Ending, part: usize, longest: usize) -> Self {
        Self {
            bytes,
            ending,
            part,
            longest,
            waiting: Vec::new(),
            seen: 0,
            ends: RowEnds::default(),
            ended: false,
            header: 0,
            done: 0,
            consumed: 0,
            hash: Sha256Hasher::new(),
        }
    }

    pub(crate) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Adds rows to the fingerprint.
    pub(crate) fn note(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
    }

    /// Returns the SHA-256 of all rows passed to [`note`](Self::note).
    pub(crate) fn fingerprint(&self) -> String {
        self.hash.sum().to_string()
    }

    /// Returns the number of bytes of the file up to the last row that was returned.
    pub(crate) fn bytes_read(&self) -> u64 {
        if self.bytes.is_plain() { self.consumed } else { self.bytes.taken() }
    }

    pub(crate) fn set_ending(&mut self, ending: Ending) {
        self.ending = ending;
    }

    /// Takes the header. Rows are counted after it.
    pub(crate) fn take_header(&mut self) -> Result<Vec<u8>, Error> {
        let header = self.next(Limits { rows: 1, bytes: 1 })?.map(|raw| raw.bytes).unwrap_or_default();
        self.note(&header);
        self.header = u64::from(!header.is_empty());
        Ok(header)
    }

    /// Removes the byte order mark of UTF-8, and returns whether there was one.
    pub(crate) fn take_mark(&mut self) -> Result<bool, Error> {
        while self.waiting.len() < 3 && self.fill()? {}
        let marked = self.waiting.starts_with(b"\xef\xbb\xbf");
        if marked {
            self.hash.update(&self.waiting[..3]);
            self.waiting.drain(..3);
        }
        Ok(marked)
    }

    /// Returns the first row without consuming it.
    pub(crate) fn peek(&mut self) -> Result<Vec<u8>, Error> {
        let end = self.row_end(0)?.unwrap_or(0);
        (self.seen, self.ends) = (0, RowEnds::default());
        Ok(self.waiting[..end].to_vec())
    }

    /// Returns the next rows, or nothing at the end.
    pub(crate) fn next(&mut self, limits: Limits) -> Result<Option<RawRows>, Error> {
        let mut ends = Vec::new();
        let mut taken = 0;
        while ends.len() < limits.rows && taken < limits.bytes {
            match self.row_end(taken) {
                Ok(Some(end)) => {
                    ends.push(end);
                    taken = end;
                }
                Ok(None) => break,
                Err(error) if ends.is_empty() => return Err(error.in_row(self.done - self.header)),
                // The rows before it come first. The next call meets the same error.
                Err(_) => break,
            }
            if self.ending == Ending::File {
                break;
            }
            // The reader of a pipe should see complete rows at once.
            let piped = self.ending == Ending::Line && self.bytes.total().is_none();
            if piped && !self.waiting[taken..].contains(&b'\n') {
                break;
            }
        }
        if ends.is_empty() {
            return Ok(None);
        }
        let rest = self.waiting.split_off(taken);
        let bytes = std::mem::replace(&mut self.waiting, rest);
        self.consumed += bytes.len() as u64;
        self.seen -= taken;
        let first = self.done;
        self.done += ends.len() as u64;
        Ok(Some(RawRows { bytes, ends, first }))
    }

    /// Returns the end of the row that begins at `start`, or nothing if there is none.
    fn row_end(&mut self, start: usize) -> Result<Option<usize>, Error> {
        self.seen = self.seen.max(start);
        loop {
            let fresh = &self.waiting[self.seen..];
            let found = match self.ending {
                Ending::Line => fresh.iter().position(|byte| *byte == b'\n').map(|at| at + 1),
                Ending::Separated(delimiter) => self.ends.next(fresh, delimiter),
                Ending::File => {
                    let length = self.part_end(start)?;
                    self.seen = start;
                    length
                }
            };
            if let Some(length) = found {
                self.seen += length;
                return Ok(Some(self.seen));
            }
            self.seen = self.waiting.len();
            if self.seen - start > self.longest {
                let what = if self.ends.is_open() { "a quoted value" } else { "a row" };
                return Err(ErrorKind::TooLong { what, limit: self.longest as u64 }.into());
            }
            if !self.fill()? {
                let whole_file = self.ending == Ending::File && self.done == 0 && start == 0;
                return Ok((self.seen > start || whole_file).then_some(self.seen));
            }
        }
    }

    /// Returns the length of the part of a plain text that begins at `start`, if the text is too long to be one part.
    fn part_end(&self, start: usize) -> Result<Option<usize>, Error> {
        let waiting = &self.waiting[start..];
        if waiting.len() <= self.part {
            return Ok(None);
        }
        first_part(waiting, self.part).map(Some)
    }

    /// Returns whether everything was returned.
    pub(crate) fn is_at_end(&self) -> bool {
        self.ended && self.waiting.is_empty()
    }

    /// Returns whether the file ends inside quotes.
    pub(crate) fn is_open(&self) -> bool {
        self.ended && matches!(self.ending, Ending::Separated(_)) && self.ends.is_open()
    }

    fn fill(&mut self) -> Result<bool, Error> {
        if !self.ended {
            self.ended = self.bytes.more(&mut self.waiting)? == 0;
        }
        Ok(!self.ended)
    }
}

#[cfg(test)]
mod tests {
    use super::super::format::Packing;
    use super::*;
    use inkveil_files::Input;

    #[test]
    fn a_row_that_is_too_long_is_named_and_comes_after_the_rows_before_it() {
        let mut bytes = b"head\none\ntwo\n".to_vec();
        bytes.resize(bytes.len() + (1 << 20) + 2, b'x');
        let opened = Bytes::open(Input::from_bytes(bytes), Packing::None, None).unwrap();
        let mut rows = RowSplitter::new(opened, Ending::Line, 1 << 20, 1 << 20);
        assert_eq!(rows.take_header().unwrap(), b"head\n");
        assert_eq!(rows.next(Limits { rows: 9, bytes: 1 << 20 }).unwrap().unwrap().ends.len(), 2);
        for _ in 0..2 {
            let error = rows.next(Limits { rows: 9, bytes: 1 << 20 }).err().unwrap();
            assert!(matches!(error.kind(), ErrorKind::TooLong { .. }) && error.row() == Some(3), "{error}");
        }
    }

    fn rows(bytes: &[u8], ending: Ending, limits: Limits) -> Vec<(u64, Vec<String>)> {
        let opened = Bytes::open(Input::from_bytes(bytes.to_vec()), Packing::None, None).unwrap();
        let mut rows = RowSplitter::new(opened, ending, 8, 1 << 20);
        let mut all = Vec::new();
        while let Some(raw) = rows.next(limits).unwrap() {
            let mut start = 0;
            let each = raw.ends.iter().map(|end| {
                let row = String::from_utf8(raw.bytes[start..*end].to_vec()).unwrap();
                start = *end;
                row
            });
            all.push((raw.first, each.collect()));
        }
        all
    }

    #[test]
    fn rows_come_in_order_and_whole() {
        let few = Limits { rows: 2, bytes: 100 };
        let lines = rows(b"a\n\nb\r\nc", Ending::Line, few);
        assert_eq!(lines, [(0, vec!["a\n".into(), "\n".into()]), (2, vec!["b\r\n".into(), "c".into()])]);
        let small = Limits { rows: 9, bytes: 1 };
        let values = rows(b"a,\"x\ny\"\nb,c\n", Ending::Separated(b','), small);
        assert_eq!(values, [(0, vec!["a,\"x\ny\"\n".to_owned()]), (1, vec!["b,c\n".to_owned()])]);
        assert_eq!(rows(b"a\nb\n", Ending::File, few), [(0, vec!["a\nb\n".to_owned()])]);
        assert_eq!(rows(b"", Ending::File, few), [(0, vec![String::new()])]);
        assert!(rows(b"", Ending::Line, few).is_empty());
    }

    #[test]
    fn a_long_plain_text_comes_in_parts() {
        let few = Limits { rows: 2, bytes: 100 };
        let parts = |text: &str| -> Vec<String> {
            let found = rows(text.as_bytes(), Ending::File, few);
            assert!(
                found.iter().enumerate().all(|(at, (first, rows))| *first == at as u64 && rows.len() == 1)
            );
            found.into_iter().flat_map(|(_, rows)| rows).collect()
        };
        assert_eq!(parts("12345678"), ["12345678"]);
        assert_eq!(parts("ab\ncd\nefgh"), ["ab\ncd\n", "efgh"]);
        assert_eq!(parts("abcd\n\ne\nfghijk"), ["abcd\n\n", "e\nfghijk"]);
        assert_eq!(parts("one two three"), ["one two ", "three"]);
        let opened = Bytes::open(Input::from_bytes(vec![b'x'; 20]), Packing::None, None).unwrap();
        let error = RowSplitter::new(opened, Ending::File, 8, 1 << 20).next(few).err().unwrap();
        assert!(matches!(error.kind(), ErrorKind::TooLong { .. }), "{error}");
    }
}
