//! What counts against a limit: the rules that decide whether a release passes it.
//!
//! A release is counted in full or refused. What a limit cannot express counts as infinite.

use inkveil_privacy::{Epsilon, Metric};

use crate::charge::{plus, plus_delta, times};
use crate::composed::Composed;
use crate::limit::{Counted, Limit};
use crate::measure::BudgetMeasure;
use crate::sums::{Sum, Sums};

/// What sums count against a limit in one metric, or in the worst case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CountedSum {
    /// The plain sums.
    pub(crate) epsilon: Epsilon,
    pub(crate) delta: f64,
    composed: Composed,
}

/// The lines of a limit: it is checked in each of these measures separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitLine {
    Metric(Metric),
    WorstCase,
}

impl LimitLine {
    /// The lines that sums have under a limit.
    pub(crate) fn of(counted: Counted, sums: &Sums) -> Vec<Self> {
        match counted {
            Counted::WorstCase => vec![Self::WorstCase],
            Counted::Metric(metric) => vec![Self::Metric(metric)],
            Counted::EachMetric => {
                let mut metrics: Vec<Metric> = sums.iter().filter_map(|sum| sum.measure.metric()).collect();
                metrics.sort();
                metrics.dedup();
                if metrics.is_empty() {
                    // Releases without a guarantee count in every metric, whichever it is.
                    metrics.push(Metric::Discrete);
                }
                metrics.into_iter().map(Self::Metric).collect()
            }
        }
    }

    /// The line as a measure, for messages.
    pub(crate) fn measure(self, limit: &Limit) -> BudgetMeasure {
        match self {
            Self::WorstCase => BudgetMeasure::WorstCase,
            Self::Metric(metric) => {
                let within = Some(limit.within).filter(|distance| *distance != 1.0);
                BudgetMeasure::Metric { metric, space: None, within }
            }
        }
    }

    /// Whether a sum is counted in this line. Releases without a guarantee count everywhere, and so
    /// does ε for any two inputs, which bounds the loss at every distance.
    fn counts(self, measure: &BudgetMeasure) -> bool {
        match (self, measure) {
            (Self::WorstCase, measure) => *measure == BudgetMeasure::WorstCase,
            (Self::Metric(_), BudgetMeasure::NoGuarantee)
            | (Self::Metric(_), BudgetMeasure::Metric { metric: Metric::Discrete, within: None, .. }) => true,
            (Self::Metric(limited), measure) => measure.metric() == Some(limited),
        }
    }
}

impl CountedSum {
    pub(crate) fn of(sums: &Sums, line: LimitLine, limit: &Limit) -> Self {
        let mut total = Self { epsilon: Epsilon::ZERO, delta: 0.0, composed: Composed::default() };
        for sum in sums.iter().filter(|sum| line.counts(&sum.measure)) {
            let one = at_distance(sum, limit.within);
            total.epsilon = plus(total.epsilon, one.epsilon);
            total.delta = plus_delta(total.delta, one.delta);
            total.composed.join(&one.composed);
        }
        total
    }

    pub(crate) fn is_nothing(&self) -> bool {
        self.epsilon.is_zero() && self.delta == 0.0
    }

    /// Returns the smallest ε that is proved to hold with the failure probability `delta`: the plain
    /// sum or the composition. None if `delta` is not enough for either.
    pub(crate) fn tightest(&self, delta: f64) -> Option<Epsilon> {
        let plain = (self.delta <= delta).then_some(self.epsilon);
        [plain, self.composed.epsilon(delta)].into_iter().flatten().min()
    }

    /// Whether everything fits into a limit.
    pub(crate) fn fits(&self, limit: &Limit) -> bool {
        self.tightest(limit.delta).is_some_and(|epsilon| epsilon <= limit.epsilon)
    }
}

/// Returns the loss of a sum between two inputs at this distance.
///
/// A guarantee per unit grows with the distance. A total for inputs within a reach holds up to that
/// reach and says nothing beyond it, so it counts as infinite there. Otherwise a tiny reach would
/// make a large budget look small.
fn at_distance(sum: &Sum, distance: f64) -> CountedSum {
    let Sum { epsilon, delta, composed, .. } = *sum;
    match sum.measure {
        // Any two inputs are at distance 0 or 1.
        BudgetMeasure::Metric { metric: Metric::Discrete, within: None, .. }
        | BudgetMeasure::NoGuarantee
        | BudgetMeasure::WorstCase => CountedSum { epsilon, delta, composed },
        BudgetMeasure::Metric { within: None, .. } => {
            let rest_epsilon = times(composed.rest_epsilon, distance);
            CountedSum {
                epsilon: times(epsilon, distance),
                delta,
                composed: Composed { rest_epsilon, ..composed },
            }
        }
        BudgetMeasure::Metric { within: Some(reach), .. } if reach >= distance => {
            CountedSum { epsilon, delta, composed }
        }
        BudgetMeasure::Metric { .. } if epsilon.is_zero() && delta == 0.0 => {
            CountedSum { epsilon, delta, composed }
        }
        BudgetMeasure::Metric { .. } => {
            let composed = Composed { rest_epsilon: Epsilon::INFINITE, ..composed };
            CountedSum { epsilon: Epsilon::INFINITE, delta, composed }
        }
    }
}
