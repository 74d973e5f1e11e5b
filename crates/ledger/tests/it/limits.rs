//! Limits: refused releases and their messages.

use inkveil_ledger::{BudgetMeasure, BudgetScope, Charge, Counted, ErrorKind, Filter, Limit};
use inkveil_privacy::{Epsilon, Metric};

use crate::making::{TestLedger, charge, eps, release};

fn limit(scope: BudgetScope, counted: Counted, epsilon: f64) -> Limit {
    Limit::new(scope, counted, eps(epsilon))
}

fn anna() -> BudgetScope {
    BudgetScope::Subject("anna".into())
}

#[test]
fn a_refusal_states_the_remaining_budget() {
    let test = TestLedger::new();
    let mut ledger = test.open();
    ledger.set_limit(&limit(anna(), Counted::EachMetric, 10.0)).unwrap();
    ledger.record(&release(vec![charge(Some("anna"), 7.0)])).unwrap();
    let error = ledger.record(&release(vec![charge(Some("anna"), 4.0)])).unwrap_err();
    let ErrorKind::OverLimit { scope, measure, spent, asked, left, limit } = error.kind() else {
        panic!("{error}")
    };
    assert_eq!((scope, measure.to_string().as_str()), (&anna(), "chordal"));
    assert_eq!([*spent, *asked, *left, *limit], [7.0, 4.0, 3.0, 10.0].map(eps));
    let message = error.to_string();
    for part in
        ["subject \"anna\"", "7 spent", "4 requested", "3 left of 10", "raise the limit", "budget.ledger"]
    {
        assert!(message.contains(part), "{message}");
    }
    // Nothing was written, and a release that fits exactly is still accepted.
    assert_eq!(ledger.releases(Filter::default()).count(), 1);
    ledger.record(&release(vec![charge(Some("anna"), 3.0)])).unwrap();
    assert!(ledger.record(&release(vec![charge(Some("anna"), 1e-300)])).is_err());
    ledger.record(&release(vec![charge(Some("anna"), 0.0)])).unwrap();
    ledger.record(&release(vec![charge(Some("ben"), 50.0)])).unwrap();
    assert_eq!(ledger.verify().unwrap(), []);
}

#[test]
fn a_refused_release_charges_no_subject() {
    let test = TestLedger::new();
    let mut ledger = test.open();
    ledger.set_limit(&limit(anna(), Counted::EachMetric, 1.0)).unwrap();
    let both = vec![charge(Some("aaron"), 5.0), charge(Some("anna"), 5.0)];
    assert!(ledger.record(&release(both)).is_err());
    assert!(ledger.totals(&Filter::default()).unwrap().is_empty());
    // Several at once: all or none.
    let many = [release(vec![charge(Some("anna"), 0.75)]), release(vec![charge(Some("anna"), 0.75)])];
    assert!(ledger.record_all(&many).is_err());
    assert_eq!(ledger.releases(Filter::default()).count(), 0);
    assert_eq!(ledger.record_all(&many[..1]).unwrap().len(), 1);
}

#[test]
fn own_limits_replace_default_limits() {
    let test = TestLedger::new();
    let mut ledger = test.open();
    ledger.set_limit(&limit(BudgetScope::EverySubject, Counted::EachMetric, 10.0)).unwrap();
    ledger.set_limit(&limit(anna(), Counted::EachMetric, 20.0)).unwrap();
    ledger.set_limit(&limit(BudgetScope::Dataset("letters".into()), Counted::EachMetric, 25.0)).unwrap();
    assert!(ledger.record(&release(vec![charge(Some("ben"), 11.0)])).is_err());
    ledger.record(&release(vec![charge(Some("anna"), 20.0)])).unwrap();
    // The limit of ben allows it, the limit of the dataset does not.
    let error = ledger.record(&release(vec![charge(Some("ben"), 6.0)])).unwrap_err();
    assert!(error.to_string().contains("dataset \"letters\""), "{error}");
    ledger.record(&release(vec![charge(Some("cleo"), 5.0)])).unwrap();
    assert!(ledger.record(&release(vec![charge(Some("cleo"), 1.0)])).is_err());

    assert_eq!(ledger.limits().unwrap().len(), 3);
    assert!(ledger.remove_limit(&BudgetScope::Dataset("letters".into()), Counted::EachMetric).unwrap());
    assert!(!ledger.remove_limit(&BudgetScope::Dataset("letters".into()), Counted::EachMetric).unwrap());
    ledger.record(&release(vec![charge(Some("cleo"), 1.0)])).unwrap();
    assert_eq!(ledger.verify().unwrap(), []);
}

