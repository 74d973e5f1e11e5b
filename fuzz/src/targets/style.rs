//! Arbitrary text as one to be asked about: numbers are finite, examples are places in the text.

use inkveil_style::features::{Population, Profile, example, features, habits};
use inkveil_style::language::language;

pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
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
}
