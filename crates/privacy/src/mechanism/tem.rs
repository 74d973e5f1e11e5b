use super::choice::{Choice, certified};
use super::exponential::{best_score, log_softmax, scaled};
use crate::{Epsilon, Error, ErrorKind, Guarantee, Metric, NoiseStream, Slack, Unit};

/// The truncated exponential mechanism (TEM, Carvalho et al. 2023): near candidates are weighted by
/// distance, and all candidates farther than γ have the same weight.
///
/// # Probabilities
/// `Pr[y] ∝ exp(−ε·d(x,y)/2)` for d(x,y) ≤ γ. All others are collapsed into one candidate ⊥ of
/// weight |others|·exp(−εγ/2). If ⊥ is chosen, y is uniform over the others.
///
/// # Guarantee
/// ε per unit of d. *Proof.* Each of the others has weight exp(−εγ/2), so this is the exponential
/// mechanism for the score −min(d, γ). The truncated distance min(d, γ) is again a metric and no
/// larger than d, so the proof of [`Exponential`](crate::Exponential) applies. ∎ In addition, no
/// loss exceeds ε·γ.
///
/// # Failure bound
/// The output is within γ of the input except with probability at most β, if γ ≥
/// (2/ε)·ln((1−β)(n−1)/β) for a set of size n: x itself has weight 1, and at most n−1 others beyond
/// γ have weight exp(−εγ/2) each. [`TruncatedExponential::for_failure`] uses exactly this γ.
///
/// ```
/// use inkveil_privacy::{Epsilon, Metric, NoiseAddress, NoiseKey, TruncatedExponential};
///
/// let mechanism = TruncatedExponential::for_failure(Epsilon::new(20.0)?, 3, 1e-3, Metric::Euclidean)?;
/// let index = mechanism.sample(&[0.0, 0.3, 5.0], &mut NoiseKey::fresh()?.stream(NoiseAddress::record(0), &()))?;
/// assert!(index < 3);
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct TruncatedExponential {
    epsilon: Epsilon,
    gamma: f64,
    metric: Metric,
}

impl TruncatedExponential {
    /// Creates a mechanism with truncation at distance `gamma`.
    ///
    /// # Errors
    /// If `gamma` is negative or not a number.
    pub fn new(epsilon: Epsilon, gamma: f64, metric: Metric) -> Result<Self, Error> {
        if gamma >= 0.0 && gamma.is_finite() {
            Ok(Self { epsilon, gamma, metric })
        } else {
            Err(Error::parameter("gamma", "0 or a positive number", gamma))
        }
    }

    /// Creates a mechanism with the smallest truncation at which the output, of a set of `size`
    /// candidates, is farther than γ with probability at most `beta`.
    ///
    /// # Errors
    /// If `beta` is not in (0, 1), `size` is 0, or ε is so small that γ is not a number.
    pub fn for_failure(epsilon: Epsilon, size: usize, beta: f64, metric: Metric) -> Result<Self, Error> {
        if !(beta > 0.0 && beta < 1.0) {
            return Err(Error::parameter("beta", "between 0 and 1, both excluded", beta));
        }
        if size == 0 {
            return Err(ErrorKind::EmptySet.into());
        }
        let odds = (1.0 - beta) * (size as f64 - 1.0) / beta;
        let gamma = if odds <= 1.0 || epsilon.is_infinite() { 0.0 } else { 2.0 / epsilon.get() * odds.ln() };
        Self::new(epsilon, gamma, metric)
    }

    /// The distance beyond which all candidates have the same weight.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// The guarantee of each draw.
    pub fn guarantee(&self) -> Guarantee {
        Guarantee::new(self.metric, self.epsilon, Unit::Token)
    }

    /// Draws the index of a candidate, given the distance of each candidate to the input.
    ///
    /// # Errors
    /// If there are no distances, or one is negative or not finite.
    pub fn sample(&self, distances: &[f64], stream: &mut NoiseStream) -> Result<usize, Error> {
        self.choice(distances)?.draw(stream)
    }

