//! The words of a text, and what stands around them.

use std::collections::HashSet;

use inkveil_detect::{FoundBy, Kind, Reason, Span};

use crate::letters::Case;

/// Shorter names occur in other words and abbreviations.
pub(super) const SHORTEST: usize = 3;

/// Words after which a month or a season is a date.
const BEFORE_DATES: &[&str] = &[
    "in", "last", "this", "next", "since", "until", "till", "by", "early", "late", "mid", "every", "each",
    "of", "during", "the", "before", "after", "from", "to", "through", "past", "between", "around",
];

/// Words after which a capitalised word is a thing: "the Rose".
const BEFORE_THINGS: &[&str] = &[
    "the", "a", "an", "this", "that", "these", "those", "my", "your", "our", "his", "her", "its", "their",
    "no", "any", "some", "every", "each", "another",
];

/// Words after which a capitalised word may be a place or a period: "in Rose", "last Spring".
const BEFORE_PLACES: &[&str] =
    &["in", "on", "of", "at", "as", "last", "next", "near", "via", "into", "through", "over", "toward"];

/// Words after which the name of a place is mostly that of a place.
const TOWARD_PLACES: &[&str] = &["to", "from", "for", "by", "and", "or", "between"];

/// Words that follow who acts: "Will has", but not "Will you".
const AFTER_ACTORS: &[&str] = &[
    "is", "was", "has", "had", "does", "did", "says", "said", "tells", "told", "asks", "thinks", "thought",
    "knows", "knew", "wants", "writes", "wrote", "sends", "sent", "gave", "got", "took", "came", "went",
    "left", "will", "would", "can", "can't", "could", "won't", "isn't", "wasn't", "hasn't", "hadn't",
    "doesn't", "didn't",
];

/// Words after the name of several people: "the Novaks are".
const AFTER_SEVERAL: &[&str] = &[
    "are", "aren", "were", "weren", "have", "haven", "do", "don", "live", "say", "want", "think", "and",
    "or", "who", "in", "at", "of", "from", "to", "on", "for", "both", "all", "had", "will", "would", "can",
    "could", "said", "told", "went", "came", "left", "wrote", "apart", "did", "didn", "again", "back",
    "over", "round", "next", "about", "with",
];

/// A word of a text with its place.
pub(super) type Word<'t> = (usize, &'t str);

/// Returns the words of a text with their places. A hyphen or an apostrophe within a word is a part of it,
/// but the ending 's is not.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let in_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '\'' | '’');
    let start_of = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let words = text.split(move |c: char| !in_word(c)).filter(|word| !word.is_empty());
    let bare = |word| crate::letters::split_possessive(word).0.trim_matches(['-', '\'', '’']);
    words.map(bare).map(|word| (start_of(word), word)).collect()
}

/// Returns whether a word is written as a name is, and is long enough for one.
pub(super) fn is_written_as_name(word: &str) -> bool {
    word.chars().count() >= SHORTEST && word.starts_with(char::is_uppercase) && Case::of(word) == Case::Name
}

/// Returns the first span that shares bytes with a range.
pub(super) fn covering(spans: &[Span], start: usize, end: usize) -> Option<&Span> {
    // Spans do not overlap and are sorted by their start, hence also by their end.
    let next = spans.partition_point(|span| span.end <= start);
    spans.get(next).filter(|span| span.start < end)
}

/// Returns whether the ending 's follows a word.
pub(super) fn is_owner(text: &str, start: usize, end: usize) -> bool {
    let long =
        text[start..end].chars().count() >= SHORTEST && text[start..end].starts_with(char::is_uppercase);
    let ending = ["'s", "’s"].iter().find_map(|ending| text[end..].strip_prefix(ending));
    long && ending.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Returns whether a word is a line of its own, as below a letter.
pub(super) fn is_line(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].trim_end_matches(' ');
    let after = text[end..].trim_start_matches([' ', '.', ',', '\r']);
    (before.is_empty() || before.ends_with('\n')) && (after.is_empty() || after.starts_with('\n'))
}

/// The longest time before the name of a speaker, in bytes: "[12/03/2025, 19:02:11] ".
const LONGEST_STAMP: usize = 32;

/// Returns whether a word is the name of a speaker: the "Hope" of a line "Hope: not yet" or "[19:02] Hope: not yet".
pub(super) fn is_speaker(text: &str, start: usize, end: usize) -> bool {
    line_before_speaker(text, start, end).is_some()
}

/// Returns whether a time stands before the name of a speaker. Without one, any word may be before a colon: "Endpoint: …".
pub(super) fn is_stamped_speaker(text: &str, start: usize, end: usize) -> bool {
    line_before_speaker(text, start, end).is_some_and(|has_stamp| has_stamp)
}

/// Returns whether a stamp is between the start of a line and a speaker; none if the word is no speaker.
fn line_before_speaker(text: &str, start: usize, end: usize) -> Option<bool> {
    if !text[end..].starts_with(": ") {
        return None;
    }
    let before = text[..start].trim_end_matches(' ');
    let is_stamp = |c: char| {
        c.is_ascii_digit() || matches!(c, '[' | ']' | '(' | ')' | ':' | '.' | '/' | ',' | '-' | '–' | ' ')
    };
    let stamp = before.char_indices().rev().take(LONGEST_STAMP).take_while(|(_, c)| is_stamp(*c)).last();
    let line = before.get(..stamp.map_or(before.len(), |(at, _)| at)).unwrap_or_default();
    let has_stamp =
        before.get(line.len()..).is_some_and(|stamp| stamp.contains(|c: char| c.is_ascii_digit()));
    (line.is_empty() || line.ends_with('\n')).then_some(has_stamp)
}

