//! The observers: one file for each family of habits.

mod casing;
mod characters;
mod contractions;
mod layout;
mod lists;
mod punctuation;
mod sentences;
mod spacing;
mod spelling;
mod vocabulary;
mod words;

use super::reading::Reading;
use super::sign::Sink;

/// Reports everything that is found in a text to the sink.
pub(super) fn observe(reading: &Reading<'_>, sink: &mut impl Sink) {
    sentences::observe(reading, sink);
    words::observe(reading, sink);
    punctuation::observe(reading, sink);
    spacing::observe(reading, sink);
    lists::observe(reading, sink);
    contractions::observe(reading, sink);
    casing::observe(reading, sink);
    spelling::observe(reading, sink);
    vocabulary::observe(reading, sink);
    characters::observe(reading, sink);
    layout::observe(reading, sink);
}

#[cfg(test)]
pub(super) mod testing {
    //! Values of features by name, for the tests of each family.

    use super::super::{Profile, features};

    /// The value of a feature in a text.
    pub(in super::super) fn value(text: &str, name: &str) -> Option<f32> {
        let index = features().iter().position(|feature| feature.name == name).expect(name);
        Profile::of(text).value(index)
    }

    /// Returns the number of occurrences in a text, from the rate per 1000 words.
    pub(in super::super) fn count(text: &str, name: &str) -> f32 {
        let words = Profile::of(text).words() as f32;
        (value(text, name).unwrap() * words / 1000.0 * 100.0).round() / 100.0
    }
}
