//! A window on a long text, with runs of white space collapsed.

use std::ops::Range;

use crate::case::is_space;
use crate::json::{JsonPlace, escape_at_end};
use crate::longer_name;

/// A longer run of white space is not a line break within a name.
const LONGEST_RUN: usize = 64;
/// The bytes kept before the window: a given name, or two characters that decide where a word starts.
const BEFORE: usize = longer_name::BEFORE + 8;

/// The part of a text that is being processed. Finished bytes are dropped, except for a few.
#[derive(Default)]
pub(crate) struct Window {
    bytes: Vec<u8>,
    /// Bytes from here on are still unprocessed.
    start: usize,
    /// Where the unprocessed bytes start, if the text is JSON.
    place: JsonPlace,
}

/// The bytes of a window with single spaces, and their positions in the window.
#[derive(Default)]
pub(crate) struct CollapsedText {
    pub(crate) bytes: Vec<u8>,
    /// The position of each byte in the window, and at the end the length of the window.
    positions: Vec<usize>,
}

impl Window {
    pub(crate) fn push(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn start(&self) -> usize {
        self.start
    }

    pub(crate) fn place(&self) -> JsonPlace {
        self.place
    }

    /// Drops the bytes before `position`, which is at this place if the text is JSON.
    pub(crate) fn advance_to(&mut self, position: usize, place: JsonPlace) {
        self.place = place;
        let dropped = position.saturating_sub(BEFORE);
        self.bytes.drain(..dropped);
        self.start = position - dropped;
    }

    pub(crate) fn collapse_spaces(&self, collapsed: &mut CollapsedText) {
        let bytes = &self.bytes;
        collapsed.bytes.clear();
        collapsed.positions.clear();
        let mut at = 0;
        while at < bytes.len() {
            let run = bytes[at..].iter().take_while(|byte| is_space(u32::from(**byte))).count();
            if (1..=LONGEST_RUN).contains(&run) {
                collapsed.positions.push(at);
                collapsed.bytes.push(b' ');
                at += run;
            } else {
                // Copy the whole of a long run, so that its end is not taken for a short run.
                let end = at + run.max(1);
                collapsed.positions.extend(at..end);
                collapsed.bytes.extend_from_slice(&bytes[at..end]);
                at = end;
            }
        }
        collapsed.positions.push(bytes.len());
    }
}

impl CollapsedText {
    /// Returns the position in the window of a collapsed byte.
    pub(crate) fn position(&self, index: usize) -> usize {
        self.positions.get(index).copied().unwrap_or_default()
    }

    /// Returns the range in the window that a range of collapsed bytes came from.
    pub(crate) fn window_range(&self, range: Range<usize>) -> Range<usize> {
        let at = |index: usize| self.positions.get(index).copied().unwrap_or_default();
        at(range.start)..at(range.end)
    }
}

/// Whether a text is a whole word or number in its context: "Ana" is not in "Banana", and "42" is
/// not in "3.42".
///
/// In `json`, an escape before it is read as the character that it stands for.
pub(crate) fn is_whole_word(bytes: &[u8], range: &Range<usize>, json: bool) -> bool {
    let (Some(text), Some(after)) = (bytes.get(range.clone()), bytes.get(range.end..)) else {
        return false;
    };
    let (right, rest) = next(after);
    let further_right = next(rest).0;
    starts_word(bytes, range.start, json) && !continues(previous(text).0, right, further_right)
}

/// Whether a word or number may start at a position: nothing before it continues it.
pub(crate) fn starts_word(bytes: &[u8], start: usize, json: bool) -> bool {
    let (Some(before), Some(text)) = (bytes.get(..start), bytes.get(start..)) else { return false };
    let escape = if json { escape_at_end(before) } else { None };
    let (left, rest) = match escape {
        Some((length, c)) => (Some(c), before.get(..before.len() - length).unwrap_or_default()),
        None => previous(before),
    };
    !continues(next(text).0, left, previous(rest).0)
}

/// Whether the bytes after a range decide if it is a whole word. At the end of a text that goes on, they may be
/// missing.
pub(crate) fn end_is_known(bytes: &[u8], range: &Range<usize>) -> bool {
    let (Some(text), Some(after)) = (bytes.get(range.clone()), bytes.get(range.end..)) else { return true };
    let Some(last) = previous(text).0.filter(|last| last.is_alphanumeric()) else { return true };
    let (right, rest) = next(after);
    match right {
        // The first bytes of a letter that is not complete may be the last that there are.
        None => !after.is_empty() && !is_incomplete(after),
        Some('.' | ',' | ':' | '-' | '/') if last.is_ascii_digit() => !rest.is_empty(),
        Some(_) => true,
    }
}

/// Whether the bytes are the beginning of a character that is not complete.
fn is_incomplete(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(4)];
    std::str::from_utf8(start).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
}

/// Whether a word or number that ends with `edge` continues with `near` and then `far`.
fn continues(edge: Option<char>, near: Option<char>, far: Option<char>) -> bool {
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

/// Returns the first character, if it is valid UTF-8, and the bytes after it.
fn next(bytes: &[u8]) -> (Option<char>, &[u8]) {
    let start = &bytes[..bytes.len().min(4)];
    let text = start.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let c = text.chars().next();
    (c, bytes.get(c.map_or(1, char::len_utf8)..).unwrap_or_default())
}

/// Returns the last character, if it is valid UTF-8, and the bytes before it.
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
    fn whole_words_and_numbers_are_recognised() {
        let alone = |text: &str, part: &str| {
            let start = text.rfind(part).unwrap();
            is_whole_word(text.as_bytes(), &(start..start + part.len()), false)
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
        assert!(is_whole_word(b"\xffAna\xff\xff", &(1..4), false), "invalid UTF-8 is not a letter");
    }

    #[test]
    fn collapsed_spaces_keep_their_positions() {
        let long = " ".repeat(LONGEST_RUN + 1);
        let text = format!("a \n\tb{long}c");
        let mut window = Window::default();
        window.push(text.as_bytes());
        let mut collapsed = CollapsedText::default();
        window.collapse_spaces(&mut collapsed);
        assert_eq!(collapsed.bytes, format!("a b{long}c").as_bytes());
        assert_eq!(collapsed.window_range(0..3), 0..5);
        assert_eq!(collapsed.window_range(1..2), 1..4);
        assert_eq!(
            collapsed.window_range(collapsed.bytes.len() - 1..collapsed.bytes.len()),
            text.len() - 1..text.len()
        );
    }
}
