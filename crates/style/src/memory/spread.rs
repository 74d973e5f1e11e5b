//! The distribution of a number over many texts, as 101 quantiles.

use serde::{Deserialize, Serialize};

const STEPS: usize = 100;

/// The quantiles of a number over many texts.
///
/// ```
/// use inkveil_style::Spread;
///
/// let spread = Spread::of((0..1000).map(f64::from).collect());
/// assert!((spread.percentile(250.0) - 25.0).abs() < 0.2);
/// assert_eq!((spread.percentile(-1.0), spread.percentile(2000.0)), (0.0, 100.0));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    count: u64,
    quantiles: Vec<f32>,
}

impl Spread {
    /// Returns the distribution of these numbers.
    pub fn of(mut numbers: Vec<f64>) -> Self {
        numbers.retain(|x| x.is_finite());
        numbers.sort_by(f64::total_cmp);
        let Some(last) = numbers.len().checked_sub(1) else { return Self::default() };
        let at = |step: usize| {
            let place = step as f64 / STEPS as f64 * last as f64;
            let (low, high) = (numbers[place.floor() as usize], numbers[place.ceil() as usize]);
            (low + (high - low) * place.fract()) as f32
        };
        Self { count: numbers.len() as u64, quantiles: (0..=STEPS).map(at).collect() }
    }

    /// Returns the number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the percentage of values below this one; 0 if there are none.
    pub fn percentile(&self, number: f64) -> f64 {
        let above = self.quantiles.partition_point(|quantile| f64::from(*quantile) <= number);
        match (above.checked_sub(1), self.quantiles.get(above)) {
            (None, _) => 0.0,
            (Some(_), None) => 100.0,
            (Some(below), Some(next)) => {
                let low = f64::from(self.quantiles[below]);
                below as f64 + (number - low) / (f64::from(*next) - low).max(1e-12)
            }
        }
    }

    /// Returns the distribution of both together.
    pub(crate) fn joined(&self, other: &Self) -> Self {
        if self.count == 0 || other.count == 0 {
            return if self.count == 0 { other.clone() } else { self.clone() };
        }
        // Each quantile stands for an equal share of the values.
        let mut points: Vec<(f32, f64)> = Vec::with_capacity(2 * STEPS + 2);
        for spread in [self, other] {
            let weight = spread.count as f64 / spread.quantiles.len() as f64;
            points.extend(spread.quantiles.iter().map(|quantile| (*quantile, weight)));
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = points.iter().map(|(_, weight)| weight).sum();
        let (mut quantiles, mut sum) = (Vec::with_capacity(STEPS + 1), 0.0);
        for (quantile, weight) in &points {
            sum += weight;
            while quantiles.len() <= STEPS && sum >= quantiles.len() as f64 / STEPS as f64 * total - 1e-9 {
                quantiles.push(*quantile);
            }
        }
        Self { count: self.count + other.count, quantiles }
    }

    /// Returns whether it is valid: empty, or in ascending order.
    pub(super) fn is_sound(&self) -> bool {
        let empty = self.count == 0 && self.quantiles.is_empty();
        let ordered = self.quantiles.len() == STEPS + 1
            && self.quantiles.iter().all(|x| x.is_finite())
            && self.quantiles.is_sorted();
        empty || (self.count > 0 && ordered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_distributions_equal_that_of_all_values() {
        let numbers = |from: u32, to: u32| (from..to).map(f64::from).collect::<Vec<_>>();
        let joined = Spread::of(numbers(0, 3000)).joined(&Spread::of(numbers(3000, 4000)));
        let whole = Spread::of(numbers(0, 4000));
        assert_eq!(joined.count(), 4000);
        assert!(joined.is_sound());
        for number in [100.0, 1500.0, 2900.0, 3500.0] {
            assert!((joined.percentile(number) - whole.percentile(number)).abs() < 1.5, "{number}");
        }
        assert_eq!(Spread::default().joined(&whole), whole);
    }
}
