//! A text as words, numbers, signs and spaces, in one pass.

use std::ops::Range;

use super::writings::{emoji_end, emoticon_end, handle_end, link_end};

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters, with apostrophes between them and digits after them: "don't", "mp3".
    Word,
    /// Digits, with signs between them and letters after them: "3.5", "1,000", "2nd".
    Number,
    /// A web or mail address.
    Link,
    /// "@name".
    Mention,
    /// "#topic".
    Hashtag,
    /// ":-)".
    Emoticon,
    /// One emoji with its modifiers.
    Emoji,
    /// A run of one sign: ",", "...", "!!".
    Sign,
    /// A run of spaces within a line.
    Space,
    /// One or more line breaks, with empty lines between them.
    Break,
}

/// A piece of the text. Tokens cover the text without gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: Kind,
    /// Returns its first character.
    pub(super) first: char,
}

impl Token {
    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns the number of signs in a run.
    pub(super) fn run(&self) -> usize {
        (self.end - self.start) / self.first.len_utf8()
    }

    pub(super) fn is_sign(&self, sign: char) -> bool {
        self.kind == Kind::Sign && self.first == sign
    }
}

/// Returns whether a character is an apostrophe of any form.
pub(super) fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | 'ʼ')
}

/// Splits a text into tokens.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::with_capacity(text.len() / 3 + 1);
    let mut at = 0;
    // Addresses, mentions and emoticons do not start inside a word.
    let mut after_word = false;
    while let Some(first) = text[at..].chars().next() {
        let (kind, end) = token_at(text, at, first, after_word);
        after_word = matches!(kind, Kind::Word | Kind::Number);
        tokens.push(Token { start: at, end, kind, first });
        at = end;
    }
    tokens
}

fn token_at(text: &str, at: usize, first: char, after_word: bool) -> (Kind, usize) {
    let rest = &text[at..];
    if first.is_alphabetic() {
        if let Some(length) = link_end(rest) {
            return (Kind::Link, at + length);
        }
        let length = word_end(rest);
        return match &rest[..length] {
            "xD" | "XD" => (Kind::Emoticon, at + length),
            _ => (Kind::Word, at + length),
        };
    }
    if is_line_break(first) {
        let blank = rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len());
        // The part after the last break is the indentation of the next line.
        let last = rest[..blank].rfind(is_line_break).unwrap_or(0);
        let end = last + rest[last..].chars().next().map_or(1, char::len_utf8);
        return (Kind::Break, at + end);
    }
    let run = |is_part: &dyn Fn(char) -> bool| at + rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    if first.is_whitespace() {
        return (Kind::Space, run(&|c| c.is_whitespace() && !is_line_break(c)));
    }
    if first.is_numeric() {
        return (Kind::Number, at + number_end(rest));
    }
    if !after_word && let Some(length) = handle_end(rest) {
        return (if first == '@' { Kind::Mention } else { Kind::Hashtag }, at + length);
    }
    if let Some(length) = emoticon_end(rest, after_word) {
        return (Kind::Emoticon, at + length);
    }
    if let Some(length) = emoji_end(rest) {
        return (Kind::Emoji, at + length);
    }
    (Kind::Sign, run(&|c| c == first))
}

/// Returns whether a character ends a line.
pub(super) fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns whether a character is a combining accent, which belongs to the letter before.
fn is_word_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\u{300}'..='\u{36f}')
}

/// Returns the end of the word at the start of the text.
fn word_end(text: &str) -> usize {
    run_end(text, |sign, next| is_apostrophe(sign) && next.is_alphabetic())
}

/// Returns the end of the number at the start of the text.
fn number_end(text: &str) -> usize {
    run_end(text, |sign, next| matches!(sign, '.' | ',' | ':') && next.is_numeric())
}

/// Returns the end of letters and digits, and of signs that join them with the next.
fn run_end(text: &str, joins: impl Fn(char, char) -> bool) -> usize {
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        if !is_word_part(c) && !characters.peek().is_some_and(|&(_, next)| joins(c, next)) {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        let tokens = tokens(text);
        tokens
            .iter()
            .filter(|token| token.kind != Kind::Space)
            .map(|token| (token.kind, &text[token.range()]))
            .collect()
    }

    #[test]
    fn words_numbers_and_signs_are_split() {
        use Kind::{Break, Number, Sign, Word};
        assert_eq!(
            kinds("Don’t pay 1,000.50, it's 2nd-rate...\n \nOK 'no'"),
            [
                (Word, "Don’t"),
                (Word, "pay"),
                (Number, "1,000.50"),
                (Sign, ","),
                (Word, "it's"),
                (Number, "2nd"),
                (Sign, "-"),
                (Word, "rate"),
                (Sign, "..."),
                (Break, "\n \n"),
                (Word, "OK"),
                (Sign, "'"),
                (Word, "no"),
                (Sign, "'"),
            ]
        );
    }

    #[test]
    fn online_writing_is_split() {
        use Kind::{Emoji, Emoticon, Hashtag, Link, Mention, Sign, Word};
        assert_eq!(
            kinds("see https://a.example/b?c=d, ask @ann_b #fun :-) 👩🏽‍💻xD me@mail.example."),
            [
                (Word, "see"),
                (Link, "https://a.example/b?c=d"),
                (Sign, ","),
                (Word, "ask"),
                (Mention, "@ann_b"),
                (Hashtag, "#fun"),
                (Emoticon, ":-)"),
                (Emoji, "👩🏽‍💻"),
                (Emoticon, "xD"),
                (Link, "me@mail.example"),
                (Sign, "."),
            ]
        );
    }

    #[test]
    fn tokens_cover_the_text() {
        let text = "a\u{301} b\r\n\r\n  c\u{2028}…?!  ";
        let tokens = tokens(text);
        assert_eq!(tokens.first().unwrap().start, 0);
        assert_eq!(tokens.last().unwrap().end, text.len());
        assert!(tokens.windows(2).all(|two| two[0].end == two[1].start));
    }
}
