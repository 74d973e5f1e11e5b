//! Special categories: what Article 9 of the GDPR and related laws protect beside names and numbers.
//!
//! Each word group is a list of words that are interchangeable in a sentence. Detection finds the words,
//! and a surrogate is another word of the same group, so that the sentence stays grammatical.

mod context;
mod groups;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use groups::{GROUPS, Need, WordGroup};

use crate::kind::Kind;

/// The longest phrase, in words. A test checks it.
const LONGEST: usize = 5;

/// A word or phrase of a group.
struct Entry {
    /// In lower case, parts separated by spaces or hyphens.
    words: Vec<&'static str>,
    /// Whether it is written with a capital: a religion, a people, a party.
    capital: bool,
    need: Need,
}

/// All entries of a kind, by their first word in lower case.
type ByFirst = HashMap<String, Vec<usize>>;

struct Index {
    entries: Vec<Entry>,
    by_first: HashMap<Kind, ByFirst>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut index = Index { entries: Vec::new(), by_first: HashMap::new() };
    for of in GROUPS {
        for written in of.words {
            let (need, text) = Need::of(written);
            let words: Vec<&str> = text.split([' ', '-']).collect();
            let first = words.first().map(|word| word.to_lowercase()).unwrap_or_default();
            let capital = text.starts_with(char::is_uppercase);
            let by_first = index.by_first.entry(of.kind.clone()).or_default();
            by_first.entry(first).or_default().push(index.entries.len());
            index.entries.push(Entry { words, capital, need });
        }
    }
    index
});

/// Returns the kinds with groups of words.
#[cfg(test)]
fn kinds() -> impl Iterator<Item = &'static Kind> {
    let mut last = None;
    GROUPS.iter().map(|group| &group.kind).filter(move |kind| last.replace(*kind) != Some(*kind))
}

/// A group of words of a special category that are interchangeable in a sentence.
///
/// ```
/// use inkveil_detect::Kind;
/// use inkveil_detect::special::GroupId;
///
/// let group = GroupId::of(&Kind::Belief, "atheist").unwrap();
/// assert!(group.words().any(|word| word == "agnostic"));
/// assert_eq!(GroupId::of(&Kind::Email, "a@b.org"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GroupId(usize);

impl GroupId {
    /// Returns the group of a word or phrase of a kind, in any case.
    pub fn of(kind: &Kind, text: &str) -> Option<GroupId> {
        let text = text.trim().to_lowercase();
        let same =
            |group: &WordGroup| group.kind == *kind && group.words().any(|word| word.to_lowercase() == text);
        GROUPS.iter().position(same).map(GroupId)
    }

    /// Returns the first group of a kind, for words that are in none.
    pub fn first(kind: &Kind) -> Option<GroupId> {
        GROUPS.iter().position(|group| group.kind == *kind).map(GroupId)
    }

    /// Returns its words and phrases.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        GROUPS.get(self.0).into_iter().flat_map(WordGroup::words)
    }
}

/// Returns the words with which entries of a kind start, in lower case.
pub(crate) fn first_words(kind: &Kind) -> &'static [&'static str] {
    static FIRSTS: LazyLock<HashMap<Kind, Vec<String>>> = LazyLock::new(|| {
        let mut firsts: HashMap<Kind, Vec<String>> = HashMap::new();
        for group in GROUPS {
            let words = group.words().filter_map(|text| text.split([' ', '-', '\'']).next());
            // The scan looks up words without the numbers at their ends.
            let words = words.map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit()).to_lowercase());
            firsts.entry(group.kind.clone()).or_default().extend(words.filter(|word| !word.is_empty()));
        }
        for words in firsts.values_mut() {
            words.sort_unstable();
            words.dedup();
        }
        firsts
    });
    static BORROWED: LazyLock<HashMap<Kind, Vec<&'static str>>> = LazyLock::new(|| {
        FIRSTS
            .iter()
            .map(|(kind, words)| (kind.clone(), words.iter().map(String::as_str).collect()))
            .collect()
    });
    BORROWED.get(kind).map(Vec::as_slice).unwrap_or_default()
}

/// Finds the longest entry of a kind that starts at a byte of a text, if its context fits.
pub(crate) fn find_at(kind: &Kind, text: &str, at: usize) -> Option<Range<usize>> {
    let there = context::words_from(text, at, LONGEST + 1);
    let first = there.first()?;
    if first.start != at {
        return None;
    }
    let first_word = text[first.clone()].to_lowercase();
    let candidates = INDEX.by_first.get(kind)?.get(&first_word)?;
    let fits = |entry: &Entry| -> Option<Range<usize>> {
        let words = there.get(..entry.words.len())?;
        let same = words.iter().zip(&entry.words).all(|(word, wanted)| {
            let word = &text[word.clone()];
            word.eq_ignore_ascii_case(wanted) || word.to_lowercase() == wanted.to_lowercase()
        });
        let range = at..words.last()?.end;
        (same && entry.need.holds(text, &range, entry.capital)).then_some(range)
    };
    candidates.iter().filter_map(|&entry| fits(&INDEX.entries[entry])).max_by_key(|range| range.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(kind: Kind, text: &str) -> Vec<&str> {
        let starts = text.char_indices().map(|(at, _)| at);
        starts.filter_map(|at| find_at(&kind, text, at)).map(|range| &text[range]).collect()
    }

    #[test]
    fn words_about_a_person_are_found() {
        assert_eq!(found(Kind::Orientation, "my brother is gay"), ["gay"]);
        assert_eq!(found(Kind::Orientation, "Maria is bisexual."), ["bisexual"]);
        assert_eq!(found(Kind::Health, "She is pregnant again."), ["pregnant"]);
        assert_eq!(found(Kind::Crime, "he was convicted of fraud"), ["convicted of fraud"]);
        assert_eq!(found(Kind::Politics, "My boss is a communist"), ["communist"]);
        assert_eq!(found(Kind::Family, "my husband left"), ["husband"]);
        assert_eq!(found(Kind::Belief, "They are Jehovah's Witnesses and I am Catholic"), ["Catholic"]);
    }

    #[test]
    fn words_about_other_things_are_not() {
        assert!(found(Kind::Orientation, "The Gay Divorcee is a film of 1934").is_empty());
        assert!(found(Kind::Health, "alcoholic drinks are taxed").is_empty());
        assert!(found(Kind::Politics, "The Communist Party met").is_empty());
        assert!(found(Kind::Ethnicity, "a black box and a white paper").is_empty());
        assert!(found(Kind::Family, "the mother of all bugs").is_empty());
    }

    #[test]
    fn every_entry_fits_the_search() {
        for entry in &INDEX.entries {
            assert!(entry.words.len() <= LONGEST, "{:?}", entry.words);
            assert!(entry.words.iter().all(|word| !word.is_empty()), "{:?}", entry.words);
        }
        for kind in kinds() {
            assert!(GroupId::first(kind).unwrap().words().count() > 1);
        }
    }
}
