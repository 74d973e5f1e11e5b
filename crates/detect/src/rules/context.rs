//! Context words near a match.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};

use super::letters::{char_at, char_before, floor, is_word_char};
use super::rule::{REACH, Rule};

/// The longest distance of a context word after a match, in bytes.
const AFTER: usize = 30;

/// The score that a context word loses per byte of distance, so that the nearest label of a number counts
/// most.
const PER_BYTE: f32 = 0.0008;

/// A distance that is added for words after a match, because they are weaker evidence.
const AFTER_IS_FARTHER: usize = 15;

/// The context words of all rules as one automaton.
#[derive(Debug)]
pub(super) struct ContextWords {
    automaton: AhoCorasick,
    /// The word of each pattern of the automaton.
    ids: Vec<usize>,
    /// For each rule, its words and their indices in the rule.
    by_rule: Vec<HashMap<usize, usize>>,
}

/// A context word that was found, and its distance to the match.
#[derive(Debug, Clone, Copy)]
struct Hit {
    word: usize,
    distance: usize,
}

/// The context words around the last place, so that all rules that match there share the search.
#[derive(Debug, Default)]
pub(super) struct Nearby {
    start: Option<usize>,
    before: Vec<Hit>,
    /// For each end of a match that starts at `start`.
    after: Vec<(usize, Vec<Hit>)>,
}

/// The effect of a context word on a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Support {
    /// The index of the word in the rule.
    pub(super) word: usize,
    /// The score of the match with this word.
    pub(super) score: f32,
}

impl ContextWords {
    pub(super) fn new(rules: &[Rule]) -> Result<Self, String> {
        // The automaton folds the case of ASCII only, so other words are also added in upper case.
        let mut words: Vec<String> = Vec::new();
        let mut ids: Vec<usize> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut by_rule = Vec::with_capacity(rules.len());
        for rule in rules {
            let mut listens = HashMap::new();
            for (place, word) in rule.context_words().enumerate() {
                let word = word.to_lowercase();
                let next = known.len();
                let id = *known.entry(word.clone()).or_insert_with(|| {
                    let upper = word.to_uppercase();
                    let forms = if word.is_ascii() { vec![word] } else { vec![word, upper] };
                    ids.extend(forms.iter().map(|_| next));
                    words.extend(forms);
                    next
                });
                listens.entry(id).or_insert(place);
            }
            by_rule.push(listens);
        }
        let automaton = AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            // A DFA is twice as fast for one megabyte of memory, and it runs for every candidate.
            .kind(Some(AhoCorasickKind::DFA))
            .build(&words)
            .map_err(|error| error.to_string())?;
        Ok(ContextWords { automaton, ids, by_rule })
    }

    /// Returns the nearest context word of the rule, if any.
    pub(super) fn support(
        &self,
        rules: &[Rule],
        rule: usize,
        text: &str,
        (start, end): (usize, usize),
        nearby: &mut Nearby,
    ) -> Option<Support> {
        let context = rules[rule].context.as_ref()?;
        let listens = &self.by_rule[rule];
        if nearby.start != Some(start) {
            nearby.start = Some(start);
            nearby.before.clear();
            nearby.after.clear();
            let from = floor(text, start.saturating_sub(REACH));
            self.collect(text, from, start, |_, word_end| start - word_end, &mut nearby.before);
        }
        let mut nearest = nearest(&nearby.before, listens, context.reach);
        if nearest.is_none() {
            let place = nearby.after.iter().position(|(known, _)| *known == end).unwrap_or_else(|| {
                let mut hits = Vec::new();
                let to = floor(text, end.saturating_add(AFTER).min(text.len()));
                self.collect(text, end, to, |word_start, _| word_start - end + AFTER_IS_FARTHER, &mut hits);
                nearby.after.push((end, hits));
                nearby.after.len() - 1
            });
            nearest = self::nearest(&nearby.after[place].1, listens, context.reach);
        }
        let hit = nearest?;
        let score = context.score - PER_BYTE * hit.distance as f32;
        Some(Support { word: listens[&hit.word], score: score.max(0.0) })
    }

    fn collect(
        &self,
        text: &str,
        from: usize,
        to: usize,
        distance: impl Fn(usize, usize) -> usize,
        hits: &mut Vec<Hit>,
    ) {
        let window = &text.as_bytes()[from..to];
        // Tables of numbers have no words and need no search.
        if !window.iter().any(|b| *b >= b'A') {
            return;
        }
        for found in self.automaton.find_overlapping_iter(window) {
            let (start, end) = (from + found.start(), from + found.end());
            if whole_word(text, start, end) {
                hits.push(Hit { word: self.ids[found.pattern().as_usize()], distance: distance(start, end) });
            }
        }
    }
}

fn nearest(hits: &[Hit], listens: &HashMap<usize, usize>, reach: usize) -> Option<Hit> {
    hits.iter()
        .filter(|hit| hit.distance <= reach && listens.contains_key(&hit.word))
        .min_by_key(|hit| (hit.distance, hit.word))
        .copied()
}

/// Returns whether `start..end` is a whole word or its plural. An underscore separates words here, so
/// `account_number` counts as `account`.
fn whole_word(text: &str, start: usize, end: usize) -> bool {
    let in_word = |c: char| c != '_' && is_word_char(c);
    if char_before(text, start).is_some_and(in_word) && char_at(text, start).is_some_and(in_word) {
        return false;
    }
    if !char_before(text, end).is_some_and(in_word) {
        return true;
    }
    match char_at(text, end) {
        Some('s' | 'S') => !char_at(text, end + 1).is_some_and(in_word),
        Some(c) => !in_word(c),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Kind;

    fn support(text: &str, matched: &str) -> Option<Support> {
        let rules = [Rule::new("x", Kind::Id, "", 0.1).only_near(["card", "sort code", "№"], 0.9)];
        let words = ContextWords::new(&rules).unwrap();
        let start = text.find(matched).unwrap();
        words.support(&rules, 0, text, (start, start + matched.len()), &mut Nearby::default())
    }

    #[test]
    fn context_words_are_whole_words_in_any_case() {
        assert_eq!(support("My Card: 12", "12").unwrap().word, 0);
        assert_eq!(support("SORT CODE 12", "12").unwrap().word, 1);
        assert_eq!(support("cards 12", "12").unwrap().word, 0);
        assert_eq!(support("№12", "12").unwrap().word, 2);
        assert_eq!(support("the 12 on the card", "12").unwrap().word, 0);
        assert_eq!(support("card_number=12", "12").unwrap().word, 0);
        assert_eq!(support("discard 12", "12"), None);
        assert_eq!(support("cardigan 12", "12"), None);
    }

    #[test]
    fn nearer_words_give_a_higher_score() {
        let near = support("card 12", "12").unwrap().score;
        let far = support("card of the man in the street 12", "12").unwrap().score;
        assert!(near > far && far > 0.8);
        assert_eq!(support(&format!("card{} 12", " x".repeat(40)), "12"), None);
    }
}
