//! The cost of a release, computed from its receipt.

use inkveil_privacy::{Epsilon, Guarantee, Metric, Receipt, ReceiptGroup};

use crate::error::{Error, ErrorKind};
use crate::measure::BudgetMeasure;
use crate::names::{LONGEST_NAME, NAME, is_name};

/// The cost of a release for one subject in one measure.
///
/// ```
/// use inkveil_ledger::Charge;
/// use inkveil_privacy::{Epsilon, Metric};
///
/// let charge = Charge {
///     worst_case: Some(Epsilon::new(40.0)?),
///     ..Charge::new(Some("patient 7"), Metric::Chordal, Epsilon::new(20.0)?)
/// };
/// assert_eq!(charge.measure().to_string(), "chordal");
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Charge {
    /// The subject, or none if only the dataset is charged.
    pub subject: Option<String>,
    /// The distance that ε is measured in, or none if there is no guarantee. ε is infinite then.
    pub metric: Option<Metric>,
    /// The space of the distance, for example a lexicon. None if it is not known.
    pub space: Option<String>,
    /// The largest distance of two inputs, if ε is a total for inputs at most that far apart.
    pub within: Option<f64>,
    /// The total ε over all units.
    pub epsilon: Epsilon,
    /// Σ ε·D if the inputs are bounded. Otherwise it counts as infinite for limits on worst cases.
    pub worst_case: Option<Epsilon>,
    /// The sum of the failure probabilities, at most 1.
    pub delta: f64,
    /// The number of units.
    pub units: u64,
    /// The zero-concentrated budget ρ over all units, if the noise is Gaussian. Such charges compose
    /// with less than the sum of their ε. It holds for inputs at most `within` apart.
    pub zcdp: Option<f64>,
}

impl Charge {
    /// Creates a charge of ε per unit of distance for one unit, with no worst case and no δ.
    pub fn new(subject: Option<&str>, metric: Metric, epsilon: Epsilon) -> Self {
        Self {
            subject: subject.map(str::to_owned),
            metric: Some(metric),
            space: None,
            within: None,
            epsilon,
            worst_case: None,
            delta: 0.0,
            units: 1,
            zcdp: None,
        }
    }

    /// Creates a charge for a release without a guarantee.
    pub fn without_guarantee(subject: Option<&str>, units: u64) -> Self {
        Self {
            subject: subject.map(str::to_owned),
            metric: None,
            space: None,
            within: None,
            epsilon: Epsilon::INFINITE,
            worst_case: None,
            delta: 0.0,
            units,
            zcdp: None,
        }
    }

    /// Returns the charges of a receipt: one for each measure, with sums rounded up.
    ///
    /// - A Mahalanobis or erased guarantee counts as its Euclidean equivalent, since two of them add
    ///   up only if they have the same Σ or eraser. Without an equivalent it counts as infinite.
    /// - If a group has guarantees in several metrics, its worst case is their sum and is listed
    ///   with the first one.
    /// - The slack of a group holds for any two inputs. It is a charge in the discrete metric.
    /// - A receipt without groups has no guarantee. It gives one charge of ∞.
    pub fn of_receipt(subject: Option<&str>, receipt: &Receipt) -> Vec<Self> {
        let mut charges: Vec<Self> = Vec::new();
        let mut add = |one: Self| match charges.iter_mut().find(|sum| sum.measure() == one.measure()) {
            Some(sum) => sum.add(&one),
            None => charges.push(one),
        };
        for group in receipt.groups() {
            for (position, guarantee) in group.guarantees().iter().enumerate() {
                let mut one = Self::of_guarantee(subject, group, guarantee, position == 0);
                // Two inputs are equal or not in every space, so this metric needs none.
                let needs_space = one.metric != Some(Metric::Discrete);
                one.space = receipt.space().filter(|_| needs_space).map(str::to_owned);
                add(one);
            }
        }
        // After all guarantees, so that a receipt's first charge is that of its first guarantee.
        for group in receipt.groups() {
            if let Some(slack) = group.slack().filter(|_| group.count() > 0) {
                let count = group.count() as f64;
                add(Self {
                    // The worst case of the group includes the slack already.
                    worst_case: Some(Epsilon::ZERO),
                    delta: if slack.delta() > 0.0 { (slack.delta() * count).next_up().min(1.0) } else { 0.0 },
                    units: 0,
                    ..Self::new(subject, Metric::Discrete, times(slack.epsilon(), count))
                });
            }
        }
        if charges.is_empty() {
            charges.push(Self::without_guarantee(subject, receipt.count()));
        }
        charges
    }

