//! One check of one mechanism.

use serde::{Deserialize, Serialize};

use super::{confidence, goodness};
use crate::{Epsilon, Error, NoiseStream};

/// The probability that a check flags a correct mechanism.
pub const FALSE_ALARM: f64 = 1e-6;

/// How many samples to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditEffort {
    /// A tenth of the samples. Finds noise that is 20 % too small, within seconds.
    Quick,
    /// All samples. Finds noise that is 2 % off.
    Full,
}

impl AuditEffort {
    fn samples(self, full: u64) -> u64 {
        match self {
            // The loss checks need at least this many samples to detect an error of 20 %.
            Self::Quick => (full / 10).max(20_000).min(full),
            Self::Full => full,
        }
    }
}

/// The kind of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckKind {
    /// Compares a lower bound on the empirical ε with the guaranteed ε.
    Loss,
    /// Compares samples with the defined distribution.
    Distribution,
    /// Counts outputs that break a rule without exception.
    Exact,
}

/// One check of one mechanism.
pub struct Check {
    pub(super) mechanism: String,
    pub(super) about: String,
    pub(super) samples: u64,
    pub(super) test: Test,
}

/// Draws one number; the buffer saves an allocation per draw.
pub(super) type Draw<T> = Box<dyn Fn(&mut NoiseStream, &mut Vec<f64>) -> Result<T, Error> + Send + Sync>;

pub(super) enum Test {
    /// A statistic under x and under x′, large where x is likelier, and the guaranteed loss.
    Loss {
        claimed: f64,
        delta: f64,
        under_x: Draw<f64>,
        under_other: Draw<f64>,
    },
    Continuous {
        cdf: Box<dyn Fn(f64) -> f64 + Send + Sync>,
        draw: Draw<f64>,
    },
    Discrete {
        probabilities: Vec<f64>,
        draw: Draw<usize>,
    },
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The mechanism, or the path of a release.
    pub mechanism: String,
    /// The input pair or the statistic.
    pub about: String,
    /// The kind of check.
    pub kind: CheckKind,
    /// The lower bound on ε, the distance from the defined distribution, or the number of violations.
    pub found: f64,
    /// The value that a correct mechanism does not exceed.
    pub limit: f64,
    /// The number of samples under each input.
    pub samples: u64,
    /// Whether the check found no violation of the guarantee.
    pub passed: bool,
}

impl Check {
    /// Creates a loss check of your own. `under_x` and `under_other` draw a number from the
    /// mechanism at the two inputs, large where x is likelier (the best choice is the log-ratio of
    /// the two densities). `claimed` is the guaranteed loss for the pair.
    ///
    /// # Errors
    /// If `delta` is not in [0, 1).
    ///
    /// ```
    /// use inkveil_privacy::audit::{self, AuditEffort, Check};
    /// use inkveil_privacy::{Epsilon, Error, NoiseKey, NoiseStream};
    ///
    /// // The claim: one coin flip in ten hides a bit with ε = 1. It is wrong, since the odds are 19 to 1.
    /// let flip = |bit: f64| {
    ///     move |stream: &mut NoiseStream| Ok::<f64, Error>(if stream.below(20)? == 0 { 1.0 - bit } else { bit })
    /// };
    /// let check = Check::loss("coin", "a bit", Epsilon::new(1.0)?, 0.0, 100_000, flip(1.0), flip(0.0))?;
    /// let report = audit::run(&[&check], AuditEffort::Full, &NoiseKey::fresh()?, |_| ())?;
    /// assert!(!report.passed());
    /// assert!(report.findings[0].found > 2.5); // ln 19 = 2.94
    /// # Ok::<(), Error>(())
    /// ```
    pub fn loss(
        mechanism: impl Into<String>,
        about: impl Into<String>,
        claimed: Epsilon,
        delta: f64,
        samples: u64,
        under_x: impl Fn(&mut NoiseStream) -> Result<f64, Error> + Send + Sync + 'static,
        under_other: impl Fn(&mut NoiseStream) -> Result<f64, Error> + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        if !(0.0..1.0).contains(&delta) {
            return Err(Error::parameter("delta", "0, or between 0 and 1", delta));
        }
        let test = Test::Loss {
            claimed: claimed.get(),
            delta,
            under_x: Box::new(move |stream, _| under_x(stream)),
            under_other: Box::new(move |stream, _| under_other(stream)),
        };
        Ok(Self { mechanism: mechanism.into(), about: about.into(), samples: samples.max(100), test })
    }