#[test]
fn metrics_are_counted_separately_and_worst_cases_together() {
    let test = TestLedger::new();
    let mut ledger = test.open();
    let euclidean = |epsilon, worst_case| Charge {
        worst_case,
        ..Charge::new(Some("anna"), Metric::Euclidean, eps(epsilon))
    };
    ledger.set_limit(&limit(anna(), Counted::Metric(Metric::Chordal), 10.0)).unwrap();
    ledger.set_limit(&limit(anna(), Counted::WorstCase, 30.0)).unwrap();
    ledger.record(&release(vec![charge(Some("anna"), 10.0)])).unwrap(); // worst case 20
    ledger.record(&release(vec![euclidean(1000.0, Some(eps(10.0)))])).unwrap(); // and 10
    let error = ledger.record(&release(vec![euclidean(1.0, Some(eps(1.0)))])).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::OverLimit { measure: BudgetMeasure::WorstCase, .. }),
        "{error}"
    );
    // A charge without a worst case has no bound.
    ledger.set_limit(&limit(anna(), Counted::WorstCase, 1e9)).unwrap();
    let error = ledger.record(&release(vec![euclidean(1.0, None)])).unwrap_err();
    assert!(error.to_string().contains("count as infinite"), "{error}");
    ledger.set_limit(&Limit::new(anna(), Counted::WorstCase, Epsilon::INFINITE)).unwrap();
    ledger.record(&release(vec![euclidean(1.0, None)])).unwrap();
}

#[test]
fn releases_without_a_guarantee_count_as_infinite() {
    let test = TestLedger::new();
    let mut ledger = test.open();
    let unbounded = || release(vec![Charge::without_guarantee(Some("anna"), 1)]);
    for counted in [Counted::EachMetric, Counted::Metric(Metric::Euclidean), Counted::WorstCase] {
        ledger.set_limit(&limit(anna(), counted, 1e300)).unwrap();
        assert!(ledger.record(&unbounded()).is_err(), "{counted}");
        ledger.remove_limit(&anna(), counted).unwrap();
    }
    ledger.record(&unbounded()).unwrap();
    // Afterwards nothing remains of any limit.
    ledger.set_limit(&limit(anna(), Counted::Metric(Metric::Chordal), 100.0)).unwrap();
    let error = ledger.record(&release(vec![charge(Some("anna"), 1.0)])).unwrap_err();
    assert!(error.to_string().contains("inf spent") && error.to_string().contains("0 left"), "{error}");
}

#[test]
fn totals_include_limits_and_remaining_budgets() {
    let test = TestLedger::new();
    let mut ledger = test.open();
    ledger.set_limit(&limit(BudgetScope::EverySubject, Counted::EachMetric, 10.0)).unwrap();
    ledger.record(&release(vec![charge(Some("anna"), 2.5), charge(Some("ben"), 1.0)])).unwrap();
    let totals = ledger.totals(&Filter { subject: Some("anna".into()), ..Filter::default() }).unwrap();
    let lines: Vec<String> = totals
        .iter()
        .map(|t| format!("{} {} {} {:?} {}", t.scope, t.measure, t.epsilon, t.readable_left(), t.releases))
        .collect();
    assert_eq!(
        lines,
        ["subject \"anna\" chordal 2.5 Some(\"7.5\") 1", "subject \"anna\" worst-case 5 None 1"]
    );
    let all = ledger.totals(&Filter::default()).unwrap();
    assert_eq!(all.len(), 6);
    assert!(all.iter().any(|t| t.scope == BudgetScope::Dataset("letters".into()) && t.epsilon == eps(3.5)));
}

