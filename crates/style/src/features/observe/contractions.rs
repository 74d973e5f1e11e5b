//! "don't" or "do not", if both are possible.

use super::super::lexicon::Role;
use super::super::reading::{Reading, Word};
use super::super::sign::{Sign, Sink};

pub(super) fn observe(reading: &Reading<'_>, sink: &mut impl Sink) {
    for (n, word) in reading.words.iter().enumerate() {
        let lower = reading.lower(word);
        if let Some(kind) = short(word, lower) {
            sink.note(kind.short(), word.place.clone());
            sink.note(Sign::AnyShort, word.place.clone());
            let missing = word.is(Role::MissingApostrophe);
            sink.choose(missing, (Sign::ApostropheMissing, Sign::ApostropheWritten), word.place.clone());
        } else if let Some(kind) = full(reading, n, lower) {
            let start = if lower == "cannot" { word } else { reading.previous(n).unwrap_or(word) };
            let place = start.place.start..word.place.end;
            sink.note(kind.full(), place.clone());
            sink.note(Sign::AnyFull, place);
        }
        spoken(reading, n, word, lower, sink);
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Not,
    Be,
    /// "will", "would", "have", "had".
    Will,
}

impl Kind {
    fn short(self) -> Sign {
        match self {
            Self::Not => Sign::NotShort,
            Self::Be => Sign::BeShort,
            Self::Will => Sign::WillShort,
        }
    }

    fn full(self) -> Sign {
        match self {
            Self::Not => Sign::NotFull,
            Self::Be => Sign::BeFull,
            Self::Will => Sign::WillFull,
        }
    }
}

/// Returns the contraction that a word is.
fn short(word: &Word, lower: &str) -> Option<Kind> {
    let missing = word.is(Role::MissingApostrophe);
    if !missing && word.curly.is_none() {
        return None;
    }
    if lower.ends_with("n't") || missing && lower.ends_with("nt") {
        return Some(Kind::Not);
    }
    let ends = |with: &str, without: &str| lower.ends_with(with) || missing && lower.ends_with(without);
    if ends("'ll", "ll") || ends("'ve", "ve") || lower.ends_with("'d") {
        return Some(Kind::Will);
    }
    // Most words with 's are possessive, but not these.
    let is_short_is = lower.strip_suffix("'s").is_some_and(is_subject);
    let is_missing_is = missing && lower.strip_suffix('s').is_some_and(is_subject);
    (is_short_is || is_missing_is || ends("'m", "m") || ends("'re", "re")).then_some(Kind::Be)
}

/// Words after which "is" becomes 's.
fn is_subject(word: &str) -> bool {
    matches!(word, "he" | "she" | "it" | "that" | "there" | "here" | "what" | "who" | "where" | "how")
}

/// Returns the contraction that a word could have formed with the one before it. There is none at
/// the end of a clause: "yes, I am."
fn full(reading: &Reading<'_>, n: usize, lower: &str) -> Option<Kind> {
    let before = reading.previous_word(n);
    match lower {
        "cannot" => return Some(Kind::Not),
        "not" => return reading.previous(n)?.is(Role::TakesNot).then_some(Kind::Not),
        _ => {}
    }
    let next = reading.next(n)?;
    let plural = matches!(before, "you" | "we" | "they");
    let person = plural || matches!(before, "i" | "he" | "she" | "it");
    match lower {
        // "he is not" has another place for a contraction.
        "am" | "are" | "is" if reading.lower(next) == "not" => None,
        "am" => (before == "i").then_some(Kind::Be),
        "are" => plural.then_some(Kind::Be),
        "is" => is_subject(before).then_some(Kind::Be),
        "will" | "would" if reading.lower(next) != "not" => person.then_some(Kind::Will),
        // "I have a dog" is not shortened.
        "have" | "had" => {
            let helps = next.is(Role::Participle) || reading.lower(next).ends_with("ed");
            (person && helps).then_some(Kind::Will)
        }
        _ => None,
    }
}

/// "gonna", "goin'", "cuz".
fn spoken(reading: &Reading<'_>, n: usize, word: &Word, lower: &str, sink: &mut impl Sink) {
    if word.is(Role::Spoken) {
        sink.note(Sign::SpokenForm, word.place.clone());
    }
    let full = match lower {
        "going" | "want" | "have" | "got" => reading.next_word(n) == "to",
        "kind" | "sort" | "out" => reading.next_word(n) == "of",
        "let" | "give" => reading.next_word(n) == "me",
        _ => false,
    };
    if full {
        sink.note(Sign::SpokenFull, word.place.clone());
    }
    if word.is(Role::Clipped) {
        sink.note(Sign::Clipped, word.place.clone());
    }
    let quote = reading.token(word.token, 1).filter(|token| token.is_sign('\'') || token.is_sign('’'));
    let opened = reading.token(word.token, -1).is_some_and(|token| matches!(token.first, '\'' | '‘'));
    if let Some(quote) = quote.filter(|_| word.letters > 3 && lower.ends_with("in") && !opened) {
        sink.note(Sign::DroppedG, word.place.start..quote.end);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{count, value};

    #[test]
    fn short_and_full_forms_are_counted() {
        assert_eq!(value("I don't know. I do not care. She cannot.", "short-not"), Some(1.0 / 3.0));
        assert_eq!(value("He's here. It is late. They are in.", "short-be"), Some(1.0 / 3.0));
        assert_eq!(value("I'll go. I will stay. He'd left.", "short-will"), Some(2.0 / 3.0));
        assert_eq!(value("I have seen it. I've gone.", "short-will"), Some(0.5));
        assert_eq!(value("It's fine and I do not care", "short-forms"), Some(0.5));
        // No choice: the end of a clause, a possessive, a main verb.
        assert_eq!(value("Yes, I am. Anna's dog. I have a dog.", "short-forms"), None);
        // "It is not" is one choice, not two.
        assert_eq!(value("It is not here", "short-be"), None);
        assert_eq!(value("It is not here", "short-not"), Some(0.0));
    }

    #[test]
    fn missing_apostrophes_are_counted() {
        assert_eq!(value("I dont know, thats what I don't get. youre", "missing-apostrophes"), Some(0.75));
        assert_eq!(value("I know", "missing-apostrophes"), None);
    }

    #[test]
    fn spoken_forms_are_counted() {
        assert_eq!(value("I'm gonna go, he is going to stay", "spoken-forms"), Some(0.5));
        assert_eq!(count("he's doin' fine, 'captain' of the day, cuz he can", "dropped-g"), 1.0);
        assert_eq!(count("he's doin' fine, cuz he can, tho", "clipped-words"), 2.0);
    }
}
