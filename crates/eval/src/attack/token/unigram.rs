//! Word frequencies.

/// Word frequencies, as an attacker knows them from other texts. No word is impossible.
///
/// ```
/// use inkveil_eval::attack::Unigrams;
///
/// let frequent = Unigrams::count(3, [0, 0, 0, 1].into_iter());
/// assert!(frequent.log_probability(0) > frequent.log_probability(1));
/// assert!(frequent.log_probability(2).is_finite());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Unigrams {
    logs: Vec<f32>,
}

impl Unigrams {
    /// Added to the count of every word.
    const UNSEEN: f64 = 0.5;

    /// Counts words by number, in a vocabulary of `size` words.
    pub fn count(size: usize, words: impl Iterator<Item = usize>) -> Self {
        let mut counts = vec![Self::UNSEEN; size];
        for word in words {
            if let Some(count) = counts.get_mut(word) {
                *count += 1.0;
            }
        }
        let total: f64 = counts.iter().sum();
        Self { logs: counts.iter().map(|count| (count / total).ln() as f32).collect() }
    }

    /// The log-probability of a word.
    pub fn log_probability(&self, word: usize) -> f32 {
        self.logs.get(word).copied().unwrap_or(f32::NEG_INFINITY)
    }

    pub(super) fn logs(&self) -> &[f32] {
        &self.logs
    }
}
