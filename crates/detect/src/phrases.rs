//! The user's words and phrases, found as whole words.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::tagger::words::{Word, words};
use crate::{Kind, Source, Span, Why};

/// Phrases, looked up by their first word.
#[derive(Default)]
pub(crate) struct Phrases {
    phrases: Vec<Phrase>,
    by_first: HashMap<String, Vec<usize>>,
}

struct Phrase {
    /// As they are written.
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
        let words: Vec<String> = words(text).iter().map(|word| word.of(text).to_owned()).collect();
        let Some(first) = words.first() else { return };
        self.by_first.entry(first.to_lowercase()).or_default().push(self.phrases.len());
        let name = name.to_owned().into();
        self.phrases.push(Phrase { words, ignore_case, kind: kind.clone(), score, source, name });
    }

    /// Every place where a phrase stands, whatever space is between its words.
    pub(crate) fn find(&self, text: &str, found: &mut Vec<Span>) {
        if self.phrases.is_empty() {
            return;
        }
        let words = words(text);
        for (n, word) in words.iter().enumerate() {
            let Some(begun) = self.by_first.get(&word.of(text).to_lowercase()) else { continue };
            for phrase in begun.iter().map(|&index| &self.phrases[index]) {
                let Some(there) = words.get(n..n + phrase.words.len()) else { continue };
                if phrase.is(text, there) {
                    found.push(phrase.span(word.start, there.last().map_or(word.end, |last| last.end)));
                }
            }
        }
    }
}

impl Phrase {
    fn is(&self, text: &str, there: &[Word]) -> bool {
        self.words.iter().zip(there).all(|(wanted, word)| {
            let word = word.of(text);
            wanted == word || self.ignore_case && wanted.to_lowercase() == word.to_lowercase()
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
    }
}
