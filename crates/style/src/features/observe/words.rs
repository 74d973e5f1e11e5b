//! The length of words, their endings, and the persons they refer to.

use super::super::lexicon::Role;
use super::super::reading::{Reading, Word};
use super::super::sign::{Sign, Sink, Slot};
use super::super::tokens::Kind;

/// The limits of a short and of a long word, in letters.
const SHORT: usize = 3;
const LONG: usize = 8;

const ABSTRACT: [&str; 6] = ["tion", "tions", "ment", "ments", "ness", "ity"];

pub(super) fn observe(reading: &Reading<'_>, sink: &mut impl Sink) {
    sink.count(Sign::Words, reading.words.len());
    for (n, word) in reading.words.iter().enumerate() {
        length(word, sink);
        if let Some(index) = word.function {
            sink.note(Slot::function_word(usize::from(index)), word.place.clone());
        }
        people(word, sink);
        endings(word, reading.lower(word), sink);
        doubled(reading, n, sink);
    }
    for (n, token) in reading.tokens.iter().enumerate() {
        match token.kind {
            Kind::Number if reading.text[token.range()].bytes().all(|b| b.is_ascii_digit()) => {
                sink.note(Sign::DigitNumber, token.range());
            }
            Kind::Sign if token.first == '-' && token.run() == 1 => {
                let word = |offset| reading.token(n, offset).filter(|token| token.kind == Kind::Word);
                if let (Some(before), Some(after)) = (word(-1), word(1)) {
                    sink.note(Sign::Hyphenated, before.start..after.end);
                }
            }
            _ => {}
        }
    }
}

fn length(word: &Word, sink: &mut impl Sink) {
    sink.add(Sign::Letters, word.letters as f64, word.place.clone());
    if word.letters <= SHORT {
        sink.note(Sign::ShortWord, word.place.clone());
    }
    if word.letters >= LONG {
        sink.note(Sign::LongWord, word.place.clone());
    }
}

fn people(word: &Word, sink: &mut impl Sink) {
    const PEOPLE: [(Role, Sign); 5] = [
        (Role::FirstSingular, Sign::FirstSingular),
        (Role::FirstPlural, Sign::FirstPlural),
        (Role::Second, Sign::SecondPerson),
        (Role::Third, Sign::ThirdPerson),
        (Role::NumberWord, Sign::WordNumber),
    ];
    for (_, sign) in PEOPLE.into_iter().filter(|(role, _)| word.is(*role)) {
        sink.note(sign, word.place.clone());
    }
}

fn endings(word: &Word, lower: &str, sink: &mut impl Sink) {
    let place = || word.place.clone();
    if word.letters >= 5 && lower.ends_with("ly") && !word.is(Role::NotAdverb) {
        sink.note(Sign::LyAdverb, place());
    }
    if word.letters >= 5 && lower.ends_with("ing") && !word.is(Role::NotGerund) {
        sink.note(Sign::IngWord, place());
    }
    if word.letters >= 7 && ABSTRACT.iter().any(|ending| lower.ends_with(ending)) {
        sink.note(Sign::AbstractNoun, place());
    }
    // "sooo": no English word has three equal letters in a row, but addresses and numerals do.
    let bytes = lower.as_bytes();
    let stretched =
        |three: &[u8]| three[0] == three[1] && three[1] == three[2] && three[0].is_ascii_lowercase();
    if bytes.windows(3).any(stretched) && !matches!(lower, "www" | "iii" | "viii" | "xxx") {
        sink.note(Sign::Stretched, place());
    }
}

/// Counts "very very". "had had" and "that that" are grammar.
fn doubled(reading: &Reading<'_>, n: usize, sink: &mut impl Sink) {
    let (Some(word), Some(before)) = (reading.words.get(n), reading.previous(n)) else { return };
    let lower = reading.lower(word);
    if lower == reading.lower(before) && !matches!(lower, "had" | "that") {
        sink.note(Sign::Doubled, before.place.start..word.place.end);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{count, value};

    #[test]
    fn lengths_of_words_are_measured() {
        let text = "I don't understand internationalisation";
        assert_eq!(value(text, "word-letters"), Some(8.75));
        assert_eq!(value(text, "short-words"), Some(0.25));
        assert_eq!(value(text, "long-words"), Some(0.5));
    }

    #[test]
    fn function_words_are_counted() {
        assert_eq!(value("The cat and the dog", "word-the"), Some(400.0));
        assert_eq!(value("The cat and the dog", "word-upon"), Some(0.0));
    }

    #[test]
    fn endings_are_counted() {
        let text = "He quickly saw the only building, running in a well-known direction. Sooo very very good";
        assert_eq!(count(text, "ly-adverbs"), 1.0);
        assert_eq!(count(text, "ing-words"), 2.0);
        assert_eq!(count(text, "abstract-nouns"), 1.0);
        assert_eq!(count(text, "hyphenated"), 1.0);
        assert_eq!(count(text, "stretched-words"), 1.0);
        assert_eq!(count(text, "doubled-words"), 1.0);
    }

    #[test]
    fn persons_and_numbers_are_counted() {
        let text = "I gave you my 3 keys, and we had two, she said";
        assert_eq!(count(text, "first-person"), 2.0);
        assert_eq!(count(text, "we"), 1.0);
        assert_eq!(count(text, "second-person"), 1.0);
        assert_eq!(count(text, "third-person"), 1.0);
        assert_eq!(value(text, "numbers-as-digits"), Some(0.5));
        assert_eq!(value("none here", "numbers-as-digits"), None);
    }
}
