//! The reaction of each dimension to a concept (Appendix A of the paper).

use serde::Serialize;
use statrs::function::erf::erfc;

use crate::{Error, Pairs};

/// The reaction of dimensions to a concept, and how well a mask has found them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DimensionSensitivity {
    /// For each dimension, the largest change when the concept is removed from a text.
    pub changes: Vec<f64>,
    /// The mean change of the tenth of dimensions with the highest gates.
    pub top: f64,
    /// The mean change of the tenth with the lowest gates.
    pub bottom: f64,
    /// The probability of such a difference by chance (Wilcoxon's signed-rank test, two-sided).
    pub p_value: f64,
}

/// Measures the reaction of dimensions, and compares the tenth with the highest gates of `mask`
/// with the tenth with the lowest.
///
/// The paper's Definition 7 takes the largest change over *all* pairs of a text with and a text
/// without the concept. Most of that is the difference between unrelated texts. Here a text is
/// compared with itself, as in the paper's own data set.
///
/// # Errors
/// If the pairs are of different texts, or the mask has another dimension.
pub fn sensitivity(pairs: &Pairs, mask: &[f32]) -> Result<DimensionSensitivity, Error> {
    if !pairs.is_matched() {
        return Err(Error::setting("labelled vectors have no counterparts to compare with"));
    }
    if mask.len() != pairs.dim() {
        return Err(Error::shape(format!(
            "the mask has {} dimensions, but the vectors have {}",
            mask.len(),
            pairs.dim()
        )));
    }
    let mut changes = vec![0.0_f64; pairs.dim()];
    for index in 0..pairs.len() {
        let both = pairs.positive(index).iter().zip(pairs.negative(index));
        changes.iter_mut().zip(both).for_each(|(most, (a, b))| *most = most.max(f64::from((a - b).abs())));
    }
    let mut order: Vec<usize> = (0..mask.len()).collect();
    order.sort_by(|&a, &b| mask[b].total_cmp(&mask[a]));
    let tenth = (mask.len() / 10).max(1);
    let of = |dimensions: &[usize]| dimensions.iter().map(|&d| changes[d]).collect::<Vec<f64>>();
    let (top, bottom) = (of(&order[..tenth]), of(&order[order.len() - tenth..]));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let differences: Vec<f64> = top.iter().zip(&bottom).map(|(a, b)| a - b).collect();
    Ok(DimensionSensitivity {
        top: mean(&top),
        bottom: mean(&bottom),
        p_value: signed_ranks(&differences),
        changes,
    })
}

/// Wilcoxon's signed-rank test, two-sided, by its normal approximation.
fn signed_ranks(differences: &[f64]) -> f64 {
    let mut nonzero: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    nonzero.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let n = nonzero.len() as f64;
    if nonzero.is_empty() {
        return 1.0;
    }
    let mut positive = 0.0;
    let mut place = 0;
    while place < nonzero.len() {
        // Ties share the mean of their ranks.
        let ties = nonzero[place..].iter().take_while(|d| d.abs() == nonzero[place].abs()).count();
        let rank = (2 * place + ties + 1) as f64 / 2.0;
        positive += rank * nonzero[place..place + ties].iter().filter(|d| **d > 0.0).count() as f64;
        place += ties;
    }
    let (mean, variance) = (n * (n + 1.0) / 4.0, n * (n + 1.0) * (2.0 * n + 1.0) / 24.0);
    erfc((positive - mean).abs() / variance.sqrt() / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_are_significant_and_balanced_differences_are_not() {
        let shifted: Vec<f64> = (1..=30).map(f64::from).collect();
        assert!(signed_ranks(&shifted) < 1e-5);
        let balanced: Vec<f64> =
            (1..=30).map(|i| if i % 4 < 2 { f64::from(i) } else { -f64::from(i) }).collect();
        assert!(signed_ranks(&balanced) > 0.5);
        assert_eq!(signed_ranks(&[0.0, 0.0]), 1.0);
        // n = 5, all positive: W⁺ = 15, z = 7.5/√13.75 = 2.0226.
        assert!((signed_ranks(&[1.0, 2.0, 3.0, 4.0, 5.0]) - 0.0431).abs() < 1e-3);
    }

    #[test]
    fn the_dimension_that_changes_is_found() {
        let rows: Vec<f32> = (0..60).flat_map(|i| [i as f32 * 0.01, 0.5, 0.1]).collect();
        let moved: Vec<f32> = rows.chunks(3).flat_map(|r| [r[0], r[1] - 0.25, r[2]]).collect();
        let pairs = Pairs::from_vectors(3, rows, moved).unwrap();
        let found = sensitivity(&pairs, &[0.1, 0.9, 0.2]).unwrap();
        assert_eq!(found.changes, [0.0, 0.25, 0.0]);
        assert_eq!((found.top, found.bottom), (0.25, 0.0));
        assert!(sensitivity(&pairs, &[0.1]).is_err());
    }
}
