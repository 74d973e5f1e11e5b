//! Looks up the original of a text that matches a replacement.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::case::{Form, collapse_spaces, folded};
use crate::{ReplacementMap, ReplacementPair};

/// The kind whose words correspond one by one to those of the original, in the same order.
const PERSON: &str = "person";

/// All replacements, indexed without case and extra white space.
pub(crate) struct Table<'m> {
    map: &'m ReplacementMap,
    entries: Vec<Entry>,
    by_folded: HashMap<String, Vec<usize>>,
}

/// A replacement, or a word of one.
struct Entry {
    pair: usize,
    /// The range of the word in the replacement, and the range of its counterpart in the original.
    part: Option<(Range<usize>, Range<usize>)>,
}

/// The meaning of a matched text.
pub(crate) enum Meaning<'m> {
    /// One original.
    One(Cow<'m, str>, &'m ReplacementPair),
    /// Several originals; the right one is unknown.
    Several(&'m ReplacementPair),
}

impl<'m> Table<'m> {
    /// Builds the table of a map and the patterns to search for, with ASCII letters in lower case.
    pub(crate) fn new(map: &'m ReplacementMap, parts: bool) -> (Self, Vec<String>) {
        let mut table = Self { map, entries: Vec::new(), by_folded: HashMap::new() };
        let mut patterns = HashSet::new();
        for (index, pair) in map.pairs().enumerate() {
            table.enter(Entry { pair: index, part: None }, pair.replacement(), &mut patterns);
            if parts && pair.kind() == PERSON {
                for (word, stands_for) in words_of(pair) {
                    let text = &pair.replacement()[word.clone()];
                    table.enter(Entry { pair: index, part: Some((word, stands_for)) }, text, &mut patterns);
                }
            }
        }
        let mut patterns: Vec<String> = patterns.into_iter().collect();
        patterns.sort_unstable();
        (table, patterns)
    }

    fn enter(&mut self, entry: Entry, text: &str, patterns: &mut HashSet<String>) {
        let id = self.entries.len();
        self.entries.push(entry);
        let text = collapse_spaces(text);
        for form in Form::ALL.map(|form| form.of(&text)).into_iter().chain([text]) {
            let ids = self.by_folded.entry(folded(&form)).or_default();
            if ids.last() != Some(&id) {
                ids.push(id);
            }
            patterns.insert(form.to_ascii_lowercase());
        }
    }

    /// Returns the meaning of a matched text, if it is a replacement. The closest match is used:
    /// byte for byte, then with other white space, then in another case, then a single word of a
    /// name.
    pub(crate) fn meaning(&self, quoted: &str) -> Option<Meaning<'m>> {
        let plain = collapse_spaces(quoted);
        let ids = self.by_folded.get(&folded(&plain))?;
        (0..5).find_map(|closeness| {
            let mut found: Option<(Cow<'m, str>, &'m ReplacementPair)> = None;
            for entry in ids.iter().filter_map(|&id| self.entries.get(id)) {
                let pair = self.map.pair(entry.pair)?;
                let Some(text) = entry.stands_for(pair, quoted, &plain, closeness) else { continue };
                match &found {
                    Some((other, pair)) if *other != text => return Some(Meaning::Several(pair)),
                    Some(_) => {}
                    None => found = Some((text, pair)),
                }
            }
            found.map(|(text, pair)| Meaning::One(text, pair))
        })
    }
}

impl Entry {
    /// Returns the original if the text matches this entry with the given closeness.
    fn stands_for<'m>(
        &self,
        pair: &'m ReplacementPair,
        quoted: &str,
        plain: &str,
        closeness: usize,
    ) -> Option<Cow<'m, str>> {
        match (&self.part, closeness) {
            (None, 0) => (pair.replacement() == quoted).then_some(Cow::Borrowed(pair.original())),
            (None, 1) => {
                (collapse_spaces(pair.replacement()) == plain).then_some(Cow::Borrowed(pair.original()))
            }
            (None, 2) => {
                let replacement = collapse_spaces(pair.replacement());
                // A single letter in title case is also in upper case. It counts as title case.
                [Form::Title, Form::Lower, Form::Upper]
                    .into_iter()
                    .find(|form| form.of(&replacement) == plain)
                    .map(|form| Cow::Owned(form.of(pair.original())))
            }
            (Some((word, stands_for)), 3) => {
                let same = pair.replacement().get(word.clone()) == Some(quoted);
                same.then_some(()).and_then(|()| pair.original().get(stands_for.clone())).map(Cow::Borrowed)
            }
            // Not in lower case, since a name may be an ordinary word.
            (Some((word, stands_for)), 4) => {
                let upper = pair.replacement().get(word.clone()).map(str::to_uppercase);
                let same = upper.as_deref() == Some(quoted);
                same.then_some(())
                    .and_then(|()| pair.original().get(stands_for.clone()))
                    .map(|text| Cow::Owned(text.to_uppercase()))
            }
            _ => None,
        }
    }
}

