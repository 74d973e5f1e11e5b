//! Looks up the original of a text that matches a replacement.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use inkveil_notation::{DayOrder, WrittenDate, day_order, number_variants};

use crate::case::{Form, collapse_spaces, folded};
use crate::json::json_forms;
use crate::{ReplacementMap, ReplacementPair};

/// The kind whose words correspond one by one to those of the original, in the same order.
const PERSON: &str = "person";
/// The kinds with other notations of the same value.
const DATE: &str = "date";
const MONEY: &str = "money";

/// All replacements, indexed without case and extra white space.
pub(crate) struct Table {
    map: ReplacementMap,
    /// Whether single words of names are restored.
    parts: bool,
    index: Index,
}

/// The entries, and where to find them.
#[derive(Default)]
struct Index {
    entries: Vec<Entry>,
    by_folded: HashMap<String, Vec<usize>>,
    patterns: HashSet<String>,
}

/// A replacement, a word of one, or another notation of one.
struct Entry {
    pair: usize,
    part: Part,
}

/// What of a replacement an entry is.
enum Part {
    Whole,
    /// The range of a word in the replacement, and the range of its counterpart in the original.
    Word(Range<usize>, Range<usize>),
    /// Another notation of a date or amount, and the same notation of the original.
    Notation(String, String),
    /// The replacement with the escapes of a JSON string, and the original.
    Escaped(String, String),
}

/// The number of ways in which a text can match an entry.
const CLOSENESS: usize = 7;

