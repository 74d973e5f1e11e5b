//! A classifier that infers words from vectors.

use inkveil_nn::Mlp;
use serde::{Deserialize, Serialize};

use super::network::{MlcSettings, Network};
use crate::Error;
use crate::metrics::{Bootstrap, Estimate, ValueSum};

/// Above this probability the attacker claims a word.
const THRESHOLD: f32 = 0.5;

/// A multi-label classifier that infers words from the vector of a sentence (MLC; Song and
/// Raghunathan, 2020).
///
/// It is one network with an output per word, trained on vectors of sentences whose words the
/// attacker knows.
///
/// ```
/// use inkveil_eval::attack::{Mlc, MlcSettings};
/// use inkveil_eval::metrics::Bootstrap;
///
/// let mut settings = MlcSettings::default();
/// (settings.hidden, settings.epochs, settings.rate) = (vec![8], 300, 0.02);
/// // Two words; the vector of a sentence shows which of them it has.
/// let rows = [1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0];
/// let words = [vec![0, 1], vec![0], vec![1], vec![]];
/// let mlc = Mlc::train(2, &rows, &words, 2, &settings)?;
/// let exposure = mlc.attack(&rows, &words)?.exposure(&Bootstrap::default(), |_| true).unwrap();
/// assert_eq!((exposure.instances, exposure.leakage.mean, exposure.found.mean), (4, 1.0, 1.0));
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Mlc {
    network: Network,
}

impl Mlc {
    /// Trains on rows of `dim` numbers. `words` has the words of each row, as numbers below
    /// `vocabulary`.
    ///
    /// # Errors
    /// If rows and words do not fit, or a setting is invalid.
    pub fn train(
        dim: usize,
        rows: &[f32],
        words: &[impl AsRef<[usize]>],
        vocabulary: usize,
        settings: &MlcSettings,
    ) -> Result<Self, Error> {
        Ok(Self { network: Network::train(dim, rows, vocabulary, words, settings)? })
    }

    /// The network, for defences that use it.
    pub fn network(&self) -> &Mlp {
        self.network.mlp()
    }

    /// The rows as inputs of the network: standardised if the settings ask for it.
    pub fn inputs(&self, rows: &[f32]) -> Vec<f32> {
        self.network.inputs(rows)
    }

    /// Returns the probabilities of all words for each of `count` rows.
    ///
    /// # Errors
    /// If the numbers are not that many rows.
    pub fn probabilities(&self, rows: &[f32], count: usize) -> Result<Vec<f32>, Error> {
        self.network.probabilities(rows, count)
    }

    /// Attacks sentences whose words are known to the caller. `words` has the words of each row.
    ///
    /// # Errors
    /// If rows and words do not fit.
    pub fn attack(&self, rows: &[f32], words: &[impl AsRef<[usize]>]) -> Result<WordFindings, Error> {
        WordFindings::of(&self.probabilities(rows, words.len())?, self.network.mlp().outputs(), words)
    }
}

/// The `count` most likely words; the first of equal ones.
fn most_likely(probabilities: &[f32], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    if (1..order.len()).contains(&count) {
        order.select_nth_unstable_by(count - 1, |a, b| {
            probabilities[*b].total_cmp(&probabilities[*a]).then_with(|| a.cmp(b))
        });
    }
    order.truncate(count);
    order
}

/// A word of a sentence, and the attacker's result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WordInstance {
    /// The row of the sentence.
    pub sentence: usize,
    /// The number of the word.
    pub word: usize,
    /// The probability that the attacker gives the word.
    pub probability: f32,
    /// Whether the word is among the n most likely words of the sentence, where n is its number of
    /// words.
    pub found: bool,
}

/// The result of an attack, word by word.
#[derive(Debug, Clone, PartialEq)]
pub struct WordFindings {
    instances: Vec<WordInstance>,
    sentences: usize,
}

impl WordFindings {
    /// The findings of an attacker that gives each word of the vocabulary a probability in each
    /// sentence. `words` has the words of each sentence.
    ///
    /// # Errors
    /// If there is not one probability for each sentence and word, or a word is not in the
    /// vocabulary.
    pub fn of(
        probabilities: &[f32],
        vocabulary: usize,
        words: &[impl AsRef<[usize]>],
    ) -> Result<Self, Error> {
        if vocabulary == 0 || vocabulary.checked_mul(words.len()) != Some(probabilities.len()) {
            return Err(Error::argument(format!(
                "{} probabilities are not those of {vocabulary} words in {} sentences",
                probabilities.len(),
                words.len()
            )));
        }
        let mut instances = Vec::new();
        for (sentence, (words, row)) in words.iter().zip(probabilities.chunks_exact(vocabulary)).enumerate() {
            let mut words = words.as_ref().to_vec();
            words.sort_unstable();
            words.dedup();
            let most_likely = most_likely(row, words.len());
            for word in words {
                let Some(&probability) = row.get(word) else {
                    let what = format!("a sentence has a word that is not below {vocabulary}");
                    return Err(Error::argument(what));
                };
                instances.push(WordInstance {
                    sentence,
                    word,
                    probability,
                    found: most_likely.contains(&word),
                });
            }
        }
        Ok(Self { instances, sentences: words.len() })
    }

