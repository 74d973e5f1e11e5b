use inkveil_nn::Mlp;
use serde::{Deserialize, Serialize};

use super::MlcSettings;
use super::network::Network;
use crate::Error;
use crate::metrics::{Bootstrap, Estimate, Group};

/// From this probability on the attacker says that the word was there.
const THRESHOLD: f32 = 0.5;

/// A multi-label classifier that reads words from the vector of a sentence (MLC; Song and Raghunathan, 2020).
///
/// One network with an output per word. It is trained on vectors of sentences whose words the attacker knows, and asked about others.
///
/// ```
/// use inkveil_eval::attack::{Mlc, MlcSettings};
/// use inkveil_eval::metrics::Bootstrap;
///
/// let mut settings = MlcSettings::default();
/// (settings.hidden, settings.epochs, settings.rate) = (vec![8], 300, 0.02);
/// // Two words; both, one or none are in a sentence, and its vector says so.
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
    /// Trains on rows of `dim` numbers; `words` has the words of each row, as numbers below `vocabulary`.
    ///
    /// # Errors
    /// If rows and words do not fit, or a setting makes no sense.
    pub fn train(
        dim: usize,
        rows: &[f32],
        words: &[impl AsRef<[usize]>],
        vocabulary: usize,
        settings: &MlcSettings,
    ) -> Result<Self, Error> {
        Ok(Self { network: Network::train(dim, rows, vocabulary, words, settings)? })
    }

    /// The network, for defences that know it.
    pub fn network(&self) -> &Mlp {
        self.network.mlp()
    }

    /// The rows as the network sees them: the same unless they are standardised.
    pub fn inputs(&self, rows: &[f32]) -> Vec<f32> {
        self.network.inputs(rows)
    }

    /// What is found out about sentences whose words are known: `words` has those of each row.
    ///
    /// # Errors
    /// If rows and words do not fit.
    pub fn attack(&self, rows: &[f32], words: &[impl AsRef<[usize]>]) -> Result<Findings, Error> {
        let vocabulary = self.network.mlp().outputs();
        let probabilities = self.network.probabilities(rows, words.len())?;
        let mut instances = Vec::new();
        for (sentence, (words, row)) in words.iter().zip(probabilities.chunks_exact(vocabulary)).enumerate() {
            let mut words = words.as_ref().to_vec();
            words.sort_unstable();
            words.dedup();
            let likeliest = likeliest(row, words.len());
            for word in words {
                let Some(&probability) = row.get(word) else {
                    let what = format!("there are {vocabulary} words; a sentence has one beyond them");
                    return Err(Error::argument(what));
                };
                instances.push(Instance { sentence, word, probability, found: likeliest.contains(&word) });
            }
        }
        Ok(Findings { instances, sentences: words.len() })
    }
}

/// The `count` likeliest words; of equally likely ones the first.
fn likeliest(probabilities: &[f32], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    if (1..order.len()).contains(&count) {
        order.select_nth_unstable_by(count - 1, |a, b| {
            probabilities[*b].total_cmp(&probabilities[*a]).then_with(|| a.cmp(b))
        });
    }
    order.truncate(count);
    order
}

/// A word that is in a sentence, and what the attacker thought of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Instance {
    /// The sentence, by its row.
    pub sentence: usize,
    /// The word.
    pub word: usize,
    /// How likely the attacker thought it.
    pub probability: f32,
    /// Whether it is among the likeliest words of the sentence, as many as it has.
    pub found: bool,
}

/// What an attack found out, word by word.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    instances: Vec<Instance>,
    sentences: usize,
}

impl Findings {
    /// Every word of every sentence.
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    /// How exposed the chosen words are; none if no sentence has any of them. Intervals are over sentences.
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
        let chosen: Vec<&Instance> = self.instances.iter().filter(|at| chosen(at.word)).collect();
        let mean = |value: fn(&Instance) -> f64| {
            let mut groups = vec![Group::default(); self.sentences];
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

/// How exposed words are: means over all pairs of a sentence and a word in it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Exposure {
    /// How many pairs there are.
    pub instances: usize,
    /// The share that the attacker thinks likelier than not (SPARSE's Leakage, its Equation 13).
    pub leakage: Estimate,
    /// The mean probability that the attacker gives them (SPARSE's Confidence, its Equation 14).
    pub confidence: Estimate,
    /// The share that is among the likeliest words of its sentence, as many as the sentence has. A fixed threshold hides rare words:
    /// an attacker may rank them first and still think them unlikely.
    pub found: Estimate,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(all: &[(usize, usize, f32, bool)]) -> Findings {
        let instance =
            |&(sentence, word, probability, found)| Instance { sentence, word, probability, found };
        Findings { instances: all.iter().map(instance).collect(), sentences: 3 }
    }

    #[test]
    fn means_are_over_instances() {
        let findings =
            findings(&[(0, 1, 0.75, true), (0, 2, 0.25, true), (2, 1, 0.5, false), (2, 3, 0.5, true)]);
        let all = findings.exposure(&Bootstrap::default(), |_| true).unwrap();
        // A half is not more than a half.
        assert_eq!((all.leakage.mean, all.confidence.mean, all.found.mean), (0.25, 0.5, 0.75));
        let first = findings.exposure(&Bootstrap::default(), |word| word == 1).unwrap();
        assert_eq!((first.instances, first.leakage.mean, first.found.mean), (2, 0.5, 0.5));
        assert_eq!(findings.exposure(&Bootstrap::default(), |word| word == 9), None);
    }

    #[test]
    fn as_many_words_are_named_as_there_are() {
        assert_eq!(likeliest(&[0.1, 0.9, 0.3, 0.3], 1), [1]);
        let mut two = likeliest(&[0.1, 0.9, 0.3, 0.3], 2);
        two.sort_unstable();
        assert_eq!(two, [1, 2]);
        assert!(likeliest(&[0.1, 0.2], 0).is_empty());
        assert_eq!(likeliest(&[0.1, 0.2], 5).len(), 2);
    }

    #[test]
    fn words_beyond_the_vocabulary_are_refused() {
        let settings = MlcSettings { hidden: vec![2], epochs: 1, ..MlcSettings::default() };
        let mlc = Mlc::train(1, &[0.5], &[vec![0]], 2, &settings).unwrap();
        assert!(mlc.attack(&[0.5], &[vec![2]]).is_err());
        assert!(mlc.attack(&[0.5, 0.5], &[vec![0]]).is_err());
        // A word that stands twice in a sentence is one word of it.
        assert_eq!(mlc.attack(&[0.5], &[vec![1, 1]]).unwrap().instances().len(), 1);
    }
}
