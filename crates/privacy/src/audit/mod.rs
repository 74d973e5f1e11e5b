//! An audit: samples every mechanism and tries to refute its promise.
//!
//! Two kinds of checks run for each mechanism, each with a false-alarm rate of 10⁻⁶ (for χ² as closely as its asymptotic distribution holds):
//! - **loss**: for a pair of inputs, the worst pair included, it looks for an event that happens more often under one
//!   input than exp(ε·d) times its probability under the other. Half of the samples choose the event, the other half
//!   count it, and exact Clopper–Pearson bounds turn the counts into a lower bound on ε at confidence 1 − 10⁻⁶. A
//!   bound above the promise refutes it.
//! - **distribution**: the samples follow the density in the mechanism's definition, integrated numerically
//!   (Kolmogorov–Smirnov with the Dvoretzky–Kiefer–Wolfowitz bound, or χ²).
//!
//! An audit that finds nothing proves nothing; it would have found noise that is 20 % too small, and the crate's own
//! tests, which run the same checks with all samples, find 2 %.
//!
//! ```
//! use inkveil_privacy::NoiseKey;
//! use inkveil_privacy::audit::{self, Effort};
//!
//! let checks = audit::checks(1.0)?;
//! let one = checks.iter().filter(|c| c.mechanism() == "randomized-response").collect::<Vec<_>>();
//! let report = audit::run(&one, Effort::Quick, &NoiseKey::fresh()?, |_| ())?;
//! assert!(report.passed());
//! # Ok::<(), inkveil_privacy::Error>(())
//! ```

mod confidence;
mod finite;
mod goodness;
mod vectors;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{Epsilon, Error, NoiseKey, NoiseStream, Purpose};

/// The probability with which a check flags an honest mechanism.
pub const FALSE_ALARM: f64 = 1e-6;

/// How many samples to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// A tenth of the samples: finds noise that is 20 % too small, in seconds.
    Quick,
    /// All samples: finds noise that is 2 % off.
    Full,
}

impl Effort {
    fn samples(self, full: u64) -> u64 {
        match self {
            // The loss checks need about this many to see a 20 % error at all.
            Self::Quick => (full / 10).max(20_000).min(full),
            Self::Full => full,
        }
    }
}

/// What a check compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A lower bound on the empirical ε against the promised one.
    Loss,
    /// Samples against the defined distribution.
    Distribution,
}

/// One check of one mechanism.
pub struct Check {
    mechanism: String,
    about: String,
    samples: u64,
    test: Test,
}

/// Draws one number; the buffer saves an allocation per draw.
type Draw<T> = Box<dyn Fn(&mut NoiseStream, &mut Vec<f64>) -> Result<T, Error> + Send + Sync>;

enum Test {
    /// A statistic under x and under x′, large where x is likelier, and the loss that was promised.
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

/// What a check found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The mechanism.
    pub mechanism: String,
    /// The input pair or the statistic.
    pub about: String,
    /// What was compared.
    pub kind: Kind,
    /// The lower bound on ε, or the distance from the defined distribution.
    pub found: f64,
    /// What an honest mechanism does not exceed.
    pub limit: f64,
    /// How many samples were drawn, under each input.
    pub samples: u64,
    /// Whether the mechanism kept its promise as far as this check can tell.
    pub passed: bool,
}