/// Returns the words of a name with several words, each with its counterpart, if both names have
/// the same number of words. Initials and lower-case words are skipped, since they are ambiguous.
fn words_of(pair: &ReplacementPair) -> Vec<(Range<usize>, Range<usize>)> {
    let (replaced, original) = (words(pair.replacement()), words(pair.original()));
    if replaced.len() < 2 || replaced.len() != original.len() {
        return Vec::new();
    }
    let is_name = |text: Option<&str>| {
        text.is_some_and(|text| {
            text.starts_with(char::is_uppercase)
                && text.chars().nth(1).is_some()
                && text.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’'))
        })
    };
    let both = replaced.into_iter().zip(original);
    both.filter(|(word, stands_for)| {
        is_name(pair.replacement().get(word.clone())) && is_name(pair.original().get(stands_for.clone()))
    })
    .collect()
}

/// Returns the ranges of the words of a text.
fn words(text: &str) -> Vec<Range<usize>> {
    let start_of = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split_whitespace().map(|word| start_of(word)..start_of(word) + word.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(pairs: &[(&str, &str)], parts: bool, quoted: &str) -> String {
        let mut builder = ReplacementMap::builder();
        pairs
            .iter()
            .for_each(|(replacement, original)| builder.add(replacement, original, "person").unwrap());
        let map = builder.build();
        match Table::new(&map, parts).0.meaning(quoted) {
            Some(Meaning::One(text, _)) => text.into_owned(),
            Some(Meaning::Several(_)) => "several".to_owned(),
            None => "none".to_owned(),
        }
    }

    #[test]
    fn the_closest_match_is_used() {
        let pairs = [("Made Antonov", "Ana Novak"), ("MADE ANTONOV", "Ana NOVAK"), ("Ivo", "mcDonald")];
        for (quoted, means) in [
            ("Made Antonov", "Ana Novak"),
            ("MADE ANTONOV", "Ana NOVAK"),
            ("Made\n  Antonov", "Ana Novak"),
            ("made antonov", "ana novak"),
            ("mAde Antonov", "none"),
            ("Made", "none"),
            ("IVO", "MCDONALD"),
            ("Ivo", "mcDonald"),
        ] {
            assert_eq!(meaning(&pairs, false, quoted), means, "{quoted}");
        }
    }

    #[test]
    fn replacements_with_two_originals_are_ambiguous() {
        let pairs = [("Made", "Ana"), ("Made", "ANA"), ("Iva", "Eva"), ("Iva", "Nora")];
        assert_eq!(meaning(&pairs, false, "Made"), "several");
        assert_eq!(meaning(&pairs, false, "MADE"), "ANA", "both originals are the same in upper case");
        assert_eq!(meaning(&pairs, false, "IVA"), "several");
    }

    #[test]
    fn single_words_of_names_are_restored() {
        let pairs =
            [("Made Antonov", "Ana Novak"), ("J. van Iva", "K. de Nora"), ("Rita Ann Sun", "Eva Lee")];
        for (quoted, means) in [
            ("Antonov", "Novak"),
            ("ANTONOV", "NOVAK"),
            ("antonov", "none"),
            ("Made", "Ana"),
            ("Iva", "Nora"),
            ("J.", "none"),
            ("van", "none"),
            ("Rita", "none"),
        ] {
            assert_eq!(meaning(&pairs, true, quoted), means, "{quoted}");
        }
        assert_eq!(meaning(&pairs, false, "Antonov"), "none");
        let two = [("Made Antonov", "Ana Novak"), ("Iva Antonov", "Eva Horak"), ("Made", "Lea")];
        assert_eq!(meaning(&two, true, "Antonov"), "several");
        assert_eq!(meaning(&two, true, "Made"), "Lea", "a whole replacement has priority over a single word");
    }
}
