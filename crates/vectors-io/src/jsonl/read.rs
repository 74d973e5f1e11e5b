//! Reads lines, one batch at a time.

use std::ops::Range;

use inkveil_rows::json_line::span;

use super::line::{VectorPlace, numbers};
use crate::batch::{VectorBatch, batch_rows};
use crate::carry::{Carry, JsonlCarry};
use crate::error::{Error, ErrorKind};
use crate::options::ReadOptions;
use inkveil_files::ByteStream;

/// The longest line, including its line break.
const MAX_LINE: u64 = 64 << 20;

/// A batch ends at this length of text, because the texts of rows may be far larger than their vectors.
const MAX_TEXT: usize = 8 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads JSON lines.
pub(crate) struct JsonlReader {
    stream: ByteStream,
    place: VectorPlace,
    dim: usize,
    batch_rows: usize,
    /// The next line, read ahead so that blank lines at the end go with the last row. Empty at the end.
    next: Vec<u8>,
    /// Its position, from 0.
    row: u64,
}

impl JsonlReader {
    pub(crate) fn open(stream: ByteStream, options: &ReadOptions) -> Result<Self, Error> {
        let mut reader =
            JsonlReader { stream, place: VectorPlace::Line, dim: 0, batch_rows: 0, next: Vec::new(), row: 0 };
        reader.read_line()?;
        if is_blank(reader.next.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&reader.next)) {
            reader.end_of_blank_lines()?;
            return Err(ErrorKind::Empty.into());
        }
        let line = text(&reader.next, 0)?;
        reader.place = VectorPlace::choose(line, options.column.as_deref()).map_err(|e| e.in_row(0))?;
        let dim = vector(&reader.place, line, 0, &mut Vec::new())?.1;
        if dim == 0 {
            return Err(Error::from(ErrorKind::Empty).in_row(0).in_field(reader.place.field()));
        }
        reader.dim = dim;
        reader.batch_rows = batch_rows(options.batch_rows, dim);
        Ok(reader)
    }

    pub(crate) fn dim(&self) -> usize {
        self.dim
    }

    pub(crate) fn column(&self) -> Option<&str> {
        self.place.field()
    }

    pub(crate) fn stream(&self) -> &ByteStream {
        &self.stream
    }

    pub(crate) fn next_batch(&mut self) -> Result<Option<VectorBatch>, Error> {
        if self.next.is_empty() {
            return Ok(None);
        }
        let first_row = self.row;
        let mut values = Vec::with_capacity(self.dim);
        let mut carry = JsonlCarry { text: Vec::new(), vectors: Vec::new() };
        while !self.next.is_empty() && carry.vectors.len() < self.batch_rows && carry.text.len() < MAX_TEXT {
            let line = text(&self.next, self.row)?;
            let (range, count) = vector(&self.place, line, self.row, &mut values)?;
            if count != self.dim {
                let kind = ErrorKind::Ragged { expected: self.dim, found: count };
                return Err(Error::from(kind).in_row(self.row).in_field(self.place.field()));
            }
            // `line` starts after a byte order mark, if there is one.
            let start = carry.text.len() + (self.next.len() - line.len());
            carry.vectors.push(start + range.start..start + range.end);
            carry.text.extend_from_slice(&self.next);
            self.row += 1;
            self.read_line()?;
            if !self.next.is_empty() && is_blank(&self.next) {
                carry.text.append(&mut self.end_of_blank_lines()?);
            }
        }
        VectorBatch::new(first_row, self.dim, values, Carry::Jsonl(carry)).map(Some)
    }

    /// Reads the next line into `next`.
    fn read_line(&mut self) -> Result<(), Error> {
        self.next.clear();
        let read = self.stream.read_line(MAX_LINE + 1, &mut self.next)?;
        if read > MAX_LINE {
            let kind = ErrorKind::TooLong { what: "the line", limit: MAX_LINE };
            return Err(Error::from(kind).in_row(self.row));
        }
        Ok(())
    }

    /// Consumes the blank line in `next` and all blank lines after it. They must be at the end of the file.
    fn end_of_blank_lines(&mut self) -> Result<Vec<u8>, Error> {
        let blank_row = self.row;
        let mut blanks = std::mem::take(&mut self.next);
        loop {
            self.row += 1;
            self.read_line()?;
            if self.next.is_empty() {
                return Ok(blanks);
            }
            if !is_blank(&self.next) {
                return Err(Error::from(ErrorKind::BlankLine).in_row(blank_row));
            }
            blanks.append(&mut self.next);
            if blanks.len() as u64 > MAX_LINE {
                let kind = ErrorKind::TooLong { what: "the blank end of the file", limit: MAX_LINE };
                return Err(Error::from(kind).in_row(blank_row));
            }
        }
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

/// Returns a line as text, without a byte order mark.
fn text(line: &[u8], row: u64) -> Result<&str, Error> {
    let line = if row == 0 { line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line) } else { line };
    std::str::from_utf8(line).map_err(|_| Error::from(ErrorKind::NotUtf8).in_row(row))
}

