//! Rows of separated values: where rows and values end, and how a value is written.
//!
//! The rules are those of RFC 4180, with the exceptions that spreadsheets need: a quote counts only at the start of a value, two of
//! them inside a quoted value are one, and line breaks inside quotes belong to the value.

use std::borrow::Cow;
use std::ops::Range;

/// Finds the ends of rows in bytes that arrive in pieces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RowEnds {
    state: State,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    ValueStart,
    Plain,
    Quoted,
    /// After a quote inside a quoted value: the end of the value, or the first of two quotes.
    Quote,
}

impl RowEnds {
    /// Returns how many of these bytes belong to the row, or nothing if the row does not end in them.
    pub(crate) fn next(&mut self, bytes: &[u8], delimiter: u8) -> Option<usize> {
        for (index, &byte) in bytes.iter().enumerate() {
            self.state = match (self.state, byte) {
                (State::Quoted, b'"') => State::Quote,
                (State::Quoted, _) => State::Quoted,
                (State::Quote, b'"') => State::Quoted,
                (_, b'\n') => {
                    self.state = State::ValueStart;
                    return Some(index + 1);
                }
                (State::ValueStart, b'"') => State::Quoted,
                (_, byte) if byte == delimiter => State::ValueStart,
                _ => State::Plain,
            };
        }
        None
    }

    /// Whether the bytes so far end inside quotes.
    pub(crate) fn is_open(self) -> bool {
        self.state == State::Quoted
    }
}

/// Returns the ranges of the values of a row, including quotes and without the line break.
pub(crate) fn values(row: &[u8], delimiter: u8) -> Vec<Range<usize>> {
    let end = without_break(row);
    let mut values = Vec::new();
    let (mut state, mut start) = (State::ValueStart, 0);
    for (index, &byte) in row[..end].iter().enumerate() {
        state = match (state, byte) {
            (State::Quoted, b'"') => State::Quote,
            (State::Quoted, _) => State::Quoted,
            (State::Quote, b'"') => State::Quoted,
            (State::ValueStart, b'"') => State::Quoted,
            (_, byte) if byte == delimiter => {
                values.push(start..index);
                start = index + 1;
                State::ValueStart
            }
            _ => State::Plain,
        };
    }
    values.push(start..end);
    values
}

/// Returns the length of a row without its line break.
pub(crate) fn without_break(row: &[u8]) -> usize {
    let row = row.strip_suffix(b"\n").unwrap_or(row);
    row.strip_suffix(b"\r").unwrap_or(row).len()
}

/// Returns the meaning of a value, without its quotes.
pub(crate) fn meaning(raw: &str) -> Cow<'_, str> {
    let Some(inside) = raw.strip_prefix('"') else { return Cow::Borrowed(raw) };
    // Characters after the closing quote are not allowed. They are kept as part of the value.
    let mut text = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some((before, after)) = rest.split_once('"') {
        text.push_str(before);
        match after.strip_prefix('"') {
            Some(after) => {
                text.push('"');
                rest = after;
            }
            None => {
                text.push_str(after);
                return Cow::Owned(text);
            }
        }
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// Writes a value, in quotes if it needs them or if the replaced value had them.
pub(crate) fn write(text: &str, quoted: bool, delimiter: u8, into: &mut Vec<u8>) {
    let special = |byte: u8| byte == delimiter || matches!(byte, b'"' | b'\n' | b'\r');
    if quoted || text.bytes().any(special) {
        into.push(b'"');
        into.extend_from_slice(text.replace('"', "\"\"").as_bytes());
        into.push(b'"');
    } else {
        into.extend_from_slice(text.as_bytes());
    }
}

/// Returns the delimiter of a file: the most frequent candidate in its first row, outside quotes.
pub(crate) fn delimiter_of(row: &[u8]) -> u8 {
    let count = |delimiter: &u8| values(row, *delimiter).len();
    // The last of equally frequent candidates wins, so the comma is last.
    [b'|', b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn meanings(row: &str) -> Vec<String> {
        values(row.as_bytes(), b',').into_iter().map(|range| meaning(&row[range]).into_owned()).collect()
    }

    #[test]
    fn values_as_they_are_found() {
        assert_eq!(meanings("a,b,\r\n"), ["a", "b", ""]);
        assert_eq!(meanings("\"a,\"\"b\"\"\nc\",d\n"), ["a,\"b\"\nc", "d"]);
        assert_eq!(meanings("say \"hi\",\"x\" y\n"), ["say \"hi\"", "x y"]);
        assert_eq!(meanings("\n"), [""]);
        assert_eq!(delimiter_of(b"a;b;c,d\n"), b';');
        assert_eq!(delimiter_of(b"\"a;b;c\",d\n"), b',');
        assert_eq!(delimiter_of(b"text\n"), b',');
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(texts in prop::collection::vec("[a,\"\n\r;é ]{0,8}", 1..5), quoted: bool, cut in 0..40usize) {
            let mut row = Vec::new();
            for (index, text) in texts.iter().enumerate() {
                if index > 0 { row.push(b','); }
                write(text, quoted, b',', &mut row);
            }
            // A lone carriage return at the end of a row would be part of its line break.
            row.push(b'\n');
            let mut ends = RowEnds::default();
            let cut = cut.min(row.len() - 1);
            prop_assert_eq!(ends.next(&row[..cut], b','), None);
            prop_assert_eq!(ends.next(&row[cut..], b','), Some(row.len() - cut));
            prop_assert!(!ends.is_open());
            prop_assert_eq!(meanings(std::str::from_utf8(&row).unwrap()), texts);
        }
    }
}
