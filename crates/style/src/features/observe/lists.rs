//! Commas in lists and before "but".

use super::super::reading::Reading;
use super::super::sign::{Sign, Sink};

/// The largest number of words of a list item. Longer parts are mostly clauses.
const PART: usize = 2;

pub(super) fn observe(reading: &Reading<'_>, sink: &mut impl Sink) {
    for sentence in &reading.sentences {
        // The first word has no word before it.
        for n in sentence.words.clone().skip(1) {
            let Some(word) = reading.words.get(n) else { continue };
            match reading.lower(word) {
                "and" | "or" => list(reading, sentence.words.start, n, sink),
                "but" => {
                    let comma = comma_before(reading, n);
                    if comma || word.follows {
                        sink.choose(comma, (Sign::CommaBut, Sign::PlainBut), word.place.clone());
                    }
                }
                _ => {}
            }
        }
    }
}

/// Returns whether only a comma and a space come before a word.
fn comma_before(reading: &Reading<'_>, n: usize) -> bool {
    let Some(word) = reading.words.get(n) else { return false };
    let comma = |offset| reading.token(word.token, offset).is_some_and(|token| token.is_sign(','));
    comma(-2) || comma(-1)
}

/// Finds "a, b and c" or "a, b, and c", from its last "and".
fn list(reading: &Reading<'_>, first: usize, and: usize, sink: &mut impl Sink) {
    let oxford = comma_before(reading, and);
    // Goes back over the item before: its words are separated by spaces, and a comma comes before
    // the first.
    let mut part = and;
    for length in 1..=PART {
        let joined = if length == 1 && oxford {
            true
        } else {
            reading.words.get(part).is_some_and(|word| word.follows)
        };
        if !joined || part <= first + 1 {
            return;
        }
        part -= 1;
        if comma_before(reading, part) {
            // After the first word of a sentence it is not a list: "However, he and I left."
            let (Some(start), Some(end)) = (reading.words.get(part - 1), reading.words.get(and + 1)) else {
                return;
            };
            if part - 1 > first {
                sink.choose(oxford, (Sign::Oxford, Sign::NotOxford), start.place.start..end.place.end);
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::value;

    #[test]
    fn commas_in_lists_are_counted() {
        let oxford = |text| value(text, "oxford-comma");
        assert_eq!(oxford("I like tea, milk, and rum."), Some(1.0));
        assert_eq!(oxford("I like tea, milk and rum."), Some(0.0));
        assert_eq!(oxford("I like tea, warm milk, or rum. He has cats, dogs and fish."), Some(0.5));
        assert_eq!(oxford("However, he and I left. He sat, and I stood."), None);
        assert_eq!(oxford("And so. or, and"), None);
    }

    #[test]
    fn commas_before_but_are_counted() {
        assert_eq!(value("He came, but left. She came but stayed. But no.", "comma-before-but"), Some(0.5));
    }
}
