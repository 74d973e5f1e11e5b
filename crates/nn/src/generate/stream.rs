//! Streams generated text token by token: only whole characters, and nothing from a stop text on.

use crate::{Error, Tokenizer};

/// A character has at most four bytes, so bytes that do not form a character after this many tokens
/// never will.
const LONGEST_CHARACTER: usize = 4;

/// The text of one continuation. It emits whole characters, and holds back anything that may be the
/// beginning of a stop text.
pub(super) struct TextStream<'a> {
    tokenizer: &'a Tokenizer,
    stops: &'a [String],
    ids: Vec<u32>,
    /// The text of `ids[..decoded]` is known; the part from `context` on is needed to decode the
    /// following tokens.
    context: usize,
    decoded: usize,
    /// Decoded text that is held back.
    held: String,
    /// Emitted text.
    text: String,
}

/// The result of adding a token.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum StreamEvent {
    /// The text continues; this new part may be shown.
    Continue(String),
    /// A stop text was found; this is the last part that may be shown.
    Stop(String),
}

impl<'a> TextStream<'a> {
    pub(super) fn new(tokenizer: &'a Tokenizer, stops: &'a [String]) -> Self {
        let (ids, held, text) = (Vec::new(), String::new(), String::new());
        TextStream { tokenizer, stops, ids, context: 0, decoded: 0, held, text }
    }

    /// Adds a token.
    pub(super) fn push(&mut self, id: u32) -> Result<StreamEvent, Error> {
        self.ids.push(id);
        let new = self.decode(false)?;
        Ok(self.emit(&new))
    }

    /// Returns the remaining text when there are no more tokens.
    pub(super) fn finish(&mut self) -> Result<String, Error> {
        let new = self.decode(true)?;
        let mut shown = match self.emit(&new) {
            StreamEvent::Continue(shown) => shown,
            StreamEvent::Stop(shown) => return Ok(shown),
        };
        let held = std::mem::take(&mut self.held);
        self.text.push_str(&held);
        shown.push_str(&held);
        Ok(shown)
    }

    /// Returns the tokens and the emitted text.
    pub(super) fn into_parts(self) -> (Vec<u32>, String) {
        (self.ids, self.text)
    }

    pub(super) fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Decodes the new tokens. Returns an empty text while it ends inside a character, unless `end`
    /// is set.
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

    fn emit(&mut self, new: &str) -> StreamEvent {
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
            Some(_) => StreamEvent::Stop(shown),
            None => StreamEvent::Continue(shown),
        }
    }

    /// Returns how many bytes at the end of the held text are the beginning of a stop text.
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

    /// Creates a tokenizer whose ids 0 to 255 are bytes.
    fn bytes() -> Tokenizer {
        // Bytes that are not visible Latin-1 letters are written as letters from 256 on.
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
        let mut stream = TextStream::new(&tokenizer, &stops);
        let mut pieces = Vec::new();
        for &byte in text {
            match stream.push(byte.into()).unwrap() {
                StreamEvent::Continue(piece) => pieces.push(piece),
                StreamEvent::Stop(piece) => {
                    pieces.push(piece);
                    return (pieces, stream.into_parts().1);
                }
            }
        }
        pieces.push(stream.finish().unwrap());
        (pieces, stream.into_parts().1)
    }

    #[test]
    fn only_whole_characters_are_emitted() {
        let (pieces, text) = pieces("aé𝄞b".as_bytes(), &[]);
        assert_eq!(pieces, ["a", "", "é", "", "", "", "𝄞", "b", ""]);
        assert_eq!(text, "aé𝄞b");
    }

    #[test]
    fn invalid_bytes_are_not_held_back_forever() {
        let (_, text) = pieces(b"a\xff\xff\xff\xff\xffb\xe2\x82", &[]);
        assert!(text.starts_with("a\u{fffd}") && text.contains('b'), "{text:?}");
    }

    #[test]
    fn nothing_after_a_stop_text_is_emitted() {
        let (found, text) = pieces(b"one END two", &["END", "two"]);
        assert_eq!(text, "one ");
        // The beginnings of END were held back.
        assert_eq!(found.concat(), "one ");
        let (_, text) = pieces(b"EN ENENDx", &["END"]);
        assert_eq!(text, "EN EN");
        // The beginning of an incomplete stop text is emitted at the end.
        let (_, text) = pieces(b"abc EN", &["END"]);
        assert_eq!(text, "abc EN");
        let (_, text) = pieces("a→b".as_bytes(), &["→"]);
        assert_eq!(text, "a");
    }

    #[test]
    fn the_earliest_stop_text_counts() {
        let (_, text) = pieces(b"abcd", &["cd", "bc"]);
        assert_eq!(text, "a");
    }
}
