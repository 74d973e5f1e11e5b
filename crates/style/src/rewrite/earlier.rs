//! Earlier texts of a writer, as an attacker would use them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::wording::wording;
use crate::function_words::is_function_word;
use crate::{Error, Link, MemoryGeometry, StyleEncoder, digest};

/// Texts that a writer has published. Rewrites should not be linked to them.
pub struct EarlierTexts {
    vectors: Vec<Vec<f32>>,
    /// Words and word pairs that the writer uses in several texts.
    recurring: BTreeSet<String>,
    sha256: String,
}

/// How well a text can be linked to earlier texts of its writer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EarlierLink {
    /// By its style.
    pub style: Link,
    /// By its words: the share of its words and word pairs that recur in the earlier texts.
    pub recurring: f64,
}

impl EarlierTexts {
    /// Reads earlier texts. `progress` receives the number of texts that are encoded and returns whether to continue.
    ///
    /// # Errors
    /// If there is no text, the encoder fails, or `progress` returned false.
    pub fn read(
        encoder: &StyleEncoder,
        texts: &[&str],
        progress: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Self, Error> {
        if texts.is_empty() {
            return Err(Error::too_few("there is no earlier text to compare with"));
        }
        let vectors = encoder.encode_with(texts, progress)?;
        let sha256 = digest::of_texts(texts.iter().copied());
        Ok(Self { vectors, recurring: recurring(texts), sha256 })
    }

    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.vectors.len()
    }

    /// Returns whether there is no text. There always is one.
    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }

    /// Returns the checksum of the texts.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Returns how well a text can be linked to the earlier ones, given the vector of its style.
    ///
    /// # Errors
    /// If the vector belongs to another encoder.
    pub(super) fn link(
        &self,
        encoder: &StyleEncoder,
        geometry: &MemoryGeometry<'_>,
        vector: &[f32],
        text: &str,
    ) -> Result<EarlierLink, Error> {
        let same = encoder.card().map(|card| &card.same_author);
        let style = Link::of(geometry, vector, &self.vectors, same)?;
        let wording = wording(text);
        let known = wording.intersection(&self.recurring).count();
        Ok(EarlierLink { style, recurring: known as f64 / wording.len().max(1) as f64 })
    }
}

/// Shows no text.
impl fmt::Debug for EarlierTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EarlierTexts({} texts, {} recurring)", self.len(), self.recurring.len())
    }
}

/// The words and word pairs that occur in at least two texts and in one of twenty, or in the only one. A text that is
/// given twice counts once. A function word alone is left out, because everyone uses it.
fn recurring(texts: &[&str]) -> BTreeSet<String> {
    let texts: BTreeSet<&str> = texts.iter().copied().collect();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for words in texts.iter().flat_map(|text| wording(text)).filter(|words| !is_function_word(words)) {
        *counts.entry(words).or_default() += 1;
    }
    let least = texts.len().min(2).max(texts.len().div_ceil(20));
    counts.into_iter().filter(|(_, count)| *count >= least).map(|(words, _)| words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_two_texts_recur() {
        let all = |texts: &[&str]| recurring(texts).into_iter().collect::<Vec<_>>();
        assert_eq!(
            all(&["Truth be told, we rode.", "The truth be told: they slept.", "We ate."]),
            ["be told", "told", "truth", "truth be"]
        );
        let alone = ["rode", "rode off", "we rode"];
        assert_eq!(all(&["We rode off."]), alone, "there is only one text");
        assert_eq!(all(&["We rode off.", "We rode off."]), alone, "it is given twice");
        let many: Vec<String> =
            (0..60).map(|i| if i < 2 { "rare".into() } else { format!("word{i} usual") }).collect();
        assert_eq!(all(&many.iter().map(String::as_str).collect::<Vec<_>>()), ["usual"]);
    }
}
