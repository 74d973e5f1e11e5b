//! The bytes around the texts of a text format, and how changed texts are written between them.

use std::ops::Range;

use super::format::RecordFormat;
use super::table::{Changed, Texts};
use super::{csv, json};
use crate::error::{Error, ErrorKind};

/// A value with a text in the bytes of some rows.
pub(crate) struct Slot {
    pub(crate) range: Range<usize>,
    /// The index of its row among the good rows.
    pub(crate) row: usize,
}

/// The bytes of the rows that the texts were found in.
pub(crate) struct ByteRest {
    pub(crate) format: RecordFormat,
    pub(crate) delimiter: u8,
    pub(crate) bytes: Vec<u8>,
    /// The position in the file and the bytes of each good row.
    pub(crate) good: Vec<(u64, Range<usize>)>,
    pub(crate) slots: Vec<Slot>,
}

impl ByteRest {
    /// Returns the row of a value, without its line break.
    pub(crate) fn raw(&self, value: usize) -> Option<&str> {
        let (_, range) = self.slots.get(value).and_then(|slot| self.good.get(slot.row))?;
        let row = &self.bytes[range.clone()];
        std::str::from_utf8(&row[..csv::without_break(row)]).ok()
    }

    /// Returns the line break after the row of a value.
    pub(crate) fn line_break(&self, value: usize) -> &'static str {
        let row = self.slots.get(value).and_then(|slot| self.good.get(slot.row));
        let bytes = row.map_or(&[][..], |(_, range)| &self.bytes[range.clone()]);
        ["\r\n", "\n", ""].into_iter().find(|end| bytes.ends_with(end.as_bytes())).unwrap_or_default()
    }

    pub(crate) fn write(&self, texts: &Texts, changed: &Changed) -> Result<Vec<u8>, Error> {
        let values = texts.joined(&changed.texts)?;
        if values.len() != self.slots.len() {
            return Err(ErrorKind::OutOfOrder.into());
        }
        let mut added: Vec<_> =
            changed.added.iter().map(|added| (&added.name, added.values.iter().peekable())).collect();
        let mut out = Vec::with_capacity(self.bytes.len() + self.bytes.len() / 8);
        let mut next = 0;
        for (index, (number, range)) in self.good.iter().enumerate() {
            let mut at = range.start;
            let first = next;
            while let Some(slot) = self.slots.get(next).filter(|slot| slot.row == index) {
                out.extend_from_slice(&self.bytes[at..slot.range.start]);
                let value = &values[next];
                match value.unchanged {
                    // Escapes and quotes of an unchanged text are kept too.
                    true => out.extend_from_slice(&self.bytes[slot.range.clone()]),
                    false => self
                        .write_text(value.text.as_deref(), slot, &mut out)
                        .map_err(|e| e.in_row(*number))?,
                }
                at = slot.range.end;
                next += 1;
            }
            let end = self.end_of(range)?;
            out.extend_from_slice(&self.bytes[at..end.max(at)]);
            let row = &self.bytes[range.clone()];
            let blank = first == next && row.trim_ascii().is_empty() && !row.contains(&self.delimiter);
            for (position, (name, values)) in added.iter_mut().enumerate().filter(|_| !blank) {
                let value = values.next_if(|(row, _)| row == number).map(|(_, value)| value.as_str());
                self.write_added(position == 0, name, value, range, &mut out);
            }
            out.extend_from_slice(&self.bytes[end.max(at)..range.end]);
        }
        Ok(out)
    }

    fn write_text(&self, text: Option<&str>, slot: &Slot, out: &mut Vec<u8>) -> Result<(), Error> {
        match self.format {
            RecordFormat::Jsonl => json::write(text, out),
            RecordFormat::Csv | RecordFormat::Tsv => {
                let quoted = self.bytes.get(slot.range.start) == Some(&b'"');
                csv::write(text.unwrap_or_default(), quoted, self.delimiter, out);
            }
            RecordFormat::Lines if text.is_some_and(|text| text.contains(['\n', '\r'])) => {
                // A line is one text. A line break inside it would make two.
                let line = text.unwrap_or_default().replace("\r\n", " ").replace(['\n', '\r'], " ");
                out.extend_from_slice(line.as_bytes());
            }
            _ => out.extend_from_slice(text.unwrap_or_default().as_bytes()),
        }
        Ok(())
    }

    /// The position at which values can be added to a row.
    fn end_of(&self, range: &Range<usize>) -> Result<usize, Error> {
        let row = &self.bytes[range.clone()];
        let end = match self.format {
            RecordFormat::Jsonl => {
                let row = std::str::from_utf8(row).unwrap_or_default();
                json::end_of(row).map_or(csv::without_break(row.as_bytes()), |(end, _)| end)
            }
            _ => csv::without_break(row),
        };
        Ok(range.start + end)
    }

    fn write_added(
        &self,
        first: bool,
        name: &str,
        value: Option<&str>,
        range: &Range<usize>,
        out: &mut Vec<u8>,
    ) {
        match self.format {
            RecordFormat::Jsonl => {
                let row = std::str::from_utf8(&self.bytes[range.clone()]).unwrap_or_default();
                let alone = first && json::end_of(row).is_some_and(|(_, others)| !others);
                if !alone {
                    out.extend_from_slice(b", ");
                }
                json::write(Some(name), out);
                out.extend_from_slice(b": ");
                json::write(value, out);
            }
            RecordFormat::Csv | RecordFormat::Tsv => {
                out.push(self.delimiter);
                csv::write(value.unwrap_or_default(), false, self.delimiter, out);
            }
            _ => {}
        }
    }
}
