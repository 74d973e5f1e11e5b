use super::choice::{Choice, certified};
use crate::unit_vector::check_finite;
use crate::{Epsilon, Error, ErrorKind, Guarantee, Metric, NoiseStream, Slack, Unit};

/// The exponential mechanism over a finite set of candidates.
///
/// # Probabilities
/// For scores s(x, y): `Pr[y] ∝ exp(ε·s(x,y)/2)`.
///
/// # Guarantee
/// If one unit of distance between inputs changes no score by more than 1: ε per unit of that
/// distance. *Proof.* exp(ε(s(x,y) − s(x′,y))/2) ≤ exp(ε·d/2) bounds the numerators. The same bound
/// with x and x′ exchanged holds for each term of the normalisers, hence for their ratio. The two
/// halves multiply. ∎
///
/// With s(x,y) = −d(x,y) for a metric d, the condition is the triangle inequality: words are
/// replaced by near words, with ε per unit of d. With scores in [−1, 0] it is pure ε-LDP.
///
/// # Sampler
/// *For any finite scores and any ε, y is drawn with the probabilities above*, with exponents that
/// are rounded to multiples of 2⁻⁴⁰ (see [`Choice`]). Only differences from the best score are
/// computed, so no ε overflows. Unlikely candidates keep their probability, down to 2⁻¹⁰⁰.
///
/// ```
/// use inkveil_privacy::{Epsilon, Exponential, Metric, NoiseAddress, NoiseKey};
///
/// let mechanism = Exponential::new(Epsilon::new(4.0)?, Metric::Euclidean);
/// let distances = [0.0, 0.3, 0.9];
/// let scores = distances.map(|d| -d);
/// let index = mechanism.sample(&scores, &mut NoiseKey::fresh()?.stream(NoiseAddress::record(0), &()))?;
/// assert!(index < 3);
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Exponential {
    epsilon: Epsilon,
    metric: Metric,
}

impl Exponential {
    /// Creates a mechanism whose scores change by at most 1 per unit of `metric`.
    pub fn new(epsilon: Epsilon, metric: Metric) -> Self {
        Self { epsilon, metric }
    }

    /// The guarantee of each draw.
    pub fn guarantee(&self) -> Guarantee {
        Guarantee::new(self.metric, self.epsilon, Unit::Token)
    }

    /// Draws the index of a candidate.
    ///
    /// # Errors
    /// If there are no scores, or one is not finite.
    pub fn sample(&self, scores: &[f64], stream: &mut NoiseStream) -> Result<usize, Error> {
        self.choice(scores)?.draw(stream)
    }

    /// Returns the distribution that [`Exponential::sample`] draws from. For several draws this
    /// avoids repeated work.
    ///
    /// # Errors
    /// As [`Exponential::sample`].
    pub fn choice(&self, scores: &[f64]) -> Result<Choice, Error> {
        let best = best_score(scores)?;
        if self.epsilon.is_infinite() {
            return Ok(Choice::among_best(scores, best));
        }
        Ok(Choice::by_exponent(scores.iter().map(|s| (-scaled(self.epsilon, s - best), 1))))
    }

    /// Returns the true loss between two inputs, given their scores of all candidates: the largest
    /// log-ratio of the probabilities of a candidate, rounded up. It is at most ε times the distance
    /// and often far less.
    ///
    /// ```
    /// use inkveil_privacy::{Epsilon, Exponential, Metric};
    ///
    /// // Candidates and inputs at 0, 1 and 2 on a line.
    /// let mechanism = Exponential::new(Epsilon::new(4.0)?, Metric::Euclidean);
    /// let loss = mechanism.certified_epsilon(&[0.0, -1.0, -2.0], &[-1.0, 0.0, -1.0])?;
    /// assert!(loss < Epsilon::new(2.2)?); // the guarantee is 4
    /// # Ok::<(), inkveil_privacy::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Exponential::sample`], or if the numbers of scores differ.
    pub fn certified_epsilon(&self, scores: &[f64], other: &[f64]) -> Result<Epsilon, Error> {
        if scores.len() != other.len() {
            return Err(ErrorKind::Dimension { expected: scores.len(), found: other.len() }.into());
        }
        if self.epsilon.is_infinite() {
            return Ok(Epsilon::INFINITE);
        }
        let exponents = |scores: &[f64]| -> Result<Vec<f64>, Error> {
            let best = best_score(scores)?;
            Ok(scores.iter().map(|s| -scaled(self.epsilon, s - best)).collect())
        };
        certified(&exponents(scores)?, &exponents(other)?)
    }

    /// What rounding adds to the guarantee of each draw.
    pub fn slack(&self) -> Slack {
        Choice::slack(self.epsilon)
    }

