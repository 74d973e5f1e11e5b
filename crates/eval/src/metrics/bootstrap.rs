//! Bootstrap intervals.

use std::fmt;

use inkveil_nn::SplitMix;
use serde::{Deserialize, Serialize};

use crate::Error;

/// A mean or another statistic, with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.4} [{:.4}, {:.4}]", self.mean, self.low, self.high)
    }
}

/// The values of one sentence or text: their sum and their number.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ValueSum {
    /// The sum of the values.
    pub sum: f64,
    /// The number of values.
    pub count: u32,
}

impl ValueSum {
    /// One value: 1 for a hit, 0 otherwise.
    pub fn of_hit(hit: bool) -> Self {
        Self { sum: f64::from(u8::from(hit)), count: 1 }
    }
}

/// The percentile bootstrap of a mean (Efron, 1979).
///
/// Whole sentences are resampled, not single values. Values of one sentence are correlated, and an
/// interval that ignores this is too narrow.
///
/// ```
/// use inkveil_eval::metrics::{Bootstrap, ValueSum};
///
/// let groups = [ValueSum { sum: 1.0, count: 2 }, ValueSum { sum: 0.0, count: 1 }, ValueSum { sum: 1.0, count: 1 }];
/// let estimate = Bootstrap::default().mean(&groups).unwrap();
/// assert_eq!(estimate.mean, 0.5);
/// assert!(estimate.low < 0.5 && estimate.high > 0.5);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Bootstrap {
    resamples: usize,
    level: f64,
    seed: u64,
}

impl Default for Bootstrap {
    /// 1,000 resamples, 95 %, seed 0.
    fn default() -> Self {
        Self { resamples: 1000, level: 0.95, seed: 0 }
    }
}

impl Bootstrap {
    /// A bootstrap with this number of resamples and this confidence level.
    ///
    /// # Errors
    /// If there are no resamples, or the level is not between 0 and 1.
    pub fn new(resamples: usize, level: f64, seed: u64) -> Result<Self, Error> {
        match resamples > 0 && (0.0..1.0).contains(&level) {
            true => Ok(Self { resamples, level, seed }),
            false => Err(Error::argument(format!(
                "{resamples} resamples at a level of {level} give no interval; for example, use 1000 and 0.95"
            ))),
        }
    }

    /// Returns the mean over all values and its interval; none if there are no values.
    pub fn mean(&self, tallies: &[ValueSum]) -> Option<Estimate> {
        let filled: Vec<ValueSum> = tallies.iter().copied().filter(|tally| tally.count > 0).collect();
        let mean = mean_of(filled.iter())?;
        let mut random = SplitMix::named(self.seed, "bootstrap", &[]);
        let mut means = Vec::with_capacity(self.resamples);
        for _ in 0..self.resamples {
            let drawn = (0..filled.len()).map(|_| &filled[(random.next() % filled.len() as u64) as usize]);
            means.push(mean_of(drawn)?);
        }
        Some(self.estimate(mean, means))
    }

    /// Returns another statistic of items and its interval; none if it has no value, or has none on
    /// half of the resamples.
    ///
    /// ```
    /// use inkveil_eval::metrics::Bootstrap;
    ///
    /// let largest = |items: &[i32]| items.iter().max().map(|&item| f64::from(item));
    /// let estimate = Bootstrap::default().statistic(&[1, 2, 3], largest).unwrap();
    /// assert_eq!((estimate.mean, estimate.low, estimate.high), (3.0, 1.0, 3.0));
    /// ```
    pub fn statistic<T: Clone>(&self, items: &[T], of: impl Fn(&[T]) -> Option<f64>) -> Option<Estimate> {
        let value = of(items)?;
        let mut random = SplitMix::named(self.seed, "bootstrap", &[]);
        let (mut drawn, mut values) = (Vec::with_capacity(items.len()), Vec::with_capacity(self.resamples));
        for _ in 0..self.resamples {
            drawn.clear();
            let draw = |_| items[(random.next() % items.len() as u64) as usize].clone();
            drawn.extend((0..items.len()).map(draw));
            values.extend(of(&drawn));
        }
        (2 * values.len() >= self.resamples).then(|| self.estimate(value, values))
    }

