//! Spearman's rank correlation.

use super::pearson::pearson;

/// Returns Spearman's rank correlation of pairs: Pearson's correlation of their ranks. Equal
/// numbers share their mean rank. None if there are fewer than two pairs, one side is constant, or
/// a number is NaN.
///
/// ```
/// use inkveil_eval::metrics::spearman;
///
/// assert_eq!(spearman(&[(1.0, 1.0), (2.0, 8.0), (3.0, 27.0)]), Some(1.0));
/// assert_eq!(spearman(&[(1.0, 2.0), (2.0, 2.0)]), None);
/// ```
pub fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    if pairs.iter().any(|(x, y)| x.is_nan() || y.is_nan()) {
        return None;
    }
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let ranked: Vec<(f64, f64)> = ranks(&x).into_iter().zip(ranks(&y)).collect();
    pearson(&ranked)
}

/// The rank of each value from 1 for the smallest; equal values share their mean rank.
pub(super) fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for equal in order.chunk_by(|&a, &b| values[a] == values[b]) {
        // The mean of before + 1, …, before + n.
        let rank = before as f64 + (equal.len() + 1) as f64 / 2.0;
        equal.iter().for_each(|&index| ranks[index] = rank);
        before += equal.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_ranks() {
        assert_eq!(ranks(&[5.0, 1.0, 5.0, 7.0]), [2.5, 1.0, 2.5, 4.0]);
        assert_eq!(ranks(&[0.0, -0.0, 0.0]), [2.0, 2.0, 2.0]);
        assert!(ranks(&[]).is_empty());
    }

    #[test]
    fn hand_computed_values() {
        // Without ties 1 − 6·Σd²/(n(n²−1)): the differences of ranks are 1, −1, 0, so 1 − 12/24.
        let r = spearman(&[(1.0, 20.0), (2.0, 10.0), (3.0, 30.0)]).unwrap();
        assert!((r - 0.5).abs() < 1e-15);
        // Ranks (1, 1.5), (2, 1.5), (3, 3): deviations −1, 0, 1 and −.5, −.5, 1, so 1.5 / √(2·1.5).
        let r = spearman(&[(1.0, 4.0), (2.0, 4.0), (9.0, 5.0)]).unwrap();
        assert!((r - 1.5 / 3.0_f64.sqrt()).abs() < 1e-15);
        assert_eq!(spearman(&[(1.0, 2.0), (5.0, -3.0)]), Some(-1.0));
    }

    #[test]
    fn too_few_pairs_have_no_correlation() {
        assert_eq!(spearman(&[]), None);
        assert_eq!(spearman(&[(1.0, 2.0)]), None);
        assert_eq!(spearman(&[(1.0, f64::NAN), (2.0, 1.0)]), None);
    }
}
