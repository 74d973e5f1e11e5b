//! The spelling of words and pieces of words in vocabularies.

use crate::{Casing, Flags};

/// How a vocabulary marks the beginning and the continuation of words.
///
/// ```
/// use inkveil_lexicon::Spelling;
///
/// assert_eq!(Spelling::detect(["walk", "##ing"].into_iter()), Spelling::WordPiece);
/// assert_eq!(Spelling::detect(["Ġwalk", "ing"].into_iter()), Spelling::ByteLevel);
/// assert_eq!(Spelling::detect(["walk", "talk"].into_iter()), Spelling::Words);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// `##` continues a word (BERT, MPNet).
    WordPiece,
    /// `Ġ` is the space before a word, and other bytes are also written as letters (GPT-2, Llama 3,
    /// Qwen).
    ByteLevel,
    /// `▁` is the space before a word, and bytes are written as `<0x0A>` (T5, Llama 2).
    Metaspace,
    /// Whole words, written without marks.
    Words,
}

/// A token's text for people, and the properties that follow from it.
pub(crate) struct ParsedToken {
    pub(crate) text: String,
    pub(crate) flags: Flags,
}

impl Spelling {
    /// Returns the spelling whose mark most tokens have.
    pub fn detect<'a>(tokens: impl Iterator<Item = &'a str>) -> Self {
        let marks = [(Self::WordPiece, "##"), (Self::ByteLevel, "Ġ"), (Self::Metaspace, "▁")];
        let mut counts = [0_usize; 3];
        for token in tokens {
            for ((_, mark), count) in marks.iter().zip(&mut counts) {
                // A bare mark may be a token of any tokenizer.
                *count += usize::from(token.len() > mark.len() && token.starts_with(mark));
            }
        }
        let most = (0..3).max_by_key(|&i| (counts[i], std::cmp::Reverse(i)));
        match most {
            Some(i) if counts[i] > 0 => marks[i].0,
            _ => Self::Words,
        }
    }

    /// Parses a token. Only the tokenizer knows reliably which tokens are special.
    pub(crate) fn parse(self, token: &str) -> ParsedToken {
        if is_special(token) {
            return ParsedToken { text: String::new(), flags: Flags::SPECIAL };
        }
        if is_reserved(token) {
            return ParsedToken { text: String::new(), flags: Flags::UNUSED };
        }
        let (text, starts_word) = match self {
            Self::WordPiece => match token.strip_prefix("##") {
                Some(piece) if !piece.is_empty() => (piece.to_owned(), false),
                _ => (token.to_owned(), true),
            },
            Self::ByteLevel => match bytes_to_text(token) {
                Some(text) => spaced(text),
                None => return ParsedToken { text: String::new(), flags: Flags::CONTROL },
            },
            Self::Metaspace if is_byte(token) => {
                return ParsedToken { text: String::new(), flags: Flags::CONTROL };
            }
            Self::Metaspace => spaced(token.replace('▁', " ")),
            Self::Words => (token.to_owned(), true),
        };
        let position = if starts_word { Flags::WORD_START } else { Flags::PIECE };
        ParsedToken { flags: position | flags_of(&text), text }
    }
}

/// Returns the properties of an entry's characters.
fn flags_of(text: &str) -> Flags {
    let mut flags = Casing::of(text).map_or(Flags::NONE, Casing::flag);
    let all = |test: fn(char) -> bool| !text.is_empty() && text.chars().all(test);
    if all(char::is_whitespace) || text.is_empty() {
        flags |= Flags::WHITE_SPACE;
    } else if text.chars().any(|c| c.is_control() || c == char::REPLACEMENT_CHARACTER) {
        flags |= Flags::CONTROL;
    } else if all(|c| c.is_alphabetic() || unicode_normalization::char::is_combining_mark(c)) {
        flags |= Flags::ALPHABETIC;
    } else if all(char::is_numeric) {
        flags |= Flags::NUMBER;
    } else if all(|c| !c.is_alphanumeric()) {
        flags |= Flags::PUNCTUATION;
    }
    flags
}

/// Strips a text; a leading space says that it begins a word. White space alone is kept.
fn spaced(text: String) -> (String, bool) {
    match text.trim() {
        "" => (text, true),
        trimmed => (trimmed.to_owned(), text.starts_with(char::is_whitespace)),
    }
}

/// Recognises usual names of special tokens, for tokenizers that do not declare theirs.
fn is_special(token: &str) -> bool {
    let name = |open: &str, close: &str| token.strip_prefix(open)?.strip_suffix(close);
    let bare =
        name("[", "]").or_else(|| name("<|", "|>")).or_else(|| name("</", ">")).or_else(|| name("<", ">"));
    let known = ["pad", "unk", "cls", "sep", "mask", "s", "bos", "eos", "endoftext", "im_start", "im_end"];
    bare.is_some_and(|bare| known.iter().any(|known| bare.eq_ignore_ascii_case(known)))
}

