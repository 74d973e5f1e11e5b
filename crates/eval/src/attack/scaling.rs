//! Standardises coordinates.

/// The mean of each coordinate, and the inverse of its standard deviation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scaling {
    means: Vec<f32>,
    factors: Vec<f32>,
}

impl Scaling {
    /// The scaling of rows of `dim` numbers.
    pub(super) fn of(dim: usize, rows: &[f32]) -> Self {
        let count = (rows.len() / dim) as f64;
        let sums = |of: &dyn Fn(usize, f64) -> f64| {
            let mut sums = vec![0.0; dim];
            for row in rows.chunks_exact(dim) {
                sums.iter_mut().zip(row).enumerate().for_each(|(i, (sum, &x))| *sum += of(i, f64::from(x)));
            }
            sums
        };
        let means: Vec<f64> = sums(&|_, x| x).into_iter().map(|sum| sum / count).collect();
        let squares = sums(&|i, x| (x - means[i]).powi(2));
        // A constant coordinate is only centred.
        let factor = |square: f64| if square > 0.0 { (count / square).sqrt() } else { 1.0 };
        Self {
            factors: squares.into_iter().map(|square| factor(square) as f32).collect(),
            means: means.into_iter().map(|mean| mean as f32).collect(),
        }
    }

    /// Returns rows with mean 0 and variance 1.
    pub(super) fn apply(&self, rows: &[f32]) -> Vec<f32> {
        let numbers = self.means.iter().zip(&self.factors).cycle();
        rows.iter().zip(numbers).map(|(x, (mean, factor))| (x - mean) * factor).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_standardised() {
        let scaling = Scaling::of(2, &[1.0, 7.0, 3.0, 7.0]);
        assert_eq!(scaling.apply(&[1.0, 7.0, 3.0, 8.0]), [-1.0, 0.0, 1.0, 1.0]);
    }
}
