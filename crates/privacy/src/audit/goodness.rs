//! Tests of a sample against a numerically integrated distribution, never against another sampler.

use statrs::function::gamma::checked_gamma_ur;

/// The cumulative distribution function of a density that is known up to a factor.
#[derive(Debug)]
pub struct NumericCdf {
    from: f64,
    step: f64,
    cumulative: Vec<f64>,
}

impl NumericCdf {
    const NODES: usize = 40_001;

    /// Integrates exp(log_density) over the part of [from, to] that has noticeable mass.
    pub fn new(log_density: impl Fn(f64) -> f64, from: f64, to: f64) -> Self {
        let (from, to) = zoom(&log_density, from, to);
        let step = (to - from) / (Self::NODES - 1) as f64;
        let logs: Vec<f64> = (0..Self::NODES).map(|i| log_density(from + i as f64 * step)).collect();
        let top = logs.iter().copied().filter(|l| l.is_finite()).fold(f64::NEG_INFINITY, f64::max);
        let mut cumulative = Vec::with_capacity(Self::NODES);
        let mut sum = 0.0;
        cumulative.push(0.0);
        for pair in logs.windows(2) {
            sum += 0.5 * ((pair[0] - top).exp() + (pair[1] - top).exp());
            cumulative.push(sum);
        }
        cumulative.iter_mut().for_each(|c| *c /= sum);
        Self { from, step, cumulative }
    }

    /// Pr[X ≤ x].
    pub fn at(&self, x: f64) -> f64 {
        let position = (x - self.from) / self.step;
        if position <= 0.0 {
            return 0.0;
        }
        let index = position as usize;
        match self.cumulative.get(index + 1) {
            Some(next) => {
                let here = self.cumulative[index];
                here + (position - index as f64) * (next - here)
            }
            None => 1.0,
        }
    }
}

/// Narrows an interval to the part where the density is within e^−60 of its maximum, by scanning it
/// more and more finely.
fn zoom(log_density: &impl Fn(f64) -> f64, mut from: f64, mut to: f64) -> (f64, f64) {
    for _ in 0..8 {
        let step = (to - from) / 2000.0;
        let at = |i: i32| from + f64::from(i) * step;
        let logs: Vec<f64> = (0..=2000).map(|i| log_density(at(i))).collect();
        let top = logs.iter().copied().filter(|l| l.is_finite()).fold(f64::NEG_INFINITY, f64::max);
        let matters = |l: &f64| *l > top - 60.0;
        let first = logs.iter().position(matters).unwrap_or(0) as i32;
        let last = logs.iter().rposition(matters).unwrap_or(2000) as i32;
        (from, to) = (at((first - 1).max(0)), at((last + 1).min(2000)));
    }
    (from, to)
}

/// Returns the Kolmogorov–Smirnov distance between a sample and a distribution.
pub(super) fn ks_distance(sample: &mut [f64], cdf: impl Fn(f64) -> f64) -> f64 {
    sample.sort_unstable_by(f64::total_cmp);
    let n = sample.len() as f64;
    sample.iter().enumerate().fold(0.0, |worst, (i, x)| {
        let f = cdf(*x);
        f64::max(worst, f64::max(f - i as f64 / n, (i + 1) as f64 / n - f))
    })
}

/// Returns the distance that a sample of size `n` from the distribution exceeds with probability at
/// most `alpha` (Dvoretzky–Kiefer–Wolfowitz with Massart's constant, valid for every n and every
/// distribution).
pub(super) fn ks_critical(n: usize, alpha: f64) -> f64 {
    ((2.0 / alpha).ln() / (2.0 * n as f64)).sqrt()
}

/// Returns Pearson's χ² of counts against probabilities.
pub(crate) fn chi_square(counts: &[u64], probabilities: &[f64]) -> f64 {
    let n = counts.iter().sum::<u64>() as f64;
    counts.iter().zip(probabilities).map(|(c, p)| (*c as f64 - n * p).powi(2) / (n * p)).sum()
}

/// Returns the χ² that a sample from the distribution exceeds with probability `alpha`.
pub(crate) fn chi_square_critical(cells: usize, alpha: f64) -> f64 {
    let half = (cells as f64 - 1.0) / 2.0;
    let (mut low, mut high) = (0.0, 1e4);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if checked_gamma_ur(half, middle / 2.0).unwrap_or(0.0) > alpha { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integrates_known_distributions() {
        let exponential = NumericCdf::new(|x| -3.0 * x, 0.0, 100.0);
        let needle = NumericCdf::new(|x: f64| -0.5 * ((x - 0.3) / 1e-5).powi(2), 0.0, 1.0);
        for x in [0.01, 0.2, 1.0, 3.0] {
            assert!((exponential.at(x) - (1.0 - f64::exp(-3.0 * x))).abs() < 1e-6);
        }
        assert!((needle.at(0.3) - 0.5).abs() < 1e-6);
        assert!((needle.at(0.3 + 1e-5) - 0.841_344_7).abs() < 1e-5);
        assert_eq!(exponential.at(-1.0), 0.0);
        assert_eq!(exponential.at(1e9), 1.0);
    }

    #[test]
    fn a_perfect_sample_has_the_smallest_distance() {
        let mut sample: Vec<f64> = (0..1000).map(|i| (f64::from(i) + 0.5) / 1000.0).collect();
        assert!((ks_distance(&mut sample, |x| x) - 0.0005).abs() < 1e-12);
    }

    #[test]
    fn critical_values_match_tables() {
        // χ² with 9 degrees of freedom at 0.05 and 0.001.
        assert!((chi_square_critical(10, 0.05) - 16.919).abs() < 1e-3);
        assert!((chi_square_critical(10, 0.001) - 27.877).abs() < 1e-3);
        assert!((ks_critical(1_000_000, 1e-6) - 2.6933e-3).abs() < 1e-6);
    }
}