    /// Returns the log-probability of every candidate, as an attacker who knows the mechanism
    /// computes it.
    ///
    /// # Errors
    /// As [`Exponential::sample`].
    pub fn log_probabilities(&self, scores: &[f64]) -> Result<Vec<f64>, Error> {
        let best = best_score(scores)?;
        Ok(log_softmax(scores.iter().map(|s| scaled(self.epsilon, s - best)).collect()))
    }
}

/// Returns `ε·gap/2` for a gap of at most 0, with ∞·0 = 0 for either factor. Scores may be so far
/// apart that the gap is −∞.
pub(super) fn scaled(epsilon: Epsilon, gap: f64) -> f64 {
    if gap == 0.0 || epsilon.is_zero() { 0.0 } else { epsilon.get() / 2.0 * gap }
}

/// Returns the largest score after checking that all are finite.
pub(super) fn best_score(scores: &[f64]) -> Result<f64, Error> {
    if scores.is_empty() {
        return Err(ErrorKind::EmptySet.into());
    }
    check_finite(scores)?;
    Ok(scores.iter().copied().fold(f64::NEG_INFINITY, f64::max))
}

/// Turns logits into log-probabilities.
pub(super) fn log_softmax(mut logits: Vec<f64>) -> Vec<f64> {
    let top = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total = logits.iter().map(|l| (l - top).exp()).sum::<f64>().ln() + top;
    logits.iter_mut().for_each(|l| *l -= total);
    logits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoiseAddress, NoiseKey};

    #[test]
    fn no_epsilon_overflows() {
        let mut stream = NoiseKey::insecure_from_seed(1).stream(NoiseAddress::record(0), &());
        let scores = [-3.0, -1.0, -1e300];
        for epsilon in [0.0, 1e-300, 1.0, 1e300, f64::MAX, f64::INFINITY] {
            let mechanism = Exponential::new(Epsilon::new(epsilon).unwrap(), Metric::Euclidean);
            let index = mechanism.sample(&scores, &mut stream).unwrap();
            assert!(index < 3);
            if epsilon > 1e6 {
                assert_eq!(index, 1);
            }
            let total: f64 = mechanism.log_probabilities(&scores).unwrap().iter().map(|l| l.exp()).sum();
            assert!((total - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn at_zero_the_scores_are_not_used_even_if_they_overflow() {
        let mut stream = NoiseKey::insecure_from_seed(1).stream(NoiseAddress::record(0), &());
        let mechanism = Exponential::new(Epsilon::ZERO, Metric::Discrete);
        let scores = [-1e308, 1e308, -1e308];
        let mut counts = [0; 3];
        (0..3000).for_each(|_| counts[mechanism.sample(&scores, &mut stream).unwrap()] += 1);
        assert!(counts.iter().all(|c| (800..1200).contains(c)), "{counts:?}");
        assert!(mechanism.log_probabilities(&scores).unwrap().iter().all(|l| (l + 3f64.ln()).abs() < 1e-12));
    }

    #[test]
    fn refuses_an_empty_set_and_scores_that_are_not_finite() {
        let mut stream = NoiseKey::insecure_from_seed(1).stream(NoiseAddress::record(0), &());
        let mechanism = Exponential::new(Epsilon::ZERO, Metric::Discrete);
        assert_eq!(mechanism.sample(&[], &mut stream).unwrap_err().kind(), &ErrorKind::EmptySet);
        let error = mechanism.sample(&[0.0, f64::INFINITY], &mut stream).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::NotFinite { index: 1 });
    }

    /// The loss between any two inputs, on the exact probabilities, stays within the guarantee.
    #[test]
    fn the_proof_holds_on_exact_probabilities() {
        let points = [0.0, 0.1, 0.15, 0.7, 2.0, 2.01, 2.02, 2.03];
        let epsilon = 3.0;
        let mechanism = Exponential::new(Epsilon::new(epsilon).unwrap(), Metric::Euclidean);
        let channel: Vec<Vec<f64>> = points
            .iter()
            .map(|x: &f64| {
                let scores: Vec<f64> = points.iter().map(|y| -(x - y).abs()).collect();
                mechanism.log_probabilities(&scores).unwrap()
            })
            .collect();
        let scores = |x: &f64| points.iter().map(|y| -(x - y).abs()).collect::<Vec<f64>>();
        for (i, x) in points.iter().enumerate() {
            for (j, y) in points.iter().enumerate() {
                let certified = mechanism.certified_epsilon(&scores(x), &scores(y)).unwrap().get();
                let true_loss =
                    channel[i].iter().zip(&channel[j]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(certified >= true_loss && certified <= true_loss + 1e-10);
                for (a, b) in channel[i].iter().zip(&channel[j]) {
                    assert!(a - b <= epsilon * (x - y).abs() + 1e-12);
                }
            }
        }
    }
}