fn of_space(subject: &str, space: &str, epsilon: f64) -> Charge {
    Charge { space: Some(space.into()), ..charge(Some(subject), epsilon) }
}

fn gaussian(reach: f64, epsilon: f64, delta: f64) -> Charge {
    Charge { within: Some(reach), delta, ..Charge::new(Some("anna"), Metric::Euclidean, eps(epsilon)) }
}

#[test]
fn budgets_of_different_lexicons_are_separate_sums_under_one_limit() {
    let test = TestLedger::new();
    let mut ledger = test.open();
    ledger.set_limit(&limit(anna(), Counted::Metric(Metric::Chordal), 10.0)).unwrap();
    ledger.record(&release(vec![of_space("anna", "lexicon words 1a", 6.0)])).unwrap();
    let error = ledger.record(&release(vec![of_space("anna", "lexicon subword 2b", 6.0)])).unwrap_err();
    assert!(error.to_string().contains("6 spent, 6 requested, 4 left of 10"), "{error}");
    ledger.record(&release(vec![of_space("anna", "lexicon subword 2b", 4.0)])).unwrap();
    let totals = ledger.totals(&Filter { subject: Some("anna".into()), ..Filter::default() }).unwrap();
    let lines: Vec<String> =
        totals.iter().map(|t| format!("{}: {} {:?}", t.measure, t.epsilon, t.readable_left())).collect();
    assert_eq!(
        lines,
        [
            "chordal, lexicon subword 2b: 4 Some(\"0\")",
            "chordal, lexicon words 1a: 6 Some(\"0\")",
            "worst-case: 20 None"
        ]
    );
    assert_eq!(ledger.verify().unwrap(), []);
}

#[test]
fn a_limit_is_not_spent_once_for_each_distance() {
    let test = TestLedger::new();
    let mut ledger = test.open();
    ledger.set_limit(&limit(anna(), Counted::EachMetric, 10.0)).unwrap();
    for reach in [1.0, 2.0] {
        ledger.record(&release(vec![gaussian(reach, 4.0, 0.0)])).unwrap();
    }
    let error = ledger.record(&release(vec![gaussian(3.0, 4.0, 0.0)])).unwrap_err();
    assert!(error.to_string().contains("8 spent"), "{error}");
    let per_unit = Charge::new(Some("anna"), Metric::Euclidean, eps(4.0));
    assert!(ledger.record(&release(vec![per_unit])).is_err());
    // A guarantee that holds only for inputs very close together says nothing about inputs 1 apart.
    let error = ledger.record(&release(vec![gaussian(1e-6, 0.001, 0.0)])).unwrap_err();
    assert!(error.to_string().contains("does not reach the distance"), "{error}");
    // A limit for close inputs counts it.
    let close = Limit { within: 1e-6, ..limit(anna(), Counted::EachMetric, 10.0) };
    ledger.set_limit(&close).unwrap();
    ledger.record(&release(vec![gaussian(1e-6, 0.001, 0.0)])).unwrap();
}

#[test]
fn a_limit_without_delta_refuses_releases_that_have_one() {
    let test = TestLedger::new();
    let mut ledger = test.open();
    ledger.set_limit(&limit(anna(), Counted::EachMetric, 1e6)).unwrap();
    let error = ledger.record(&release(vec![gaussian(2.0, 1.0, 0.9)])).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::OverDelta { .. }), "{error}");
    assert!(error.to_string().contains("0.9 requested, 0 allowed"), "{error}");
    ledger.set_limit(&Limit { delta: 1e-5, ..limit(anna(), Counted::EachMetric, 1e6) }).unwrap();
    ledger.record(&release(vec![gaussian(2.0, 1.0, 6e-6)])).unwrap();
    let error = ledger.record(&release(vec![gaussian(2.0, 1.0, 6e-6)])).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::OverDelta { .. }), "{error}");
    ledger.record(&release(vec![gaussian(2.0, 1.0, 3e-6)])).unwrap();
}

