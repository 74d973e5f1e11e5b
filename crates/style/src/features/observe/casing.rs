//! Capital and small letters.

use super::super::lexicon::Role;
use super::super::reading::{Case, Reading};
use super::super::sign::{Sign, Sink};
use super::super::tokens::Kind;

pub(super) fn observe(reading: &Reading<'_>, sink: &mut impl Sink) {
    for sentence in &reading.sentences {
        for n in sentence.words.clone() {
            let Some(word) = reading.words.get(n) else { continue };
            let lower = reading.lower(word);
            let is_i = matches!(lower, "i" | "i'm" | "i've" | "i'll" | "i'd");
            if n == sentence.words.start && !is_i {
                match word.case {
                    Case::Lower => sink.note(Sign::LowerStart, word.place.clone()),
                    Case::Capital | Case::Upper => sink.note(Sign::UpperStart, word.place.clone()),
                    Case::Mixed => {}
                }
            } else if word.case == Case::Capital && !is_i && !word.is(Role::Name) {
                sink.note(Sign::CapitalInside, word.place.clone());
            }
            if is_i && !is_part_of_abbreviation(reading, word.token) {
                sink.choose(word.case == Case::Lower, (Sign::LowerI, Sign::UpperI), word.place.clone());
            }
            if word.is(Role::Name) {
                sink.choose(word.case == Case::Lower, (Sign::LowerName, Sign::UpperName), word.place.clone());
            }
            match word.case {
                // Names in capitals are mostly shorter: "USA", "NATO".
                Case::Upper if word.letters >= 5 => sink.note(Sign::Shouted, word.place.clone()),
                Case::Upper if word.letters >= 2 && !is_i => {
                    sink.note(Sign::ShortCapitals, word.place.clone())
                }
                Case::Mixed => sink.note(Sign::MixedCase, word.place.clone()),
                _ => {}
            }
            after_colon(reading, n, sink);
        }
    }
    lines(reading, sink);
}

/// The i of "i.e.".
fn is_part_of_abbreviation(reading: &Reading<'_>, token: usize) -> bool {
    let dot = reading.token(token, 1).is_some_and(|next| next.is_sign('.'));
    dot && reading.token(token, 2).is_some_and(|next| next.kind == Kind::Word)
}

fn after_colon(reading: &Reading<'_>, n: usize, sink: &mut impl Sink) {
    let Some(word) = reading.words.get(n) else { return };
    let colon = reading.token(word.token, -2).is_some_and(|token| token.is_sign(':'));
    let space = reading.token(word.token, -1).is_some_and(|token| token.kind == Kind::Space);
    if colon && space && reading.word(n) != "i" && matches!(word.case, Case::Lower | Case::Capital) {
        let choices = (Sign::CapitalAfterColon, Sign::LowerAfterColon);
        sink.choose(word.case == Case::Capital, choices, word.place.clone());
    }
}

/// Counts lines of at least three words without a capital.
fn lines(reading: &Reading<'_>, sink: &mut impl Sink) {
    let mut words = reading.words.iter().peekable();
    let breaks = reading.tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Break);
    let ends = breaks.map(|(n, _)| n).chain([reading.tokens.len()]);
    for end in ends {
        let (mut count, mut cased, mut place) = (0, false, None);
        while let Some(word) = words.next_if(|word| word.token < end) {
            count += 1;
            cased |= word.case != Case::Lower;
            place.get_or_insert(word.place.start..word.place.end).end = word.place.end;
        }
        if let Some(place) = place.filter(|_| count >= 3) {
            sink.choose(!cased, (Sign::LowerLine, Sign::CasedLine), place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{count, value};

    #[test]
    fn missing_capitals_are_counted() {
        let text = "hello there. Who is it? i know, and I care. on monday, not Friday.";
        assert_eq!(value(text, "lower-case-starts"), Some(2.0 / 3.0));
        assert_eq!(value(text, "lower-case-i"), Some(0.5));
        assert_eq!(value(text, "lower-case-names"), Some(0.5));
        assert_eq!(value("all of it small\nNot this one here", "lower-case-lines"), Some(0.5));
        assert_eq!(value("i.e. this", "lower-case-i"), None);
    }

    #[test]
    fn capitals_are_counted() {
        let text = "The Big Dog is SO VERY HAPPY with his iPhone, see: It works.";
        assert_eq!(count(text, "capitals-inside"), 3.0);
        assert_eq!(count(text, "shouted-words"), 1.0);
        assert_eq!(count(text, "short-capitals"), 2.0);
        assert_eq!(count(text, "mixed-case"), 1.0);
        assert_eq!(value(text, "capital-after-colon"), Some(1.0));
    }
}
