//! Earlier texts of a writer, as an attacker would use them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::OnceLock;

use super::found::Nearer;
use super::judge::{Judge, JudgeModels};
use super::wording::wording;
use crate::function_words::is_function_word;
use crate::network::normalise;
use crate::ngrams::NgramProfile;
use crate::{Error, Link, digest};

/// How many other writers an attacker with n-grams compares with, and the most words of each.
const OTHERS: u64 = 199;
const MOST_WORDS: usize = 2000;

/// Texts that a writer has published. Rewrites should not be linked to them.
pub struct EarlierTexts {
    vectors: Vec<Vec<f32>>,
    /// The middle of their styles.
    middle: Vec<f32>,
    /// Their n-grams, and the number of their words.
    ngrams: NgramProfile,
    words: usize,
    /// The n-grams of other writers of as many words, drawn when they are first needed.
    others: OnceLock<Option<Vec<NgramProfile>>>,
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
    /// By its n-grams: how alike they are to those of the earlier texts together, from 0 to 1.
    pub ngrams: f64,
}

impl EarlierTexts {
    /// Reads earlier texts. `progress` receives the number of texts that are encoded and returns whether to continue.
    ///
    /// # Errors
    /// If there is no text, the encoder fails, or `progress` returned false.
    pub fn read(
        models: &JudgeModels,
        texts: &[&str],
        progress: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Self, Error> {
        if texts.is_empty() {
            return Err(Error::too_few("there is no earlier text to compare with"));
        }
        let vectors = models.encoder().encode_with(texts, progress)?;
        let mut middle = vec![0f32; models.encoder().dimension()];
        vectors.iter().for_each(|vector| middle.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x));
        normalise(&mut middle);
        let all = first_words(texts);
        Ok(Self {
            vectors,
            middle,
            words: all.split_whitespace().count(),
            ngrams: models.ngrams().profile(&all),
            others: OnceLock::new(),
            recurring: recurring(texts),
            sha256: digest::of_texts(texts.iter().copied()),
        })
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

    /// Returns the middle of their styles.
    pub(super) fn middle(&self) -> &[f32] {
        &self.middle
    }

    /// Returns how well a text can be linked to the earlier ones, given the vector of its style and its n-grams.
    ///
    /// # Errors
    /// If the vector belongs to another encoder.
    pub(super) fn link(
        &self,
        judge: &Judge<'_>,
        (text, vector, ngrams): (&str, &[f32], &NgramProfile),
    ) -> Result<EarlierLink, Error> {
        let same = judge.encoder.card().map(|card| &card.same_author);
        let style = Link::of(judge.geometry, vector, &self.vectors, same)?;
        let wording = wording(text);
        let known = wording.intersection(&self.recurring).count();
        let recurring = known as f64 / wording.len().max(1) as f64;
        Ok(EarlierLink { style, recurring, ngrams: ngrams.likeness(&self.ngrams) })
    }

    /// Returns the share of other writers whose n-grams are more like those of a text than these are. Their texts are as
    /// long as these. None if the pack has no prior to draw them from.
    pub(super) fn nearer_by_ngrams(&self, judge: &Judge<'_>, text: &NgramProfile) -> Option<Nearer> {
        let others = self.others.get_or_init(|| judge.ngrams.others(OTHERS, self.words)).as_ref()?;
        let own = text.likeness(&self.ngrams);
        let nearer = others.iter().filter(|other| text.likeness(other) > own).count();
        Some(Nearer { share: nearer as f64 / others.len().max(1) as f64, of: OTHERS })
    }
}

/// Shows no text.
impl fmt::Debug for EarlierTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EarlierTexts({} texts, {} recurring)", self.len(), self.recurring.len())
    }
}

/// The texts one after the other, up to [`MOST_WORDS`] words, the same number of words from each.
fn first_words(texts: &[&str]) -> String {
    let each = MOST_WORDS.div_ceil(texts.len().max(1));
    let start = |text: &&str| text.split_whitespace().take(each).collect::<Vec<_>>().join(" ");
    texts.iter().map(start).collect::<Vec<_>>().join(" ")
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