/// The meaning of a matched text.
pub(crate) enum Meaning<'m> {
    /// One original.
    One(Cow<'m, str>, &'m ReplacementPair),
    /// Several originals; the right one is unknown.
    Several(&'m ReplacementPair),
    /// A word of a replacement that is not restored on its own.
    Word(&'m ReplacementPair),
}

impl Table {
    /// Builds the table of a map and the sorted patterns to search for, with ASCII letters in lower
    /// case. In `json`, a replacement is also found with the escapes of a JSON string.
    pub(crate) fn new(map: ReplacementMap, parts: bool, json: bool) -> (Self, Vec<String>) {
        let mut index = Index::default();
        let dates = || map.pairs().filter(|pair| pair.kind() == DATE);
        let order = day_order(dates().flat_map(|pair| [pair.replacement(), pair.original()]));
        for (number, pair) in map.pairs().enumerate() {
            index.enter(Entry { pair: number, part: Part::Whole }, pair.replacement());
            if pair.kind() == PERSON {
                for (word, stands_for) in words_of(pair) {
                    let text = &pair.replacement()[word.clone()];
                    index.enter(Entry { pair: number, part: Part::Word(word, stands_for) }, text);
                }
            }
            for (text, meaning) in notations(pair, order.unwrap_or_default()) {
                let part = Part::Notation(text.clone(), meaning);
                index.enter(Entry { pair: number, part }, &text);
            }
            for text in if json { json_forms(pair.replacement()) } else { Vec::new() } {
                let part = Part::Escaped(text.clone(), pair.original().to_owned());
                index.enter(Entry { pair: number, part }, &text);
            }
        }
        let mut patterns: Vec<String> = std::mem::take(&mut index.patterns).into_iter().collect();
        patterns.sort_unstable();
        (Self { map, parts, index }, patterns)
    }

    /// Returns the meaning of a matched text, if it is a replacement. The closest match is used:
    /// byte for byte, then with other white space, then in another case, then in another notation,
    /// then a single word of a name. Escapes have a meaning in `json` only.
    pub(crate) fn meaning(&self, quoted: &str, json: bool) -> Option<Meaning<'_>> {
        let plain = collapse_spaces(quoted);
        let ids = self.index.by_folded.get(&folded(&plain))?;
        (0..CLOSENESS).find_map(|closeness| {
            let mut found: Option<(Cow<'_, str>, &ReplacementPair)> = None;
            for entry in ids.iter().filter_map(|&id| self.index.entries.get(id)) {
                if !json && matches!(entry.part, Part::Escaped(..)) {
                    continue;
                }
                let pair = self.map.pair(entry.pair)?;
                let Some(text) = entry.stands_for(pair, quoted, &plain, closeness) else { continue };
                if matches!(entry.part, Part::Word(..)) && !self.parts {
                    return Some(Meaning::Word(pair));
                }
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

impl Index {
    fn enter(&mut self, entry: Entry, text: &str) {
        let id = self.entries.len();
        self.entries.push(entry);
        let text = collapse_spaces(text);
        // All forms of an ASCII text are the same text in lower case.
        if text.is_ascii() {
            let lower = text.to_ascii_lowercase();
            self.by_folded.entry(lower.clone()).or_default().push(id);
            self.patterns.insert(lower);
            return;
        }
        for form in Form::ALL.map(|form| form.of(&text)).into_iter().chain([text]) {
            let ids = self.by_folded.entry(folded(&form)).or_default();
            if ids.last() != Some(&id) {
                ids.push(id);
            }
            self.patterns.insert(form.to_ascii_lowercase());
        }
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
            (Part::Whole, 0) => (pair.replacement() == quoted).then_some(Cow::Borrowed(pair.original())),
            (Part::Whole, 1) => {
                (collapse_spaces(pair.replacement()) == plain).then_some(Cow::Borrowed(pair.original()))
            }
            (Part::Whole, 2) => {
                let replacement = collapse_spaces(pair.replacement());
                // A single letter in title case is also in upper case. It counts as title case.
                [Form::Title, Form::Lower, Form::Upper]
                    .into_iter()
                    .find(|form| form.of(&replacement) == plain)
                    .map(|form| Cow::Owned(form.of(pair.original())))
            }
            (Part::Notation(text, meaning) | Part::Escaped(text, meaning), 3) => {
                (text == plain).then(|| Cow::Owned(meaning.clone()))
            }
            (Part::Notation(text, meaning) | Part::Escaped(text, meaning), 4) => [Form::Lower, Form::Upper]
                .into_iter()
                .find(|form| form.of(text) == plain)
                .map(|form| Cow::Owned(form.of(meaning))),
            (Part::Word(word, stands_for), 5) => {
                let same = pair.replacement().get(word.clone()) == Some(quoted);
                same.then_some(()).and_then(|()| pair.original().get(stands_for.clone())).map(Cow::Borrowed)
            }
            // Not in lower case, since a name may be an ordinary word.
            (Part::Word(word, stands_for), 6) => {
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

/// Returns other notations of a date or an amount, each with the same notation of its original.
fn notations(pair: &ReplacementPair, order: DayOrder) -> Vec<(String, String)> {
    match pair.kind() {
        DATE => {
            let read = |text: &str| WrittenDate::read(text, order);
            let (Some(one), Some(other)) = (read(pair.replacement()), read(pair.original())) else {
                return Vec::new();
            };
            let mut notations = one.variants(&other, order);
            // A day above 12 shows that the month is first, whatever the order of the map.
            if one.parts().day.is_some_and(|day| day > 12) {
                let opposite = match order {
                    DayOrder::DayFirst => DayOrder::MonthFirst,
                    DayOrder::MonthFirst => DayOrder::DayFirst,
                };
                notations.extend(one.variants(&other, opposite));
            }
            notations
        }
        MONEY => number_variants(pair.replacement(), pair.original()),
        _ => Vec::new(),
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
        match Table::new(builder.build(), parts, false).0.meaning(quoted, false) {
            Some(Meaning::One(text, _)) => text.into_owned(),
            Some(Meaning::Several(_)) => "several".to_owned(),
            Some(Meaning::Word(_)) => "a word".to_owned(),
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
            ("Made", "a word"),
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
    fn other_notations_of_dates_and_amounts_are_restored() {
        let mut builder = ReplacementMap::builder();
        for (replacement, original, kind) in [
            ("27 May 2025", "3 March 2024", "date"),
            ("14 June 2025", "21 March 2024", "date"),
            ("£60,317", "£48,902", "money"),
            ("May 2019", "July 2020", "date"),
        ] {
            builder.add(replacement, original, kind).unwrap();
        }
        let table = Table::new(builder.build(), false, false).0;
        for (quoted, means) in [
            ("27/05/2025", "03/03/2024"),
            ("05/27/2025", "03/03/2024"),
            ("2025-05-27", "2024-03-03"),
            ("May 27th, 2025", "March 3rd, 2024"),
            ("27 May", "3 March"),
            ("14 JUNE", "21 MARCH"),
            ("14/06/2025", "21/03/2024"),
            ("06/05/2025", "none"),
            ("£60317", "£48902"),
            ("60,317 pounds", "48,902 pounds"),
            ("60317.00", "48902.00"),
            ("05/2019", "07/2020"),
            ("60,318", "none"),
        ] {
            let found = match table.meaning(quoted, false) {
                Some(Meaning::One(text, _)) => text.into_owned(),
                _ => "none".to_owned(),
            };
            assert_eq!(found, means, "{quoted}");
        }
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
        assert_eq!(meaning(&pairs, false, "Antonov"), "a word");
        let two = [("Made Antonov", "Ana Novak"), ("Iva Antonov", "Eva Horak"), ("Made", "Lea")];
        assert_eq!(meaning(&two, true, "Antonov"), "several");
        assert_eq!(meaning(&two, true, "Made"), "Lea", "a whole replacement has priority over a single word");
    }
}
