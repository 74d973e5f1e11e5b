//! A part of a long text, with its runs of white space as one space each.

use std::io::{self, Read};
use std::ops::Range;

use crate::case::is_space;

/// A longer run of white space is no line break in the middle of a name.
pub(crate) const LONGEST_RUN: usize = 64;
/// What is kept of what was written: two characters tell where a word begins.
const BEFORE: usize = 8;
/// How much is read at once.
const READ: usize = 64 << 10;

/// The part of a text that is being looked at. What was decided is forgotten, but for a few bytes.
pub(crate) struct Window {
    bytes: Vec<u8>,
    /// From here on nothing is decided.
    start: usize,
    read: Vec<u8>,
}

/// A window's bytes with single spaces, and where each of them was.
#[derive(Default)]
pub(crate) struct Spaced {
    pub(crate) bytes: Vec<u8>,
    /// For each byte its place in the window, and at the end the window's length.
    places: Vec<usize>,
}

impl Window {
    pub(crate) fn new() -> Self {
        Self { bytes: Vec::new(), start: 0, read: vec![0; READ] }
    }

    pub(crate) fn of(text: &[u8]) -> Self {
        Self { bytes: text.to_vec(), start: 0, read: Vec::new() }
    }

    /// Reads until this much is undecided. Says whether the text is at its end.
    pub(crate) fn fill(&mut self, reader: &mut impl Read, undecided: usize) -> io::Result<bool> {
        while self.bytes.len() - self.start < undecided {
            match reader.read(&mut self.read) {
                Ok(0) => return Ok(true),
                Ok(count) => self.bytes.extend_from_slice(self.read.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Forgets what is before `place`.
    pub(crate) fn decide(&mut self, place: usize) {
        let gone = place.saturating_sub(BEFORE);
        self.bytes.drain(..gone);
        self.start = place - gone;
    }

    pub(crate) fn space(&self, spaced: &mut Spaced) {
        let bytes = &self.bytes;
        spaced.bytes.clear();
        spaced.places.clear();
        let mut at = 0;
        while at < bytes.len() {
            let run = bytes[at..].iter().take_while(|byte| is_space(u32::from(**byte))).count();
            if (1..=LONGEST_RUN).contains(&run) {
                spaced.places.push(at);
                spaced.bytes.push(b' ');
                at += run;
            } else {
                // The whole of a long run, so that its end is not taken for a short one.
                let end = at + run.max(1);
                spaced.places.extend(at..end);
                spaced.bytes.extend_from_slice(&bytes[at..end]);
                at = end;
            }
        }
        spaced.places.push(bytes.len());
    }
}

impl Spaced {
    /// Where bytes of this were in the window.
    pub(crate) fn place(&self, range: Range<usize>) -> Range<usize> {
        let at = |index: usize| self.places.get(index).copied().unwrap_or_default();
        at(range.start)..at(range.end)
    }
}

/// Whether a text that begins or ends with a letter or digit does not go on in what stands around it: "Ana" is not in "Banana", nor "42" in
/// "3.42".
pub(crate) fn stands_alone(bytes: &[u8], range: &Range<usize>) -> bool {
    let (Some(before), Some(text), Some(after)) =
        (bytes.get(..range.start), bytes.get(range.clone()), bytes.get(range.end..))
    else {
        return false;
    };
    let (first, last) = (next(text).0, previous(text).0);
    let (left, rest) = previous(before);
    let further_left = previous(rest).0;
    let (right, rest) = next(after);
    let further_right = next(rest).0;
    !goes_on(first, left, further_left) && !goes_on(last, right, further_right)
}

/// Whether a word or number that ends with `edge` goes on with `near`, and then `far`.
fn goes_on(edge: Option<char>, near: Option<char>, far: Option<char>) -> bool {
    let (Some(edge), Some(near)) = (edge, near) else { return false };
    if !edge.is_alphanumeric() {
        return false;
    }
    let mark = matches!(near, '\u{300}'..='\u{36f}');
    let number = edge.is_ascii_digit()
        && matches!(near, '.' | ',' | ':' | '-' | '/')
        && far.is_some_and(|far| far.is_ascii_digit());
    near.is_alphanumeric() || mark || number
}

/// The first character, and the bytes after it. A byte that is no text is none.
fn next(bytes: &[u8]) -> (Option<char>, &[u8]) {
    let start = &bytes[..bytes.len().min(4)];
    let text = start.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let c = text.chars().next();
    (c, bytes.get(c.map_or(1, char::len_utf8)..).unwrap_or_default())
}

/// The last character, and the bytes before it. A byte that is no text is none.
fn previous(bytes: &[u8]) -> (Option<char>, &[u8]) {
    for length in 1..=bytes.len().min(4) {
        let (rest, end) = bytes.split_at(bytes.len() - length);
        if let Ok(text) = std::str::from_utf8(end) {
            return (text.chars().next(), rest);
        }
    }
    (None, bytes.get(..bytes.len().saturating_sub(1)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_stand_alone() {
        let alone = |text: &str, part: &str| {
            let start = text.rfind(part).unwrap();
            stands_alone(text.as_bytes(), &(start..start + part.len()))
        };
        for (text, part) in [
            ("Ana", "Ana"),
            ("(Ana)", "Ana"),
            ("Ana's", "Ana"),
            ("x_Ana_y", "Ana"),
            ("at 42.", "42"),
            ("42, 7", "42"),
            ("x[p 1]y", "[p 1]"),
            ("«Éva»", "Éva"),
            ("-42", "42"),
            ("a.42", "42"),
        ] {
            assert!(alone(text, part), "{part} in {text}");
        }
        for (text, part) in [
            ("Banana", "ana"),
            ("Anas", "Ana"),
            ("éAna", "Ana"),
            ("Ana\u{301}", "Ana"),
            ("3.42", "42"),
            ("42.5", "42"),
            ("1,42,0", "42"),
            ("142", "42"),
            ("2024-05-01", "05"),
        ] {
            assert!(!alone(text, part), "{part} in {text}");
        }
        assert!(stands_alone(b"\xffAna\xff\xff", &(1..4)), "what is no text is no letter");
    }

    #[test]
    fn runs_become_spaces_that_know_where_they_were() {
        let long = " ".repeat(LONGEST_RUN + 1);
        let text = format!("a \n\tb{long}c");
        let window = Window::of(text.as_bytes());
        let mut spaced = Spaced::default();
        window.space(&mut spaced);
        assert_eq!(spaced.bytes, format!("a b{long}c").as_bytes());
        assert_eq!(spaced.place(0..3), 0..5);
        assert_eq!(spaced.place(1..2), 1..4);
        assert_eq!(spaced.place(spaced.bytes.len() - 1..spaced.bytes.len()), text.len() - 1..text.len());
    }
}
