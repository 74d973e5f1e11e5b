//! Arbitrary text as one to be asked about: numbers are finite, examples are places in the text.
#![no_main]

use inkveil_style::features::{Population, Profile, example, features, habits};
use inkveil_style::language::language;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let profile = Profile::of(text);
    assert!(profile.values().iter().all(|value| value.is_finite()));
    for index in 0..features().len() {
        if let Some(place) = example(text, index) {
            assert!(text.get(place).is_some());
        }
    }
    let population = Population::of([&profile]);
    for habit in habits(text, &profile, &population, 10) {
        assert!((0.0..=100.0).contains(&habit.percentile));
    }
    language(text);
});
