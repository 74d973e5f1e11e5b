//! Limits on spent budgets.

use std::fmt;
use std::str::FromStr;

use inkveil_privacy::{Epsilon, Metric};
use serde::{Serialize, Serializer};

use crate::error::{Error, ErrorKind};
use crate::names;
use crate::names::{LONGEST_NAME, NAME, is_name};
use crate::rounding::readable_down;
use crate::scope::BudgetScope;

/// The measure that a limit applies to.
///
/// ```
/// use inkveil_ledger::Counted;
/// use inkveil_privacy::Metric;
///
/// assert_eq!("chordal".parse::<Counted>()?, Counted::Metric(Metric::Chordal));
/// assert_eq!(Counted::WorstCase.to_string(), "worst-case");
/// # Ok::<(), inkveil_ledger::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Counted {
    /// Σε in each metric separately. Budgets in different metrics do not add up.
    EachMetric,
    /// Σε in one metric. A release in another metric is refused, unless another limit counts it.
    Metric(Metric),
    /// Σ ε·D over all metrics. A charge without a worst case counts as infinite.
    WorstCase,
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EachMetric => "each-metric",
            Self::Metric(metric) => metric.name(),
            Self::WorstCase => "worst-case",
        })
    }
}

impl FromStr for Counted {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let allowed = "each-metric, worst-case, chordal, angular, euclidean, manhattan, mahalanobis, radial or discrete";
        match text {
            "each-metric" => Ok(Self::EachMetric),
            "worst-case" => Ok(Self::WorstCase),
            name => names::metric(name)
                .map(Self::Metric)
                .ok_or_else(|| ErrorKind::Invalid { name: "the measure of a limit", allowed }.into()),
        }
    }
}

impl Serialize for Counted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A limit. A release that would exceed it is refused.
///
/// A limit in a metric is on the loss between two inputs at a given distance, 1 by default. The
/// budgets of all releases in that metric are added, in whatever space they are and however far
/// their guarantee reaches. This bounds the loss between inputs that are at most that far apart in
/// every one of the spaces. So a limit cannot be spent once for each lexicon.
///
/// ```
/// use inkveil_ledger::{Counted, Limit, BudgetScope};
/// use inkveil_privacy::Epsilon;
///
/// let limit = Limit::new(BudgetScope::EverySubject, Counted::WorstCase, Epsilon::new(50.0)?);
/// assert_eq!(limit.to_string(), "every subject: worst-case ε of at most 50");
/// let limit = Limit { counted: Counted::EachMetric, delta: 1e-6, ..limit };
/// assert_eq!(limit.to_string(), "every subject: each-metric ε of at most 50, δ of at most 0.000001");
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limit {
    /// The subjects or datasets whose budget is limited.
    #[serde(flatten)]
    pub scope: BudgetScope,
    /// The limited measure.
    pub counted: Counted,
    /// The largest total that may be spent.
    pub epsilon: Epsilon,
    /// The largest sum of failure probabilities. 0 refuses every release that has one.
    pub delta: f64,
    /// The distance of two inputs at which ε is counted. A guarantee that does not reach as far
    /// counts as infinite.
    pub within: f64,
}

impl Limit {
    /// Creates a limit on ε for inputs at distance 1. It allows no failure probability.
    pub fn new(scope: BudgetScope, counted: Counted, epsilon: Epsilon) -> Self {
        Self { scope, counted, epsilon, delta: 0.0, within: 1.0 }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let invalid = |name, allowed| Err(ErrorKind::Invalid { name, allowed }.into());
        if self.scope.name().is_some_and(|name| !is_name(name, LONGEST_NAME)) {
            return invalid("the name of a subject or dataset", NAME);
        }
        if !(0.0..=1.0).contains(&self.delta) || self.delta.is_sign_negative() {
            return invalid("δ of a limit", "between 0 and 1");
        }
        if !(self.within > 0.0 && self.within.is_finite()) {
            return invalid("the distance of a limit", "a positive number");
        }
        Ok(())
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ε of at most {}", self.scope, self.counted, readable_down(self.epsilon))?;
        if self.delta > 0.0 {
            write!(f, ", δ of at most {}", self.delta)?;
        }
        match self.within {
            1.0 => Ok(()),
            distance => write!(f, ", for inputs within {distance}"),
        }
    }
}

/// Returns the limits of a subject or dataset: its own, and the defaults for measures without its
/// own limit.
pub(crate) fn effective<'a>(limits: &'a [Limit], scope: &'a BudgetScope) -> impl Iterator<Item = &'a Limit> {
    let default = scope.default();
    let has_own = |counted| limits.iter().any(|own| own.scope == *scope && own.counted == counted);
    limits.iter().filter(move |limit| {
        limit.scope == *scope || (Some(&limit.scope) == default.as_ref() && !has_own(limit.counted))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(scope: BudgetScope, counted: Counted, epsilon: f64) -> Limit {
        Limit::new(scope, counted, Epsilon::new(epsilon).unwrap())
    }

    #[test]
    fn an_own_limit_replaces_the_default_on_the_same_measure() {
        let anna = BudgetScope::Subject("anna".into());
        let limits = [
            limit(BudgetScope::EverySubject, Counted::EachMetric, 10.0),
            limit(BudgetScope::EverySubject, Counted::WorstCase, 20.0),
            limit(anna.clone(), Counted::EachMetric, 100.0),
            limit(BudgetScope::Dataset("anna".into()), Counted::EachMetric, 5.0),
        ];
        let of = |scope| {
            let mut numbers: Vec<f64> = effective(&limits, &scope).map(|l| l.epsilon.get()).collect();
            numbers.sort_by(f64::total_cmp);
            numbers
        };
        assert_eq!(of(anna), [20.0, 100.0]);
        assert_eq!(of(BudgetScope::Subject("ben".into())), [10.0, 20.0]);
        assert_eq!(of(BudgetScope::Dataset("anna".into())), [5.0]);
        assert!(of(BudgetScope::Dataset("other".into())).is_empty());
    }

    #[test]
    fn invalid_limits_are_refused() {
        let good = limit(BudgetScope::EverySubject, Counted::EachMetric, 1.0);
        assert!(good.check().is_ok());
        for bad in [
            Limit { delta: 1.5, ..good.clone() },
            Limit { delta: f64::NAN, ..good.clone() },
            Limit { delta: -0.0, ..good.clone() },
            Limit { within: 0.0, ..good.clone() },
            Limit { within: f64::INFINITY, ..good.clone() },
            Limit { scope: BudgetScope::Subject(" ".into()), ..good },
        ] {
            assert!(bad.check().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn names_round_trip() {
        for metric in names::METRICS {
            let counted = Counted::Metric(metric);
            assert_eq!(counted.to_string().parse::<Counted>().unwrap(), counted);
        }
        assert!("taxicab".parse::<Counted>().is_err());
        assert_eq!(BudgetScope::from_columns("every-subject", "anna".into()), None);
        assert_eq!(BudgetScope::from_columns("subject", String::new()), None);
    }
}
