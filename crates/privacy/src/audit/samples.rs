//! Checks of samples that were collected elsewhere, for example from the files of a release.

use std::collections::HashMap;

use super::check::{CheckKind, FALSE_ALARM, Finding, enough, finite, loss_bound};
use super::goodness;
use crate::Error;

/// What was seen under two inputs. Each number stands for a category of outputs, for example the
/// hash of a word.
#[derive(Debug, Clone, Copy)]
pub struct Categories<'s> {
    /// The categories of the outputs under x.
    pub under_x: &'s [u64],
    /// The categories of the outputs under x′.
    pub under_other: &'s [u64],
}

impl Finding {
    /// Bounds ε from a statistic of outputs under two inputs, large where x is likelier. `claimed`
    /// is the guaranteed loss of the pair and `delta` its failure probability.
    ///
    /// # Errors
    /// If the two samples differ in size, hold a number that is not finite, or are too small to
    /// refute the claim.
    ///
    /// ```
    /// use inkveil_privacy::audit::Finding;
    ///
    /// let (low, high): (Vec<f64>, Vec<f64>) = (0..2000).map(|i| (f64::from(i % 10), f64::from(i % 10 + 5))).unzip();
    /// let finding = Finding::loss_of("a path", "a pair", 0.5, 0.0, &high, &low)?;
    /// assert!(!finding.passed); // 10 and above never occurs under x′
    /// # Ok::<(), inkveil_privacy::Error>(())
    /// ```
    pub fn loss_of(
        path: impl Into<String>,
        about: impl Into<String>,
        claimed: f64,
        delta: f64,
        under_x: &[f64],
        under_other: &[f64],
    ) -> Result<Self, Error> {
        pair_of(under_x.len(), under_other.len())?;
        finite(under_x)?;
        finite(under_other)?;
        enough(under_x.len() as u64, claimed, delta)?;
        let found = loss_bound(under_x, under_other, delta, FALSE_ALARM);
        Ok(Self::new(path, about, CheckKind::Loss, found, claimed, under_x.len()))
    }

    /// Bounds ε from categories of outputs under two inputs. Several views of the same outputs may
    /// be given, for example the word, its length and its first letter. They share the false-alarm
    /// rate, and the largest bound is the result.
    ///
    /// A first third of the samples scores each category by the ratio of its counts, the second
    /// chooses a threshold of the score, and the last is counted. Both directions are tested.
    ///
    /// # Errors
    /// As [`loss_of`](Self::loss_of), or if there is no view.
    pub fn categories_of(
        path: impl Into<String>,
        about: impl Into<String>,
        claimed: f64,
        delta: f64,
        views: &[Categories<'_>],
    ) -> Result<Self, Error> {
        let samples = views.first().map_or(0, |view| view.under_x.len());
        enough(samples as u64 * 2 / 3, claimed, delta)?;
        let alpha = FALSE_ALARM / (2.0 * views.len() as f64);
        let mut found = 0.0_f64;
        for Categories { under_x, under_other } in views {
            pair_of(under_x.len(), under_other.len())?;
            pair_of(under_x.len(), samples)?;
            found = found.max(category_bound(under_x, under_other, delta, alpha));
            found = found.max(category_bound(under_other, under_x, delta, alpha));
        }
        Ok(Self::new(path, about, CheckKind::Loss, found, claimed, samples))
    }

    /// Compares a sample with a distribution.
    ///
    /// # Errors
    /// If the sample is empty or holds a number that is not finite.
    pub fn distribution_of(
        path: impl Into<String>,
        about: impl Into<String>,
        mut sample: Vec<f64>,
        cdf: impl Fn(f64) -> f64,
    ) -> Result<Self, Error> {
        finite(&sample)?;
        enough(sample.len() as u64, 0.0, 0.0)?;
        let limit = goodness::ks_critical(sample.len(), FALSE_ALARM);
        let found = goodness::ks_distance(&mut sample, cdf);
        Ok(Self::new(path, about, CheckKind::Distribution, found, limit, sample.len()))
    }

    /// Compares counts with probabilities. Each cell should have an expected count of at least 20.
    ///
    /// # Errors
    /// If their numbers differ, or there are fewer than two cells.
    pub fn counts_of(
        path: impl Into<String>,
        about: impl Into<String>,
        counts: &[u64],
        probabilities: &[f64],
    ) -> Result<Self, Error> {
        if counts.len() < 2 || counts.len() != probabilities.len() {
            return Err(Error::parameter(
                "the cells of a check",
                "two or more, each with a count",
                counts.len(),
            ));
        }
        let samples = counts.iter().sum::<u64>() as usize;
        let limit = goodness::chi_square_critical(counts.len(), FALSE_ALARM);
        let found = goodness::chi_square(counts, probabilities);
        Ok(Self::new(path, about, CheckKind::Distribution, found, limit, samples))
    }

    /// States how many of `samples` outputs break a rule that has no exception.
    pub fn exact(path: impl Into<String>, about: impl Into<String>, violations: u64, samples: u64) -> Self {
        Self::new(path, about, CheckKind::Exact, violations as f64, 0.0, samples as usize)
    }

    fn new(
        path: impl Into<String>,
        about: impl Into<String>,
        kind: CheckKind,
        found: f64,
        limit: f64,
        samples: usize,
    ) -> Self {
        let (mechanism, about) = (path.into(), about.into());
        Self { mechanism, about, kind, found, limit, samples: samples as u64, passed: found <= limit }
    }
}

fn pair_of(one: usize, other: usize) -> Result<(), Error> {
    if one == other {
        return Ok(());
    }
    Err(Error::parameter("the samples of a check", "as many under one input as under the other", other))
}

fn category_bound(under_x: &[u64], under_other: &[u64], delta: f64, alpha: f64) -> f64 {
    let third = under_x.len() / 3;
    let mut counts: HashMap<u64, (f64, f64)> = HashMap::new();
    under_x[..third].iter().for_each(|category| counts.entry(*category).or_default().0 += 1.0);
    under_other[..third].iter().for_each(|category| counts.entry(*category).or_default().1 += 1.0);
    // Half a count more for each: a category that was seen once says little.
    let score =
        |category: &u64| counts.get(category).map_or(0.0, |(x, other)| ((x + 0.5) / (other + 0.5)).ln());
    let scores = |categories: &[u64]| categories[third..].iter().map(score).collect::<Vec<f64>>();
    loss_bound(&scores(under_x), &scores(under_other), delta, alpha)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoiseAddress, NoiseKey};