    fn of_guarantee(subject: Option<&str>, group: &ReceiptGroup, guarantee: &Guarantee, first: bool) -> Self {
        let mut counted = *guarantee;
        let mut each = guarantee.epsilon();
        if matches!(guarantee.metric(), Metric::Mahalanobis | Metric::Erased) {
            match group.equivalents().iter().find(|same| same.metric() == Metric::Euclidean) {
                Some(same) => (counted, each) = (*same, same.epsilon()),
                None if each.is_zero() => {}
                None => each = Epsilon::INFINITE,
            }
        }
        let count = group.count() as f64;
        // A product is rounded up, and a group without units costs nothing at all.
        let of_all = |one: f64| if group.count() == 0 { 0.0 } else { (one * count).next_up() };
        let worst_case = match group.worst_case_epsilon() {
            Some(_) if !first => Some(Epsilon::ZERO),
            Some(one) => Some(times(one, count)),
            None => None,
        };
        Self {
            subject: subject.map(str::to_owned),
            metric: Some(counted.metric()),
            space: None,
            within: counted.within(),
            epsilon: times(each, count),
            worst_case,
            delta: guarantee.delta().map_or(0.0, |delta| of_all(delta).min(1.0)),
            units: group.count(),
            // Several guarantees of one group would each claim the whole ρ.
            zcdp: group
                .zcdp()
                .filter(|_| group.guarantees().len() == 1 && counted.within().is_some())
                .map(of_all),
        }
    }

    fn add(&mut self, other: &Self) {
        self.epsilon = plus(self.epsilon, other.epsilon);
        self.worst_case = match (self.worst_case, other.worst_case) {
            (Some(a), Some(b)) => Some(plus(a, b)),
            _ => None,
        };
        self.delta = plus_delta(self.delta, other.delta);
        self.units = self.units.saturating_add(other.units);
        self.zcdp = match (self.zcdp, other.zcdp) {
            (Some(a), Some(b)) => Some((a + b).next_up()),
            _ => None,
        };
    }

    /// The measure that ε is counted in.
    pub fn measure(&self) -> BudgetMeasure {
        match self.metric {
            Some(metric) => BudgetMeasure::Metric { metric, space: self.space.clone(), within: self.within },
            None => BudgetMeasure::NoGuarantee,
        }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let invalid = |name, allowed| Err(ErrorKind::Invalid { name, allowed }.into());
        if self.subject.as_deref().is_some_and(|name| !is_name(name, LONGEST_NAME)) {
            return invalid("the name of a subject", NAME);
        }
        if self.metric.is_none() && !(self.epsilon.is_infinite() && self.within.is_none()) {
            return invalid("ε without a metric", "infinite, since there is no guarantee");
        }
        if self.space.as_deref().is_some_and(|space| self.metric.is_none() || !is_name(space, LONGEST_NAME)) {
            return invalid("the space of a metric", NAME);
        }
        let is_budget = |rho: f64| rho.is_finite() && !rho.is_sign_negative() && self.within.is_some();
        if self.zcdp.is_some_and(|rho| !is_budget(rho)) {
            return invalid("ρ of a charge", "0 or more, for inputs within a distance");
        }
        if self.within.is_some_and(|reach| !(reach > 0.0 && reach.is_finite())) {
            return invalid("the largest distance of a guarantee", "a positive number");
        }
        if !(0.0..=1.0).contains(&self.delta) || self.delta.is_sign_negative() {
            return invalid("δ of a charge", "between 0 and 1");
        }
        if i64::try_from(self.units).is_err() {
            return invalid("the number of units", "below 2^63");
        }
        Ok(())
    }
}

