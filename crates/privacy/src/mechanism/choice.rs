use crate::{Error, NoiseStream};

/// Weights below this share of the largest are drawn separately: a number of 53 bits distinguishes
/// the others to 2⁻³³ of each.
const SMALL: f64 = 1.0 / (1 << 20) as f64;

/// Weighted candidates of a finite mechanism, for any number of draws.
///
/// The first draw decides between the likely candidates and the others, the second one which
/// candidate it is. The uniform variable keeps its full precision near 0, so the unlikely
/// candidates keep their exact probability however small it is. Among them the same procedure is
/// repeated.
///
/// ```
/// use inkveil_privacy::{Epsilon, Exponential, Metric, NoiseKey, Purpose};
///
/// let choice = Exponential::new(Epsilon::new(4.0)?, Metric::Euclidean).choice(&[0.0, -0.3, -0.9])?;
/// let mut stream = NoiseKey::fresh()?.stream(0, 0, Purpose::NOISE);
/// assert!((0..100).all(|_| choice.draw(&mut stream).is_ok_and(|index| index < 3)));
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Choice(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Equal(Vec<usize>),
    Weighted {
        /// The likely candidates, with the cumulative sum of their weights.
        likely: Vec<(usize, f64)>,
        /// The other candidates with their logits, and the sum of their weights.
        others: Vec<(usize, f64)>,
        others_sum: f64,
    },
}

impl Choice {
    /// Draws a candidate with a probability proportional to the exponential of its logit. Logits
    /// may be −∞; at least one is finite.
    pub(super) fn by_weight(logits: impl Iterator<Item = f64>) -> Self {
        Self::among(logits.enumerate().filter(|(_, logit)| logit.is_finite()).collect())
    }

    /// Draws uniformly among the best candidates: the limit of a mechanism at ε = ∞.
    pub(super) fn among_best(scores: &[f64], best: f64) -> Self {
        let best = scores.iter().enumerate().filter(|(_, score)| **score == best);
        Self(Kind::Equal(best.map(|(index, _)| index).collect()))
    }

    fn among(all: Vec<(usize, f64)>) -> Self {
        let top = all.iter().map(|(_, logit)| *logit).fold(f64::NEG_INFINITY, f64::max);
        let (mut likely, mut others) = (Vec::new(), Vec::new());
        let (mut sum, mut others_sum) = (0.0, 0.0);
        for (index, logit) in all {
            let weight = (logit - top).exp();
            if weight >= SMALL {
                sum += weight;
                likely.push((index, sum));
            } else {
                others_sum += weight;
                others.push((index, logit));
            }
        }
        Self(Kind::Weighted { likely, others, others_sum })
    }

    /// Draws the index of a candidate.
    ///
    /// # Errors
    /// If the stream fails.
    pub fn draw(&self, stream: &mut NoiseStream) -> Result<usize, Error> {
        match &self.0 {
            Kind::Equal(best) => Ok(best[stream.below(best.len() as u64)? as usize]),
            Kind::Weighted { likely, others, others_sum } => {
                let sum = likely.last().map_or(0.0, |(_, sum)| *sum);
                if *others_sum > 0.0 && stream.unit() * (sum + others_sum) < *others_sum {
                    return Self::among(others.clone()).draw(stream);
                }
                let at = stream.unit() * sum;
                let chosen = likely.partition_point(|(_, up_to)| *up_to <= at);
                Ok(likely[chosen.min(likely.len() - 1)].0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoiseKey, Purpose};

    #[test]
    fn unlikely_candidates_keep_their_probability() {
        // One candidate of weight 1 and three hundred of 2⁻²¹ each: one draw in 6,992 is one of the
        // three hundred, evenly distributed.
        let logits: Vec<f64> =
            (0..301).map(|i| if i == 150 { 0.0 } else { -21.0 * std::f64::consts::LN_2 }).collect();
        let mut stream = NoiseKey::insecure_from_seed(4).stream(0, 0, Purpose::NOISE);
        let (draws, mut rare, mut low) = (600_000, 0, 0);
        let choice = Choice::by_weight(logits.iter().copied());
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
