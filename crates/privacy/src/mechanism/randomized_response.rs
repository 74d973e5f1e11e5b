use crate::exact::{self, Weighted};
use crate::{Epsilon, Error, ErrorKind, Guarantee, Metric, NoiseStream, Unit};

/// k-ary randomised response: keeps the category or reports another one.
///
/// # Probabilities
/// `Pr[y | x] = e^ε/(e^ε+k−1)` for y = x and `1/(e^ε+k−1)` for each other y.
///
/// # Guarantee
/// Pure ε-LDP (**discrete** metric). *Proof.* The two probabilities differ by the factor e^ε. ∎
///
/// # Sampler
/// *Keeps x with weight 1 against k−1 others with weight e^{−ε} each, and draws uniformly from the
/// others otherwise.* ε is rounded down to a multiple of 2⁻⁴⁰, so that there is no slack. Given ε,
/// the probabilities are exact (see [`Choice`](crate::Choice)).
///
/// ```
/// use inkveil_privacy::{Epsilon, NoiseAddress, NoiseKey, RandomizedResponse};
///
/// let mechanism = RandomizedResponse::new(5, Epsilon::new(1.0)?)?;
/// let answer = mechanism.sample(3, &mut NoiseKey::fresh()?.stream(NoiseAddress::record(0), &()))?;
/// assert!(answer < 5);
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct RandomizedResponse {
    size: usize,
    epsilon: Epsilon,
    /// The probability of another category, (k−1)/(e^ε+k−1). Stored because it may be tiny.
    change: f64,
}

impl RandomizedResponse {
    /// Creates a mechanism over `size` categories.
    ///
    /// # Errors
    /// If there are no categories, or more than 2²⁷.
    pub fn new(size: usize, epsilon: Epsilon) -> Result<Self, Error> {
        if size == 0 {
            return Err(ErrorKind::EmptySet.into());
        }
        if size > 1 << 27 {
            return Err(Error::parameter("the number of categories", "at most 2^27", size));
        }
        let others = size as f64 - 1.0;
        let odds = others * (-epsilon.get()).exp();
        Ok(Self { size, epsilon, change: odds / (1.0 + odds) })
    }

    /// The guarantee of each draw.
    pub fn guarantee(&self) -> Guarantee {
        Guarantee::new(Metric::Discrete, self.epsilon, Unit::Token)
    }

    /// Returns the true loss between two categories: ε if they differ.
    pub fn certified_epsilon(&self, category: usize, other: usize) -> Epsilon {
        if category == other { Epsilon::ZERO } else { self.epsilon }
    }

    /// The probability that `category` is kept.
    pub fn keep_probability(&self) -> f64 {
        1.0 - self.change
    }

    /// Draws a response for `category`.
    ///
    /// # Errors
    /// If `category` is not below the size.
    pub fn sample(&self, category: usize, stream: &mut NoiseStream) -> Result<usize, Error> {
        if category >= self.size {
            // The category is private, so only the range is named.
            return Err(Error::parameter("the category", "below the size of the set", "larger"));
        }
        let kept = Weighted { steps: 0, copies: 1 };
        let others = Weighted::new_down(self.epsilon.get(), self.size as u64 - 1);
        let sums = [1.0, 1.0 + others.approximate()];
        if exact::choose(&[kept, others], &sums, stream) == 0 {
            return Ok(category);
        }
        let other = stream.below(self.size as u64 - 1)? as usize;
        Ok(if other < category { other } else { other + 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoiseAddress, NoiseKey};

    #[test]
    fn extremes_are_uniform_and_identity() {
        let mut stream = NoiseKey::insecure_from_seed(1).stream(NoiseAddress::record(0), &());
        let uniform = RandomizedResponse::new(4, Epsilon::ZERO).unwrap();
        assert!((uniform.keep_probability() - 0.25).abs() < 1e-15);
        for epsilon in [f64::MAX, f64::INFINITY] {
            let keep = RandomizedResponse::new(4, Epsilon::new(epsilon).unwrap()).unwrap();
            assert!((0..1000).all(|_| keep.sample(2, &mut stream).unwrap() == 2));
        }
        let only = RandomizedResponse::new(1, Epsilon::ZERO).unwrap();
        assert_eq!(only.sample(0, &mut stream).unwrap(), 0);
        assert!(only.sample(1, &mut stream).is_err());
        assert!(RandomizedResponse::new(0, Epsilon::ZERO).is_err());
    }

    #[test]
    fn the_private_category_is_not_in_the_error() {
        let mut stream = NoiseKey::insecure_from_seed(1).stream(NoiseAddress::record(0), &());
        let mechanism = RandomizedResponse::new(3, Epsilon::ZERO).unwrap();
        assert!(!mechanism.sample(987_654, &mut stream).unwrap_err().to_string().contains("987"));
    }
}
