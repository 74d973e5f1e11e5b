//! Finds whole words in texts.

use std::collections::HashMap;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::align::Token;
use crate::clitics::clitics_start;
use crate::{Error, ErrorKind, Vocabulary};

/// How a word lexicon treats punctuation, symbols and emoji.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Symbols {
    /// As gaps: they are kept.
    #[default]
    Gaps,
    /// As unknown units: they are replaced by the same rules as other units.
    Units,
}

/// Finds words in texts and their entries, ignoring case.
pub(crate) struct WordIndex {
    ids: HashMap<Box<str>, u32>,
    pub(crate) symbols: Symbols,
}

/// The longest word that is looked up, so that a text without spaces is not copied.
const LONGEST_WORD: usize = 256;

impl WordIndex {
    /// If entries differ only in case, the one in lower case is found, otherwise the first.
    pub(crate) fn new(vocabulary: &Vocabulary) -> Result<Self, Error> {
        if vocabulary.allowed().is_empty() {
            return Err(ErrorKind::NothingAllowed.into());
        }
        let mut ids = HashMap::with_capacity(vocabulary.allowed().len());
        for &id in vocabulary.allowed() {
            let Some(text) = vocabulary.text(id) else { continue };
            let folded = fold(text);
            if *folded == *text {
                ids.insert(folded, id);
            } else {
                ids.entry(folded).or_insert(id);
            }
        }
        Ok(Self { ids, symbols: Symbols::default() })
    }

    /// Returns the entry of a word, ignoring case and, if necessary, accents.
    pub(crate) fn find(&self, word: &str) -> Option<u32> {
        if word.len() > LONGEST_WORD {
            return None;
        }
        let folded = fold(word);
        let bare = || folded.nfd().filter(|c| !is_combining_mark(*c)).collect::<String>();
        self.ids.get(&folded).or_else(|| self.ids.get(bare().as_str())).copied()
    }

    /// Splits a text into words (UAX #29), and symbols if they are units.
    pub(crate) fn tokens(&self, text: &str) -> Vec<Token> {
        let mut tokens = Vec::new();
        for (start, segment) in text.split_word_bound_indices() {
            let range = start..start + segment.len();
            if segment.contains(char::is_alphanumeric) {
                self.push_word(segment, range, &mut tokens);
            } else if self.symbols == Symbols::Units && !segment.chars().all(char::is_whitespace) {
                tokens.push(Token { range, id: None, unknown: true, starts_word: true });
            }
        }
        tokens
    }

    /// Adds a word. If it is not in the list, its clitics become a unit of their own: "doctor's" is
    /// "doctor" and "'s". The rest stays whole: "O'Brien" is one unit.
    fn push_word(&self, word: &str, range: Range<usize>, tokens: &mut Vec<Token>) {
        if let Some(id) = self.find(word) {
            tokens.push(Token { range, id: Some(id), unknown: false, starts_word: true });
            return;
        }
        let clitics = clitics_start(word);
        let middle = range.start + clitics;
        if clitics > 0 {
            let id = self.find(&word[..clitics]);
            tokens.push(Token { range: range.start..middle, id, unknown: id.is_none(), starts_word: true });
        }
        if clitics < word.len() {
            tokens.push(Token {
                range: middle..range.end,
                id: None,
                unknown: true,
                starts_word: clitics == 0,
            });
        }
    }
}

/// Folds a word for comparison: lower case, composed.
fn fold(word: &str) -> Box<str> {
    match word.is_ascii() {
        true => word.to_ascii_lowercase().into(),
        // Only composed, not NFKC: full-width and other look-alike letters are another word, which is replaced
        // as unknown and not released in plain letters.
        false => word.nfc().collect::<String>().to_lowercase().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(words: &[&str]) -> WordIndex {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        WordIndex::new(&Vocabulary::of_words(&words)).unwrap()
    }

    fn found<'t>(index: &WordIndex, text: &'t str) -> Vec<(&'t str, Option<u32>)> {
        index.tokens(text).into_iter().map(|token| (&text[token.range], token.id)).collect()
    }

    #[test]
    fn words_are_found_regardless_of_case() {
        let index = index(&["The", "the", "Boston", "cafe", "naïve"]);
        assert_eq!(index.find("THE"), Some(1));
        assert_eq!(index.find("boston"), Some(2));
        assert_eq!(index.find("Café"), Some(3));
        assert_eq!(index.find("cafe\u{301}"), Some(3));
        assert_eq!(index.find("NAI\u{308}VE"), Some(4));
        assert_eq!(index.find("tea"), None);
        assert_eq!(index.find(&"a".repeat(1 << 20)), None);
    }

    #[test]
    fn texts_are_split_into_words() {
        let index = index(&["the", "doctor", "don't", "was"]);
        assert_eq!(
            found(&index, "The doctor’s 3 words wasn't don't can't o'clock… 👩‍⚕️"),
            [
                ("The", Some(0)),
                ("doctor", Some(1)),
                ("’s", None),
                ("3", None),
                ("words", None),
                ("was", Some(3)),
                ("n't", None),
                ("don't", Some(2)),
                ("can't", None),
                ("o'clock", None)
            ]
        );
    }

    #[test]
    fn symbols_may_be_units() {
        let mut index = index(&["tea"]);
        index.symbols = Symbols::Units;
        assert_eq!(found(&index, "tea, 👩‍⚕️!"), [("tea", Some(0)), (",", None), ("👩‍⚕️", None), ("!", None)]);
    }

    #[test]
    fn an_empty_list_is_refused() {
        assert!(WordIndex::new(&Vocabulary::of_words(&[String::new()])).is_err());
    }
}
