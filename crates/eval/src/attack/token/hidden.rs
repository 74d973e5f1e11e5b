//! Which words are hidden where they stand.

use std::collections::HashMap;

use super::Unigrams;

/// So many words are tried for a gap.
const MOST: usize = 64;

/// Which words are hidden where they stand, as an attacker knows it from other texts: what stood in a gap is one of them.
///
/// ```
/// use inkveil_eval::attack::Hidden;
///
/// // Word 0 is always hidden, word 1 once in four times.
/// let hidden = Hidden::count([(0, true), (0, true), (1, false), (1, false), (1, false), (1, true)].into_iter());
/// assert!(hidden.log_probability(0) > hidden.log_probability(1));
/// assert_eq!(hidden.log_probability(2), None);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hidden {
    /// Words with the logarithm of how often they are hidden, the most frequent in gaps first.
    words: Vec<(u32, f32)>,
}

impl Hidden {
    /// Counts words by their numbers, each with whether it was hidden.
    pub fn count(words: impl Iterator<Item = (usize, bool)>) -> Self {
        let mut counts: HashMap<u32, (u32, u32)> = HashMap::new();
        for (word, hidden) in words {
            let Ok(word) = u32::try_from(word) else { continue };
            let (times, all) = counts.entry(word).or_default();
            (*times, *all) = (*times + u32::from(hidden), *all + 1);
        }
        let mut found: Vec<(u32, u32, u32)> = counts
            .into_iter()
            .filter(|(_, (times, _))| *times > 0)
            .map(|(word, (times, all))| (word, times, all))
            .collect();
        found.sort_by_key(|(word, times, _)| (std::cmp::Reverse(*times), *word));
        found.truncate(MOST);
        let log = |(word, times, all): (u32, u32, u32)| {
            // One more that was not hidden: what was seen once need not always be so.
            (word, (f64::from(times) / f64::from(all + 1)).ln() as f32)
        };
        Self { words: found.into_iter().map(log).collect() }
    }

    /// The logarithm of how probable it is that a word is hidden; none if it is not among those that are tried.
    pub fn log_probability(&self, word: usize) -> Option<f32> {
        self.words.iter().find(|(known, _)| *known as usize == word).map(|(_, log)| *log)
    }

    /// The words that are tried.
    pub(super) fn words(&self) -> &[(u32, f32)] {
        &self.words
    }

    /// The word that is most probable in a gap of which nothing else is known.
    pub(super) fn likeliest(&self, unigrams: &Unigrams) -> Option<usize> {
        let value = |(word, log): &(u32, f32)| unigrams.log_probability(*word as usize) + log;
        self.words.iter().max_by(|a, b| value(a).total_cmp(&value(b))).map(|(word, _)| *word as usize)
    }
}
