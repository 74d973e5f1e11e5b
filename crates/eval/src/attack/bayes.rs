//! An attacker that compares a noisy vector with sentences that it knows.

use inkveil_nn::linear::eigenvectors;
use inkveil_nn::product::f32_product;

use super::mlc::WordFindings;
use crate::Error;

/// What is added to the noise: a share of the spread of sentences, because an unknown sentence is near
/// a known one and not equal to it, and a share of their mean spread in all directions alike. Without
/// the second, the attacker would find less in vectors without noise than in noisy ones.
const ADDED: [(f64, f64); 5] = [(0.03, 0.0), (0.1, 0.0), (0.3, 0.0), (0.1, 0.3), (0.1, 1.0)];
/// How sharply the nearest sentences are preferred. At 1 it is the likelihood of the noise.
const SHARPNESS: [f64; 2] = [0.3, 1.0];
/// One of this many known sentences chooses among the settings above.
const TUNING: usize = 6;
/// The number of vectors that are compared at once.
const BLOCK: usize = 256;

/// What the attacker knows: sentences and the noise.
#[derive(Clone, Copy)]
pub struct BayesKnowledge<'a> {
    /// The dimension of the vectors.
    pub dim: usize,
    /// The known sentences through the defence, without its noise.
    pub centres: &'a [f32],
    /// The same sentences with noise.
    pub noisy: &'a [f32],
    /// The covariance of the noise, `dim`×`dim`.
    pub noise: &'a [f64],
    /// The words of each known sentence.
    pub words: &'a [Vec<usize>],
    /// The number of different words.
    pub vocabulary: usize,
}

/// An attacker in closed form. It weighs every known sentence by the likelihood that the noisy
/// vector is that sentence with noise, and averages their words.
///
/// The weight of sentence i is exp(−t/2·|y − f(xᵢ)|²) in the metric (Σ + τ·C + s·I)⁻¹. Σ is the
/// covariance of the noise and C that of the sentences. The attacker chooses t, τ and s on sentences
/// that it knows. It needs no training, and behind noise it finds more than a network does if it
/// knows a near duplicate of the sentence.
///
/// ```
/// use inkveil_eval::attack::{Bayes, BayesKnowledge};
/// use inkveil_eval::metrics::Bootstrap;
///
/// // Sentences in two places, each with a word of its own.
/// let rows: Vec<f32> = (0..24).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 } + 0.01 * i as f32).collect();
/// let words: Vec<Vec<usize>> = (0..24).map(|i| vec![i % 2]).collect();
/// let known = BayesKnowledge {
///     dim: 1, centres: &rows, noisy: &rows, noise: &[0.01], words: &words, vocabulary: 2,
/// };
/// let findings = Bayes::new(&known)?.attack(&[0.9, -1.1], &[vec![0], vec![1]])?;
/// assert_eq!(findings.exposure(&Bootstrap::default(), |_| true).unwrap().leakage.mean, 1.0);
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
pub struct Bayes {
    dim: usize,
    metric: Vec<f32>,
    sharpness: f64,
    centres: Vec<f32>,
    squares: Vec<f64>,
    words: Vec<Vec<usize>>,
    vocabulary: usize,
}

impl Bayes {
    /// Chooses the settings on known sentences.
    ///
    /// # Errors
    /// If numbers, sentences and words do not fit.
    pub fn new(known: &BayesKnowledge<'_>) -> Result<Self, Error> {
        let BayesKnowledge { dim, centres, noisy, noise, words, vocabulary } = *known;
        let fits = dim > 0
            && !words.is_empty()
            && vocabulary > 0
            && centres.len() == dim * words.len()
            && noisy.len() == centres.len()
            && noise.len() == dim * dim;
        if !fits || words.iter().flatten().any(|&word| word >= vocabulary) {
            return Err(Error::argument("the attacker needs vectors, words and noise that belong together"));
        }
        let spread = covariance(centres, dim);
        let trace: f64 = (0..dim).map(|i| spread[i * dim + i]).sum();
        let chosen = |at: &usize| at.is_multiple_of(TUNING) && !words[*at].is_empty();
        let tuning: Vec<usize> = (0..words.len()).filter(chosen).collect();
        let others: Vec<usize> = (0..words.len()).filter(|at| at % TUNING != 0).collect();
        let mut best: Option<(f64, Vec<f32>, f64)> = None;
        for (share, alike) in ADDED {
            let mut sum: Vec<f64> = noise.iter().zip(&spread).map(|(n, s)| n + share * s).collect();
            // A direction without spread and noise tells nothing.
            let least = (alike + 1e-7) * trace / dim as f64 + f64::MIN_POSITIVE;
            (0..dim).for_each(|i| sum[i * dim + i] += least);
            let metric = inverse_root(sum, dim)?;
            if tuning.is_empty() || others.is_empty() {
                best = Some((0.0, metric, 1.0));
                break;
            }
            let mut trial = Self::with(known, &others, metric, 1.0)?;
            let (rows, truth) = (pick_rows(&tuning, noisy, dim), pick(&tuning, words));
            for sharpness in SHARPNESS {
                trial.sharpness = sharpness;
                let score = trial.attack(&rows, &truth)?.score();
                if best.as_ref().is_none_or(|(other, _, _)| score > *other) {
                    best = Some((score, trial.metric.clone(), sharpness));
                }
            }
        }
        let (_, metric, sharpness) = best.ok_or_else(|| Error::argument("there are no settings"))?;
        Self::with(known, &(0..words.len()).collect::<Vec<_>>(), metric, sharpness)
    }

