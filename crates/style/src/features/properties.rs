//! Properties that hold for every text.

use proptest::prelude::*;

use super::*;

/// Realistic and unrealistic texts.
fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-zA-Z]{1,9}",
        1 => "[0-9]{1,4}",
        3 => Just(" ".to_owned()),
        2 => "[-.,;:!?'\"()*_`#@&/<>=^\\[\\]~%$]{1,4}",
        1 => "[\\n\\r\\t ]{1,3}",
        1 => prop::sample::select(vec![
            "’", "“", "—", "…", ":-)", "😀", "👩🏽‍💻", "é", "e\u{301}", "中文", "ß", "İ", "http://",
        ])
            .prop_map(str::to_owned),
        2 => prop::sample::select(vec!["and", "I", "don't", "was asked", "e.g.", "colour", "could of", "a, b and c"])
            .prop_map(str::to_owned),
    ];
    prop_oneof![prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat()), ".{0,80}"]
}

/// Plain sentences.
fn plain_text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "dogs",
        "the",
        "and",
        "don't",
        "because",
        "very",
        "colour",
        "center",
        "it",
        "is",
        "not",
        "quickly",
        "was",
        "asked",
        "you",
        "maybe",
        "definately",
        "running",
        "I",
        "they",
        "London",
    ]);
    let mark = prop::sample::select(vec![".", "!", "?", "..."]);
    let comma = prop::sample::select(vec![" ", " ", " ", ", ", "; ", " — "]);
    let sentence = (prop::collection::vec((word, comma), 1..12), mark).prop_map(|(words, mark)| {
        let mut text = String::from("So ");
        for (n, (word, comma)) in words.iter().enumerate() {
            text.push_str(if n == 0 { "" } else { comma });
            text.push_str(word);
        }
        text + mark
    });
    prop::collection::vec(sentence, 1..25).prop_map(|sentences| sentences.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn values_are_finite(text in any_text()) {
        let profile = Profile::of(&text);
        prop_assert_eq!(profile.values().len(), features().len());
        for (index, feature) in features().iter().enumerate() {
            let value = profile.values()[index];
            prop_assert!(value.is_finite() && value >= 0.0, "{}: {value}", feature.name);
            prop_assert!(feature.unit != FeatureUnit::Share || value <= 1.0, "{}: {value}", feature.name);
            prop_assert!(profile.value(index).is_some() || value == 0.0, "{}", feature.name);
        }
    }

    #[test]
    fn examples_are_phrases(text in any_text(), from in 0..8_usize) {
        for (index, feature) in features().iter().enumerate().skip(from).step_by(8) {
            if let Some(range) = example(&text, index) {
                let phrase = text.get(range.clone());
                prop_assert!(phrase.is_some_and(|phrase| !phrase.is_empty()), "{}: {range:?}", feature.name);
                let words = reading::Reading::new(phrase.unwrap_or_default()).words.len();
                prop_assert!(words <= 13, "{}: {words}", feature.name);
            }
        }
    }

    #[test]
    fn habits_are_of_the_text(text in any_text(), others in prop::collection::vec(any_text(), 20..25)) {
        let profiles: Vec<Profile> = others.iter().map(|text| Profile::of(text)).collect();
        let population = Population::of(&profiles);
        for habit in habits(&text, &Profile::of(&text), &population, 10) {
            prop_assert!((0.0..=100.0).contains(&habit.percentile));
            prop_assert!(habit.example.clone().is_none_or(|range| text.get(range).is_some()));
            prop_assert!(!sentence(&habit).is_empty());
        }
    }

    /// A text repeated twice has the same habits. Only at the seam may a count differ, by at most
    /// one per number of occasions.
    #[test]
    fn twice_the_text_has_the_same_habits(text in plain_text()) {
        let once = Profile::of(&text);
        let twice = Profile::of(&format!("{text} {text}"));
        prop_assert_eq!(2 * once.words(), twice.words());
        prop_assert_eq!(2 * once.sentences(), twice.sentences());
        for (index, feature) in features().iter().enumerate() {
            // Windows over the seam see other words, the second paragraph does not exist, and there
            // is one more character.
            let seam = ["different-words", "words-used-once"].contains(&feature.name) || feature.group == FeatureGroup::Layout;
            if let (false, Some(a), Some(b)) = (seam, once.value(index), twice.value(index)) {
                let scale = match feature.unit {
                    FeatureUnit::PerThousandWords | FeatureUnit::PerThousandLetters | FeatureUnit::PerThousandCharacters => 1000.0,
                    _ => 1.0,
                };
                let allowed = 1.01 * scale / once.occasions(index) + 1e-3 * a.abs();
                prop_assert!((a - b).abs() <= allowed, "{}: {a} and {b}", feature.name);
            }
        }
    }
}