    fn estimate(&self, mean: f64, mut values: Vec<f64>) -> Estimate {
        values.sort_by(f64::total_cmp);
        let tail = (1.0 - self.level) / 2.0;
        Estimate { mean, low: quantile(&values, tail), high: quantile(&values, 1.0 - tail) }
    }
}

fn mean_of<'a>(tallies: impl Iterator<Item = &'a ValueSum>) -> Option<f64> {
    let (sum, count) =
        tallies.fold((0.0, 0_u64), |(sum, count), tally| (sum + tally.sum, count + u64::from(tally.count)));
    (count > 0).then(|| sum / count as f64)
}

/// The quantile of sorted values, interpolated.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    below + (above - below) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_interpolated() {
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.5), 2.0);
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.75), 3.0);
        assert_eq!(quantile(&[5.0], 0.975), 5.0);
    }

    #[test]
    fn the_interval_matches_the_binomial_distribution() {
        // A tenth of 400 single values are 1: the standard error is √(.1·.9/400) = .015.
        let groups: Vec<ValueSum> =
            (0..400).map(|i| ValueSum { sum: f64::from(u8::from(i % 10 == 0)), count: 1 }).collect();
        let estimate = Bootstrap::new(4000, 0.95, 1).unwrap().mean(&groups).unwrap();
        assert!((estimate.mean - 0.1).abs() < 1e-12);
        assert!((estimate.low - (0.1 - 1.96 * 0.015)).abs() < 0.005, "{estimate}");
        assert!((estimate.high - (0.1 + 1.96 * 0.015)).abs() < 0.005, "{estimate}");
    }

    #[test]
    fn whole_sentences_are_resampled() {
        let apart: Vec<ValueSum> = (0..100).map(|i| ValueSum { sum: f64::from(i % 2), count: 1 }).collect();
        let together: Vec<ValueSum> =
            (0..20).map(|i| ValueSum { sum: f64::from(i % 2) * 5.0, count: 5 }).collect();
        let width = |groups: &[ValueSum]| {
            let estimate = Bootstrap::default().mean(groups).unwrap();
            assert_eq!(estimate.mean, 0.5);
            estimate.high - estimate.low
        };
        assert!(width(&together) > 1.7 * width(&apart));
    }

    #[test]
    fn sentences_without_values_are_ignored() {
        let some = [ValueSum { sum: 3.0, count: 4 }, ValueSum { sum: 1.0, count: 2 }];
        let more = [some[0], ValueSum::default(), some[1]];
        assert_eq!(Bootstrap::default().mean(&some), Bootstrap::default().mean(&more));
        assert_eq!(Bootstrap::default().mean(&[ValueSum::default()]), None);
    }

    #[test]
    fn a_statistic_has_the_same_interval_as_the_mean() {
        let values: Vec<f64> = (0..50).map(f64::from).collect();
        let groups: Vec<ValueSum> = values.iter().map(|&sum| ValueSum { sum, count: 1 }).collect();
        let mean = |values: &[f64]| Some(values.iter().sum::<f64>() / values.len() as f64);
        let bootstrap = Bootstrap::default();
        assert_eq!(bootstrap.statistic(&values, mean), bootstrap.mean(&groups));
        assert_eq!(bootstrap.statistic(&values, |drawn| (drawn == values).then_some(1.0)), None);
        assert_eq!(bootstrap.statistic(&[], |_: &[f64]| Some(1.0)).map(|e| e.low), Some(1.0));
    }

    #[test]
    fn the_interval_depends_on_the_seed() {
        let groups: Vec<ValueSum> = (0..50).map(|i| ValueSum { sum: f64::from(i), count: 1 }).collect();
        let of = |seed| Bootstrap::new(200, 0.9, seed).unwrap().mean(&groups);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        assert!(Bootstrap::new(0, 0.9, 1).is_err() && Bootstrap::new(9, 1.0, 1).is_err());
    }
}
