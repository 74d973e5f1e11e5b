//! Pearson's correlation.

/// Returns Pearson's correlation of pairs; none if there are fewer than two pairs or one side is
/// constant.
///
/// ```
/// use inkveil_eval::metrics::pearson;
///
/// assert_eq!(pearson(&[(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)]), Some(1.0));
/// assert_eq!(pearson(&[(1.0, 2.0), (2.0, 2.0)]), None);
/// ```
pub fn pearson(pairs: &[(f64, f64)]) -> Option<f64> {
    let count = pairs.len() as f64;
    let (x, y) = pairs.iter().fold((0.0, 0.0), |(x, y), pair| (x + pair.0, y + pair.1));
    let (x, y) = (x / count, y / count);
    // Deviations from the means avoid cancellation.
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for pair in pairs {
        let (a, b) = (pair.0 - x, pair.1 - y);
        xx += a * a;
        xy += a * b;
        yy += b * b;
    }
    let scale = (xx * yy).sqrt();
    (scale > 0.0).then(|| (xy / scale).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_computed_value() {
        // Means 2 and 3; deviations (−1, −2), (0, 1), (1, 1): 3 / √(2·6).
        let r = pearson(&[(1.0, 1.0), (2.0, 4.0), (3.0, 4.0)]).unwrap();
        assert!((r - 3.0 / 12.0_f64.sqrt()).abs() < 1e-15);
        assert_eq!(pearson(&[(1.0, -1.0), (2.0, -2.0)]), Some(-1.0));
    }

    #[test]
    fn an_offset_changes_nothing() {
        let far = [(1e9 + 1.0, 1.0), (1e9 + 2.0, 4.0), (1e9 + 3.0, 4.0)];
        assert!((pearson(&far).unwrap() - 3.0 / 12.0_f64.sqrt()).abs() < 1e-9);
    }

    #[test]
    fn too_few_pairs_have_no_correlation() {
        assert_eq!(pearson(&[]), None);
        assert_eq!(pearson(&[(1.0, 2.0)]), None);
        assert_eq!(pearson(&[(1.0, f64::NAN), (2.0, 1.0)]), None);
    }
}