    /// The mechanism this check is about.
    pub fn mechanism(&self) -> &str {
        &self.mechanism
    }

    /// The input pair or the statistic.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The kind of this check.
    pub fn kind(&self) -> CheckKind {
        match self.test {
            Test::Loss { .. } => CheckKind::Loss,
            Test::Continuous { .. } | Test::Discrete { .. } => CheckKind::Distribution,
        }
    }

    pub(super) fn run(&self, effort: AuditEffort, stream: &mut NoiseStream) -> Result<Finding, Error> {
        let samples = effort.samples(self.samples);
        let (found, limit) = match &self.test {
            Test::Loss { claimed, delta, under_x, under_other } => {
                enough(samples, *claimed, *delta)?;
                let [x, other] = [under_x, under_other].map(|draw| collect(draw, samples, stream));
                (loss_bound(&x?, &other?, *delta, FALSE_ALARM), *claimed)
            }
            Test::Continuous { cdf, draw } => {
                let mut sample = collect(draw, samples, stream)?;
                let limit = goodness::ks_critical(sample.len(), FALSE_ALARM);
                (goodness::ks_distance(&mut sample, cdf), limit)
            }
            Test::Discrete { probabilities, draw } => {
                let mut counts = vec![0; probabilities.len()];
                let mut buffer = Vec::new();
                for _ in 0..samples {
                    counts[draw(stream, &mut buffer)?] += 1;
                }
                let limit = goodness::chi_square_critical(counts.len(), FALSE_ALARM);
                (goodness::chi_square(&counts, probabilities), limit)
            }
        };
        let passed = found <= limit;
        let (mechanism, about) = (self.mechanism.clone(), self.about.clone());
        Ok(Finding { mechanism, about, kind: self.kind(), found, limit, samples, passed })
    }
}

fn collect(draw: &Draw<f64>, samples: u64, stream: &mut NoiseStream) -> Result<Vec<f64>, Error> {
    let mut buffer = Vec::new();
    let sample = (0..samples).map(|_| draw(stream, &mut buffer)).collect::<Result<Vec<f64>, _>>()?;
    finite(&sample)?;
    Ok(sample)
}

/// Refuses a statistic that is not a number: it compares as neither larger nor smaller and would
/// pass.
pub(super) fn finite(sample: &[f64]) -> Result<(), Error> {
    match sample.iter().all(|number| number.is_finite()) {
        true => Ok(()),
        false => Err(Error::parameter("the statistic of a check", "a finite number", "not finite")),
    }
}

/// Refuses samples that are too few: even a mechanism that hides nothing could not be refuted.
pub(super) fn enough(samples: u64, claimed: f64, delta: f64) -> Result<(), Error> {
    let half = samples / 2;
    let most = match half {
        0 => f64::NEG_INFINITY,
        _ => confidence::epsilon_lower_bound(half, 0, half, delta, FALSE_ALARM),
    };
    match most > claimed {
        true => Ok(()),
        false => Err(Error::parameter("the samples of a check", "enough to refute the claim", samples)),
    }
}

/// Returns the lower bound on ε from samples of a statistic under two inputs. The first halves
/// choose the threshold with the best bound. The second halves are counted, so that the choice
/// costs no confidence. The bound holds with confidence 1 − `alpha`.
pub(super) fn loss_bound(under_x: &[f64], under_other: &[f64], delta: f64, alpha: f64) -> f64 {
    let half = under_x.len() / 2;
    let mut x = under_x[..half].to_vec();
    let mut other = under_other[..half].to_vec();
    x.sort_unstable_by(f64::total_cmp);
    other.sort_unstable_by(f64::total_cmp);
    let at_least = |sorted: &[f64], t: f64| (sorted.len() - sorted.partition_point(|v| *v < t)) as u64;
    // A few dozen quantiles work as well as all thresholds.
    let candidates = (0..60).map(|i| x[(half - 1) * i / 60]).chain(x.last().copied());
    let best = candidates
        .map(|t| {
            let (hits, misses) = (at_least(&x, t), at_least(&other, t));
            (t, confidence::epsilon_lower_bound(hits, misses, half as u64, delta, alpha))
        })
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(f64::INFINITY, |(t, _)| t);
    let count = |values: &[f64]| values[half..].iter().filter(|v| **v >= best).count() as u64;
    let trials = (under_x.len() - half) as u64;
    // ε is never negative.
    confidence::epsilon_lower_bound(count(under_x), count(under_other), trials, delta, alpha).max(0.0)
}
