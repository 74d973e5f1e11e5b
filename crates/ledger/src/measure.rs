//! In what budgets are counted: numbers in different measures are never added.

use std::fmt;

use inkveil_privacy::Metric;
use serde::{Serialize, Serializer};

use crate::names;

const NO_PROMISE: &str = "no-promise";
const WORST_CASE: &str = "worst-case";

/// What a sum of budgets is counted in.
///
/// ```
/// use inkveil_ledger::Measure;
/// use inkveil_privacy::Metric;
///
/// let gaussian = Measure::Metric { metric: Metric::Euclidean, within: Some(2.0) };
/// assert_eq!(gaussian.to_string(), "euclidean within 2");
/// assert_eq!(Measure::WorstCase.to_string(), "worst-case");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Measure {
    /// ε per unit of this distance, or in total for inputs at most `within` apart.
    Metric {
        /// The distance.
        metric: Metric,
        /// How far the promise reaches, if ε is a total.
        within: Option<f64>,
    },
    /// Releases about which nothing is promised: always infinite.
    NoPromise,
    /// ε times the largest distance of two inputs: a pure local budget, so these add across all metrics.
    WorstCase,
}

impl Measure {
    /// The two columns of the file: a name, and the reach or 0.
    pub(crate) fn columns(self) -> (&'static str, f64) {
        match self {
            Self::Metric { metric, within } => (metric.name(), within.unwrap_or(0.0)),
            Self::NoPromise => (NO_PROMISE, 0.0),
            Self::WorstCase => (WORST_CASE, 0.0),
        }
    }

    pub(crate) fn from_columns(name: &str, within: f64) -> Option<Self> {
        if let Some(metric) = names::metric(name) {
            let within = match within {
                0.0 => None,
                reach if reach > 0.0 && reach.is_finite() => Some(reach),
                _ => return None,
            };
            return Some(Self::Metric { metric, within });
        }
        match (name, within) {
            (NO_PROMISE, 0.0) => Some(Self::NoPromise),
            (WORST_CASE, 0.0) => Some(Self::WorstCase),
            _ => None,
        }
    }

    /// A key that can be ordered. A reach is never negative, so its bits are ordered as it is.
    pub(crate) fn key(self) -> (&'static str, u64) {
        let (name, within) = self.columns();
        (name, within.to_bits())
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.columns().0)?;
        match self {
            Self::Metric { within: Some(reach), .. } => write!(f, " within {reach}"),
            _ => Ok(()),
        }
    }
}

impl Serialize for Measure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_there_and_back() {
        let plain = Measure::Metric { metric: Metric::Chordal, within: None };
        let reaching = Measure::Metric { metric: Metric::Euclidean, within: Some(0.5) };
        for measure in [plain, reaching, Measure::NoPromise, Measure::WorstCase] {
            let (name, within) = measure.columns();
            assert_eq!(Measure::from_columns(name, within), Some(measure));
        }
        for (name, within) in [("chordal", -1.0), ("chordal", f64::INFINITY), ("no-promise", 1.0), ("", 0.0)]
        {
            assert_eq!(Measure::from_columns(name, within), None);
        }
    }
}