    fn with(
        known: &BayesKnowledge<'_>,
        some: &[usize],
        metric: Vec<f32>,
        sharpness: f64,
    ) -> Result<Self, Error> {
        let dim = known.dim;
        let centres = turned(&pick_rows(some, known.centres, dim), &metric, dim)?;
        let squares = centres.chunks_exact(dim).map(square).collect();
        let words = pick(some, known.words);
        Ok(Self { dim, metric, sharpness, centres, squares, words, vocabulary: known.vocabulary })
    }

    /// Returns the probability of each word for each row.
    ///
    /// # Errors
    /// If the numbers are not whole rows.
    pub fn probabilities(&self, rows: &[f32]) -> Result<Vec<f32>, Error> {
        let (dim, known) = (self.dim, self.words.len());
        if !rows.len().is_multiple_of(dim) {
            return Err(Error::argument(format!("{} numbers are not whole rows of {dim}", rows.len())));
        }
        let rows = turned(rows, &self.metric, dim)?;
        let mut probabilities = Vec::with_capacity(rows.len() / dim * self.vocabulary);
        let mut products = Vec::new();
        for block in rows.chunks(BLOCK * dim) {
            products.clear();
            products.resize(block.len() / dim * known, 0.0);
            f32_product(block, &self.centres, dim, &mut products)?;
            for products in products.chunks_exact(known) {
                // Half of the squared distance, up to the square of the row, which all share.
                let near = |(product, square): (&f32, &f64)| 0.5 * square - f64::from(*product);
                let least = products.iter().zip(&self.squares).map(near).fold(f64::INFINITY, f64::min);
                let (mut all, mut of_word) = (0.0, vec![0.0_f64; self.vocabulary]);
                for (at, words) in products.iter().zip(&self.squares).zip(&self.words) {
                    let weight = (-self.sharpness * (near(at) - least)).exp();
                    all += weight;
                    words.iter().for_each(|&word| of_word[word] += weight);
                }
                probabilities.extend(of_word.into_iter().map(|weight| (weight / all) as f32));
            }
        }
        Ok(probabilities)
    }

    /// Attacks sentences whose words are known to the caller.
    ///
    /// # Errors
    /// If rows and words do not fit.
    pub fn attack(&self, rows: &[f32], words: &[Vec<usize>]) -> Result<WordFindings, Error> {
        WordFindings::of(&self.probabilities(rows)?, self.vocabulary, words)
    }
}

impl std::fmt::Debug for Bayes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bayes({} sentences, {} words)", self.words.len(), self.vocabulary)
    }
}

/// The covariance of rows.
pub(crate) fn covariance(rows: &[f32], dim: usize) -> Vec<f64> {
    let count = (rows.len() / dim).max(1) as f64;
    let mut mean = vec![0.0_f64; dim];
    for row in rows.chunks_exact(dim) {
        mean.iter_mut().zip(row).for_each(|(sum, x)| *sum += f64::from(*x) / count);
    }
    let mut sums = vec![0.0_f64; dim * dim];
    let mut centred = vec![0.0_f64; dim];
    for row in rows.chunks_exact(dim) {
        centred.iter_mut().zip(row.iter().zip(&mean)).for_each(|(c, (x, m))| *c = f64::from(*x) - m);
        for (i, x) in centred.iter().enumerate() {
            let row = &mut sums[i * dim..i * dim + i + 1];
            row.iter_mut().zip(&centred).for_each(|(sum, y)| *sum += x * y);
        }
    }
    for i in 0..dim {
        for j in 0..=i {
            let value = sums[i * dim + j] / count;
            (sums[i * dim + j], sums[j * dim + i]) = (value, value);
        }
    }
    sums
}