/// Returns the range of the vector in a line and the number of its numbers, which are appended to `values`.
fn vector(
    place: &VectorPlace,
    line: &str,
    row: u64,
    values: &mut Vec<f64>,
) -> Result<(Range<usize>, usize), Error> {
    let mut found = || {
        let raw = place.locate(line)?;
        let count = numbers(raw, values)?;
        let range = span(line, raw).ok_or(ErrorKind::WorkerLost)?;
        Ok((range, count))
    };
    found().map_err(|e: Error| e.in_row(row).in_field(place.field()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkveil_files::Input;

    fn open(text: &[u8]) -> Result<JsonlReader, Error> {
        let stream = ByteStream::open(Input::from_bytes(text.to_vec()))?;
        JsonlReader::open(stream, &ReadOptions { column: None, batch_rows: 2 })
    }

    #[test]
    fn blank_lines_at_the_end_go_with_the_last_row() {
        let mut reader = open(b"\xEF\xBB\xBF[1]\n[2]\r\n \n\n").unwrap();
        let (_, values, carry) = reader.next_batch().unwrap().unwrap().into_parts();
        assert_eq!(values, [1.0, 2.0]);
        let Carry::Jsonl(carry) = carry else { panic!("not lines") };
        assert_eq!(carry.text, b"\xEF\xBB\xBF[1]\n[2]\r\n \n\n");
        assert_eq!(carry.vectors, [3..6, 7..10]);
        assert!(reader.next_batch().unwrap().is_none());
    }

    #[test]
    fn blank_lines_elsewhere_are_errors() {
        for (text, row) in [(&b"[1]\n\n\n[2]\n"[..], 2), (b"[1]\n[2]\n[3]\n \n[4]", 4)] {
            let mut reader = open(text).unwrap();
            let error = loop {
                match reader.next_batch() {
                    Ok(batch) => assert!(batch.is_some()),
                    Err(error) => break error,
                }
            };
            assert_eq!((error.kind(), error.row()), (&ErrorKind::BlankLine, Some(row)));
        }
        assert_eq!(open(b"\n[1]").err().unwrap().kind(), &ErrorKind::BlankLine);
    }

    #[test]
    fn nothing_is_empty() {
        for text in [&b""[..], b"\n", b"\xEF\xBB\xBF", b"\xEF\xBB\xBF \r\n", b"[]\n"] {
            assert_eq!(open(text).err().unwrap().kind(), &ErrorKind::Empty);
        }
    }

    #[test]
    fn an_endless_line_is_refused() {
        let mut long = vec![b' '; MAX_LINE as usize + 1];
        long[0] = b'[';
        let error = open(&long).err().unwrap();
        assert!(matches!(error.kind(), ErrorKind::TooLong { .. }) && error.row() == Some(1));
    }
}