#[test]
fn a_release_that_no_limit_can_express_is_refused() {
    let test = TestLedger::new();
    let mut ledger = test.open();
    ledger.set_limit(&limit(anna(), Counted::Metric(Metric::Chordal), 10.0)).unwrap();
    // Words that are kept: infinite between any two inputs, whatever their distance.
    let kept = || release(vec![Charge::new(Some("anna"), Metric::Discrete, Epsilon::INFINITE)]);
    let error = ledger.record(&kept()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::OverLimit { .. }), "{error}");
    let vectors = |epsilon| release(vec![Charge::new(Some("anna"), Metric::Euclidean, eps(epsilon))]);
    let error = ledger.record(&vectors(1e-9)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::OtherMetric { .. }), "{error}");
    for part in ["chordal ε", "euclidean ε", "Set a limit in that metric too"] {
        assert!(error.to_string().contains(part), "{error}");
    }
    ledger.record(&vectors(0.0)).unwrap();
    ledger.set_limit(&limit(anna(), Counted::Metric(Metric::Euclidean), 5.0)).unwrap();
    ledger.record(&vectors(5.0)).unwrap();
    assert!(ledger.record(&vectors(1.0)).is_err());
    // Without limits everything is recorded.
    ledger.remove_limit(&anna(), Counted::Metric(Metric::Chordal)).unwrap();
    ledger.remove_limit(&anna(), Counted::Metric(Metric::Euclidean)).unwrap();
    ledger.record(&kept()).unwrap();
}

#[test]
fn gaussian_releases_are_composed_where_that_is_tighter() {
    use inkveil_privacy::{Gaussian, VectorMechanism as _};
    let test = TestLedger::new();
    let mut ledger = test.open();
    let noise = Gaussian::new(8, eps(1.0), 1e-6, 2.0).unwrap();
    let zcdp = noise.zcdp().map(|budget| budget.rho());
    let one = || release(vec![Charge { zcdp, ..gaussian(2.0, 1.0, 1e-6) }]);
    // The sum of 30 releases would pass a limit of 20.
    ledger.set_limit(&Limit { delta: 1e-4, ..limit(anna(), Counted::EachMetric, 20.0) }).unwrap();
    for _ in 0..30 {
        ledger.record(&one()).unwrap();
    }
    let totals = ledger.totals(&Filter { subject: Some("anna".into()), ..Filter::default() }).unwrap();
    let total = totals.iter().find(|total| total.measure.metric().is_some()).unwrap();
    assert!(total.epsilon >= eps(30.0), "the plain sum is shown too");
    let composed = total.composed.unwrap();
    assert!(composed > eps(1.0) && composed < eps(12.0), "{composed}");
    assert_eq!(ledger.verify().unwrap(), []);
    // The same charges without ρ are added.
    let plain = TestLedger::new();
    let mut ledger = plain.open();
    ledger.set_limit(&Limit { delta: 1e-4, ..limit(anna(), Counted::EachMetric, 20.0) }).unwrap();
    for _ in 0..20 {
        ledger.record(&release(vec![gaussian(2.0, 1.0, 1e-6)])).unwrap();
    }
    assert!(ledger.record(&release(vec![gaussian(2.0, 1.0, 1e-6)])).is_err());
}

#[test]
fn a_release_without_a_subject_does_not_pass_a_limit_on_every_subject() {
    let test = TestLedger::new();
    let mut ledger = test.open();
    ledger.set_limit(&limit(BudgetScope::EverySubject, Counted::EachMetric, 10.0)).unwrap();
    for charges in [vec![charge(None, 1.0)], vec![charge(Some("anna"), 1.0), charge(None, 0.1)]] {
        let error = ledger.record(&release(charges)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NoSubject), "{error}");
    }
    assert_eq!(ledger.releases(Filter::default()).count(), 0);
    let free = Charge { worst_case: Some(Epsilon::ZERO), ..charge(None, 0.0) };
    ledger.record(&release(vec![free])).unwrap();
    ledger.record(&release(vec![charge(Some("anna"), 1.0)])).unwrap();
    // A limit on one subject or on datasets says nothing about the others.
    ledger.remove_limit(&BudgetScope::EverySubject, Counted::EachMetric).unwrap();
    ledger.set_limit(&limit(anna(), Counted::EachMetric, 10.0)).unwrap();
    ledger.record(&release(vec![charge(None, 1.0)])).unwrap();
}