/// The matrix whose product with a row measures it in the metric of the inverse of `matrix`.
fn inverse_root(matrix: Vec<f64>, dim: usize) -> Result<Vec<f32>, Error> {
    let (values, vectors) = eigenvectors(matrix, dim)?;
    let least = values.first().copied().unwrap_or(1.0) * 1e-12;
    let scale = |value: f64| value.max(least).max(f64::MIN_POSITIVE).sqrt().recip();
    Ok(vectors
        .chunks_exact(dim)
        .zip(values)
        .flat_map(|(row, value)| row.iter().map(move |x| (x * scale(value)) as f32))
        .collect())
}

fn turned(rows: &[f32], metric: &[f32], dim: usize) -> Result<Vec<f32>, Error> {
    let mut out = vec![0.0; rows.len()];
    f32_product(rows, metric, dim, &mut out)?;
    Ok(out)
}

fn square(row: &[f32]) -> f64 {
    row.iter().map(|x| f64::from(*x) * f64::from(*x)).sum()
}

fn pick(some: &[usize], words: &[Vec<usize>]) -> Vec<Vec<usize>> {
    some.iter().map(|&at| words[at].clone()).collect()
}

fn pick_rows(some: &[usize], rows: &[f32], dim: usize) -> Vec<f32> {
    some.iter().flat_map(|&at| &rows[at * dim..][..dim]).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Bootstrap;
    use inkveil_nn::SplitMix;

    /// Sixty sentences of random directions in 16 dimensions; sentence i has word i % 6.
    fn sentences(random: &mut SplitMix) -> (Vec<f32>, Vec<Vec<usize>>) {
        let rows = (0..60 * 16).map(|_| random.normals()[0] as f32 / 4.0).collect();
        (rows, (0..60).map(|i| vec![i % 6]).collect())
    }

    #[test]
    fn a_known_sentence_is_recognised_through_noise() {
        let mut random = SplitMix::named(1, "bayes", &[]);
        let (centres, words) = sentences(&mut random);
        let mut noised =
            || -> Vec<f32> { centres.iter().map(|x| x + 0.1 * random.normals()[0] as f32).collect() };
        let (noisy, again) = (noised(), noised());
        let noise: Vec<f64> = (0..256).map(|i| if i / 16 == i % 16 { 0.01 } else { 0.0 }).collect();
        let known = BayesKnowledge {
            dim: 16,
            centres: &centres,
            noisy: &noisy,
            noise: &noise,
            words: &words,
            vocabulary: 6,
        };
        let found = Bayes::new(&known).unwrap().attack(&again, &words).unwrap();
        let found = found.exposure(&Bootstrap::default(), |_| true).unwrap();
        assert!(found.leakage.mean > 0.9, "{found:?}");
        assert!(Bayes::new(&BayesKnowledge { vocabulary: 5, ..known }).is_err());
        assert!(Bayes::new(&BayesKnowledge { noise: &noise[1..], ..known }).is_err());
    }

    #[test]
    fn directions_with_more_noise_count_less() {
        // The word is in the second coordinate. The first has much noise.
        let centres: Vec<f32> = (0..40).flat_map(|i| [0.0, if i % 2 == 0 { 0.5 } else { -0.5 }]).collect();
        let words: Vec<Vec<usize>> = (0..40).map(|i| vec![i % 2]).collect();
        let noisy: Vec<f32> = centres
            .chunks(2)
            .enumerate()
            .flat_map(|(i, row)| [(i as f32 * 7.3).sin() * 30.0, row[1] + (i as f32).cos() * 0.1])
            .collect();
        let known = BayesKnowledge {
            dim: 2,
            centres: &centres,
            noisy: &noisy,
            noise: &[450.0, 0.0, 0.0, 0.005],
            words: &words,
            vocabulary: 2,
        };
        let found = Bayes::new(&known).unwrap().attack(&noisy, &words).unwrap();
        assert_eq!(found.exposure(&Bootstrap::default(), |_| true).unwrap().leakage.mean, 1.0);
    }

    #[test]
    fn covariances_match_their_definition() {
        let rows = [1.0, 2.0, 3.0, 2.0, 5.0, 5.0];
        assert_eq!(covariance(&rows, 2), [8.0 / 3.0, 2.0, 2.0, 2.0]);
    }
}