    /// The sum of the shares of words that are claimed and that are found: how well an attacker
    /// does on sentences that it knows.
    pub(crate) fn score(&self) -> f64 {
        let of = |at: &WordInstance| u32::from(at.probability > THRESHOLD) + u32::from(at.found);
        f64::from(self.instances.iter().map(of).sum::<u32>()) / self.instances.len().max(1) as f64
    }

    /// Every word of every sentence.
    pub fn instances(&self) -> &[WordInstance] {
        &self.instances
    }

    /// How exposed the chosen words are; none if no sentence has one of them. Intervals are over
    /// sentences.
    ///
    /// ```
    /// # use inkveil_eval::attack::{Mlc, MlcSettings};
    /// # use inkveil_eval::metrics::Bootstrap;
    /// # let words = [vec![0, 1], vec![0]];
    /// # let findings = Mlc::train(1, &[1.0, 0.0], &words, 3, &MlcSettings::default())?.attack(&[1.0, 0.0], &words)?;
    /// let all = findings.exposure(&Bootstrap::default(), |_| true);
    /// let names = findings.exposure(&Bootstrap::default(), |word| word == 1);
    /// assert!(all.unwrap().instances == 3 && names.unwrap().instances == 1);
    /// # Ok::<(), inkveil_eval::Error>(())
    /// ```
    pub fn exposure(&self, bootstrap: &Bootstrap, chosen: impl Fn(usize) -> bool) -> Option<Exposure> {
        let chosen: Vec<&WordInstance> = self.instances.iter().filter(|at| chosen(at.word)).collect();
        let mean = |value: fn(&WordInstance) -> f64| {
            let mut groups = vec![ValueSum::default(); self.sentences];
            for instance in &chosen {
                groups[instance.sentence].sum += value(instance);
                groups[instance.sentence].count += 1;
            }
            bootstrap.mean(&groups)
        };
        Some(Exposure {
            instances: chosen.len(),
            leakage: mean(|at| f64::from(u8::from(at.probability > THRESHOLD)))?,
            confidence: mean(|at| f64::from(at.probability))?,
            found: mean(|at| f64::from(u8::from(at.found)))?,
        })
    }
}

/// How exposed words are: means over all pairs of a sentence and one of its words.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Exposure {
    /// The number of pairs.
    pub instances: usize,
    /// The share that the attacker claims (leakage; SPARSE, Equation 13).
    pub leakage: Estimate,
    /// The mean probability of the words (confidence; SPARSE, Equation 14).
    pub confidence: Estimate,
    /// The share that is among the n most likely words of its sentence, where n is the number of
    /// its words. A fixed threshold misses rare words, which an attacker may rank first with a low
    /// probability.
    pub found: Estimate,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(all: &[(usize, usize, f32, bool)]) -> WordFindings {
        let instance =
            |&(sentence, word, probability, found)| WordInstance { sentence, word, probability, found };
        WordFindings { instances: all.iter().map(instance).collect(), sentences: 3 }
    }

    #[test]
    fn means_are_over_instances() {
        let findings =
            findings(&[(0, 1, 0.75, true), (0, 2, 0.25, true), (2, 1, 0.5, false), (2, 3, 0.5, true)]);
        let all = findings.exposure(&Bootstrap::default(), |_| true).unwrap();
        // A probability of exactly one half is not claimed.
        assert_eq!((all.leakage.mean, all.confidence.mean, all.found.mean), (0.25, 0.5, 0.75));
        let first = findings.exposure(&Bootstrap::default(), |word| word == 1).unwrap();
        assert_eq!((first.instances, first.leakage.mean, first.found.mean), (2, 0.5, 0.5));
        assert_eq!(findings.exposure(&Bootstrap::default(), |word| word == 9), None);
    }

    #[test]
    fn the_most_likely_words_are_chosen() {
        assert_eq!(most_likely(&[0.1, 0.9, 0.3, 0.3], 1), [1]);
        let mut two = most_likely(&[0.1, 0.9, 0.3, 0.3], 2);
        two.sort_unstable();
        assert_eq!(two, [1, 2]);
        assert!(most_likely(&[0.1, 0.2], 0).is_empty());
        assert_eq!(most_likely(&[0.1, 0.2], 5).len(), 2);
    }

    #[test]
    fn words_beyond_the_vocabulary_are_refused() {
        let settings = MlcSettings { hidden: vec![2], epochs: 1, ..MlcSettings::default() };
        let mlc = Mlc::train(1, &[0.5], &[vec![0]], 2, &settings).unwrap();
        assert!(mlc.attack(&[0.5], &[vec![2]]).is_err());
        assert!(mlc.attack(&[0.5, 0.5], &[vec![0]]).is_err());
        // A word that occurs twice counts once.
        assert_eq!(mlc.attack(&[0.5], &[vec![1, 1]]).unwrap().instances().len(), 1);
    }
}
