//! The tokens of one text.

use std::fmt;
use std::ops::Range;

/// The tokens of one text, and their byte ranges.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Encoding {
    /// Their ids.
    pub ids: Vec<u32>,
    /// Their byte ranges in the original text, on character boundaries. Added special tokens have
    /// an empty range; tokens that are parts of one character have its whole range.
    pub offsets: Vec<Range<usize>>,
    /// Whether each token begins a word (in GPT-2 including the space before it). Special tokens do
    /// not.
    pub word_starts: Vec<bool>,
}

impl Encoding {
    pub(super) fn new(text: &str, encoding: &tokenizers::Encoding) -> Self {
        let words = encoding.get_word_ids();
        let begins = |(i, word): (usize, &Option<u32>)| word.is_some() && (i == 0 || words[i - 1] != *word);
        Encoding {
            ids: encoding.get_ids().to_vec(),
            offsets: encoding.get_offsets().iter().map(|&range| on_borders(text, range)).collect(),
            word_starts: words.iter().enumerate().map(begins).collect(),
        }
    }

    /// Returns the number of tokens.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns whether there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

/// Widens a byte range to whole characters. The library may cut a character where a byte-level
/// token ends inside it.
fn on_borders(text: &str, (start, end): (usize, usize)) -> Range<usize> {
    let start = text.floor_char_boundary(start);
    start..text.ceil_char_boundary(end).max(start)
}

/// The tokens reveal the text, so `Debug` prints only their number.
impl fmt::Debug for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Encoding({} tokens)", self.ids.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_widened_to_characters() {
        let text = "aé𝄞";
        assert_eq!(on_borders(text, (0, 1)), 0..1);
        assert_eq!(on_borders(text, (2, 4)), 1..7);
        assert_eq!(on_borders(text, (5, 5)), 3..7);
        assert_eq!(on_borders(text, (9, 40)), 7..7);
        assert_eq!(on_borders("", (0, 0)), 0..0);
    }
}
