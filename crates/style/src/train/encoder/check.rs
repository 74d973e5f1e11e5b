//! How well vectors distinguish held-out authors.

use std::collections::BTreeMap;

use inkveil_nn::SplitMix;

use crate::network::dot;
use crate::{AuthorText, SameAuthor};

/// Pairs of texts: by one author and by two.
pub(super) struct Pairs {
    pub(super) same: Vec<(usize, usize)>,
    pub(super) different: Vec<(usize, usize)>,
}

impl Pairs {
    /// Draws equally many of each kind, with authors taking turns. Pairs by one author have
    /// different topics if possible. Pairs by two have one source or one topic if possible.
    pub(super) fn draw(texts: &[AuthorText], count: usize, seed: u64) -> Self {
        let random = &mut SplitMix::named(seed, "pairs", &[]);
        let mut authors: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, text) in texts.iter().enumerate() {
            authors.entry(&text.author).or_default().push(index);
        }
        let authors: Vec<Vec<usize>> = authors.into_values().collect();
        let mut below = |n: usize| (random.next() % n as u64) as usize;
        let mut pairs = Pairs { same: Vec::new(), different: Vec::new() };
        // The number of tries is bounded, because some corpora have few pairs.
        for turn in 0..8 * count {
            let own = &authors[turn % authors.len()];
            let first = own[below(own.len())];
            let tries: Vec<usize> =
                (0..20).map(|_| own[below(own.len())]).filter(|second| *second != first).collect();
            let apart =
                tries.iter().find(|second| !texts[first].shares_topic(&texts[**second])).or(tries.first());
            if let (Some(&second), true) = (apart, pairs.same.len() < count) {
                pairs.same.push((first, second));
            }
            let mut others = Vec::new();
            for _ in 0..60 {
                let theirs = &authors[below(authors.len())];
                others.push(theirs[below(theirs.len())]);
            }
            others.retain(|other| texts[*other].author != texts[first].author);
            let near = |other: &&usize| {
                texts[first].shares_topic(&texts[**other]) || texts[first].shares_source(&texts[**other])
            };
            if let (Some(&second), true) =
                (others.iter().find(near).or(others.first()), pairs.different.len() < count)
            {
                pairs.different.push((first, second));
            }
        }
        pairs
    }

    /// Returns the cosines of both kinds.
    pub(super) fn cosines(&self, vectors: &[Vec<f32>]) -> (Vec<f64>, Vec<f64>) {
        let of = |pairs: &[(usize, usize)]| -> Vec<f64> {
            pairs.iter().map(|&(a, b)| dot(&vectors[a], &vectors[b])).collect()
        };
        (of(&self.same), of(&self.different))
    }
}

/// Returns the probability that a pair by one author has the larger cosine. Ties count half.
pub(super) fn auc(same: &[f64], different: &[f64]) -> f64 {
    let mut all: Vec<(f64, bool)> =
        same.iter().map(|x| (*x, true)).chain(different.iter().map(|x| (*x, false))).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut area) = (0.0, 0.0);
    for ties in all.chunk_by(|a, b| a.0 == b.0) {
        let others = ties.iter().filter(|(_, same)| !same).count() as f64;
        area += (ties.len() as f64 - others) * (below + others / 2.0);
        below += others;
    }
    area / (same.len() as f64 * different.len() as f64).max(1.0)
}

/// Fits the curve from cosine to probability (logistic regression by Newton's method) and finds the
/// threshold of equal error rates.
pub(super) fn same_author(same: &[f64], different: &[f64]) -> SameAuthor {
    let (mut slope, mut offset) = (1.0f64, 0.0f64);
    let points = || same.iter().map(|x| (*x, 1.0)).chain(different.iter().map(|x| (*x, 0.0)));
    for _ in 0..50 {
        // A small ridge keeps the curve finite if the kinds do not overlap.
        let (mut g, mut h) = ([-1e-3 * slope, 0.0], [1e-3, 0.0, 1e-9]);
        for (x, y) in points() {
            let p = 1.0 / (1.0 + (-slope * x - offset).exp());
            let (error, weight) = (y - p, p * (1.0 - p));
            g[0] += error * x;
            g[1] += error;
            h[0] += weight * x * x;
            h[1] += weight * x;
            h[2] += weight;
        }
        let determinant = h[0] * h[2] - h[1] * h[1];
        if determinant.abs() < 1e-12 {
            break;
        }
        let step = [(g[0] * h[2] - g[1] * h[1]) / determinant, (g[1] * h[0] - g[0] * h[1]) / determinant];
        slope += step[0].clamp(-10.0, 10.0);
        offset += step[1].clamp(-10.0, 10.0);
    }
    SameAuthor { slope: slope.max(1e-6), offset, threshold: equal_errors(same, different) }
}

fn equal_errors(same: &[f64], different: &[f64]) -> f64 {
    let sorted = |values: &[f64]| {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        values
    };
    let (same, different) = (sorted(same), sorted(different));
    let gap = |threshold: f64| {
        let missed = same.partition_point(|x| *x < threshold) as f64 / same.len().max(1) as f64;
        let taken =
            1.0 - different.partition_point(|x| *x < threshold) as f64 / different.len().max(1) as f64;
        missed - taken
    };
    let (mut low, mut high) = (-1.0, 1.0);
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        if gap(middle) < 0.0 { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_is_the_share_of_ordered_pairs() {
        assert_eq!(auc(&[0.9, 0.8], &[0.1, 0.2]), 1.0);
        assert_eq!(auc(&[0.5, 0.1], &[0.5, 0.3]), (0.5 + 1.0) / 4.0);
        assert_eq!(auc(&[0.2], &[0.7]), 0.0);
    }

    #[test]
    fn the_fitted_curve_recovers_its_parameters() {
        let mut random = SplitMix::named(5, "", &[]);
        let (mut same, mut different) = (Vec::new(), Vec::new());
        for _ in 0..20_000 {
            let x = 2.0 * random.unit() - 1.0;
            let p = 1.0 / (1.0 + (-6.0 * x + 1.5f64).exp());
            if random.unit() < p { same.push(x) } else { different.push(x) }
        }
        let curve = same_author(&same, &different);
        assert!((curve.slope - 6.0).abs() < 0.3 && (curve.offset + 1.5).abs() < 0.15, "{curve:?}");
        let even = same_author(&[0.6, 0.7, 0.8], &[0.1, 0.2, 0.3]);
        assert!(even.slope.is_finite() && (0.3..=0.6).contains(&even.threshold), "{even:?}");
    }

    #[test]
    fn pairs_control_for_content() {
        let text = |n: usize| AuthorText {
            author: format!("{}", n % 5),
            topic: Some(format!("{}", n % 7)),
            source: None,
            text: String::from("So."),
        };
        let texts: Vec<AuthorText> = (0..100).map(text).collect();
        let pairs = Pairs::draw(&texts, 50, 1);
        assert_eq!((pairs.same.len(), pairs.different.len()), (50, 50));
        assert!(pairs.same.iter().all(|&(a, b)| a % 5 == b % 5 && a % 7 != b % 7));
        assert!(pairs.different.iter().all(|&(a, b)| a % 5 != b % 5 && a % 7 == b % 7));
    }
}
