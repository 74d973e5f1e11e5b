//! The success of attacks in bins of risk.

use serde::{Deserialize, Serialize};

use super::bootstrap::{Bootstrap, Estimate, ValueSum};
use super::spearman::spearman;

/// Texts of similar risk.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RiskBin {
    /// The lower edge.
    pub low: f64,
    /// The upper edge.
    pub high: f64,
    /// The number of texts.
    pub texts: usize,
    /// Their mean risk.
    pub risk: f64,
    /// The mean success of the attack; the interval is over texts.
    pub success: Estimate,
}

/// Returns bins of equal width from the lowest to the highest risk, for pairs (risk, success).
/// Empty bins are left out. None if there are no pairs, no bins, or a number is not finite.
///
/// ```
/// use inkveil_eval::metrics::{Bootstrap, equal_width_bins};
///
/// let pairs = [(0.0, 0.0), (0.1, 0.0), (0.9, 1.0), (1.0, 0.0)];
/// let bins = equal_width_bins(&pairs, 2, &Bootstrap::default()).unwrap();
/// assert_eq!((bins[0].texts, bins[0].success.mean), (2, 0.0));
/// assert_eq!((bins[1].texts, bins[1].success.mean), (2, 0.5));
/// ```
pub fn equal_width_bins(pairs: &[(f64, f64)], count: usize, bootstrap: &Bootstrap) -> Option<Vec<RiskBin>> {
    let edges = Edges::of(pairs, count)?;
    let bins = edges
        .bins(pairs)
        .into_iter()
        .enumerate()
        .filter_map(|(index, texts)| bin_of(&texts, edges.edge(index), edges.edge(index + 1), bootstrap));
    Some(bins.collect())
}

/// Returns bins of equal size in ascending order of risk, for pairs (risk, success). Five bins are
/// quintiles. Equal risks can be in different bins, earlier pairs in the lower one. None if there
/// are fewer pairs than bins, no bins, or a number is not finite.
///
/// ```
/// use inkveil_eval::metrics::{Bootstrap, quantile_bins};
///
/// let pairs: Vec<(f64, f64)> = (0..10).map(|i| (f64::from(i), f64::from(i / 5))).collect();
/// let quintiles = quantile_bins(&pairs, 5, &Bootstrap::default()).unwrap();
/// assert_eq!(quintiles.iter().map(|bin| bin.success.mean).collect::<Vec<_>>(), [0.0, 0.0, 0.5, 1.0, 1.0]);
/// ```
pub fn quantile_bins(pairs: &[(f64, f64)], count: usize, bootstrap: &Bootstrap) -> Option<Vec<RiskBin>> {
    if count == 0 || pairs.len() < count || !finite(pairs) {
        return None;
    }
    let mut sorted = pairs.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let bin = |index: usize| {
        let texts = &sorted[index * sorted.len() / count..(index + 1) * sorted.len() / count];
        bin_of(texts, texts.first()?.0, texts.last()?.0, bootstrap)
    };
    (0..count).map(bin).collect()
}

/// Returns Spearman's correlation of risk and success over bins of equal width, without bins of
/// fewer than `least` texts. The interval is over texts; each resample is binned again. None if
/// fewer than two bins remain, all bins have the same success, or a number is not finite.
///
/// The risk of a bin is its position, so the correlation shows whether attacks succeed more often
/// in higher bins.
///
/// ```
/// use inkveil_eval::metrics::{Bootstrap, binned_spearman};
///
/// // One success in ten at risk 0, ten in ten at risk 9.
/// let pairs: Vec<(f64, f64)> = (0..100).map(|i| (f64::from(i / 10), f64::from(u8::from(i % 10 <= i / 10)))).collect();
/// let rho = binned_spearman(&pairs, 10, 5, &Bootstrap::default()).unwrap();
/// assert!(rho.mean > 0.999 && rho.low > 0.5);
/// ```
pub fn binned_spearman(
    pairs: &[(f64, f64)],
    count: usize,
    least: usize,
    bootstrap: &Bootstrap,
) -> Option<Estimate> {
    bootstrap.statistic(pairs, |pairs| {
        let bins = Edges::of(pairs, count)?.bins(pairs);
        let filled = bins.iter().enumerate().filter(|(_, texts)| texts.len() >= least.max(1));
        let point = |(index, texts): (usize, &Vec<(f64, f64)>)| (index as f64, mean(texts, |pair| pair.1));
        spearman(&filled.map(point).collect::<Vec<_>>())
    })
}

/// The edges of bins of equal width.
struct Edges {
    low: f64,
    high: f64,
    count: usize,
}

