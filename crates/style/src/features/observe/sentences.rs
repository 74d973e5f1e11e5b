//! The length of sentences, and how they start and end.

use std::ops::Range;

use super::super::lexicon::Role;
use super::super::reading::Reading;
use super::super::sentences::{End, Sentence};
use super::super::sign::{Sign, Sink};
use super::super::tokens::Kind;

/// The limits of a short and of a long sentence, in words.
const SHORT: usize = 5;
const LONG: usize = 30;

pub(super) fn observe(reading: &Reading<'_>, sink: &mut impl Sink) {
    for sentence in &reading.sentences {
        let count = sentence.words.len();
        let place = place(reading, sentence);
        sink.count(Sign::Sentences, 1);
        sink.add(Sign::SentenceWords, count as f64, place.clone());
        sink.count(Sign::SentenceWordsSquared, count * count);
        if count <= SHORT {
            sink.note(Sign::ShortSentence, place.clone());
        }
        if count >= LONG {
            sink.note(Sign::LongSentence, place);
        }
        start(reading, sentence, sink);
        end(reading, sentence, sink);
    }
    for two in reading.sentences.windows(2) {
        let [before, sentence] = two else { continue };
        sink.count(Sign::AfterFirst, 1);
        let first = |sentence: &Sentence| reading.word(sentence.words.start);
        if first(before) == first(sentence) {
            sink.note(Sign::StartsAlike, first_place(reading, sentence));
        }
    }
    verbs(reading, sink);
}

/// Returns the bytes of a sentence without the space around it.
fn place(reading: &Reading<'_>, sentence: &Sentence) -> Range<usize> {
    let tokens = reading.tokens.get(sentence.tokens.clone()).unwrap_or_default();
    let mut solid = tokens.iter().filter(|token| !matches!(token.kind, Kind::Space | Kind::Break));
    let start = solid.next().map_or(0, |token| token.start);
    start..solid.next_back().map_or_else(|| tokens.last().map_or(0, |token| token.end), |token| token.end)
}

fn first_place(reading: &Reading<'_>, sentence: &Sentence) -> Range<usize> {
    reading.words.get(sentence.words.start).map_or(0..0, |word| word.place.clone())
}

fn start(reading: &Reading<'_>, sentence: &Sentence, sink: &mut impl Sink) {
    let Some(first) = reading.words.get(sentence.words.start) else { return };
    let place = || first.place.clone();
    if first.is(Role::Conjunction) {
        sink.note(Sign::StartsConjunction, place());
    }
    if matches!(reading.lower(first), "i" | "i'm" | "i've" | "i'd" | "i'll" | "im" | "ive") {
        sink.note(Sign::StartsI, place());
    }
    if first.is(Role::Pointer) {
        sink.note(Sign::StartsPointer, place());
    }
    // "However, ..." and "In the end, ...": a comma after one to three words.
    let opening = sentence.words.clone().take(3).filter_map(|at| reading.words.get(at));
    let comma = |token: usize| reading.token(token, 1).is_some_and(|next| next.is_sign(','));
    if sentence.words.len() > 4 && opening.clone().any(|word| comma(word.token)) {
        sink.note(Sign::StartsIntro, place());
    }
}

fn end(reading: &Reading<'_>, sentence: &Sentence, sink: &mut impl Sink) {
    let sign = match sentence.end {
        End::Stop => return,
        End::Question => Sign::Question,
        End::Exclamation => Sign::Exclamation,
        End::Dots => Sign::TrailsOff,
        End::Nothing => Sign::Unended,
    };
    let last = sentence.words.end.checked_sub(1).and_then(|at| reading.words.get(at));
    if let Some(last) = last {
        sink.note(sign, last.place.clone());
    }
}

/// "was asked", "is really known": a form of "be" and a participle, which is passive or looks like
/// it. "was asking" is progressive.
fn verbs(reading: &Reading<'_>, sink: &mut impl Sink) {
    for (n, word) in reading.words.iter().enumerate().filter(|(_, word)| word.is(Role::Be)) {
        let mut at = n;
        // One word may come between.
        if matches!(reading.next_word(at), "not" | "being" | "been") || reading.next_word(at).ends_with("ly")
        {
            at += 1;
        }
        let Some(verb) = reading.next(at) else { continue };
        let lower = reading.lower(verb);
        let place = word.place.start..verb.place.end;
        if verb.is(Role::Participle) || lower.len() > 4 && lower.ends_with("ed") {
            sink.note(Sign::PassiveLike, place);
        } else if lower.len() > 4 && lower.ends_with("ing") && !verb.is(Role::NotGerund) {
            sink.note(Sign::Progressive, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{count, value};

    #[test]
    fn lengths_of_sentences_are_measured() {
        let text = "One two three four. One two three four five six seven eight.";
        assert_eq!(value(text, "sentence-words"), Some(6.0));
        assert_eq!(value(text, "sentence-words-spread"), Some(2.0));
        assert_eq!(value(text, "short-sentences"), Some(0.5));
        assert_eq!(value(text, "long-sentences"), Some(0.0));
        assert_eq!(value(&format!("{} end.", "word ".repeat(40)), "long-sentences"), Some(1.0));
        assert_eq!(value("One.", "sentence-words-spread"), None);
        assert_eq!(value("", "sentence-words"), None);
    }

    #[test]
    fn starts_of_sentences_are_counted() {
        let text = "But no. I left. It rained. In the end, we all stayed home. It was late.";
        assert_eq!(value(text, "starts-conjunction"), Some(0.2));
        assert_eq!(value(text, "starts-i"), Some(0.2));
        assert_eq!(value(text, "starts-pointer"), Some(0.4));
        assert_eq!(value(text, "starts-intro"), Some(0.2));
        assert_eq!(value(text, "starts-alike"), Some(0.0));
        assert_eq!(value("We came. We saw. They left.", "starts-alike"), Some(0.5));
    }

    #[test]
    fn ends_of_sentences_are_counted() {
        let text = "Why? Go! Well... fine\nNo.";
        assert_eq!(value(text, "questions"), Some(0.25));
        assert_eq!(value(text, "exclamations"), Some(0.25));
        assert_eq!(value(text, "unended"), Some(0.25));
        assert_eq!(value("Well... Fine.", "trails-off"), Some(0.5));
    }

    #[test]
    fn verb_forms_are_counted() {
        assert_eq!(count("It was quickly asked and is known. He was here.", "passive-like"), 2.0);
        assert_eq!(count("I'm going. It is not raining. He was king.", "progressive"), 2.0);
    }
}
