//! A text as the observers see it: tokens, words with their roles, and sentences.

use std::ops::Range;

use super::lexicon::{Entry, Role, Roles, entry};
use super::sentences::{Sentence, split};
use super::tokens::{Kind, Token, is_apostrophe, tokens};

/// The casing of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// "word", or letters without case.
    Lower,
    /// "Word", "I".
    Capital,
    /// "WORD".
    Upper,
    /// "wOrd".
    Mixed,
}

/// A word and its entry.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// Its position among the tokens.
    pub(super) token: usize,
    /// Its bytes in the text.
    pub(super) place: Range<usize>,
    /// The bytes of its lower-case form in [`Reading::lower`].
    lower: Range<usize>,
    /// Its number of characters without apostrophes.
    pub(super) letters: usize,
    pub(super) case: Case,
    /// Whether its apostrophe is curly, if it has one.
    pub(super) curly: Option<bool>,
    /// Whether only a space lies between it and the word before.
    pub(super) follows: bool,
    pub(super) roles: Roles,
    pub(super) function: Option<u8>,
}

impl Word {
    pub(super) fn is(&self, role: Role) -> bool {
        self.roles.has(role)
    }
}

/// A text, analysed once for all observers.
pub(super) struct Reading<'t> {
    pub(super) text: &'t str,
    pub(super) tokens: Vec<Token>,
    pub(super) words: Vec<Word>,
    pub(super) sentences: Vec<Sentence>,
    lower: String,
}

impl<'t> Reading<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let tokens = tokens(text);
        let mut words: Vec<Word> = Vec::with_capacity(tokens.len() / 2 + 1);
        let mut lower = String::with_capacity(text.len());
        for (n, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Word) {
            let start = lower.len();
            let Shape { letters, case, curly } = lower_into(&mut lower, &text[token.range()]);
            let Entry { roles, function } = entry(&lower[start..]);
            let follows = words.last().is_some_and(|last| {
                last.token + 2 == n && tokens.get(n - 1).is_some_and(|between| between.kind == Kind::Space)
            });
            let (place, lower) = (token.range(), start..lower.len());
            words.push(Word { token: n, place, lower, letters, case, curly, follows, roles, function });
        }
        let sentences = split(text, &tokens, &words);
        Self { text, tokens, words, sentences, lower }
    }

    /// Returns a word in lower case with straight apostrophes.
    pub(super) fn lower(&self, word: &Word) -> &str {
        &self.lower[word.lower.clone()]
    }

    /// Returns the word at an index in lower case; empty if there is none.
    pub(super) fn word(&self, index: usize) -> &str {
        self.words.get(index).map_or("", |word| self.lower(word))
    }

    /// Returns the next word, if only a space lies between.
    pub(super) fn next(&self, index: usize) -> Option<&Word> {
        self.words.get(index + 1).filter(|next| next.follows)
    }

    /// Returns the previous word, if only a space lies between.
    pub(super) fn previous(&self, index: usize) -> Option<&Word> {
        self.words.get(index).filter(|word| word.follows)?;
        self.words.get(index.checked_sub(1)?)
    }

    /// Returns the next word in lower case, if only a space lies between.
    pub(super) fn next_word(&self, index: usize) -> &str {
        self.next(index).map_or("", |word| self.lower(word))
    }

    /// Returns the previous word in lower case, if only a space lies between.
    pub(super) fn previous_word(&self, index: usize) -> &str {
        self.previous(index).map_or("", |word| self.lower(word))
    }

    /// Returns the token at an offset from another one.
    pub(super) fn token(&self, index: usize, offset: isize) -> Option<&Token> {
        self.tokens.get(index.checked_add_signed(offset)?)
    }
}

struct Shape {
    letters: usize,
    case: Case,
    curly: Option<bool>,
}

/// Appends a word in lower case and returns its casing and length.
fn lower_into(lower: &mut String, word: &str) -> Shape {
    let (mut letters, mut upper, mut small, mut curly) = (0, 0, 0, None);
    let mut first_upper = false;
    for (n, c) in word.chars().enumerate() {
        if is_apostrophe(c) {
            curly = Some(c != '\'');
            lower.push('\'');
            continue;
        }
        letters += 1;
        if c.is_ascii_lowercase() {
            small += 1;
            lower.push(c);
        } else if c.is_uppercase() {
            upper += 1;
            first_upper |= n == 0;
            lower.extend(c.to_lowercase());
        } else {
            small += usize::from(c.is_lowercase());
            lower.push(c);
        }
    }
    let case = match (upper, small) {
        (0, _) => Case::Lower,
        (1, _) if first_upper => Case::Capital,
        // "I'M" and "A" count like "I'm", not as capitals.
        (_, 0) => Case::Upper,
        _ => Case::Mixed,
    };
    Shape { letters, case, curly }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_their_casing() {
        let reading = Reading::new("I DON’T like iPhones, Anna.");
        let cases: Vec<Case> = reading.words.iter().map(|word| word.case).collect();
        assert_eq!(cases, [Case::Capital, Case::Upper, Case::Lower, Case::Mixed, Case::Capital]);
        assert_eq!((reading.word(1), reading.words[1].curly), ("don't", Some(true)));
        assert_eq!(reading.words[1].letters, 4);
    }

    #[test]
    fn neighbours_are_separated_by_a_space_only() {
        let reading = Reading::new("one two, three\nfour");
        assert_eq!((reading.next_word(0), reading.next_word(1), reading.next_word(2)), ("two", "", ""));
        assert_eq!(
            (reading.previous_word(1), reading.previous_word(2), reading.previous_word(0)),
            ("one", "", "")
        );
        assert_eq!(reading.next_word(99), "");
    }
}
