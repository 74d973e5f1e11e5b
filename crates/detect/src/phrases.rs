//! Words and phrases of the user, found as whole words. In scripts without spaces they are found anywhere.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::kind::Kind;
use crate::rules::letters::is_unspaced;
use crate::span::{FoundBy, Reason, Span};
use crate::tagger::words::is_part;

/// Phrases, indexed by their first word.
#[derive(Default)]
pub(crate) struct Phrases {
    phrases: Vec<Phrase>,
    /// In lower case.
    by_first: HashMap<String, Vec<usize>>,
}

struct Phrase {
    /// In lower case if case is ignored.
    words: Vec<String>,
    ignore_case: bool,
    kind: Kind,
    score: f32,
    found_by: FoundBy,
    name: Cow<'static, str>,
}

impl Phrases {
    /// Adds a phrase. An empty phrase is ignored.
    pub(crate) fn add(
        &mut self,
        text: &str,
        ignore_case: bool,
        kind: &Kind,
        score: f32,
        (found_by, name): (FoundBy, &str),
    ) {
        let written: Vec<&str> = words(text).into_iter().map(|word| &text[word]).collect();
        let Some(first) = written.first() else { return };
        self.by_first.entry(lower(first).collect()).or_default().push(self.phrases.len());
        let kept = |word: &&str| if ignore_case { lower(word).collect() } else { (*word).to_owned() };
        let words = written.iter().map(kept).collect();
        let name = name.to_owned().into();
        self.phrases.push(Phrase { words, ignore_case, kind: kind.clone(), score, found_by, name });
    }

    /// Adds all occurrences of the phrases, with any space between words.
    pub(crate) fn find(&self, text: &str, found: &mut Vec<Span>) {
        if self.phrases.is_empty() {
            return;
        }
        let words = words(text);
        let mut first = String::new();
        for (n, word) in words.iter().enumerate() {
            first.clear();
            first.extend(lower(&text[word.clone()]));
            let Some(candidates) = self.by_first.get(&first) else { continue };
            for phrase in candidates.iter().map(|&index| &self.phrases[index]) {
                let Some(there) = words.get(n..n + phrase.words.len()) else { continue };
                if phrase.is(text, there) {
                    found.push(phrase.span(word.start, there.last().map_or(word.end, |last| last.end)));
                }
            }
        }
    }
}

/// Splits a text into words and single other characters. In scripts without spaces every character is a
/// word, because word boundaries are unknown.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    // The end of the last word if the next letter may continue it.
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

/// Lower-cases letter by letter, so that the end of a word does not change its other letters.
fn lower(word: &str) -> impl Iterator<Item = char> {
    word.chars().flat_map(char::to_lowercase)
}

impl Phrase {
    fn is(&self, text: &str, there: &[Range<usize>]) -> bool {
        self.words.iter().zip(there).all(|(wanted, word)| {
            let word = &text[word.clone()];
            if self.ignore_case { lower(word).eq(wanted.chars()) } else { wanted == word }
        })
    }

    fn span(&self, start: usize, end: usize) -> Span {
        let reason = Reason::new(self.found_by, self.name.clone());
        Span { start, end, kind: self.kind.clone(), score: self.score, reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(phrase: &str, ignore_case: bool, text: &str) -> Vec<(usize, usize)> {
        let mut phrases = Phrases::default();
        phrases.add(phrase, ignore_case, &Kind::Id, 1.0, (FoundBy::Deny, "deny"));
        let mut found = Vec::new();
        phrases.find(text, &mut found);
        found.iter().map(|span| (span.start, span.end)).collect()
    }

    #[test]
    fn phrases_are_whole_words_with_any_spacing() {
        assert_eq!(found("Blue Heron", true, "the BLUE\n heron, blue herons"), [(4, 15)]);
        assert_eq!(found("Blue Heron", false, "the BLUE heron, Blue Heron"), [(16, 26)]);
        assert_eq!(found("Straße", true, "STRASSE STRAßE"), [(8, 15)]);
        assert!(found(" ", true, "a b").is_empty());
        let long = "x".repeat(100);
        assert_eq!(found(&long, true, &format!("a {long} {long}y")), [(2, 102)]);
    }

    #[test]
    fn phrases_are_found_in_scripts_without_spaces() {
        assert_eq!(found("王小明", true, "我叫王小明。"), [(6, 15)]);
        assert_eq!(found("佐々木", true, "担当は佐々木です"), [(9, 18)]);
        assert_eq!(found("สมชาย", true, "ผมชื่อสมชายครับ"), [(18, 33)]);
        assert_eq!(found("김민수", true, "김민수는 갔다"), [(0, 9)]);
        assert_eq!(found("Ana王", true, "我叫ana王B"), [(6, 12)]);
        assert_eq!(found("Ana", true, "我叫Ana。Anabel不在"), [(6, 9)]);
        assert!(found("王小明", true, "王小红").is_empty());
    }
}