    fn words(seed: u64, count: u64, draw: impl Fn(u64) -> u64) -> Vec<u64> {
        let mut stream = NoiseKey::insecure_from_seed(seed).stream(NoiseAddress::record(0), "");
        (0..count).map(|_| draw(stream.next_u64())).collect()
    }

    fn finding(x: &[u64], other: &[u64], claimed: f64) -> Finding {
        let view = Categories { under_x: x, under_other: other };
        Finding::categories_of("path", "pair", claimed, 0.0, &[view, view]).unwrap()
    }

    #[test]
    fn equal_categories_pass_at_zero_and_different_ones_do_not() {
        let [a, b] = [1, 2].map(|seed| words(seed, 9000, |draw| draw % 50));
        let same = finding(&a, &b, 0.0);
        assert!(same.passed && same.found == 0.0, "{same:?}");
        // One word of fifty never occurs under x′. It is found in either direction.
        let rejected = words(3, 9000, |draw| draw % 49);
        for (x, other) in [(&a, &rejected), (&rejected, &a)] {
            let found = finding(x, other, 0.0);
            assert!(!found.passed && found.found > 0.4, "{found:?}");
        }
        // Words that occur once each tell nothing.
        let [a, b] = [4, 5].map(|seed| words(seed, 9000, |draw| draw));
        assert!(finding(&a, &b, 0.0).passed);
    }

    #[test]
    fn a_loss_is_bounded_from_below_and_not_overstated() {
        // Randomised response with odds of e to 1.
        let share = 1.0f64.exp() / (1.0 + 1.0f64.exp());
        let answer = |truth: u64| {
            move |draw: u64| if (draw as f64) < share * 2f64.powi(64) { truth } else { 1 - truth }
        };
        let (x, other) = (words(1, 90_000, answer(1)), words(2, 90_000, answer(0)));
        let found = finding(&x, &other, 1.0);
        assert!(found.passed && found.found > 0.9, "{found:?}");
        assert!(!finding(&x, &other, 0.9).passed);
    }

    #[test]
    fn samples_that_cannot_refute_are_an_error() {
        assert!(Finding::loss_of("p", "a", 5.0, 0.0, &[1.0; 100], &[0.0; 100]).is_err());
        assert!(Finding::loss_of("p", "a", 0.1, 0.0, &[1.0; 100], &[0.0; 99]).is_err());
        assert!(Finding::loss_of("p", "a", 0.1, 0.0, &[f64::NAN; 100], &[0.0; 100]).is_err());
        assert!(Finding::categories_of("p", "a", 0.0, 0.0, &[]).is_err());
        assert!(Finding::distribution_of("p", "a", vec![], |x| x).is_err());
        assert!(Finding::counts_of("p", "a", &[1], &[1.0]).is_err());
    }

    #[test]
    fn violations_and_counts() {
        assert!(Finding::exact("p", "a", 0, 10).passed && !Finding::exact("p", "a", 1, 10).passed);
        assert!(Finding::counts_of("p", "a", &[500, 500], &[0.5, 0.5]).unwrap().passed);
        assert!(!Finding::counts_of("p", "a", &[700, 300], &[0.5, 0.5]).unwrap().passed);
        let sample = (0..1000).map(|i| f64::from(i) / 1000.0).collect();
        assert!(Finding::distribution_of("p", "a", sample, |x| x).unwrap().passed);
    }
}
