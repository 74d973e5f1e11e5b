//! Which sentence of a rewrite says what a sentence of the original says.
//!
//! A mixture of old and new sentences must say everything once and invent nothing. So sentences are paired only if both
//! passages have equally many, each is nearer in meaning to its partner than to any other, and no pair states a fact
//! that its original does not state, or another number of negations.

use std::fmt;
use std::ops::Range;

use inkveil_detect::Span;

use super::judge::Judge;
use crate::facts::{Facts, names};
use crate::features::sentence_ranges;
use crate::{Error, TextMeaning};

/// More sentences are not paired: each is compared with each.
const MOST: usize = 40;

/// A sentence of a passage, and what the rewrite says for it.
#[derive(Clone, PartialEq, Eq)]
pub struct SentencePair {
    /// The bytes of the sentence in its passage.
    pub before: Range<usize>,
    /// The bytes of the new sentence in the new passage.
    pub after: Range<usize>,
    /// Whether the writer keeps the original.
    pub declined: bool,
}

impl fmt::Debug for SentencePair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SentencePair({} bytes, {} bytes)", self.before.len(), self.after.len())
    }
}

impl Judge<'_> {
    /// Pairs the sentences of a passage with those of its rewrite. Returns none if they do not correspond one by one, or
    /// if there is only one.
    ///
    /// # Errors
    /// If a model fails.
    pub fn align(&self, before: &str, after: &str) -> Result<Vec<SentencePair>, Error> {
        let (Some(old), Some(new)) = (covering(before), covering(after)) else { return Ok(Vec::new()) };
        if old.len() != new.len() || !(2..=MOST).contains(&old.len()) {
            return Ok(Vec::new());
        }
        let texts = |text, ranges: &[Range<usize>]| -> Vec<_> {
            ranges.iter().filter_map(|range: &Range<usize>| str::get(text, range.clone())).collect()
        };
        let (old_texts, new_texts): (Vec<&str>, Vec<&str>) = (texts(before, &old), texts(after, &new));
        let same_facts = self.facts(&old_texts)?.iter().zip(self.facts(&new_texts)?).all(|(old, new)| {
            // Nothing that one sentence loses may stand in another one.
            old.changes(&new).invented.is_empty()
        });
        if !same_facts || !in_order(&self.meaning.read(&old_texts)?, &self.meaning.read(&new_texts)?) {
            return Ok(Vec::new());
        }
        let pair = |(before, after)| SentencePair { before, after, declined: false };
        Ok(old.into_iter().zip(new).map(pair).collect())
    }

    pub(super) fn facts(&self, texts: &[&str]) -> Result<Vec<Facts>, Error> {
        let spans = self.detector.detect(texts)?;
        let facts = |(text, spans): (&&str, Vec<Span>)| Facts::of(text, names(text, &spans));
        Ok(texts.iter().zip(spans).map(facts).collect())
    }
}

/// Returns the sentences of a text; none if something besides white space stands between them.
pub(super) fn covering(text: &str) -> Option<Vec<Range<usize>>> {
    let ranges = sentence_ranges(text);
    let mut end = 0;
    for range in &ranges {
        if !text.get(end..range.start)?.trim().is_empty() {
            return None;
        }
        end = range.end;
    }
    text.get(end..)?.trim().is_empty().then_some(ranges)
}

/// Whether each meaning is nearest to the one at its own place, in both directions.
pub(super) fn in_order(old: &[TextMeaning], new: &[TextMeaning]) -> bool {
    let kept: Vec<Vec<f64>> =
        old.iter().map(|old| new.iter().map(|new| old.kept_by(new)).collect()).collect();
    (0..old.len()).all(|i| (0..new.len()).all(|j| kept[i][i] >= kept[i][j] && kept[i][i] >= kept[j][i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_cover_their_text() {
        let parts = |text: &str| {
            covering(text).map(|all| all.into_iter().map(|r| text[r].to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(
            parts("It rained. We left at 7 p.m. today!").unwrap(),
            ["It rained.", "We left at 7 p.m. today!"]
        );
        assert_eq!(parts("One."), Some(vec!["One.".to_owned()]));
        assert_eq!(parts("  Here.\nThere is.  ").unwrap(), ["Here.", "There is."]);
    }
}