    /// Returns the distribution that [`TruncatedExponential::sample`] draws from. For several draws
    /// this avoids repeated work.
    ///
    /// # Errors
    /// As [`TruncatedExponential::sample`].
    pub fn choice<'d>(&self, distances: &'d [f64]) -> Result<TruncatedChoice<'d>, Error> {
        let nearest = self.nearest(distances)?;
        if self.epsilon.is_infinite() {
            let near = Choice::among_best(distances, nearest);
            return Ok(TruncatedChoice { distances, gamma: f64::INFINITY, rest: 0, near });
        }
        let rest = distances.iter().filter(|d| **d > self.gamma).count();
        // ⊥ takes the position of the first far candidate and has as many copies as there are.
        let mut bottom_seen = false;
        let candidates = distances.iter().map(|d| {
            let copies = match (*d > self.gamma, bottom_seen) {
                (false, _) => 1,
                (true, true) => 0,
                (true, false) => rest as u64,
            };
            bottom_seen |= *d > self.gamma;
            (-self.logit(*d, nearest), copies)
        });
        let near = Choice::by_exponent(candidates);
        Ok(TruncatedChoice { near, distances, gamma: self.gamma, rest })
    }

    /// Returns the true loss between two inputs, given their distances to all candidates: the
    /// largest log-ratio of the probabilities of a candidate, rounded up.
    ///
    /// # Errors
    /// As [`TruncatedExponential::sample`], or if the numbers of distances differ.
    pub fn certified_epsilon(&self, distances: &[f64], other: &[f64]) -> Result<Epsilon, Error> {
        if distances.len() != other.len() {
            return Err(ErrorKind::Dimension { expected: distances.len(), found: other.len() }.into());
        }
        if self.epsilon.is_infinite() {
            return Ok(Epsilon::INFINITE);
        }
        let exponents = |distances: &[f64]| -> Result<Vec<f64>, Error> {
            let nearest = self.nearest(distances)?;
            Ok(distances.iter().map(|d| -self.logit(*d, nearest)).collect())
        };
        certified(&exponents(distances)?, &exponents(other)?)
    }

    /// What rounding adds to the guarantee of each draw.
    pub fn slack(&self) -> Slack {
        Choice::slack(self.epsilon)
    }

    /// Returns the log-probability of every candidate.
    ///
    /// # Errors
    /// As [`TruncatedExponential::sample`].
    pub fn log_probabilities(&self, distances: &[f64]) -> Result<Vec<f64>, Error> {
        let nearest = self.nearest(distances)?;
        Ok(log_softmax(distances.iter().map(|d| self.logit(*d, nearest)).collect()))
    }

    /// Returns the smallest truncated distance after checking that all are valid.
    fn nearest(&self, distances: &[f64]) -> Result<f64, Error> {
        best_score(distances)?;
        match distances.iter().position(|d| *d < 0.0) {
            Some(index) => Err(ErrorKind::NotFinite { index }.into()),
            None => Ok(distances.iter().map(|d| self.truncated(*d)).fold(f64::INFINITY, f64::min)),
        }
    }

    fn logit(&self, distance: f64, nearest: f64) -> f64 {
        scaled(self.epsilon, nearest - self.truncated(distance))
    }

    /// At ε = ∞ the input is kept for any γ.
    fn truncated(&self, distance: f64) -> f64 {
        if self.epsilon.is_infinite() { distance } else { distance.min(self.gamma) }
    }
}

/// The distribution that [`TruncatedExponential`] draws from.
#[derive(Debug, Clone)]
pub struct TruncatedChoice<'d> {
    distances: &'d [f64],
    gamma: f64,
    /// The number of candidates farther than γ.
    rest: usize,
    /// The candidates within γ, and ⊥.
    near: Choice,
}

