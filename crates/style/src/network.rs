//! The shape of our style encoder: what training writes and inference reads.
//!
//! ```text
//! tokens with casings → the pack's encoder with adapters → mean of states ─┐
//!                                                                          ├→ hidden → gelu → out → length 1
//! patterns of characters and words → distance from the usual ──────────────┘
//! ```

use crate::surface::SURFACE;

/// The numbers of a style vector.
pub(crate) const STYLE: usize = 128;
/// The width between the two maps.
pub(crate) const HIDDEN: usize = 256;
/// The rank of the adapters. Their strength equals it, as folding them in later assumes.
pub(crate) const RANK: usize = 16;

/// Names of tensors.
pub(crate) const HIDDEN_LAYER: &str = "style.hidden";
pub(crate) const OUT_LAYER: &str = "style.out";
pub(crate) const MEAN: &str = "style.surface.mean";
pub(crate) const SCALE: &str = "style.surface.scale";

/// The file of trained weights in a pack; what is known about them lies beside it, with the ending .json.
pub(crate) const WEIGHTS_FILE: &str = "style.safetensors";

/// Values farther from the usual say no more than these.
const FARTHEST: f32 = 4.0;
/// There are sixteen times as many patterns as states: without this weight, what is easily learnt by heart drowns what generalises.
const WEIGHT: f32 = 1.0 / 16.0;

/// How far patterns are from what is usual, in standard deviations, and how much that counts.
pub(crate) struct Standard {
    pub(crate) mean: Vec<f32>,
    pub(crate) scale: Vec<f32>,
}

impl Standard {
    /// What is usual among rows.
    pub(crate) fn of(rows: &[Vec<f32>]) -> Self {
        let count = rows.len().max(1) as f64;
        let (mut sums, mut squares) = (vec![0f64; SURFACE], vec![0f64; SURFACE]);
        for row in rows {
            for ((sum, square), &value) in sums.iter_mut().zip(&mut squares).zip(row) {
                *sum += f64::from(value);
                *square += f64::from(value) * f64::from(value);
            }
        }
        let scale = sums.iter().zip(&squares).map(|(sum, square)| {
            let variance = square / count - (sum / count).powi(2);
            // Patterns that are hardly ever seen would otherwise count more than any other.
            (1.0 / (variance.max(0.0).sqrt() + 1e-3)) as f32
        });
        let scale = scale.collect();
        Self { mean: sums.into_iter().map(|sum| (sum / count) as f32).collect(), scale }
    }

    pub(crate) fn apply(&self, row: &mut [f32]) {
        for ((value, mean), scale) in row.iter_mut().zip(&self.mean).zip(&self.scale) {
            *value = WEIGHT * ((*value - mean) * scale).clamp(-FARTHEST, FARTHEST);
        }
    }
}

/// Makes a vector's length 1; the vector of zeros stays.
pub(crate) fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_rows_become_nothing_and_odd_ones_stay_bounded() {
        let rows = vec![vec![0.25; SURFACE], vec![0.75; SURFACE]];
        let standard = Standard::of(&rows);
        let mut row = vec![0.5; SURFACE];
        standard.apply(&mut row);
        assert!(row.iter().all(|x| x.abs() < 1e-6));
        let mut odd = vec![1e6; SURFACE];
        standard.apply(&mut odd);
        assert!(odd.iter().all(|x| *x == WEIGHT * FARTHEST));
    }
}