impl Edges {
    fn of(pairs: &[(f64, f64)], count: usize) -> Option<Self> {
        if pairs.is_empty() || count == 0 || !finite(pairs) {
            return None;
        }
        let ends = pairs.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), pair| {
            (low.min(pair.0), high.max(pair.0))
        });
        Some(Self { low: ends.0, high: ends.1, count })
    }

    fn edge(&self, index: usize) -> f64 {
        let share = index as f64 / self.count as f64;
        self.low * (1.0 - share) + self.high * share
    }

    fn bins(&self, pairs: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
        let mut bins = vec![Vec::new(); self.count];
        // Halves, because the difference of two large numbers can overflow.
        let width = self.high / 2.0 - self.low / 2.0;
        for &pair in pairs {
            // If all risks are equal this is NaN, and the cast makes it 0. The highest risk belongs
            // to the last bin.
            let share = (pair.0 / 2.0 - self.low / 2.0) / width;
            bins[((share * self.count as f64) as usize).min(self.count - 1)].push(pair);
        }
        bins
    }
}

fn finite(pairs: &[(f64, f64)]) -> bool {
    pairs.iter().all(|(risk, success)| risk.is_finite() && success.is_finite())
}

fn mean(texts: &[(f64, f64)], of: fn(&(f64, f64)) -> f64) -> f64 {
    texts.iter().map(of).sum::<f64>() / texts.len() as f64
}

fn bin_of(texts: &[(f64, f64)], low: f64, high: f64, bootstrap: &Bootstrap) -> Option<RiskBin> {
    let groups: Vec<ValueSum> =
        texts.iter().map(|&(_, success)| ValueSum { sum: success, count: 1 }).collect();
    let success = bootstrap.mean(&groups)?;
    Some(RiskBin { low, high, texts: texts.len(), risk: mean(texts, |pair| pair.0), success })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_equal() {
        let pairs = [(0.0, 1.0), (0.9, 0.0), (1.0, 1.0), (3.0, 1.0), (2.9, 0.0)];
        let bins = equal_width_bins(&pairs, 3, &Bootstrap::default()).unwrap();
        let found: Vec<(f64, f64, usize, f64)> =
            bins.iter().map(|bin| (bin.low, bin.high, bin.texts, bin.success.mean)).collect();
        assert_eq!(found, [(0.0, 1.0, 2, 0.5), (1.0, 2.0, 1, 1.0), (2.0, 3.0, 2, 0.5)]);
        assert_eq!(bins[0].risk, 0.45);
        let apart = equal_width_bins(&[(0.0, 1.0), (9.0, 1.0)], 15, &Bootstrap::default()).unwrap();
        assert_eq!(apart.len(), 2, "bins without texts are left out");
    }

    #[test]
    fn counts_are_equal() {
        let pairs: Vec<(f64, f64)> = (0..11).rev().map(|i| (f64::from(i * i), 1.0)).collect();
        let bins = quantile_bins(&pairs, 5, &Bootstrap::default()).unwrap();
        assert_eq!(bins.iter().map(|bin| bin.texts).collect::<Vec<_>>(), [2, 2, 2, 2, 3]);
        assert_eq!((bins[4].low, bins[4].high), (64.0, 100.0));
        assert!(quantile_bins(&pairs[..4], 5, &Bootstrap::default()).is_none());
    }

    #[test]
    fn bins_with_few_texts_are_ignored() {
        // Success falls from bin to bin, except for one text at the top.
        let mut pairs: Vec<(f64, f64)> =
            (0..90).map(|i| (f64::from(i / 30), f64::from(u8::from(i % 30 < 30 - i / 3)))).collect();
        pairs.push((9.0, 1.0));
        let rho = |least| binned_spearman(&pairs, 10, least, &Bootstrap::default()).unwrap();
        assert_eq!(rho(10).mean, -1.0);
        assert!(rho(1).mean > -1.0);
    }

    #[test]
    fn noise_has_a_wide_interval() {
        let mut random = inkveil_nn::SplitMix::named(1, "noise", &[]);
        let mut text = || (random.unit(), f64::from(u8::from(random.unit() < 0.5)));
        let pairs: Vec<(f64, f64)> = (0..600).map(|_| text()).collect();
        let rho = binned_spearman(&pairs, 15, 10, &Bootstrap::default()).unwrap();
        assert!(rho.low < 0.0 && rho.high > 0.0 && rho.high - rho.low > 0.3, "{rho}");
    }

    #[test]
    fn invalid_input_has_no_bins() {
        let bootstrap = Bootstrap::default();
        assert!(equal_width_bins(&[], 5, &bootstrap).is_none());
        assert!(equal_width_bins(&[(0.0, 1.0)], 0, &bootstrap).is_none());
        assert!(equal_width_bins(&[(f64::NAN, 1.0)], 5, &bootstrap).is_none());
        assert_eq!(equal_width_bins(&[(2.0, 1.0), (2.0, 0.0)], 5, &bootstrap).unwrap()[0].texts, 2);
        assert!(equal_width_bins(&[(-f64::MAX, 1.0), (f64::MAX, 0.0)], 5, &bootstrap).is_some());
        assert!(binned_spearman(&[(0.0, 1.0), (1.0, 1.0)], 2, 1, &bootstrap).is_none());
    }
}
