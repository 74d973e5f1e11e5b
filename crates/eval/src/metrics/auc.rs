//! The area under the ROC curve.

use super::spearman::ranks;

/// Returns the area under the ROC curve: how often a positive scores above a negative; a tie counts
/// half. None if one side is empty or a score is NaN.
///
/// ```
/// use inkveil_eval::metrics::auc;
///
/// assert_eq!(auc(&[0.9, 0.4], &[0.1, 0.4]), Some(0.875));
/// assert_eq!(auc(&[0.9], &[]), None);
/// ```
pub fn auc(positives: &[f64], negatives: &[f64]) -> Option<f64> {
    let scores = [positives, negatives].concat();
    if positives.is_empty() || negatives.is_empty() || scores.iter().any(|score| score.is_nan()) {
        return None;
    }
    // Mann and Whitney: a positive's rank among all, less its rank among the positives, is the
    // number of negatives below it.
    let (count, sum) = (positives.len() as f64, ranks(&scores)[..positives.len()].iter().sum::<f64>());
    Some((sum - count * (count + 1.0) / 2.0) / (count * negatives.len() as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_computed_values() {
        // 1 beats 0, 3 beats 0 and 2: three of four pairs.
        assert_eq!(auc(&[1.0, 3.0], &[0.0, 2.0]), Some(0.75));
        assert_eq!(auc(&[2.0, 3.0], &[0.0, 1.0]), Some(1.0));
        assert_eq!(auc(&[0.0], &[0.5, 1.0]), Some(0.0));
        assert_eq!(auc(&[1.0, 1.0], &[1.0]), Some(0.5));
    }

    #[test]
    fn the_area_is_the_share_of_ordered_pairs() {
        let (positives, negatives) = ([0.3, 0.7, 0.7, 0.1, 0.9], [0.2, 0.7, 0.3, 0.0]);
        let beats = |p: f64, n: f64| if p > n { 1.0 } else { f64::from(u8::from(p == n)) / 2.0 };
        let pairs: f64 = positives.iter().flat_map(|&p| negatives.iter().map(move |&n| beats(p, n))).sum();
        assert!((auc(&positives, &negatives).unwrap() - pairs / 20.0).abs() < 1e-15);
    }

    #[test]
    fn empty_sides_have_no_area() {
        assert_eq!(auc(&[], &[1.0]), None);
        assert_eq!(auc(&[f64::NAN], &[1.0]), None);
    }
}