/// Returns the words that are the name of a speaker on several lines.
pub(super) fn speakers_of<'t>(text: &str, words: &[Word<'t>]) -> HashSet<&'t str> {
    let mut once = HashSet::new();
    let speaks =
        |(start, word): &&Word<'t>| is_written_as_name(word) && is_speaker(text, *start, start + word.len());
    words.iter().filter(speaks).map(|(_, word)| *word).filter(|word| !once.insert(*word)).collect()
}

/// Returns the words of which a word after "the" may be the plural: "Baker" of "the Bakers".
pub(super) fn singulars<'t>(text: &str, start: usize, word: &'t str) -> impl Iterator<Item = &'t str> {
    let endings = if follows_the(text, start) { &["s", "es"][..] } else { &[] };
    endings.iter().filter_map(|ending| word.strip_suffix(ending))
}

/// Returns whether the word before a place is "the".
pub(super) fn follows_the(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default();
    let trimmed = before.trim_end();
    let word = trimmed.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    trimmed.len() < before.len() && matches!(word, "the" | "The" | "THE")
}

/// Returns whether what follows a place shows that several people are named: "the Rogers are", "the Rogers."
pub(super) fn is_before_verb_of_several(text: &str, end: usize) -> bool {
    let after = text.get(end..).unwrap_or_default();
    let word = after.trim_start().split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    AFTER_SEVERAL.contains(&word) || word.len() > 3 && word.ends_with("ed") || !after.starts_with(' ')
}

/// Returns whether the words around a month or a season show a date: "in April", "April 5".
pub(super) fn is_in_date(text: &str, start: usize, end: usize) -> bool {
    let before =
        text[..start].trim_end_matches(' ').rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let after = text[end..].trim_start_matches([' ', ',']);
    BEFORE_DATES.contains(&before.to_lowercase().as_str())
        || before.starts_with(|c: char| c.is_ascii_digit())
        || after.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns whether the `n`-th word has a capital within a sentence that no word beside it explains: "reach
/// Rose", but not "the Rose" or "Rose Garden". Of a word that is also a place, "in Austin" and "to Austin"
/// are explained.
pub(super) fn is_capital_alone(text: &str, words: &[Word<'_>], n: usize, is_place: bool) -> bool {
    let Some(&(start, word)) = words.get(n) else { return false };
    let before = n.checked_sub(1).and_then(|last| words.get(last));
    let before = before.filter(|(at, other)| text.get(at + other.len()..start) == Some(" "));
    let Some((_, before)) = before.filter(|(_, word)| word.starts_with(char::is_lowercase)) else {
        return false;
    };
    let next = words.get(n + 1).filter(|(at, _)| text.get(start + word.len()..*at) == Some(" "));
    let is_explained = BEFORE_THINGS.contains(before)
        || BEFORE_PLACES.contains(before)
        || is_place && TOWARD_PLACES.contains(before);
    !is_explained && next.is_none_or(|(_, next)| next.starts_with(char::is_lowercase))
}

/// Returns whether the word after the `n`-th one shows that it names who acts: "Will asked", "Will has".
pub(super) fn is_actor(text: &str, words: &[Word<'_>], n: usize) -> bool {
    let (Some((start, word)), Some((at, next))) = (words.get(n), words.get(n + 1)) else { return false };
    let is_past = |next: &str| next.len() > 3 && next.ends_with("ed") && !next.ends_with("eed");
    text.get(start + word.len()..*at) == Some(" ") && (AFTER_ACTORS.contains(next) || is_past(next))
}

/// Returns a span of a name that the text shows elsewhere.
pub(super) fn name_span(start: usize, end: usize, kind: Kind) -> Span {
    let reason = Reason {
        found_by: FoundBy::Gazetteer,
        name: "a name of the text".into(),
        context: None,
        validator: None,
        also: Vec::new(),
    };
    Span { start, end, kind, score: 0.9, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, word: &str) -> (usize, usize) {
        let start = text.find(word).unwrap();
        (start, start + word.len())
    }

    #[test]
    fn months_and_seasons_are_in_dates() {
        for text in ["in April we", "April 5, at noon", "5 April", "since last April", "April, 2023"] {
            let (start, end) = at(text, "April");
            assert!(is_in_date(text, start, end), "{text}");
        }
        for text in ["Thanks, April", "April", "ask April about it", "Regards\nApril"] {
            let (start, end) = at(text, "April");
            assert!(!is_in_date(text, start, end), "{text}");
        }
    }

    #[test]
    fn the_next_word_shows_who_acts() {
        let is_actor = |text: &str| super::is_actor(text, &words(text), 0);
        assert!(["Will asked me", "Will has left", "Will didn't"].into_iter().all(is_actor));
        assert!(!["Will you come", "Will need it", "Will, asked", "Will"].into_iter().any(is_actor));
    }

    #[test]
    fn capitals_are_alone_within_sentences() {
        let is_alone = |text: &str, is_place: bool| {
            let words = words(text);
            let n = words.iter().position(|(_, word)| *word == "Rose").unwrap();
            is_capital_alone(text, &words, n, is_place)
        };
        for text in ["you can't reach Rose, so", "give it to Rose", "told Rose's"] {
            assert!(is_alone(text, false), "{text}");
        }
        for text in ["the Rose is red", "ask Rose Garden", "Rose is", "Ask Rose", "in Rose", "see, Rose"] {
            assert!(!is_alone(text, false), "{text}");
        }
        assert!(is_alone("reach Rose", true) && !is_alone("go to Rose", true));
    }
}
