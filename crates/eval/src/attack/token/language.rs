//! An n-gram model of language.

use std::collections::{HashMap, HashSet};

use super::unigram::Unigrams;

/// A word outside of the lexicon, or the beginning of a text.
pub(super) const OUTSIDE: u32 = u32::MAX;

/// The absolute discount of each count, which goes to unseen words.
const DISCOUNT: f64 = 0.75;

/// A trigram model with interpolated absolute discounting.
///
/// ```
/// use inkveil_eval::attack::{Trigrams, Unigrams};
///
/// let text = [0, 1, 2, 0, 1, 2, 0, 1];
/// let frequent = Unigrams::count(3, text.iter().copied());
/// let texts = [text.iter().map(|&word| Some(word)).collect::<Vec<_>>()];
/// let language = Trigrams::count(frequent, texts.iter().map(Vec::as_slice));
/// assert!(language.log_probability([Some(0), Some(1)], 2) > language.log_probability([Some(0), Some(1)], 0));
/// ```
#[derive(Debug, Clone)]
pub struct Trigrams {
    unigrams: Unigrams,
    pairs: Follows<u32>,
    triples: Follows<(u32, u32)>,
}

/// How often words follow contexts.
#[derive(Debug, Clone)]
struct Follows<C> {
    counts: HashMap<(C, u32), u32>,
    /// For each context: how often it occurs, and how many different words follow it.
    contexts: HashMap<C, (u32, u32)>,
}

impl<C: std::hash::Hash + Eq + Copy> Follows<C> {
    fn new() -> Self {
        Self { counts: HashMap::new(), contexts: HashMap::new() }
    }

    fn add(&mut self, context: C, word: u32) {
        let count = self.counts.entry((context, word)).or_default();
        let (total, kinds) = self.contexts.entry(context).or_default();
        *count += 1;
        *total += 1;
        *kinds += u32::from(*count == 1);
    }

    /// The probability of a word, given its probability without this context.
    fn probability(&self, context: C, word: u32, without: f64) -> f64 {
        let Some(&(total, kinds)) = self.contexts.get(&context) else { return without };
        let count = self.counts.get(&(context, word)).copied().unwrap_or(0);
        let own = (f64::from(count) - DISCOUNT).max(0.0);
        (own + DISCOUNT * f64::from(kinds) * without) / f64::from(total)
    }
}

impl Trigrams {
    /// Counts texts, given as numbers of words, with none for words outside of the lexicon.
    pub fn count<'t>(unigrams: Unigrams, texts: impl Iterator<Item = &'t [Option<usize>]>) -> Self {
        let (mut pairs, mut triples) = (Follows::new(), Follows::new());
        // A repeated text counts once.
        let mut seen = HashSet::new();
        for text in texts.filter(|text| seen.insert(*text)) {
            let (mut before, mut last) = (OUTSIDE, OUTSIDE);
            for word in text {
                let word = word.map_or(OUTSIDE, |word| word as u32);
                if word != OUTSIDE {
                    pairs.add(last, word);
                    triples.add((before, last), word);
                }
                (before, last) = (last, word);
            }
        }
        Self { unigrams, pairs, triples }
    }

    /// The log-probability of a word after two others.
    pub fn log_probability(&self, context: [Option<usize>; 2], word: usize) -> f32 {
        let [before, last] = context.map(|word| word.map_or(OUTSIDE, |word| word as u32));
        self.after(before, last, word as u32)
    }

    pub(super) fn after(&self, before: u32, last: u32, word: u32) -> f32 {
        let alone = f64::from(self.unigrams.log_probability(word as usize)).exp();
        let pair = self.pairs.probability(last, word, alone);
        self.triples.probability((before, last), word, pair).ln() as f32
    }

    /// The word frequencies.
    pub fn unigrams(&self) -> &Unigrams {
        &self.unigrams
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_add_up_to_one_in_every_context() {
        let texts: Vec<Vec<Option<usize>>> =
            vec![vec![Some(0), Some(1), None, Some(2), Some(2)], vec![Some(3), Some(0), Some(1), Some(4)]];
        let words = texts.iter().flatten().flatten().copied();
        let language = Trigrams::count(Unigrams::count(6, words), texts.iter().map(Vec::as_slice));
        for before in [None, Some(0), Some(5)] {
            for last in [None, Some(1), Some(2), Some(5)] {
                let sum: f64 =
                    (0..6).map(|word| f64::from(language.log_probability([before, last], word)).exp()).sum();
                assert!((sum - 1.0).abs() < 1e-5, "{before:?} {last:?}: {sum}");
            }
        }
    }
}