/// Recognises usual names of reserved entries.
fn is_reserved(token: &str) -> bool {
    ["[unused", "<unused", "<extra_id_", "<|reserved_", "<|extra_", "<reserved_", "madeupword"]
        .iter()
        .any(|prefix| token.starts_with(prefix))
}

/// Recognises `<0x0A>`: a single byte that is not a character.
fn is_byte(token: &str) -> bool {
    token
        .strip_prefix("<0x")
        .and_then(|rest| rest.strip_suffix('>'))
        .is_some_and(|digits| digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Decodes a byte-level token. Such vocabularies write each byte as one printable letter: printable
/// Latin-1 characters represent themselves, and the 68 other bytes, in order, are the letters from
/// U+0100 on. Returns `None` if the bytes are not whole characters.
fn bytes_to_text(token: &str) -> Option<String> {
    let bytes: Option<Vec<u8>> = token.chars().map(byte_of).collect();
    match bytes {
        Some(bytes) => String::from_utf8(bytes).ok(),
        // Added tokens are not encoded this way.
        None => Some(token.to_owned()),
    }
}

fn byte_of(letter: char) -> Option<u8> {
    let code = u32::from(letter);
    match u8::try_from(code) {
        Ok(byte) => represents_itself(byte).then_some(byte),
        Err(_) => {
            let index = usize::try_from(code.checked_sub(256)?).ok()?;
            (0..=u8::MAX).filter(|&byte| !represents_itself(byte)).nth(index)
        }
    }
}

fn represents_itself(byte: u8) -> bool {
    matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(spelling: Spelling, token: &str) -> (String, Flags) {
        let ParsedToken { text, flags } = spelling.parse(token);
        (text, flags)
    }

    #[test]
    fn word_piece_tokens_are_parsed() {
        let word = Flags::WORD_START | Flags::ALPHABETIC | Flags::LOWER;
        assert_eq!(read(Spelling::WordPiece, "walk"), ("walk".into(), word));
        let piece = Flags::PIECE | Flags::ALPHABETIC | Flags::LOWER;
        assert_eq!(read(Spelling::WordPiece, "##ing"), ("ing".into(), piece));
        let mark = Flags::WORD_START | Flags::PUNCTUATION;
        assert_eq!(read(Spelling::WordPiece, "##"), ("##".into(), mark));
        assert_eq!(read(Spelling::WordPiece, "1984"), ("1984".into(), Flags::WORD_START | Flags::NUMBER));
        assert_eq!(read(Spelling::WordPiece, "[unused12]").1, Flags::UNUSED);
        for special in ["[CLS]", "<s>", "</s>", "<unk>", "<|endoftext|>"] {
            assert_eq!(read(Spelling::WordPiece, special), (String::new(), Flags::SPECIAL));
        }
        assert!(!read(Spelling::WordPiece, "[s").1.contains(Flags::SPECIAL));
        let capital = Flags::WORD_START | Flags::CAPITAL;
        assert_eq!(read(Spelling::WordPiece, "B12"), ("B12".into(), capital));
    }

    #[test]
    fn byte_level_tokens_are_parsed() {
        assert_eq!(read(Spelling::ByteLevel, "Ġcaf\u{c3}\u{a9}").0, "café");
        assert!(read(Spelling::ByteLevel, "ing").1.contains(Flags::PIECE));
        assert!(read(Spelling::ByteLevel, "Ċ").1.contains(Flags::WHITE_SPACE)); // a line feed
        assert_eq!(read(Spelling::ByteLevel, "ðŁ"), (String::new(), Flags::CONTROL)); // half an emoji
        assert!(read(Spelling::ByteLevel, "Ā").1.contains(Flags::CONTROL)); // byte 0
        // Every byte has exactly one letter.
        let letters: Vec<u8> = (0x21..0x144).filter_map(char::from_u32).filter_map(byte_of).collect();
        let mut sorted = letters.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..=255).collect::<Vec<u8>>());
        assert_eq!((byte_of('Ġ'), byte_of('Ċ'), byte_of('Ń')), (Some(b' '), Some(b'\n'), Some(0xad)));
        assert_eq!((byte_of('ń'), byte_of(' ')), (None, None));
    }

    #[test]
    fn metaspace_tokens_are_parsed() {
        assert!(read(Spelling::Metaspace, "▁walk").1.contains(Flags::WORD_START));
        assert_eq!(read(Spelling::Metaspace, "▁walk").0, "walk");
        assert_eq!(read(Spelling::Metaspace, "<0x0A>").1, Flags::CONTROL);
        assert!(read(Spelling::Metaspace, "▁▁").1.contains(Flags::WHITE_SPACE));
    }

    #[test]
    fn a_few_odd_tokens_do_not_change_the_spelling() {
        let tokens = ["walk", "##ing", "##s", "Ġx"];
        assert_eq!(Spelling::detect(tokens.into_iter()), Spelling::WordPiece);
        assert_eq!(Spelling::detect(["##", "#"].into_iter()), Spelling::Words);
    }
}
