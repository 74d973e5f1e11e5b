//! Detection with the default pack.
#![allow(clippy::unwrap_used)]

mod languages;

use std::path::Path;
use std::sync::LazyLock;

use inkveil_detect::{Allow, Detector, Kind, Phrase, Settings, Span, Tier, UserRule, WordList};
use proptest::prelude::*;

const PACK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/en");

fn open(settings: Settings) -> Detector {
    Detector::open(Some(Path::new(PACK)), settings).unwrap()
}

static TIERS: LazyLock<[Detector; 3]> = LazyLock::new(|| Tier::ALL.map(|tier| open(Settings::of(tier))));

fn found<'a>(detector: &Detector, text: &'a str) -> Vec<(Kind, &'a str)> {
    let spans = detector.detect(&[text]).unwrap().remove(0);
    spans.into_iter().map(|span| (span.kind.clone(), &text[span.range()])).collect()
}

#[test]
fn both_taggers_find_names_that_no_rule_finds() {
    let text =
        "Dear Mirela Kovalenko, the parcel for your brother Tomasz went to Marlow & Finch Ltd in Gdansk.";
    for detector in &TIERS[1..] {
        let found = found(detector, text);
        for (kind, part) in
            [(Kind::Person, "Mirela Kovalenko"), (Kind::Person, "Tomasz"), (Kind::Location, "Gdansk")]
        {
            assert!(found.contains(&(kind, part)), "{detector:?} found {found:?}");
        }
    }
    assert!(found(&TIERS[0], text).iter().all(|(kind, _)| *kind != Kind::Person));
}

#[test]
fn rules_and_taggers_give_one_span() {
    let text = "My IBAN is GB82 WEST 1234 5698 7654 32 and my mail is ana.lima@example.org.";
    for detector in TIERS.iter() {
        let found = found(detector, text);
        assert!(found.contains(&(Kind::Iban, "GB82 WEST 1234 5698 7654 32")), "{found:?}");
        assert!(found.contains(&(Kind::Email, "ana.lima@example.org")), "{found:?}");
    }
}

#[test]
fn nothing_is_found_in_plain_sentences() {
    let texts = [
        "The water should boil before you add the rice, and then it needs a lid.",
        "Sorting takes longer when the list is already sorted the other way round.",
        "for i in 0..n { total += weights[i] * inputs[i]; }",
    ];
    for detector in TIERS.iter() {
        assert!(detector.detect(&texts).unwrap().iter().all(Vec::is_empty), "{detector:?}");
    }
}

#[test]
fn settings_of_the_user_apply() {
    let mut settings = Settings::of(Tier::Fast);
    settings.allow.push(Allow::Text { text: "ana@example.org".to_owned(), ignore_case: true });
    settings.deny.push(Phrase::new("blue heron", Kind::named("project")));
    settings.rules.push(UserRule::new("ticket", Kind::named("ticket"), "T-[0-9]{4}"));
    settings.disabled.insert(Kind::Url);
    let found = found(&open(settings), "ANA@example.org about Blue Heron, T-1234, https://example.org/x");
    assert_eq!(found, [(Kind::named("project"), "Blue Heron"), (Kind::named("ticket"), "T-1234")]);
}

#[test]
fn spans_inside_an_allowed_text_are_dropped() {
    let mut settings = Settings::of(Tier::Rules);
    settings.allow.push(Allow::Text { text: "GB82 WEST 1234 5698 7654 32".to_owned(), ignore_case: false });
    assert!(found(&open(settings), "pay into account GB82 WEST 1234 5698 7654 32 please").is_empty());
}

#[test]
fn an_error_about_a_pack_without_taggers_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let error = Detector::open(Some(folder.path()), Settings::default()).unwrap_err();
    assert!(error.to_string().contains("gazetteer.fst"), "{error}");
    assert!(Detector::open(None, Settings::default()).unwrap_err().to_string().contains("rules"));
}

#[test]
fn texts_in_a_batch_do_not_influence_each_other() {
    let texts = ["Call Ana Lima.", "", "He is 47 years old and lives at 12 Elm Road, Leeds LS1 4AP.", "x"];
    for detector in TIERS.iter() {
        let together = detector.detect(&texts).unwrap();
        for (text, spans) in texts.iter().zip(&together) {
            assert_eq!(places(&detector.detect(&[text]).unwrap()[0]), places(spans));
        }
    }
}

#[test]
fn a_name_is_found_in_the_middle_of_a_long_text() {
    let filler = "The rice needs a lid and a little patience before it is done. ".repeat(400);
    let text = format!("{filler}Her name is Mirela Kovalenko. {filler}");
    for detector in &TIERS[1..] {
        assert!(found(detector, &text).contains(&(Kind::Person, "Mirela Kovalenko")), "{detector:?}");
    }
}

/// With a threshold of NaN nothing would be found, and every text would seem harmless.
#[test]
fn thresholds_and_scores_are_from_0_to_1() {
    type Change = dyn Fn(&mut Settings, f32);
    let refusal = |change: &Change, share: f32| {
        let mut settings = Settings::of(Tier::Rules);
        settings.rules.push(UserRule::new("ticket", Kind::named("ticket"), "T-[0-9]{4}"));
        settings.lists.push(WordList::new("birds", Kind::named("bird"), vec!["Heron".into()]));
        change(&mut settings, share);
        Detector::open(None, settings).err().map(|error| error.to_string())
    };
    let changes: [(&Change, &str); 5] = [
        (&|settings, share| settings.threshold = share, "the threshold is "),
        (
            &|settings, share| {
                settings.thresholds.insert(Kind::Email, share);
            },
            "the threshold of email is ",
        ),
        (&|settings, share| settings.rules[0].score = share, "the score of the rule \"ticket\" is "),
        (
            &|settings, share| settings.rules[0].context_score = share,
            "the context score of the rule \"ticket\" is ",
        ),
        (&|settings, share| settings.lists[0].score = share, "the score of the list \"birds\" is "),
    ];
    for (change, words) in changes {
        for share in [f32::NAN, f32::INFINITY, -0.1, 1.1] {
            let expected = format!("{words}{share}; use a number from 0 to 1");
            assert_eq!(refusal(change, share), Some(expected));
        }
        for share in [0.0, 0.5, 1.0] {
            assert_eq!(refusal(change, share), None);
        }
    }
}

fn places(spans: &[Span]) -> Vec<(usize, usize, Kind)> {
    spans.iter().map(|span| (span.start, span.end, span.kind.clone())).collect()
}

/// Draws texts of words, digits, signs and arbitrary characters.
fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        "[A-Za-z0-9@.:/+() -]{0,40}",
        Just("Ana Lima ".to_owned()),
        Just("+44 20 7946 0018".to_owned()),
        "\\PC{0,12}",
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn spans_of_any_text_are_sorted_and_on_character_boundaries(text in any_text()) {
        for detector in TIERS.iter() {
            let spans = detector.detect(&[&text]).unwrap().remove(0);
            prop_assert!(spans.iter().all(|span| span.start < span.end && text.get(span.range()).is_some()));
            prop_assert!(spans.windows(2).all(|two| two[0].end <= two[1].start));
            prop_assert!(spans.iter().all(|span| (0.0..=1.0).contains(&span.score)));
            prop_assert_eq!(&spans, &detector.detect(&[&text]).unwrap()[0]);
        }
    }
}
