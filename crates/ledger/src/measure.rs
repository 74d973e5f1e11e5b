//! The measures that budgets are counted in. Budgets in different measures are never added.

use std::fmt;

use inkveil_privacy::Metric;
use serde::{Serialize, Serializer};

use crate::names;

/// The name in the file. It is older than the term "guarantee", and ledgers that exist must stay
/// readable.
const STORED_NO_GUARANTEE: &str = "no-promise";
const WORST_CASE: &str = "worst-case";

/// The measure of a sum of budgets.
///
/// ```
/// use inkveil_ledger::BudgetMeasure;
/// use inkveil_privacy::Metric;
///
/// let gaussian = BudgetMeasure::Metric { metric: Metric::Euclidean, within: Some(2.0) };
/// assert_eq!(gaussian.to_string(), "euclidean within 2");
/// assert_eq!(BudgetMeasure::WorstCase.to_string(), "worst-case");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum BudgetMeasure {
    /// ε per unit of this distance, or in total for inputs at most `within` apart.
    Metric {
        /// The distance.
        metric: Metric,
        /// The largest distance of two inputs, if ε is a total.
        within: Option<f64>,
    },
    /// Releases without a guarantee. Their ε is always infinite.
    NoGuarantee,
    /// ε times the largest distance of two inputs: a pure local budget. These add up across all
    /// metrics.
    WorstCase,
}

impl BudgetMeasure {
    /// The two columns in the file: a name, and the largest distance or 0.
    pub(crate) fn columns(self) -> (&'static str, f64) {
        match self {
            Self::Metric { metric, within } => (metric.name(), within.unwrap_or(0.0)),
            Self::NoGuarantee => (STORED_NO_GUARANTEE, 0.0),
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
            (STORED_NO_GUARANTEE, 0.0) => Some(Self::NoGuarantee),
            (WORST_CASE, 0.0) => Some(Self::WorstCase),
            _ => None,
        }
    }

    /// Returns a key for sorting. A distance is never negative, so its bits have the same order.
    pub(crate) fn key(self) -> (&'static str, u64) {
        let (name, within) = self.columns();
        (name, within.to_bits())
    }
}

impl fmt::Display for BudgetMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Metric { metric, within: None } => f.write_str(metric.name()),
            Self::Metric { metric, within: Some(reach) } => write!(f, "{metric} within {reach}"),
            Self::NoGuarantee => f.write_str("no-guarantee"),
            Self::WorstCase => f.write_str(WORST_CASE),
        }
    }
}

impl Serialize for BudgetMeasure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_round_trip() {
        let plain = BudgetMeasure::Metric { metric: Metric::Chordal, within: None };
        let reaching = BudgetMeasure::Metric { metric: Metric::Euclidean, within: Some(0.5) };
        for measure in [plain, reaching, BudgetMeasure::NoGuarantee, BudgetMeasure::WorstCase] {
            let (name, within) = measure.columns();
            assert_eq!(BudgetMeasure::from_columns(name, within), Some(measure));
        }
        for (name, within) in [("chordal", -1.0), ("chordal", f64::INFINITY), ("no-promise", 1.0), ("", 0.0)]
        {
            assert_eq!(BudgetMeasure::from_columns(name, within), None);
        }
    }
}
