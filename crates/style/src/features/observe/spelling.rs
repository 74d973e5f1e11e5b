//! British or American spelling, mistakes, and words with two forms.

use super::super::lexicon::Role;
use super::super::reading::{Reading, Word};
use super::super::sign::{Sign, Sink};

/// Roles, their counts, and whether they are British (true), American or neither.
const FORMS: [(Role, Sign, Option<bool>); 14] = [
    (Role::BritishOur, Sign::BritishOur, Some(true)),
    (Role::AmericanOur, Sign::AmericanOur, Some(false)),
    // "organize" is British too, but "organise" is not American.
    (Role::BritishIse, Sign::BritishIse, Some(true)),
    (Role::AmericanIze, Sign::AmericanIze, Some(false)),
    (Role::BritishRe, Sign::BritishRe, Some(true)),
    (Role::AmericanEr, Sign::AmericanEr, Some(false)),
    (Role::BritishDouble, Sign::BritishDouble, Some(true)),
    (Role::AmericanSingle, Sign::AmericanSingle, Some(false)),
    (Role::BritishWord, Sign::BritishWord, Some(true)),
    (Role::AmericanWord, Sign::AmericanWord, Some(false)),
    (Role::PastT, Sign::PastT, None),
    (Role::PastEd, Sign::PastEd, None),
    (Role::WithS, Sign::WithS, None),
    (Role::WithoutS, Sign::WithoutS, None),
];

const SLIPS: [(Role, Sign); 3] = [
    (Role::Misspelling, Sign::Misspelling),
    (Role::TypingSlip, Sign::TypingSlip),
    (Role::WrongJoin, Sign::WrongJoin),
];

pub(super) fn observe(reading: &Reading<'_>, sink: &mut impl Sink) {
    for (n, word) in reading.words.iter().enumerate() {
        let place = || word.place.clone();
        if !word.roles.is_empty() {
            for (_, sign, british) in FORMS.into_iter().filter(|(role, ..)| word.is(*role)) {
                sink.note(sign, place());
                if let Some(british) = british {
                    sink.choose(british, (Sign::AnyBritish, Sign::AnyAmerican), place());
                }
            }
            for (_, sign) in SLIPS.into_iter().filter(|(role, _)| word.is(*role)) {
                sink.note(sign, place());
            }
            if word.is(Role::Yeah) {
                sink.note(Sign::Yeah, place());
            }
        }
        match reading.lower(word) {
            "okay" => sink.note(Sign::Okay, place()),
            "ok" | "k" => sink.note(Sign::Ok, place()),
            "thanks" | "thx" => sink.note(Sign::Thanks, place()),
            "thank" if reading.next_word(n) == "you" => sink.note(Sign::ThankYou, place()),
            "yes" => sink.note(Sign::Yes, place()),
            "would" | "could" | "should" | "might" | "must" => have(reading, n, word, sink),
            lower if is_sound_alike(reading, n, lower) => {
                let end = reading.next(n).map_or(word.place.end, |next| next.place.end);
                let start = if lower == "then" { reading.previous(n).unwrap_or(word) } else { word };
                sink.note(
                    Sign::SoundAlike,
                    start.place.start..if lower == "then" { word.place.end } else { end },
                );
            }
            _ => {}
        }
    }
}

/// "could of" or "could have".
fn have(reading: &Reading<'_>, n: usize, word: &Word, sink: &mut impl Sink) {
    let Some(next) = reading.next(n) else { return };
    let wrong = match reading.lower(next) {
        "of" => true,
        "have" => false,
        _ => return,
    };
    sink.choose(wrong, (Sign::OfForHave, Sign::HaveForHave), word.place.start..next.place.end);
}

/// Counts words that are confused with others that sound alike, if the neighbouring word leaves
/// little doubt.
fn is_sound_alike(reading: &Reading<'_>, n: usize, lower: &str) -> bool {
    let next = || reading.next_word(n);
    match lower {
        "its" => matches!(next(), "a" | "an" | "the" | "not" | "been" | "so" | "just" | "going" | "too"),
        "it's" => next() == "own",
        "your" => {
            matches!(next(), "a" | "an" | "the" | "not" | "going" | "welcome" | "so" | "very" | "gonna")
        }
        "you're" => next() == "own",
        "to" => matches!(next(), "much" | "many" | "late" | "bad" | "often" | "big" | "expensive"),
        "their" => matches!(next(), "is" | "are" | "was" | "were" | "going" | "not"),
        "there" => matches!(next(), "own" | "house" | "parents"),
        "then" => {
            matches!(
                reading.previous_word(n),
                "more" | "less" | "better" | "worse" | "rather" | "other" | "bigger"
            )
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{count, value};

    #[test]
    fn british_and_american_forms_are_counted() {
        for (name, british, american) in [
            ("british-our", "colour", "color"),
            ("british-ise", "organised", "organized"),
            ("british-re", "centre", "center"),
            ("british-double-l", "travelling", "traveling"),
            ("british-words", "grey", "gray"),
            ("past-in-t", "learnt", "learned"),
            ("ending-in-wards", "towards", "toward"),
        ] {
            assert_eq!(value(&format!("so {british} and {american} are"), name), Some(0.5), "{name}");
            assert_eq!(value(&format!("so {british} and"), name), Some(1.0), "{name}");
            assert_eq!(value("neither of these", name), None, "{name}");
        }
        assert_eq!(value("my favourite colors in the centre", "british-spelling"), Some(2.0 / 3.0));
    }

    #[test]
    fn mistakes_are_counted() {
        assert_eq!(count("I definately recieve teh mail alot", "misspellings"), 2.0);
        assert_eq!(count("I definately recieve teh mail alot", "typing-slips"), 1.0);
        assert_eq!(count("I definately recieve teh mail alot", "wrong-joins"), 1.0);
        assert_eq!(
            count("its a dog and your welcome, more then me. its tail, your dog", "sound-alikes"),
            3.0
        );
        assert_eq!(value("I could of and should have", "of-for-have"), Some(0.5));
    }

    #[test]
    fn words_with_two_forms_are_counted() {
        assert_eq!(value("ok, okay", "okay"), Some(0.5));
        assert_eq!(value("thanks and thank you", "thanks"), Some(0.5));
        assert_eq!(value("yeah yep yes", "yeah"), Some(2.0 / 3.0));
    }
}
