//! Limits: what is refused, and what is said about it.

use inkveil_ledger::{Charge, Counted, ErrorKind, Filter, Limit, Measure, Scope};
use inkveil_privacy::{Epsilon, Metric};

use crate::making::{Place, charge, eps, release};

fn limit(scope: Scope, counted: Counted, epsilon: f64) -> Limit {
    Limit { scope, counted, epsilon: eps(epsilon) }
}

fn anna() -> Scope {
    Scope::Subject("anna".into())
}

#[test]
fn a_limit_refuses_and_says_what_is_left() {
    let place = Place::new();
    let mut ledger = place.open();
    ledger.set_limit(&limit(anna(), Counted::EachMetric, 10.0)).unwrap();
    ledger.record(&release(vec![charge(Some("anna"), 7.0)])).unwrap();
    let error = ledger.record(&release(vec![charge(Some("anna"), 4.0)])).unwrap_err();
    let ErrorKind::OverLimit { scope, measure, spent, asked, left, limit } = error.kind() else {
        panic!("{error}")
    };
    assert_eq!((scope, measure.to_string().as_str()), (&anna(), "chordal"));
    assert_eq!([*spent, *asked, *left, *limit], [7.0, 4.0, 3.0, 10.0].map(eps));
    let said = error.to_string();
    for part in
        ["subject \"anna\"", "7 spent", "4 asked", "3 left of 10", "inkveil ledger limit", "budget.ledger"]
    {
        assert!(said.contains(part), "{said}");
    }
    // Nothing was written, and what fits still fits, to the last bit.
    assert_eq!(ledger.releases(Filter::default()).count(), 1);
    ledger.record(&release(vec![charge(Some("anna"), 3.0)])).unwrap();
    assert!(ledger.record(&release(vec![charge(Some("anna"), 1e-300)])).is_err());
    ledger.record(&release(vec![charge(Some("anna"), 0.0)])).unwrap();
    ledger.record(&release(vec![charge(Some("ben"), 50.0)])).unwrap();
    assert_eq!(ledger.verify().unwrap(), []);
}

#[test]
fn a_refused_release_charges_nobody() {
    let place = Place::new();
    let mut ledger = place.open();
    ledger.set_limit(&limit(anna(), Counted::EachMetric, 1.0)).unwrap();
    let both = vec![charge(Some("aaron"), 5.0), charge(Some("anna"), 5.0)];
    assert!(ledger.record(&release(both)).is_err());
    assert!(ledger.totals(&Filter::default()).unwrap().is_empty());
    // Many at once: all or none.
    let many = [release(vec![charge(Some("anna"), 0.75)]), release(vec![charge(Some("anna"), 0.75)])];
    assert!(ledger.record_all(&many).is_err());
    assert_eq!(ledger.releases(Filter::default()).count(), 0);
    assert_eq!(ledger.record_all(&many[..1]).unwrap().len(), 1);
}

#[test]
fn defaults_and_own_limits() {
    let place = Place::new();
    let mut ledger = place.open();
    ledger.set_limit(&limit(Scope::EverySubject, Counted::EachMetric, 10.0)).unwrap();
    ledger.set_limit(&limit(anna(), Counted::EachMetric, 20.0)).unwrap();
    ledger.set_limit(&limit(Scope::Dataset("letters".into()), Counted::EachMetric, 25.0)).unwrap();
    assert!(ledger.record(&release(vec![charge(Some("ben"), 11.0)])).is_err());
    ledger.record(&release(vec![charge(Some("anna"), 20.0)])).unwrap();
    // Ben has enough, but the dataset has not.
    let error = ledger.record(&release(vec![charge(Some("ben"), 6.0)])).unwrap_err();
    assert!(error.to_string().contains("dataset \"letters\""), "{error}");
    // A charge without a subject counts for the dataset.
    ledger.record(&release(vec![charge(None, 5.0)])).unwrap();
    assert!(ledger.record(&release(vec![charge(None, 1.0)])).is_err());

    assert_eq!(ledger.limits().unwrap().len(), 3);
    assert!(ledger.remove_limit(&Scope::Dataset("letters".into()), Counted::EachMetric).unwrap());
    assert!(!ledger.remove_limit(&Scope::Dataset("letters".into()), Counted::EachMetric).unwrap());
    ledger.record(&release(vec![charge(None, 1.0)])).unwrap();
    assert_eq!(ledger.verify().unwrap(), []);
}

#[test]
fn metrics_are_counted_apart_and_worst_cases_together() {
    let place = Place::new();
    let mut ledger = place.open();
    let euclidean = |epsilon, worst_case| Charge {
        worst_case,
        ..Charge::new(Some("anna"), Metric::Euclidean, eps(epsilon))
    };
    ledger.set_limit(&limit(anna(), Counted::Metric(Metric::Chordal), 10.0)).unwrap();
    ledger.set_limit(&limit(anna(), Counted::WorstCase, 30.0)).unwrap();
    ledger.record(&release(vec![charge(Some("anna"), 10.0)])).unwrap(); // worst case 20
    ledger.record(&release(vec![euclidean(1000.0, Some(eps(10.0)))])).unwrap(); // and 10
    let error = ledger.record(&release(vec![euclidean(1.0, Some(eps(1.0)))])).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::OverLimit { measure: Measure::WorstCase, .. }), "{error}");
    // Without a worst case there is no bound on it.
    ledger.set_limit(&limit(anna(), Counted::WorstCase, 1e9)).unwrap();
    let error = ledger.record(&release(vec![euclidean(1.0, None)])).unwrap_err();
    assert!(error.to_string().contains("counts as infinite"), "{error}");
    ledger
        .set_limit(&Limit { scope: anna(), counted: Counted::WorstCase, epsilon: Epsilon::INFINITE })
        .unwrap();
    ledger.record(&release(vec![euclidean(1.0, None)])).unwrap();
}

#[test]
fn what_promises_nothing_is_infinite() {
    let place = Place::new();
    let mut ledger = place.open();
    let nothing = || release(vec![Charge::without_promise(Some("anna"), 1)]);
    for counted in [Counted::EachMetric, Counted::Metric(Metric::Euclidean), Counted::WorstCase] {
        ledger.set_limit(&limit(anna(), counted, 1e300)).unwrap();
        assert!(ledger.record(&nothing()).is_err(), "{counted}");
        ledger.remove_limit(&anna(), counted).unwrap();
    }
    ledger.record(&nothing()).unwrap();
    // From now on there is nothing left, whatever the limit.
    ledger.set_limit(&limit(anna(), Counted::Metric(Metric::Chordal), 100.0)).unwrap();
    let error = ledger.record(&release(vec![charge(Some("anna"), 1.0)])).unwrap_err();
    assert!(error.to_string().contains("inf spent") && error.to_string().contains("0 left"), "{error}");
}

#[test]
fn totals_show_limits_and_what_is_left() {
    let place = Place::new();
    let mut ledger = place.open();
    ledger.set_limit(&limit(Scope::EverySubject, Counted::EachMetric, 10.0)).unwrap();
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
    assert!(all.iter().any(|t| t.scope == Scope::Dataset("letters".into()) && t.epsilon == eps(3.5)));
}
