//! N-grams of characters and words, weighed as attackers on authorship weigh them.
//!
//! An attacker learns from texts of many writers how rare an n-gram is. A user has no such texts. Texts that are drawn
//! from the pack's prior over words stand for them (`prior_texts.rs`). They have no subjects and no habits, so what they
//! say about rare words and about sequences of characters is rough.

mod grams;
mod prior_texts;

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use rayon::prelude::*;

use self::grams::Family;
use self::prior_texts::PriorTexts;
use crate::Error;

/// How many texts are drawn to count n-grams, and their length in words.
const TEXTS: u64 = 300;
const WORDS: usize = 150;

/// The number of places that [`bucketed`] counts in, the same number for each family.
pub(crate) const BUCKETS: usize = 8192;

/// Counts the n-grams of a text in a fixed number of places, by the logarithm of their number.
pub(crate) fn bucketed(text: &str) -> Vec<f32> {
    let mut row = vec![0.0; BUCKETS];
    let each = BUCKETS / Family::ALL.len();
    for (places, family) in row.chunks_exact_mut(each).zip(Family::ALL) {
        for (gram, count) in family.counts(text) {
            places[(gram % each as u64) as usize] += 1.0 + (count as f32).ln();
        }
    }
    row
}

/// How rare n-grams are in a population.
pub struct NgramWeights {
    /// In how many of the drawn texts an n-gram occurs.
    texts_with: HashMap<u64, u32>,
    texts: u64,
    prior: Option<PriorTexts>,
}

impl NgramWeights {
    /// Counts n-grams in texts that are drawn from the prior of a pack. Without a prior all weigh the same.
    ///
    /// # Errors
    /// If a file of the pack cannot be read.
    pub fn open(pack: &Path) -> Result<Self, Error> {
        let Some(prior) = PriorTexts::open(pack)? else { return Ok(Self::equal()) };
        let grams = |number| {
            let text = prior.draw("population", number, WORDS);
            Family::ALL.into_iter().flat_map(|family| family.counts(&text).into_keys()).collect::<Vec<_>>()
        };
        let of_texts: Vec<Vec<u64>> = (0..TEXTS).into_par_iter().map(grams).collect();
        let mut texts_with: HashMap<u64, u32> = HashMap::new();
        for gram in of_texts.into_iter().flatten() {
            *texts_with.entry(gram).or_default() += 1;
        }
        Ok(Self { texts_with, texts: TEXTS, prior: Some(prior) })
    }

    /// All n-grams weigh the same.
    pub fn equal() -> Self {
        Self { texts_with: HashMap::new(), texts: 0, prior: None }
    }

    /// Returns the n-grams of a text.
    pub fn profile(&self, text: &str) -> NgramProfile {
        let family = |family: Family| {
            let counts = family.counts(text).into_iter();
            let mut row: Vec<(u64, f32)> =
                counts.map(|(gram, count)| (gram, (1.0 + (count as f32).ln()) * self.weight(gram))).collect();
            row.sort_unstable_by_key(|(gram, _)| *gram);
            let length = row.iter().map(|(_, value)| value * value).sum::<f32>().sqrt();
            row.iter_mut().for_each(|(_, value)| *value /= length.max(f32::MIN_POSITIVE));
            row
        };
        NgramProfile { families: Family::ALL.map(family) }
    }

    /// Returns the n-grams of this many other writers, each of a text of this many words. None if there is no population.
    pub(crate) fn others(&self, writers: u64, words: usize) -> Option<Vec<NgramProfile>> {
        let prior = self.prior.as_ref()?;
        let of_writer = |number| self.profile(&prior.draw("writer", number, words));
        Some((0..writers).into_par_iter().map(of_writer).collect())
    }

    /// The inverse document frequency, as attackers compute it.
    fn weight(&self, gram: u64) -> f32 {
        let with = self.texts_with.get(&gram).copied().unwrap_or(0);
        (1.0 + ((1.0 + self.texts as f64) / (1.0 + f64::from(with))).ln()) as f32
    }
}

impl fmt::Debug for NgramWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NgramWeights({} n-grams of {} texts)", self.texts_with.len(), self.texts)
    }
}

/// The weighed n-grams of a text. **Private**: its hashes can be compared with those of a text.
#[derive(Clone, Default, PartialEq)]
pub struct NgramProfile {
    /// For each family a row of length 1, sorted by hash.
    families: [Vec<(u64, f32)>; 2],
}

impl NgramProfile {
    /// Returns how alike the n-grams of two texts are, from 0 to 1: the cosine, with equal weight for characters and for
    /// words.
    pub fn likeness(&self, other: &Self) -> f64 {
        let cosines = self.families.iter().zip(&other.families).map(|(mine, others)| dot(mine, others));
        (cosines.sum::<f64>() / self.families.len() as f64).min(1.0)
    }
}

/// Shows no n-grams.
impl fmt::Debug for NgramProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NgramProfile({} n-grams)", self.families.iter().map(Vec::len).sum::<usize>())
    }
}

fn dot(mine: &[(u64, f32)], others: &[(u64, f32)]) -> f64 {
    let (mut sum, mut at) = (0.0, 0);
    for (gram, value) in mine {
        while others.get(at).is_some_and(|(other, _)| other < gram) {
            at += 1;
        }
        if let Some((_, other)) = others.get(at).filter(|(other, _)| other == gram) {
            sum += f64::from(value * other);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights() -> NgramWeights {
        NgramWeights::open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/en")).unwrap()
    }

    #[test]
    fn rare_words_make_texts_more_alike_than_common_ones() {
        let weights = weights();
        let of = |text: &str| weights.profile(text);
        let source = of("we saw the heron on the weir");
        let likeness = |text: &str| source.likeness(&of(text));
        assert!((likeness("we saw the heron on the weir") - 1.0).abs() < 1e-6);
        assert!(likeness("a heron is by a weir") > likeness("it was on the table, we saw"));
        assert_eq!(of("").likeness(&source), 0.0);
        assert!((source.likeness(&of("we went to it")) - of("we went to it").likeness(&source)).abs() < 1e-9);
        let equal = NgramWeights::equal();
        let alike = |text: &str| equal.profile("we saw the heron on the weir").likeness(&equal.profile(text));
        let gain = |likeness: &dyn Fn(&str) -> f64| {
            likeness("a heron is by a weir") / likeness("on the table, we saw")
        };
        assert!(gain(&likeness) > gain(&alike), "the population weighs");
        assert!(equal.others(2, 10).is_none());
    }

    #[test]
    fn other_writers_differ_from_each_other_and_from_a_text() {
        let others = weights().others(3, 300).unwrap();
        assert_eq!(others.len(), 3);
        let near = others[0].likeness(&others[1]);
        assert!((0.02..0.8).contains(&near), "{near}");
        assert!(!format!("{others:?}").contains("0."), "no weights are shown");
    }
}
