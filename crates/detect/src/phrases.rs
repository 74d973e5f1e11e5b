//! The user's words and phrases, found as whole words; in scripts without spaces between words, wherever they stand.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::rules::letters::is_unspaced;
use crate::tagger::words::is_part;
use crate::{Kind, Source, Span, Why};

/// Phrases, looked up by their first word.
#[derive(Default)]
pub(crate) struct Phrases {
    phrases: Vec<Phrase>,
    /// In small letters.
    by_first: HashMap<String, Vec<usize>>,
}

struct Phrase {
    /// In small letters if case does not matter, else as they are written.
    words: Vec<String>,
    ignore_case: bool,
    kind: Kind,
    score: f32,
    source: Source,
    name: Cow<'static, str>,
}

impl Phrases {
    /// Adds a phrase; one without any letter, digit or sign is left out.
    pub(crate) fn add(
        &mut self,
        text: &str,
        ignore_case: bool,
        kind: &Kind,
        score: f32,
        (source, name): (Source, &str),
    ) {
        let written: Vec<&str> = words(text).into_iter().map(|word| &text[word]).collect();
        let Some(first) = written.first() else { return };
        self.by_first.entry(small(first).collect()).or_default().push(self.phrases.len());
        let kept = |word: &&str| if ignore_case { small(word).collect() } else { (*word).to_owned() };
        let words = written.iter().map(kept).collect();
        let name = name.to_owned().into();
        self.phrases.push(Phrase { words, ignore_case, kind: kind.clone(), score, source, name });
    }

    /// Every place where a phrase stands, whatever space is between its words.
    pub(crate) fn find(&self, text: &str, found: &mut Vec<Span>) {
        if self.phrases.is_empty() {
            return;
        }
        let words = words(text);
        let mut first = String::new();
        for (n, word) in words.iter().enumerate() {
            first.clear();
            first.extend(small(&text[word.clone()]));
            let Some(begun) = self.by_first.get(&first) else { continue };
            for phrase in begun.iter().map(|&index| &self.phrases[index]) {
                let Some(there) = words.get(n..n + phrase.words.len()) else { continue };
                if phrase.is(text, there) {
                    found.push(phrase.span(word.start, there.last().map_or(word.end, |last| last.end)));
                }
            }
        }
    }
}

/// Cuts a text into words and single other signs. Where a script has no spaces between words, every character is one: which of them
/// make a word is not known, so a phrase may begin and end at any.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    // Where the last word ends if it goes on with the next letter.
    let mut open = None;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let letter = is_part(c) && !is_unspaced(c);
        match words.last_mut() {
            Some(word) if letter && open == Some(at) => word.end = end,
            _ if !c.is_whitespace() => words.push(at..end),
            _ => {}
        }
        open = letter.then_some(end);
    }
    words
}

/// Letter by letter, so that the end of a word does not change the letters before it.
fn small(word: &str) -> impl Iterator<Item = char> {
    word.chars().flat_map(char::to_lowercase)
}

impl Phrase {
    fn is(&self, text: &str, there: &[Range<usize>]) -> bool {
        self.words.iter().zip(there).all(|(wanted, word)| {
            let word = &text[word.clone()];
            if self.ignore_case { small(word).eq(wanted.chars()) } else { wanted == word }
        })
    }

    fn span(&self, start: usize, end: usize) -> Span {
        let why = Why {
            source: self.source,
            name: self.name.clone(),
            context: None,
            validator: None,
            also: Vec::new(),
        };
        Span { start, end, kind: self.kind.clone(), score: self.score, why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(phrase: &str, ignore_case: bool, text: &str) -> Vec<(usize, usize)> {
        let mut phrases = Phrases::default();
        phrases.add(phrase, ignore_case, &Kind::Id, 1.0, (Source::Deny, "deny"));
        let mut found = Vec::new();
        phrases.find(text, &mut found);
        found.iter().map(|span| (span.start, span.end)).collect()
    }

    #[test]
    fn whole_words_in_any_case_and_spacing() {
        assert_eq!(found("Blue Heron", true, "the BLUE\n heron, blue herons"), [(4, 15)]);
        assert_eq!(found("Blue Heron", false, "the BLUE heron, Blue Heron"), [(16, 26)]);
        assert_eq!(found("Straße", true, "STRASSE STRAßE"), [(8, 15)]);
        assert!(found(" ", true, "a b").is_empty());
        let long = "x".repeat(100);
        assert_eq!(found(&long, true, &format!("a {long} {long}y")), [(2, 102)]);
    }

    #[test]
    fn words_of_scripts_without_spaces() {
        assert_eq!(found("王小明", true, "我叫王小明。"), [(6, 15)]);
        assert_eq!(found("佐々木", true, "担当は佐々木です"), [(9, 18)]);
        assert_eq!(found("สมชาย", true, "ผมชื่อสมชายครับ"), [(18, 33)]);
        assert_eq!(found("김민수", true, "김민수는 갔다"), [(0, 9)]);
        assert_eq!(found("Ana王", true, "我叫ana王B"), [(6, 12)]);
        assert_eq!(found("Ana", true, "我叫Ana。Anabel不在"), [(6, 9)]);
        assert!(found("王小明", true, "王小红").is_empty());
    }
}
