//! The habits of a text as numbers.

use super::observe::observe;
use super::reading::Reading;
use super::sign::Tally;
use super::table::features;

/// One number for each of the [`features`] of a text.
///
/// A text may have no occasion for a habit: a share of British spellings needs a word with two
/// spellings. Such a feature has no [`value`](Self::value). Among the [`values`](Self::values) it
/// is 0, so that all vectors have one length, and its [`occasions`](Self::occasions) are 0.
///
/// ```
/// use inkveil_style::features::{Profile, features};
///
/// let profile = Profile::of("I like tea, milk, and rum. I don't like water.");
/// let value = |name| profile.value(features().iter().position(|feature| feature.name == name).unwrap());
/// assert_eq!(value("sentence-words"), Some(5.0));
/// assert_eq!(value("oxford-comma"), Some(1.0));
/// assert_eq!(value("british-spelling"), None);
/// assert_eq!((profile.words(), profile.sentences()), (10, 2));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    values: Vec<f32>,
    occasions: Vec<f32>,
    words: usize,
    sentences: usize,
}

impl Profile {
    /// Measures a text.
    pub fn of(text: &str) -> Self {
        let reading = Reading::new(text);
        let mut tally = Tally::new();
        observe(&reading, &mut tally);
        let measured = features().iter().map(|feature| feature.measure.of(&tally));
        let (values, occasions) =
            measured.map(|(value, occasions)| (value.unwrap_or(0.0) as f32, occasions as f32)).unzip();
        Self { values, occasions, words: reading.words.len(), sentences: reading.sentences.len() }
    }

    /// Returns one finite number for each feature, in order; 0 without an occasion.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Returns the value of a feature; none without an occasion, or if there is no such feature.
    pub fn value(&self, index: usize) -> Option<f32> {
        self.values.get(index).copied().filter(|_| self.occasions(index) > 0.0)
    }

    /// Returns the number of occasions: words for a rate per 1000 words, sentences for a mean over
    /// sentences, choices for a share of choices.
    pub fn occasions(&self, index: usize) -> f32 {
        self.occasions.get(index).copied().unwrap_or(0.0)
    }

    /// Returns the number of words.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Returns the number of sentences.
    pub fn sentences(&self) -> usize {
        self.sentences
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_text_has_no_values() {
        for text in ["", " \n\n ", "...", "123", "🙂"] {
            let profile = Profile::of(text);
            assert_eq!(profile.words(), 0);
            assert_eq!(profile.sentences(), 0);
            assert_eq!(profile.value(0), None);
            assert!(profile.values().iter().all(|value| value.is_finite()));
        }
        assert_eq!(Profile::of("word").value(usize::MAX), None);
    }
}
