//! Endings such as 's and n't stay with their word.

use inkveil_lexicon::LexiconKind;
use inkveil_text::{AtZero, Punctuation, Treatment, Veiled};
use proptest::prelude::*;

use crate::{KINDS, open, settings, shared, veil};

/// Returns the apostrophes inside words that no ending follows.
fn broken(text: &str) -> Vec<&str> {
    let mut broken = Vec::new();
    for (at, mark) in text.match_indices(['\'', '’']) {
        let (before, after) = (&text[..at], &text[at + mark.len()..]);
        let end = after.find(|c: char| !c.is_alphanumeric()).unwrap_or(after.len());
        let inside = before.ends_with(|c: char| c.is_alphanumeric() || c == ']') && end > 0;
        let ending = after[..end].to_lowercase();
        let whole = match ending.as_str() {
            "s" | "re" | "ve" | "ll" | "d" | "m" => true,
            "t" => before.ends_with(['n', 'N']),
            _ => false,
        };
        if inside && !whole {
            broken.push(&text[at..at + mark.len() + end]);
        }
    }
    broken
}

/// Returns a masked text without the kinds, which depend on detection.
fn without_kinds(text: &str) -> String {
    let mut parts = text.split('[');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("[]");
        out.push_str(part.split_once(']').unwrap().1);
    }
    out
}

/// Asserts that every ending is unchanged and right after its word.
fn endings_are_attached(veiled: &Veiled<'_>) {
    let text = veiled.plan().text();
    for (index, unit) in veiled.plan().units().iter().enumerate() {
        if unit.treatment == Treatment::Clitic {
            assert_eq!(veiled.replacement(index), &text[unit.range.clone()]);
            if index > 0 && veiled.plan().units()[index - 1].range.end == unit.range.start {
                assert_eq!(veiled.place(index).start, veiled.place(index - 1).end);
            }
        }
    }
}

#[test]
fn endings_stay_with_what_replaces_their_word() {
    for kind in KINDS {
        for (text, masked, dropped) in [
            ("It wasn't Ana Lima's fault.", "It wasn't []'s fault.", "It wasn't fault."),
            ("It wasn’t Ana Lima’s fault.", "It wasn’t []’s fault.", "It wasn’t fault."),
            ("I don't know Bob Reyes.", "I don't know [].", "I don't know."),
            ("They'd've written to ana@example.org.", "They'd've written to [].", "They'd've written to."),
        ] {
            let with = |how: AtZero| {
                let mut settings = settings(kind, "0,0,inf,inf");
                settings.at_zero = how;
                open(settings)
            };
            assert_eq!(without_kinds(veil(&with(AtZero::Mask), text, 1).text()), masked, "{kind}");
            assert_eq!(veil(&with(AtZero::Drop), text, 1).text(), dropped, "{kind}");
            let surrogates = with(AtZero::Surrogate);
            let veiled = veil(&surrogates, text, 1);
            endings_are_attached(&veiled);
        }
    }
}

#[test]
fn the_host_of_an_ending_is_veiled() {
    let text = "She's the doctor's friend; we weren't there. We can't.";
    let words = open(settings(LexiconKind::Words, "0,0,0,0"));
    assert_eq!(without_kinds(veil(&words, text, 1).text()), "[]'s [] []'s []; [] []n't []. [] can't.");
    // The tokens of the other lexicon do not separate the verb from n't.
    let subword = open(settings(LexiconKind::Subword, "0,0,0,0"));
    let masked = without_kinds(veil(&subword, text, 1).text());
    assert_eq!(masked, "[]'s [] []'s []; [] weren't []. [] can't.");
}

#[test]
fn words_with_an_apostrophe_are_one_unit() {
    for kind in KINDS {
        for text in ["Conan O'Brien came at five o'clock.", "Conan O’Brien came at five o’clock."] {
            for budgets in ["0,0,0,0", "90,90,90,90"] {
                let settings = settings(kind, budgets);
                let opened = open(settings);
                let veiled = veil(&opened, text, 1);
                assert!(!veiled.text().contains(['\'', '’']), "{kind}: {}", veiled.text());
            }
        }
        let opened = open(settings(kind, "0,0,inf,inf"));
        let veiled = veil(&opened, "It is Conan O'Brien's.", 1);
        assert_eq!(without_kinds(veiled.text()), "It is []'s.", "{kind}");
    }
}

/// As published, every token is noised, apostrophes too.
#[test]
fn with_noised_punctuation_endings_are_tokens_as_in_the_paper() {
    let mut settings = settings(LexiconKind::Subword, "0,0,0,0");
    settings.punctuation = Punctuation::Noise;
    let opened = open(settings);
    let veiled = veil(&opened, "It wasn't Ana's.", 1);
    assert!(veiled.plan().units().iter().all(|unit| unit.treatment != Treatment::Clitic));
}

#[test]
fn the_receipt_lists_endings_as_kept() {
    let veiled = veil(shared(LexiconKind::Words), "It wasn't me.", 1);
    let shown = veiled.receipt().render();
    assert!(shown.contains("not covered   endings such as 's and n't"), "{shown}");
    assert!(shown.contains("treatment     endings such as 's and n't"), "{shown}");
}

fn sentence() -> impl Strategy<Value = String> {
    let word = proptest::sample::select(vec![
        "Ana", "Bob", "doctor", "it", "she", "We", "LYON", "zorblax", "was", "is", "could", "1980",
        "O'Brien", "o'clock", "don't", "can't", "WON'T", "river", "friend",
    ]);
    let ending = proptest::sample::select(vec![
        "", "", "'s", "’s", "'re", "’ve", "'ll", "'d", "'m", "'d've", "n't", "N’T", ",", "'",
    ]);
    proptest::collection::vec((word, ending), 1..9).prop_map(|words| {
        words.into_iter().map(|(word, ending)| format!("{word}{ending}")).collect::<Vec<_>>().join(" ")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn no_ending_is_ever_broken(text in sentence(), seed: u64) {
        for kind in KINDS {
            let veiled = veil(shared(kind), &text, seed);
            endings_are_attached(&veiled);
            // Tokens may be apostrophes themselves.
            if kind == LexiconKind::Words {
                prop_assert_eq!(broken(veiled.text()), [""; 0], "{}", veiled.text());
            }
        }
    }
}

#[test]
fn the_check_finds_broken_endings() {
    assert_eq!(broken("It wasn'creek Juan'patty fault, [person]'[word]"), ["'creek", "'patty"]);
    assert_eq!(broken("It wasn't Juan’s fault, [person]'s and 'quoted'"), [""; 0]);
}
