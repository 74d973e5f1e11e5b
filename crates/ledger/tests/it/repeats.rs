//! Repeated releases and repeated contents.

use inkveil_ledger::{ErrorKind, Filter, Release, ReleaseId};

use crate::making::{TestLedger, charge, eps, release};

#[test]
fn a_resumed_job_spends_its_budget_once() {
    let test = TestLedger::new();
    let mut ledger = test.open();
    let first = release(vec![charge(Some("anna"), 3.0)]);
    let second = Release { part: 1, ..first.clone() };
    assert!(!ledger.record(&first).unwrap().already);
    assert!(!ledger.record(&second).unwrap().already);
    let again = ledger.record(&first).unwrap();
    assert!(again.already && !again.confirmed && again.seq == 1);
    ledger.confirm(&first.id, 0).unwrap();
    ledger.confirm(&first.id, 0).unwrap();
    assert!(ledger.record(&first).unwrap().confirmed);
    let totals = ledger.totals(&Filter::default()).unwrap();
    assert!(totals.iter().all(|t| t.releases == 2 && [eps(6.0), eps(12.0)].contains(&t.epsilon)));

    for (what, other) in [
        ("receipt", Release { receipt: "f".repeat(64), ..first.clone() }),
        ("charge", Release { charges: vec![charge(Some("anna"), 2.0)], ..first.clone() }),
        ("content", Release { content: Some([1; 32]), ..first.clone() }),
        ("dataset", Release { dataset: "other".into(), ..first.clone() }),
        ("randomness", Release { secure: false, ..first.clone() }),
    ] {
        let error = ledger.record(&other).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Conflict { .. }) && error.to_string().contains(what),
            "{error}"
        );
    }
    let unknown = ledger.confirm(&ReleaseId([0; 16]), 0).unwrap_err();
    assert!(matches!(unknown.kind(), ErrorKind::NotRecorded { .. }));
    assert!(ledger.confirm(&first.id, u64::MAX).is_err());
}

#[test]
fn repeated_content_is_reported() {
    let test = TestLedger::new();
    let mut ledger = test.open();
    let of = |content: u8, epsilon| Release {
        content: Some([content; 32]),
        ..release(vec![charge(None, epsilon)])
    };
    let first = of(1, 1.0);
    assert_eq!(ledger.record(&first).unwrap().earlier.releases, 0);
    assert_eq!(ledger.record(&of(2, 1.0)).unwrap().earlier.releases, 0);
    let second = of(1, 2.0);
    let reported = ledger.record(&second).unwrap().earlier;
    assert_eq!(reported.releases, 1);
    let third = ledger.record(&of(1, 4.0)).unwrap().earlier;
    assert_eq!(third.releases, 2);
    assert!(third.last.is_some());
    let spent: Vec<(String, f64)> = third.spent.iter().map(|(m, e)| (m.to_string(), e.get())).collect();
    assert_eq!(spent, [("chordal".to_owned(), 3.0), ("worst-case".to_owned(), 6.0)]);
    // A resumed job gets the same report as before, without its own release.
    assert_eq!(ledger.record(&first).unwrap().earlier.releases, 0);
    assert_eq!(ledger.record(&second).unwrap().earlier, reported);
    // Without a content hash nothing is compared.
    assert_eq!(ledger.record(&release(vec![charge(None, 1.0)])).unwrap().earlier.releases, 0);
}

#[test]
fn two_ledgers_hash_the_same_content_differently() {
    let content = || Release { content: Some([1; 32]), ..release(vec![charge(None, 1.0)]) };
    let tags: Vec<[u8; 32]> = (0..2)
        .map(|_| {
            let test = TestLedger::new();
            let mut ledger = test.open();
            ledger.record(&content()).unwrap();
            let entry = ledger.releases(Filter::default()).next().unwrap().unwrap();
            entry.content.unwrap()
        })
        .collect();
    assert_ne!(tags[0], tags[1]);
    assert!(!tags.contains(&[1; 32]));
    assert!(!format!("{:?}", content()).contains("[1, 1"), "the content hash is not printed");
}

#[test]
fn invalid_releases_are_refused() {
    let test = TestLedger::new();
    let mut ledger = test.open();
    let good = release(vec![charge(Some("anna"), 1.0)]);
    for bad in [
        Release { dataset: String::new(), ..good.clone() },
        Release { dataset: "a\u{1b}[31m".into(), ..good.clone() },
        Release { mechanism: "x".repeat(5000), ..good.clone() },
        Release { receipt: "short".into(), ..good.clone() },
        Release { charges: vec![], ..good.clone() },
        Release { part: u64::MAX, ..good.clone() },
    ] {
        assert!(matches!(ledger.record(&bad).unwrap_err().kind(), ErrorKind::Invalid { .. }));
    }
    assert_eq!(ledger.releases(Filter::default()).count(), 0);
}

#[test]
fn filters_apply_across_pages() {
    let test = TestLedger::new();
    let mut ledger = test.open();
    let releases: Vec<Release> = (0..1500)
        .map(|n| Release {
            dataset: format!("set {}", n % 3),
            ..release(vec![charge(Some(["anna", "ben"][n % 2]), 1.0)])
        })
        .collect();
    ledger.record_all(&releases).unwrap();
    ledger.confirm_all(&releases[..1400].iter().map(|r| (r.id, r.part)).collect::<Vec<_>>()).unwrap();
    assert_eq!(ledger.releases(Filter::default()).count(), 1500);
    let both = Filter { subject: Some("anna".into()), dataset: Some("set 0".into()), ..Filter::default() };
    assert_eq!(ledger.releases(both).count(), 250);
    assert_eq!(ledger.unconfirmed().count(), 100);
    assert_eq!(ledger.verify().unwrap(), []);
}