/// What an audit found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The false-alarm rate of each check.
    pub false_alarm: f64,
    /// Whether the samples were drawn with secure randomness.
    pub secure: bool,
    /// What each check found, in the order of the checks.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether there were checks and none refuted a promise.
    pub fn passed(&self) -> bool {
        !self.findings.is_empty() && self.findings.iter().all(|f| f.passed)
    }

    /// The mechanisms that at least one check flagged, each once.
    pub fn flagged(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.findings.iter().filter(|f| !f.passed).map(|f| f.mechanism.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Every check, with the noise of each mechanism multiplied by `noise_scale` while its promise stays as it is. At 1 the
/// mechanisms are honest; at 0.8 each of them breaks its promise, and the audit must say so.
///
/// # Errors
/// If `noise_scale` is not a number near 1 (from 0.5 to 2).
pub fn checks(noise_scale: f64) -> Result<Vec<Check>, Error> {
    if !(0.5..=2.0).contains(&noise_scale) {
        return Err(Error::parameter("the scale of the noise", "between 0.5 and 2", noise_scale));
    }
    let mut all = vectors::checks(noise_scale)?;
    all.extend(finite::checks(noise_scale)?);
    Ok(all)
}

/// Runs checks on all cores. `observe` is called once per finished check, from any thread.
///
/// # Errors
/// If a check cannot be carried out: a mechanism refuses the inputs, a statistic is not a number, or there are too few
/// samples to refute the claim whatever the mechanism does.
pub fn run(
    checks: &[&Check],
    effort: Effort,
    key: &NoiseKey,
    observe: impl Fn(&Finding) + Sync,
) -> Result<Report, Error> {
    let findings = checks
        .par_iter()
        .enumerate()
        .with_max_len(1)
        .map(|(index, check)| {
            let finding = check.run(effort, &mut key.stream(index as u64, 0, Purpose::AUDIT))?;
            observe(&finding);
            Ok(finding)
        })
        .collect::<Result<_, Error>>()?;
    Ok(Report { false_alarm: FALSE_ALARM, secure: key.is_secure(), findings })
}

impl Check {
    /// A loss check of your own. `under_x` and `under_other` draw a number from the mechanism at the two inputs, large where x
    /// is likelier (the best choice is the log-ratio of the two densities); `claimed` is the loss promised for the pair.
    ///
    /// # Errors
    /// If `delta` is not in [0, 1).
    ///
    /// ```
    /// use inkveil_privacy::audit::{self, Check, Effort};
    /// use inkveil_privacy::{Epsilon, Error, NoiseKey, NoiseStream};
    ///
    /// // Someone claims that one coin flip in ten hides a bit with ε = 1. It does not: the odds are 19 to 1.
    /// let flip = |bit: f64| {
    ///     move |stream: &mut NoiseStream| Ok::<f64, Error>(if stream.below(20)? == 0 { 1.0 - bit } else { bit })
    /// };
    /// let check = Check::loss("coin", "a bit", Epsilon::new(1.0)?, 0.0, 100_000, flip(1.0), flip(0.0))?;
    /// let report = audit::run(&[&check], Effort::Full, &NoiseKey::fresh()?, |_| ())?;
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

    /// What this check compares.
    pub fn kind(&self) -> Kind {
        match self.test {
            Test::Loss { .. } => Kind::Loss,
            Test::Continuous { .. } | Test::Discrete { .. } => Kind::Distribution,
        }
    }

    fn run(&self, effort: Effort, stream: &mut NoiseStream) -> Result<Finding, Error> {
        let samples = effort.samples(self.samples);
        let (found, limit) = match &self.test {
            Test::Loss { claimed, delta, under_x, under_other } => {
                // Even a mechanism that hides nothing could not be refuted with too few samples.
                let half = samples / 2;
                let most = confidence::epsilon_lower_bound(half, 0, half, *delta, FALSE_ALARM);
                if most <= *claimed {
                    return Err(Error::parameter(
                        "the samples of a loss check",
                        "enough to refute the claim",
                        samples,
                    ));
                }
                let [x, other] = [under_x, under_other].map(|draw| collect(draw, samples, stream));
                (loss_bound(&x?, &other?, *delta), *claimed)
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
    (0..samples)
        .map(|_| match draw(stream, &mut buffer)? {
            number if number.is_finite() => Ok(number),
            // It would compare as neither larger nor smaller, and pass unseen.
            _ => Err(Error::parameter("the statistic of a check", "a finite number", "something else")),
        })
        .collect()
}

/// The lower bound on ε from samples of a statistic under two inputs: the first halves choose the threshold with the
/// best bound, the second halves are counted, so that the choice costs no confidence.
fn loss_bound(under_x: &[f64], under_other: &[f64], delta: f64) -> f64 {
    let half = under_x.len() / 2;
    let mut x = under_x[..half].to_vec();
    let mut other = under_other[..half].to_vec();
    x.sort_unstable_by(f64::total_cmp);
    other.sort_unstable_by(f64::total_cmp);
    let at_least = |sorted: &[f64], t: f64| (sorted.len() - sorted.partition_point(|v| *v < t)) as u64;
    // A few dozen quantiles are as good as all thresholds.
    let candidates = (0..60).map(|i| x[(half - 1) * i / 60]).chain(x.last().copied());
    let best = candidates
        .map(|t| {
            let bound = |alpha| {
                confidence::epsilon_lower_bound(
                    at_least(&x, t),
                    at_least(&other, t),
                    half as u64,
                    delta,
                    alpha,
                )
            };
            (t, bound(FALSE_ALARM))
        })
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(f64::INFINITY, |(t, _)| t);
    let count = |values: &[f64]| values[half..].iter().filter(|v| **v >= best).count() as u64;
    let trials = (under_x.len() - half) as u64;
    // That ε is not negative is known without looking.
    confidence::epsilon_lower_bound(count(under_x), count(under_other), trials, delta, FALSE_ALARM).max(0.0)
}
