//! The measures that budgets are counted in. Budgets in different measures are never added.

use std::fmt;

use inkveil_privacy::Metric;
use serde::{Serialize, Serializer};

use crate::names::{self, LONGEST_NAME, is_name};

/// The name in the file. It is older than the term "guarantee", and ledgers that exist must stay
/// readable.
const STORED_NO_GUARANTEE: &str = "no-promise";
const WORST_CASE: &str = "worst-case";

/// The measure of a sum of budgets.
///
/// A distance has a meaning only in its space: 1 is far in one lexicon and near in another. So the
/// space is part of the measure, and budgets in different spaces are not added.
///
/// ```
/// use inkveil_ledger::BudgetMeasure;
/// use inkveil_privacy::Metric;
///
/// let space = Some("lexicon words".to_owned());
/// let gaussian = BudgetMeasure::Metric { metric: Metric::Euclidean, space, within: Some(2.0) };
/// assert_eq!(gaussian.to_string(), "euclidean within 2, lexicon words");
/// assert_eq!(BudgetMeasure::WorstCase.to_string(), "worst-case");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum BudgetMeasure {
    /// ε per unit of this distance, or in total for inputs at most `within` apart.
    Metric {
        /// The distance.
        metric: Metric,
        /// The space it is measured in, for example a lexicon. None if it is not known, or if the
        /// metric is the same in every space.
        space: Option<String>,
        /// The largest distance of two inputs, if ε is a total.
        within: Option<f64>,
    },
    /// Releases without a guarantee. Their ε is always infinite.
    NoGuarantee,
    /// ε times the largest distance of two inputs: a pure local budget. These add up across all
    /// metrics.
    WorstCase,
}

/// A measure as a key that sorts: its name, its space, and the bits of the distance.
pub(crate) type MeasureKey = (&'static str, String, u64);

impl BudgetMeasure {
    /// The three columns in the file: a name, the space or nothing, and the largest distance or 0.
    pub(crate) fn columns(&self) -> (&'static str, &str, f64) {
        match self {
            Self::Metric { metric, space, within } => {
                (metric.name(), space.as_deref().unwrap_or_default(), within.unwrap_or(0.0))
            }
            Self::NoGuarantee => (STORED_NO_GUARANTEE, "", 0.0),
            Self::WorstCase => (WORST_CASE, "", 0.0),
        }
    }

    pub(crate) fn from_columns(name: &str, space: String, within: f64) -> Option<Self> {
        let space = Some(space).filter(|space| !space.is_empty());
        if space.as_deref().is_some_and(|space| !is_name(space, LONGEST_NAME)) {
            return None;
        }
        if let Some(metric) = names::metric(name) {
            let within = match within {
                0.0 => None,
                reach if reach > 0.0 && reach.is_finite() => Some(reach),
                _ => return None,
            };
            return Some(Self::Metric { metric, space, within });
        }
        match (name, space, within) {
            (STORED_NO_GUARANTEE, None, 0.0) => Some(Self::NoGuarantee),
            (WORST_CASE, None, 0.0) => Some(Self::WorstCase),
            _ => None,
        }
    }

    /// The distance, unless there is no guarantee or it is the worst case.
    pub fn metric(&self) -> Option<Metric> {
        match self {
            Self::Metric { metric, .. } => Some(*metric),
            _ => None,
        }
    }

    /// Returns a key for sorting. A distance is never negative, so its bits have the same order.
    pub(crate) fn key(&self) -> MeasureKey {
        let (name, space, within) = self.columns();
        (name, space.to_owned(), within.to_bits())
    }
}

impl fmt::Display for BudgetMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Metric { metric, space, within } => {
                f.write_str(metric.name())?;
                if let Some(reach) = within {
                    write!(f, " within {reach}")?;
                }
                space.as_ref().map_or(Ok(()), |space| write!(f, ", {space}"))
            }
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
        let of = |metric, space: Option<&str>, within| BudgetMeasure::Metric {
            metric,
            space: space.map(str::to_owned),
            within,
        };
        for measure in [
            of(Metric::Chordal, None, None),
            of(Metric::Chordal, Some("lexicon words"), None),
            of(Metric::Euclidean, Some("vectors"), Some(0.5)),
            BudgetMeasure::NoGuarantee,
            BudgetMeasure::WorstCase,
        ] {
            let (name, space, within) = measure.columns();
            assert_eq!(BudgetMeasure::from_columns(name, space.to_owned(), within), Some(measure.clone()));
        }
        for (name, space, within) in [
            ("chordal", "", -1.0),
            ("chordal", "", f64::INFINITY),
            ("chordal", "a\nb", 0.0),
            ("no-promise", "", 1.0),
            ("worst-case", "x", 0.0),
            ("", "", 0.0),
        ] {
            assert_eq!(BudgetMeasure::from_columns(name, space.to_owned(), within), None);
        }
    }
}