impl TruncatedChoice<'_> {
    /// Draws the index of a candidate.
    ///
    /// # Errors
    /// If the stream fails.
    pub fn draw(&self, stream: &mut NoiseStream) -> Result<usize, Error> {
        let chosen = self.near.draw(stream)?;
        if self.distances[chosen] <= self.gamma {
            return Ok(chosen);
        }
        let far = stream.below(self.rest as u64)? as usize;
        let far = self.distances.iter().enumerate().filter(|(_, d)| **d > self.gamma).nth(far);
        Ok(far.map_or(chosen, |(index, _)| index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoiseAddress, NoiseKey};

    #[test]
    fn gamma_meets_the_failure_bound() {
        let n = 1000;
        for epsilon in [1.0, 10.0, 100.0] {
            for beta in [0.001, 0.1, 0.5] {
                let mechanism = TruncatedExponential::for_failure(
                    Epsilon::new(epsilon).unwrap(),
                    n,
                    beta,
                    Metric::Euclidean,
                )
                .unwrap();
                // The worst case: all other candidates lie just beyond γ.
                let distances: Vec<f64> =
                    (0..n).map(|i| if i == 0 { 0.0 } else { mechanism.gamma() * 1.001 }).collect();
                let inside = mechanism.log_probabilities(&distances).unwrap()[0].exp();
                assert!(inside >= 1.0 - beta - 1e-9, "ε {epsilon}, β {beta}: {inside}");
                assert!(inside <= 1.0 - beta + 1e-6, "γ is larger than needed");
            }
        }
    }

    #[test]
    fn far_candidates_and_infinite_budgets_are_sampled() {
        let mut stream = NoiseKey::insecure_from_seed(1).stream(NoiseAddress::record(0), &());
        for epsilon in [Epsilon::ZERO, Epsilon::new(3.0).unwrap(), Epsilon::INFINITE] {
            let mechanism = TruncatedExponential::new(epsilon, 1.0, Metric::Euclidean).unwrap();
            let index = mechanism.sample(&[5.0, 6.0, 7.0], &mut stream).unwrap();
            assert!(index < 3);
            let near = mechanism.sample(&[5.0, 0.0, 7.0], &mut stream).unwrap();
            assert!(near == 1 || !epsilon.is_infinite());
        }
    }

    #[test]
    fn an_infinite_budget_keeps_the_input() {
        let mut stream = NoiseKey::insecure_from_seed(1).stream(NoiseAddress::record(0), &());
        let mechanism =
            TruncatedExponential::for_failure(Epsilon::INFINITE, 3, 0.1, Metric::Euclidean).unwrap();
        assert!((0..100).all(|_| mechanism.sample(&[0.3, 0.0, 5.0], &mut stream).unwrap() == 1));
        assert_eq!(mechanism.log_probabilities(&[0.3, 0.0, 5.0]).unwrap()[1], 0.0);
    }

    #[test]
    fn the_certified_loss_is_the_true_one_and_at_most_the_guarantee() {
        let points: [f64; 7] = [0.0, 0.1, 0.5, 0.6, 1.4, 2.0, 9.0];
        let mechanism =
            TruncatedExponential::new(Epsilon::new(3.0).unwrap(), 1.0, Metric::Euclidean).unwrap();
        let distances = |x: f64| points.iter().map(|y| (x - y).abs()).collect::<Vec<f64>>();
        for x in points {
            for other in points {
                let certified = mechanism.certified_epsilon(&distances(x), &distances(other)).unwrap().get();
                let [a, b] = [x, other].map(|at| mechanism.log_probabilities(&distances(at)).unwrap());
                let loss = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(certified >= loss && certified <= loss + 1e-10, "{x} {other}");
                assert!(certified <= 3.0 * (x - other).abs().min(1.0) + 1e-10);
            }
        }
        assert!(mechanism.certified_epsilon(&[0.0], &[0.0, 1.0]).is_err());
    }

    #[test]
    fn refuses_negative_distances() {
        let mut stream = NoiseKey::insecure_from_seed(1).stream(NoiseAddress::record(0), &());
        let mechanism = TruncatedExponential::new(Epsilon::ZERO, 1.0, Metric::Euclidean).unwrap();
        assert!(mechanism.sample(&[0.0, -1.0], &mut stream).is_err());
        assert!(TruncatedExponential::new(Epsilon::ZERO, f64::NAN, Metric::Euclidean).is_err());
        assert!(TruncatedExponential::for_failure(Epsilon::ZERO, 10, 0.1, Metric::Euclidean).is_err());
    }
}
