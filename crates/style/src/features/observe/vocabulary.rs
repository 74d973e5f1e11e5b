//! The choice of words and its richness.
//!
//! Richness must not depend on the length of the text, as the plain share of different words does.
//! Two measures use windows of a fixed size: the mean share of different words in every window of
//! 50 consecutive words (the moving average type-token ratio), and the mean share of words that
//! occur once in each whole block of 100. Shorter texts have neither. Yule's K and similar measures
//! need fewer words, but drift with length and are hard to interpret.

use std::collections::HashMap;
use std::ops::Range;

use super::super::lexicon::Role;
use super::super::reading::Reading;
use super::super::sign::{Sign, Sink};

const WINDOW: usize = 50;
const BLOCK: usize = 100;

/// Roles of words and their counts.
const CHOICES: [(Role, Sign); 11] = [
    (Role::Hedge, Sign::Hedge),
    (Role::Certainty, Sign::Certainty),
    (Role::Filler, Sign::Filler),
    (Role::Connective, Sign::Connective),
    (Role::Politeness, Sign::Politeness),
    (Role::Negation, Sign::Negation),
    (Role::Modal, Sign::Modal),
    (Role::Chat, Sign::Chat),
    (Role::Laughter, Sign::Laughter),
    (Role::Strong, Sign::StrongWord),
    (Role::Intensifier, Sign::Intensifier),
];

pub(super) fn observe(reading: &Reading<'_>, sink: &mut impl Sink) {
    for (n, word) in reading.words.iter().enumerate() {
        let place = || word.place.clone();
        if word.function.is_some() {
            sink.count(Sign::Grammar, 1);
        }
        let lower = reading.lower(word);
        for (role, sign) in CHOICES.into_iter().filter(|(role, _)| word.is(*role)) {
            if counts(reading, n, lower, role) {
                sink.note(sign, place());
            }
        }
        if lower.ends_with("n't") || word.is(Role::MissingApostrophe) && lower.ends_with("nt") {
            sink.note(Sign::Negation, place());
        }
        if let Some(place) = hedging_phrase(reading, n, lower) {
            sink.note(Sign::Hedge, place);
        }
    }
    richness(reading, sink);
}

/// Returns whether a word has its role here. Some have it only in context.
fn counts(reading: &Reading<'_>, n: usize, lower: &str, role: Role) -> bool {
    match (role, lower) {
        // "so good" is an intensifier, "so I left" is not; the same holds for "pretty".
        (Role::Intensifier, "so" | "too" | "pretty" | "quite") => {
            let next = reading.next(n);
            next.is_some_and(|next| next.function.is_none() && next.roles.is_empty() && next.letters > 2)
        }
        // "like" between commas or after a form of "be"; "well" before a comma.
        (Role::Filler, "like" | "well") => {
            let word = reading.words.get(n);
            let comma =
                word.and_then(|word| reading.token(word.token, 1)).is_some_and(|next| next.is_sign(','));
            comma || lower == "like" && reading.previous(n).is_some_and(|before| before.is(Role::Be))
        }
        _ => true,
    }
}

/// "I think", "kind of", "a bit".
fn hedging_phrase(reading: &Reading<'_>, n: usize, lower: &str) -> Option<Range<usize>> {
    let word = reading.words.get(n)?;
    let next = reading.next(n)?;
    let found = match lower {
        "i" => next.is(Role::HedgingVerb),
        "kind" | "sort" => reading.lower(next) == "of",
        "a" => reading.lower(next) == "bit",
        "my" => reading.lower(next) == "opinion",
        _ => false,
    };
    found.then_some(word.place.start..next.place.end)
}

fn richness(reading: &Reading<'_>, sink: &mut impl Sink) {
    // Words as numbers, so that windows need no text.
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let words: Vec<usize> = (0..reading.words.len())
        .map(|n| {
            let next = numbers.len();
            *numbers.entry(reading.word(n)).or_insert(next)
        })
        .collect();
    let mut seen = vec![0_u32; numbers.len()];
    let mut different = 0_usize;
    let mut sum = 0_usize;
    for (n, &word) in words.iter().enumerate() {
        different += usize::from(seen[word] == 0);
        seen[word] += 1;
        if let Some(old) = n.checked_sub(WINDOW).map(|at| words[at]) {
            seen[old] -= 1;
            different -= usize::from(seen[old] == 0);
        }
        if n + 1 >= WINDOW {
            sum += different;
        }
    }
    sink.count(Sign::Windows, (words.len() + 1).saturating_sub(WINDOW));
    sink.add(Sign::DistinctInWindows, sum as f64 / WINDOW as f64, 0..0);

    seen.fill(0);
    for block in words.chunks_exact(BLOCK) {
        block.iter().for_each(|&word| seen[word] += 1);
        let once = block.iter().filter(|&&word| seen[word] == 1).count();
        block.iter().for_each(|&word| seen[word] = 0);
        sink.count(Sign::Blocks, 1);
        sink.add(Sign::OnceInBlocks, once as f64 / BLOCK as f64, 0..0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{count, value};

    #[test]
    fn richness_does_not_depend_on_length() {
        // 200 different words, and 25 words repeated.
        let letter = |n: usize| char::from(b'a' + n as u8);
        let words: Vec<String> = (0..200).map(|n| format!("{}{}", letter(n / 20), letter(n % 20))).collect();
        let rich = words.join(" ");
        assert_eq!(value(&rich, "different-words"), Some(1.0));
        assert_eq!(value(&rich, "words-used-once"), Some(1.0));
        let poor = words[..25].join(" ");
        let poor = [poor.as_str(); 8].join(" ");
        assert_eq!(value(&poor, "different-words"), Some(0.5));
        assert_eq!(value(&poor, "words-used-once"), Some(0.0));
        assert_eq!(value(&format!("{poor} {poor}"), "different-words"), Some(0.5));
        assert_eq!(value(&words[..49].join(" "), "different-words"), None);
        assert_eq!(value(&words[..99].join(" "), "words-used-once"), None);
    }

    #[test]
    fn expressions_are_counted() {
        for (name, text, times) in [
            ("hedges", "Maybe I think it is kind of late, a bit", 4.0),
            ("intensifiers", "very good, so tired, so I left", 2.0),
            ("certainty", "It is always clearly there", 2.0),
            ("fillers", "Well, he was like no, I like it, basically", 3.0),
            ("connectives", "However, he therefore left", 2.0),
            ("politeness", "Please, sorry", 2.0),
            ("negations", "No, I don't, never, dont", 4.0),
            ("modals", "He can and should", 2.0),
            ("chat-words", "idk tbh, u know", 3.0),
            ("laughter", "lol that is haha", 2.0),
            ("strong-words", "damn it", 1.0),
        ] {
            assert_eq!(count(text, name), times, "{name}");
            assert_eq!(count("Trees grow near rivers", name), 0.0, "{name}");
        }
    }

    #[test]
    fn function_words_are_a_share_of_all_words() {
        assert_eq!(value("the dog and cat", "small-words"), Some(0.5));
    }
}
