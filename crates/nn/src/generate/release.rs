//! Text that grows token by token: what of it may be shown, and where it must end.

use crate::{Error, Tokenizer};

/// A character has at most four bytes, so after so many tokens what is not a character will not become one.
const LONGEST_CHARACTER: usize = 4;

/// The text of one prompt's continuation. Whole characters are given out, and nothing that may be the beginning of a text to
/// stop at.
pub(super) struct Release<'a> {
    tokenizer: &'a Tokenizer,
    stops: &'a [String],
    ids: Vec<u32>,
    /// The text of `ids[..decoded]` is known; that from `context` on is needed to decode what follows.
    context: usize,
    decoded: usize,
    /// Decoded, but held back.
    held: String,
    /// Given out.
    text: String,
}

/// What came of a token.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The text goes on; this much of it is new and may be shown.
    GoOn(String),
    /// A text to stop at was found; this is the last that may be shown.
    Stop(String),
}

impl<'a> Release<'a> {
    pub(super) fn new(tokenizer: &'a Tokenizer, stops: &'a [String]) -> Self {
        let (ids, held, text) = (Vec::new(), String::new(), String::new());
        Release { tokenizer, stops, ids, context: 0, decoded: 0, held, text }
    }

    /// Adds a token.
    pub(super) fn push(&mut self, id: u32) -> Result<Step, Error> {
        self.ids.push(id);
        let new = self.decode(false)?;
        Ok(self.release(&new))
    }

    /// What is left to show when there are no more tokens.
    pub(super) fn finish(&mut self) -> Result<String, Error> {
        let new = self.decode(true)?;
        let mut shown = match self.release(&new) {
            Step::GoOn(shown) => shown,
            Step::Stop(shown) => return Ok(shown),
        };
        let held = std::mem::take(&mut self.held);
        self.text.push_str(&held);
        shown.push_str(&held);
        Ok(shown)
    }

    /// The tokens, and the text that was given out.
    pub(super) fn into_parts(self) -> (Vec<u32>, String) {
        (self.ids, self.text)
    }

    pub(super) fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The text of the tokens that were not decoded yet; empty while it ends inside a character, unless this is the end.
    fn decode(&mut self, end: bool) -> Result<String, Error> {
        if self.decoded == self.ids.len() {
            return Ok(String::new());
        }
        let before = self.tokenizer.decode(&self.ids[self.context..self.decoded])?;
        let all = self.tokenizer.decode(&self.ids[self.context..])?;
        let waiting = self.ids.len() - self.decoded;
        if all.ends_with(char::REPLACEMENT_CHARACTER) && waiting < LONGEST_CHARACTER && !end {
            return Ok(String::new());
        }
        let new = all.strip_prefix(&before).unwrap_or_default().to_owned();
        (self.context, self.decoded) = (self.decoded, self.ids.len());
        Ok(new)
    }

    fn release(&mut self, new: &str) -> Step {
        self.held.push_str(new);
        let found = self.stops.iter().filter_map(|stop| self.held.find(stop.as_str())).min();
        let shown = match found {
            Some(start) => {
                self.held.truncate(start);
                std::mem::take(&mut self.held)
            }
            None => {
                let rest = self.held.split_off(self.held.len() - self.beginning_of_stop());
                std::mem::replace(&mut self.held, rest)
            }
        };
        self.text.push_str(&shown);
        match found {
            Some(_) => Step::Stop(shown),
            None => Step::GoOn(shown),
        }
    }

    /// How many bytes at the end of what is held are the beginning of a text to stop at.
    fn beginning_of_stop(&self) -> usize {
        let longest = |stop: &String| {
            let ends = stop.char_indices().map(|(end, _)| end).rev();
            ends.into_iter().find(|&end| self.held.ends_with(&stop[..end])).unwrap_or(0)
        };
        self.stops.iter().map(longest).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tokenizer whose ids 0 to 255 are bytes.
    fn bytes() -> Tokenizer {
        // The bytes that are no visible letters of Latin-1 are written as letters from 256 on.
        let visible = |byte: &u32| matches!(byte, 33..=126 | 161..=172 | 174..=255);
        let mut next = 256;
        let mut letter = |byte: u32| match visible(&byte) {
            true => byte,
            false => {
                next += 1;
                next - 1
            }
        };
        let vocabulary: serde_json::Map<String, serde_json::Value> =
            (0..256).map(|byte| (char::from_u32(letter(byte)).unwrap().to_string(), byte.into())).collect();
        let file = serde_json::json!({
            "model": {"type": "BPE", "vocab": vocabulary, "merges": []},
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false},
            "decoder": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false},
        });
        Tokenizer::from_json(file.to_string().as_bytes()).unwrap()
    }

    fn pieces(text: &[u8], stops: &[&str]) -> (Vec<String>, String) {
        let (tokenizer, stops) = (bytes(), stops.iter().map(|stop| stop.to_string()).collect::<Vec<_>>());
        let mut release = Release::new(&tokenizer, &stops);
        let mut pieces = Vec::new();
        for &byte in text {
            match release.push(byte.into()).unwrap() {
                Step::GoOn(piece) => pieces.push(piece),
                Step::Stop(piece) => {
                    pieces.push(piece);
                    return (pieces, release.into_parts().1);
                }
            }
        }
        pieces.push(release.finish().unwrap());
        (pieces, release.into_parts().1)
    }

    #[test]
    fn characters_come_whole() {
        let (pieces, text) = pieces("aé𝄞b".as_bytes(), &[]);
        assert_eq!(pieces, ["a", "", "é", "", "", "", "𝄞", "b", ""]);
        assert_eq!(text, "aé𝄞b");
    }

    #[test]
    fn what_is_no_character_is_not_held_for_ever() {
        let (_, text) = pieces(b"a\xff\xff\xff\xff\xffb\xe2\x82", &[]);
        assert!(text.starts_with("a\u{fffd}") && text.contains('b'), "{text:?}");
    }

    #[test]
    fn nothing_past_a_stop_is_released() {
        let (found, text) = pieces(b"one END two", &["END", "two"]);
        assert_eq!(text, "one ");
        // The beginnings of END were held back.
        assert_eq!(found.concat(), "one ");
        let (_, text) = pieces(b"EN ENENDx", &["END"]);
        assert_eq!(text, "EN EN");
        // A beginning that comes to nothing is released in the end.
        let (_, text) = pieces(b"abc EN", &["END"]);
        assert_eq!(text, "abc EN");
        let (_, text) = pieces("a→b".as_bytes(), &["→"]);
        assert_eq!(text, "a");
    }

    #[test]
    fn the_first_of_several_stops_counts() {
        let (_, text) = pieces(b"abcd", &["cd", "bc"]);
        assert_eq!(text, "a");
    }
}
