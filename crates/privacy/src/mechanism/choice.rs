use crate::exact::{self, Weighted};
use crate::{Epsilon, Error, NoiseStream, Slack};

/// Weighted candidates of a finite mechanism, for any number of draws.
///
/// Weights are e^{−x}, with x rounded to a multiple of 2⁻⁴⁰. Given these exponents, the draw has
/// exact probabilities: a uniform number is compared with sums of weights in doubles, and in
/// integer arithmetic of 100 bits where doubles do not decide. The rounding of the exponents is
/// the [`Choice::SLACK`] of the mechanisms that use it.
///
/// ```
/// use inkveil_privacy::{Epsilon, Exponential, Metric, NoiseAddress, NoiseKey};
///
/// let choice = Exponential::new(Epsilon::new(4.0)?, Metric::Euclidean).choice(&[0.0, -0.3, -0.9])?;
/// let mut stream = NoiseKey::fresh()?.stream(NoiseAddress::record(0), "the first candidate");
/// assert!((0..100).all(|_| choice.draw(&mut stream).is_ok_and(|index| index < 3)));
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Choice(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Equal(Vec<usize>),
    Weighted {
        weights: Vec<Weighted>,
        /// The sums of the weights up to each candidate, in doubles.
        cumulative: Vec<f64>,
    },
}

impl Choice {
    /// What rounding exponents can add to a loss. Each moves by at most 2⁻⁴¹ when it is rounded, and
    /// by less than 2⁻⁴⁴ when it is computed. A loss has two exponents, and two sums of weights that
    /// move as little.
    pub const SLACK: f64 = 1.0 / (1u64 << 38) as f64;

    /// Returns [`Choice::SLACK`] as the slack of a mechanism.
    pub(super) fn slack(epsilon: Epsilon) -> Slack {
        // Without noise, and without a dependence on the scores, nothing is rounded.
        if epsilon.is_infinite() || epsilon.is_zero() { Slack::NONE } else { Slack::rounding(Self::SLACK) }
    }

    /// Draws a candidate with a probability proportional to its copies times e^{−exponent}. At least
    /// one exponent is 0, and none is negative.
    pub(super) fn by_exponent(candidates: impl Iterator<Item = (f64, u64)>) -> Self {
        Self::of(candidates.map(|(exponent, copies)| Weighted::new(exponent, copies)).collect())
    }

    pub(super) fn of(weights: Vec<Weighted>) -> Self {
        let sums = weights.iter().scan(0.0, |sum, weight| {
            *sum += weight.approximate();
            Some(*sum)
        });
        let cumulative = sums.collect();
        Self(Kind::Weighted { weights, cumulative })
    }

    /// Draws uniformly among the best candidates: the limit of a mechanism at ε = ∞.
    pub(super) fn among_best(scores: &[f64], best: f64) -> Self {
        let best = scores.iter().enumerate().filter(|(_, score)| **score == best);
        Self(Kind::Equal(best.map(|(index, _)| index).collect()))
    }

    /// Draws the index of a candidate.
    ///
    /// # Errors
    /// If the stream fails.
    pub fn draw(&self, stream: &mut NoiseStream) -> Result<usize, Error> {
        match &self.0 {
            Kind::Equal(best) => Ok(best[stream.below(best.len() as u64)? as usize]),
            Kind::Weighted { weights, cumulative } => Ok(exact::choose(weights, cumulative, stream)),
        }
    }
}

/// Returns the largest log-ratio of the probabilities that two lists of exponents give to a
/// candidate, rounded up: the loss of a finite mechanism between two inputs.
pub(super) fn certified(under_x: &[f64], under_other: &[f64]) -> Result<Epsilon, Error> {
    let log_sum = |exponents: &[f64]| {
        let least = exponents.iter().copied().fold(f64::INFINITY, f64::min);
        exponents.iter().map(|x| (least - x).exp()).sum::<f64>().ln() - least
    };
    let normaliser = log_sum(under_other) - log_sum(under_x);
    let losses = under_x.iter().zip(under_other).map(|(x, other)| other - x + normaliser);
    let worst = losses.fold(0.0, |worst: f64, loss| worst.max(loss.abs()));
    // A sum of n positive terms errs by at most n units in the last place, and so does its logarithm.
    let rounding = 4.0 * (under_x.len() as f64 + 64.0) * f64::EPSILON + worst * 4.0 * f64::EPSILON;
    Epsilon::new(worst + rounding + Choice::SLACK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoiseAddress, NoiseKey};

    #[test]
    fn unlikely_candidates_keep_their_probability() {
        // One candidate of weight 1 and three hundred of 2⁻²¹ each: one draw in 6,992 is one of the
        // three hundred, evenly distributed.
        let exponents = (0..301).map(|i| if i == 150 { 0.0 } else { 21.0 * std::f64::consts::LN_2 });
        let mut stream = NoiseKey::insecure_from_seed(4).stream(NoiseAddress::record(0), &());
        let (draws, mut rare, mut low) = (600_000, 0, 0);
        let choice = Choice::by_exponent(exponents.map(|x| (x, 1)));
        for _ in 0..draws {
            let index = choice.draw(&mut stream).unwrap();
            rare += u32::from(index != 150);
            low += u32::from(index < 150);
        }
        // About 86 are expected. The tolerance is five standard deviations.
        let expected = f64::from(draws) * 300.0 / (300.0 + f64::from(1 << 21));
        assert!((f64::from(rare) - expected).abs() < 5.0 * expected.sqrt(), "{rare} for {expected}");
        assert!(
            (f64::from(low) - expected / 2.0).abs() < 5.0 * (expected / 4.0).sqrt() + 5.0,
            "{low} of {rare}"
        );
    }
}
