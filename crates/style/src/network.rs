//! The layout of our style encoder, which training writes and inference reads.
//!
//! ```text
//! patterns of characters and words, features → distance from the usual ────┐
//!                                                                          ├→ hidden → gelu → out → length 1
//! tokens with casings → the pack's encoder with adapters → mean of states ─┘  (if it was trained with that part)
//! ```

use crate::surface::{PATTERNS, width};

/// The dimension of a style vector.
pub(crate) const STYLE: usize = 128;
/// The width between the two maps.
pub(crate) const HIDDEN: usize = 256;
/// The rank of the adapters. Their strength equals the rank, because merging them assumes it.
pub(crate) const RANK: usize = 16;

/// Names of tensors.
pub(crate) const HIDDEN_LAYER: &str = "style.hidden";
pub(crate) const OUT_LAYER: &str = "style.out";
pub(crate) const MEAN: &str = "style.surface.mean";
pub(crate) const SCALE: &str = "style.surface.scale";

/// The file of trained weights in a pack. Its card has the same name with the extension .json.
pub(crate) const WEIGHTS_FILE: &str = "style.safetensors";

/// Values are clipped to this many standard deviations.
const FARTHEST: f32 = 4.0;
/// There are thirty times as many patterns as features. Without these weights, patterns that are
/// easily memorised would dominate features that generalise.
fn weight(column: usize) -> f32 {
    if column < PATTERNS { 1.0 / 16.0 } else { 1.0 / 4.0 }
}

/// The mean and scale of each pattern, and its weight.
pub(crate) struct Standard {
    pub(crate) mean: Vec<f32>,
    pub(crate) scale: Vec<f32>,
}

impl Standard {
    /// Computes the mean and scale over rows. Values that are not a number are ignored.
    pub(crate) fn of(rows: &[Vec<f32>]) -> Self {
        let mut sums = vec![[0f64; 3]; width()];
        for row in rows {
            for (sums, &value) in sums.iter_mut().zip(row).filter(|(_, value)| !value.is_nan()) {
                let value = f64::from(value);
                sums.iter_mut().zip([1.0, value, value * value]).for_each(|(sum, x)| *sum += x);
            }
        }
        let mean = |[count, sum, _]: [f64; 3]| sum / count.max(1.0);
        let scale = |sums: [f64; 3]| {
            let deviation = (sums[2] / sums[0].max(1.0) - mean(sums).powi(2)).max(0.0).sqrt();
            // Without a floor, very rare patterns would count more than all others.
            (1.0 / (deviation + 1e-3)) as f32
        };
        Self {
            mean: sums.iter().map(|&s| mean(s) as f32).collect(),
            scale: sums.iter().map(|&s| scale(s)).collect(),
        }
    }

    /// Standardises a row. A value that is not a number becomes the mean.
    pub(crate) fn apply(&self, row: &mut [f32]) {
        for (column, ((value, mean), scale)) in row.iter_mut().zip(&self.mean).zip(&self.scale).enumerate() {
            let distance = if value.is_nan() { 0.0 } else { (*value - mean) * scale };
            *value = weight(column) * distance.clamp(-FARTHEST, FARTHEST);
        }
    }
}

/// Computed in 64 bits, so that near vectors can be distinguished.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum()
}

/// Scales a vector to length 1. The zero vector is left unchanged.
pub(crate) fn normalise(vector: &mut [f32]) {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_rows_become_zero_and_outliers_are_clipped() {
        let mut rows = vec![vec![0.25; width()], vec![0.75; width()]];
        let last = width() - 1;
        rows.push(vec![0.5; width()]);
        rows[2][last] = f32::NAN;
        let standard = Standard::of(&rows);
        let mut row = vec![0.5; width()];
        row[last] = f32::NAN;
        standard.apply(&mut row);
        assert!(row.iter().all(|x| x.abs() < 1e-6));
        let mut odd = vec![1e6; width()];
        standard.apply(&mut odd);
        assert!(odd.iter().enumerate().all(|(column, x)| *x == weight(column) * FARTHEST));
    }
}