/// Adds two budgets and rounds up. A sum that overflows is not a bound, so it becomes infinite.
pub(crate) fn plus(a: Epsilon, b: Epsilon) -> Epsilon {
    a.checked_add(b).unwrap_or(Epsilon::INFINITE)
}

pub(crate) fn times(epsilon: Epsilon, factor: f64) -> Epsilon {
    epsilon.checked_mul(factor).unwrap_or(Epsilon::INFINITE)
}

/// Adds two failure probabilities and rounds up.
pub(crate) fn plus_delta(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { a + b } else { (a + b).next_up().min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkveil_privacy::{Grid, GroupBudget, NoiseKey, ReleaseKind, Unit};

    fn eps(value: f64) -> Epsilon {
        Epsilon::new(value).unwrap()
    }

    fn receipt(kind: ReleaseKind, unit: Unit, groups: Vec<GroupBudget>) -> Receipt {
        let key = NoiseKey::insecure_from_seed(1);
        let mut builder = Receipt::builder(kind, "test", unit, &key)
            .not_covered("lengths")
            .grid(Grid::new(-20).unwrap(), None);
        for group in groups {
            builder = builder.group(group);
        }
        builder.build().unwrap()
    }

    #[test]
    fn charges_are_summed_per_metric() {
        let guarantee = |epsilon| Guarantee::new(Metric::Chordal, eps(epsilon), Unit::Token);
        let receipt = receipt(
            ReleaseKind::Text,
            Unit::Token,
            vec![
                GroupBudget::new("a", 3, eps(10.0), vec![guarantee(10.0)]),
                GroupBudget::new("b", 2, eps(0.5), vec![guarantee(0.5)]),
            ],
        );
        let charges = Charge::of_receipt(Some("anna"), &receipt);
        let expected = Charge {
            worst_case: Some(eps(62.0)),
            units: 5,
            ..Charge::new(Some("anna"), Metric::Chordal, eps(31.0))
        };
        assert_eq!(charges, [expected]);
        assert_eq!(charges[0].worst_case, receipt.worst_case_epsilon());
    }

    #[test]
    fn several_metrics_share_one_worst_case() {
        let guarantees = vec![
            Guarantee::new(Metric::Chordal, eps(10.0), Unit::Vector),
            Guarantee::new(Metric::Radial, eps(2.0), Unit::Vector),
        ];
        let group = GroupBudget::new("all", 4, eps(12.0), guarantees).diameter(Metric::Radial, 3.0);
        let receipt = receipt(ReleaseKind::Vectors, Unit::Vector, vec![group]);
        let charges = Charge::of_receipt(None, &receipt);
        assert_eq!(charges.len(), 2);
        assert_eq!((charges[0].epsilon, charges[1].epsilon), (eps(40.0), eps(8.0)));
        assert_eq!((charges[0].worst_case, charges[1].worst_case), (Some(eps(104.0)), Some(Epsilon::ZERO)));
    }

    #[test]
    fn mahalanobis_counts_as_its_euclidean_equivalent_or_as_infinite() {
        let guarantee = Guarantee::new(Metric::Mahalanobis, eps(10.0), Unit::Vector);
        let group = |equivalent: bool| {
            let group = GroupBudget::new("all", 2, eps(10.0), vec![guarantee]);
            match equivalent {
                true => group.equivalent(guarantee.euclidean_equivalent(0.25).unwrap()),
                false => group,
            }
        };
        let of = |group| {
            let receipt = receipt(ReleaseKind::Vectors, Unit::Vector, vec![group]);
            Charge::of_receipt(None, &receipt).remove(0)
        };
        let known = of(group(true));
        assert_eq!(known.metric, Some(Metric::Euclidean));
        assert!(known.epsilon >= eps(40.0) && known.epsilon < eps(40.001));
        let unknown = of(group(false));
        assert_eq!((unknown.metric, unknown.epsilon), (Some(Metric::Mahalanobis), Epsilon::INFINITE));
    }

    #[test]
    fn totals_within_a_distance_are_separate_and_keep_their_delta() {
        let plain = Guarantee::new(Metric::Euclidean, eps(1.0), Unit::Vector);
        let reaching = plain.with_within(2.0).unwrap().with_delta(1e-6).unwrap();
        let receipt = receipt(
            ReleaseKind::Vectors,
            Unit::Vector,
            vec![
                GroupBudget::new("a", 3, eps(1.0), vec![reaching]),
                GroupBudget::new("b", 1, eps(1.0), vec![plain]),
            ],
        );
        let charges = Charge::of_receipt(None, &receipt);
        assert_eq!(charges[0].measure().to_string(), "euclidean within 2");
        assert!(charges[0].delta >= 3e-6 && charges[0].delta < 3.1e-6);
        assert_eq!((charges[1].measure().to_string().as_str(), charges[1].delta), ("euclidean", 0.0));
        assert_eq!((charges[0].worst_case, charges[1].worst_case), (None, None));
    }

    #[test]
    fn slack_is_charged_for_any_two_inputs() {
        use inkveil_privacy::{Kappa, VectorMechanism as _, Vmf};
        let polar = Vmf::new(768, Kappa::new(100.0).unwrap()).unwrap();
        assert!(polar.slack().delta() > 0.0);
        let group = GroupBudget::new("all", 4, eps(100.0), polar.guarantees()).slack(polar.slack());
        let receipt = receipt(ReleaseKind::Vectors, Unit::Vector, vec![group]);
        let charges = Charge::of_receipt(Some("anna"), &receipt);
        assert_eq!(charges.len(), 2);
        assert_eq!((charges[0].metric, charges[0].units), (Some(Metric::Chordal), 4));
        let slack = &charges[1];
        assert_eq!(
            (slack.metric, slack.units, slack.worst_case),
            (Some(Metric::Discrete), 0, Some(eps(0.0)))
        );
        assert!(slack.epsilon.get() >= 4.0 * polar.slack().epsilon().get());
        assert!(slack.delta >= 4.0 * polar.slack().delta());
    }

    #[test]
    fn a_receipt_without_groups_has_no_guarantee() {
        let receipt = receipt(ReleaseKind::Rewrite, Unit::Document, vec![]);
        let charges = Charge::of_receipt(Some("anna"), &receipt);
        assert_eq!(charges, [Charge::without_guarantee(Some("anna"), 0)]);
        assert!(charges[0].check().is_ok());
    }

    #[test]
    fn invalid_charges_are_refused() {
        let good = Charge::new(Some("anna"), Metric::Chordal, eps(1.0));
        assert!(good.check().is_ok());
        for bad in [
            Charge { subject: Some(" ".into()), ..good.clone() },
            Charge { subject: Some("a\nb".into()), ..good.clone() },
            Charge { metric: None, ..good.clone() },
            Charge { space: Some("a\nb".into()), ..good.clone() },
            Charge { zcdp: Some(1.0), ..good.clone() },
            Charge { zcdp: Some(f64::NAN), within: Some(1.0), ..good.clone() },
            Charge { within: Some(f64::NAN), ..good.clone() },
            Charge { delta: 1.5, ..good.clone() },
            Charge { delta: -0.0, ..good.clone() },
            Charge { units: u64::MAX, ..good },
        ] {
            assert!(bad.check().is_err());
        }
    }
}
