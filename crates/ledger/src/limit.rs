//! What may be spent at most.

use std::fmt;
use std::str::FromStr;

use inkveil_privacy::{Epsilon, Metric};
use serde::{Serialize, Serializer};

use crate::error::{Error, ErrorKind};
use crate::names;
use crate::release::{LONGEST_NAME, NAME, is_name};

/// Whose budget.
///
/// ```
/// use inkveil_ledger::Scope;
///
/// assert_eq!(Scope::Subject("patient 7".into()).to_string(), "subject \"patient 7\"");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// One subject, in all datasets.
    Subject(String),
    /// One dataset, with all that is in it.
    Dataset(String),
    /// Each subject that has no limit of its own on the same.
    EverySubject,
    /// Each dataset that has no limit of its own on the same.
    EveryDataset,
}

impl Scope {
    /// The two columns of the file: a kind and a name.
    pub(crate) fn columns(&self) -> (&'static str, &str) {
        match self {
            Self::Subject(name) => ("subject", name),
            Self::Dataset(name) => ("dataset", name),
            Self::EverySubject => ("every-subject", ""),
            Self::EveryDataset => ("every-dataset", ""),
        }
    }

    pub(crate) fn from_columns(kind: &str, name: String) -> Option<Self> {
        match (kind, name.is_empty()) {
            ("subject", false) => Some(Self::Subject(name)),
            ("dataset", false) => Some(Self::Dataset(name)),
            ("every-subject", true) => Some(Self::EverySubject),
            ("every-dataset", true) => Some(Self::EveryDataset),
            _ => None,
        }
    }

    /// `subject`, `dataset`, `every-subject` or `every-dataset`.
    pub fn kind(&self) -> &'static str {
        self.columns().0
    }

    /// The name of the subject or dataset.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Subject(name) | Self::Dataset(name) => Some(name),
            _ => None,
        }
    }

    /// What applies where this scope has no limit of its own.
    fn default(&self) -> Option<Self> {
        match self {
            Self::Subject(_) => Some(Self::EverySubject),
            Self::Dataset(_) => Some(Self::EveryDataset),
            _ => None,
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Subject(name) => write!(f, "subject {name:?}"),
            Self::Dataset(name) => write!(f, "dataset {name:?}"),
            Self::EverySubject => f.write_str("every subject"),
            Self::EveryDataset => f.write_str("every dataset"),
        }
    }
}

/// What a limit counts.
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
    /// Σε in each metric, separately: numbers in different metrics do not add.
    EachMetric,
    /// Σε in one metric.
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
                .ok_or_else(|| ErrorKind::Invalid { name: "what a limit counts", allowed }.into()),
        }
    }
}

impl Serialize for Counted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A limit: a release that would pass it is refused.
///
/// ```
/// use inkveil_ledger::{Counted, Limit, Scope};
/// use inkveil_privacy::Epsilon;
///
/// let limit = Limit { scope: Scope::EverySubject, counted: Counted::WorstCase, epsilon: Epsilon::new(50.0)? };
/// assert_eq!(limit.to_string(), "every subject: worst-case ε of at most 50");
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// Whose budget is limited.
    pub scope: Scope,
    /// What is counted.
    pub counted: Counted,
    /// The most that may be spent.
    pub epsilon: Epsilon,
}

