//! JSON lines without escaped surrogate pairs.
//!
//! arrow-json 59.3.2 decodes `"\ud842\udfb7"` to another character: it adds `0x10000` with a bitwise or,
//! which loses a bit in every second plane. So each pair is written as the character it stands for before that library
//! sees the line. Remove this file when the library decodes all planes; the test of this file and the property test of
//! conversions in `tests/it` tell.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

/// Reads lines and replaces escaped surrogate pairs by their characters. Half of a pair is an error, because no other
/// format can hold it.
pub(super) struct PlainPairs<R> {
    inner: R,
    line: Vec<u8>,
    read: usize,
}

impl<R: BufRead> PlainPairs<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, line: Vec::new(), read: 0 }
    }
}

impl<R: BufRead> Read for PlainPairs<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.read == self.line.len() {
            self.line.clear();
            self.read = 0;
            self.inner.read_until(b'\n', &mut self.line)?;
            let plain = match plain(&self.line).ok_or(io::ErrorKind::InvalidData)? {
                Cow::Borrowed(_) => None,
                Cow::Owned(plain) => Some(plain),
            };
            if let Some(plain) = plain {
                self.line = plain;
            }
        }
        let count = (&self.line[self.read..]).read(into)?;
        self.read += count;
        Ok(count)
    }
}

/// Returns a line of JSON with characters in place of escaped surrogate pairs, or nothing if half of a pair is in it.
fn plain(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    let mut plain: Option<Vec<u8>> = None;
    // The start of the bytes that are not copied yet, and the place of the search.
    let (mut start, mut at) = (0, 0);
    while let Some(offset) = line[at..].iter().position(|byte| *byte == b'\\') {
        at += offset;
        let Some(first) = escaped(&line[at..]) else {
            // Another escape, for example of a backslash.
            at = (at + 2).min(line.len());
            continue;
        };
        if !(0xd800..=0xdfff).contains(&first) {
            at += ESCAPE;
            continue;
        }
        let second = line.get(at + ESCAPE..).and_then(escaped)?;
        let character = char::decode_utf16([first, second]).next()?.ok()?;
        let into = plain.get_or_insert_default();
        into.extend_from_slice(&line[start..at]);
        into.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        at += 2 * ESCAPE;
        start = at;
    }
    match plain {
        None => Some(Cow::Borrowed(line)),
        Some(mut plain) => {
            plain.extend_from_slice(&line[start..]);
            Some(Cow::Owned(plain))
        }
    }
}

/// The length of `\uXXXX`.
const ESCAPE: usize = 6;

/// Returns the code unit of an escape at the start of these bytes.
fn escaped(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<String> {
        let mut plain = String::new();
        PlainPairs::new(line.as_bytes()).read_to_string(&mut plain).ok().map(|_| plain)
    }

    #[test]
    fn pairs_of_all_planes_become_characters() {
        for plane in 1..=16u32 {
            for low in [0, 1, 0xbb7, 0x8000, 0xfffd] {
                let character = char::from_u32((plane << 16) + low).unwrap();
                let mut units = [0; 2];
                character.encode_utf16(&mut units);
                let line = format!("{{\"a\": \"x\\u{:04x}\\u{:04X}y\"}}\n", units[0], units[1]);
                assert_eq!(read(&line).unwrap(), format!("{{\"a\": \"x{character}y\"}}\n"));
            }
        }
    }

    #[test]
    fn everything_else_stays_and_half_a_pair_is_refused() {
        for line in [r#"{"a": "\u00e9 \n \\ud842\\udfb7 \\"}"#, "", "plain\nlines\n", "\\", "\\u00"] {
            assert_eq!(read(line).unwrap(), line);
        }
        for line in [r#""\ud842""#, r#""\ud842x\udfb7""#, r#""\udfb7\ud842""#, r#""\ud842\u0041""#] {
            assert!(read(line).is_none(), "{line}");
        }
    }
}