impl Limit {
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.scope.name() {
            Some(name) if !is_name(name, LONGEST_NAME) => {
                Err(ErrorKind::Invalid { name: "the name of a subject or dataset", allowed: NAME }.into())
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ε of at most {}", self.scope, self.counted, readable_down(self.epsilon))
    }
}

/// The limits that hold for a subject or dataset: its own, and the default ones that it has no own for.
pub(crate) fn effective<'a>(limits: &'a [Limit], scope: &'a Scope) -> impl Iterator<Item = &'a Limit> {
    let default = scope.default();
    let has_own = |counted| limits.iter().any(|own| own.scope == *scope && own.counted == counted);
    limits.iter().filter(move |limit| {
        limit.scope == *scope || (Some(&limit.scope) == default.as_ref() && !has_own(limit.counted))
    })
}

/// What is left of a limit, rounded down: together with what was spent it never passes the limit.
pub(crate) fn left(limit: Epsilon, spent: Epsilon) -> Epsilon {
    if limit.is_infinite() {
        return Epsilon::INFINITE;
    }
    let mut left = (limit.get() - spent.get()).max(0.0);
    while left > 0.0 && Epsilon::new(left).and_then(|l| spent.checked_add(l)).is_ok_and(|sum| sum > limit) {
        left = left.next_down();
    }
    Epsilon::new(left).unwrap_or(Epsilon::ZERO)
}

/// Six digits for people, rounded down: what is left must not be overstated.
pub(crate) fn readable_down(epsilon: Epsilon) -> String {
    let value = epsilon.get();
    if epsilon.is_infinite() || (value == value.trunc() && value < 1e15) {
        return epsilon.to_string();
    }
    let exponent = value.log10().floor() as i32;
    if !(-4..15).contains(&exponent) {
        return format!("{:.5e}", value * (1.0 - 6e-6));
    }
    // One step of the last digit less where the decimal came out above.
    let scale = 10f64.powi(5 - exponent);
    let steps = (value * scale).floor();
    let shown = steps / scale;
    format!("{}", if shown > value { (steps - 1.0) / scale } else { shown })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn limit(scope: Scope, counted: Counted, epsilon: f64) -> Limit {
        Limit { scope, counted, epsilon: Epsilon::new(epsilon).unwrap() }
    }

    #[test]
    fn an_own_limit_replaces_the_default_on_the_same_only() {
        let anna = Scope::Subject("anna".into());
        let limits = [
            limit(Scope::EverySubject, Counted::EachMetric, 10.0),
            limit(Scope::EverySubject, Counted::WorstCase, 20.0),
            limit(anna.clone(), Counted::EachMetric, 100.0),
            limit(Scope::Dataset("anna".into()), Counted::EachMetric, 5.0),
        ];
        let of = |scope| {
            let mut numbers: Vec<f64> = effective(&limits, &scope).map(|l| l.epsilon.get()).collect();
            numbers.sort_by(f64::total_cmp);
            numbers
        };
        assert_eq!(of(anna), [20.0, 100.0]);
        assert_eq!(of(Scope::Subject("ben".into())), [10.0, 20.0]);
        assert_eq!(of(Scope::Dataset("anna".into())), [5.0]);
        assert!(of(Scope::Dataset("other".into())).is_empty());
    }

    #[test]
    fn names_there_and_back() {
        for metric in names::METRICS {
            let counted = Counted::Metric(metric);
            assert_eq!(counted.to_string().parse::<Counted>().unwrap(), counted);
        }
        assert!("taxicab".parse::<Counted>().is_err());
        assert_eq!(Scope::from_columns("every-subject", "anna".into()), None);
        assert_eq!(Scope::from_columns("subject", String::new()), None);
    }

    proptest! {
        #[test]
        fn what_is_left_fits(limit in 0.0..1e6f64, spent in 0.0..1e6f64) {
            let (limit, spent) = (Epsilon::new(limit).unwrap(), Epsilon::new(spent).unwrap());
            let left = left(limit, spent);
            prop_assert!(left.is_zero() || spent.checked_add(left).unwrap() <= limit);
        }

        #[test]
        fn shown_numbers_are_not_larger(exponent in -9.0..20.0f64) {
            let value = Epsilon::new(10f64.powf(exponent)).unwrap();
            let shown: f64 = readable_down(value).parse().unwrap();
            prop_assert!(shown <= value.get() && shown >= value.get() * (1.0 - 2e-5));
        }
    }

    #[test]
    fn nothing_is_left_of_less() {
        let eps = |value| Epsilon::new(value).unwrap();
        assert_eq!(left(eps(10.0), Epsilon::INFINITE), Epsilon::ZERO);
        assert_eq!(left(Epsilon::INFINITE, Epsilon::INFINITE), Epsilon::INFINITE);
        assert_eq!(left(eps(10.0), eps(4.0)), eps(6.0));
        assert_eq!(readable_down(eps(0.1 + 0.2)), "0.3");
    }
}
