//! Damaged ledgers are refused, reported, or read correctly. They never cause a panic or wrong
//! numbers.

use std::fs;
use std::path::Path;

use inkveil_ledger::{BudgetScope, Charge, Counted, Error, Filter, Ledger, LedgerProblem, Limit, Release};
use inkveil_privacy::Metric;
use rusqlite::Connection;

use crate::making::{TestLedger, charge, eps, release};

/// A ledger with rows in every table.
fn filled_ledger() -> TestLedger {
    let test = TestLedger::new();
    let mut ledger = test.open();
    let releases: Vec<Release> = (0..40u8)
        .map(|n| Release {
            content: (n % 2 == 0).then_some([n / 4; 32]),
            ..release(vec![charge(Some(&format!("person {}", n % 5)), f64::from(n)), charge(None, 0.1)])
        })
        .collect();
    ledger.record_all(&releases).unwrap();
    let rewrite = Release { dataset: "posts".into(), ..release(vec![Charge::without_guarantee(None, 1)]) };
    ledger.record(&rewrite).unwrap();
    ledger.confirm_all(&releases.iter().map(|r| (r.id, r.part)).collect::<Vec<_>>()).unwrap();
    // Limits come last: some of these releases name no subject.
    let limit = |scope, counted| Limit::new(scope, counted, eps(1e6));
    ledger.set_limit(&limit(BudgetScope::EverySubject, Counted::EachMetric)).unwrap();
    ledger
        .set_limit(&limit(BudgetScope::Dataset("letters".into()), Counted::Metric(Metric::Chordal)))
        .unwrap();
    test
}

#[test]
fn rows_that_were_removed_or_added_are_noticed_when_the_ledger_is_opened() {
    for damage in [
        "DELETE FROM limits WHERE scope = 'every-subject'",
        "DELETE FROM limits",
        "DELETE FROM totals",
        "DELETE FROM totals WHERE scope = 'subject' AND name = 'person 1'",
        "DELETE FROM confirmations WHERE release = 3",
        "DELETE FROM row_sets",
        "DELETE FROM row_sets WHERE name = 'limits'; DELETE FROM limits",
        "UPDATE row_sets SET rows = 0",
        "INSERT INTO totals SELECT scope, 'person 9', measure, space, within, epsilon, delta, rho, rest_epsilon, \
         rest_delta, units, releases, seal FROM totals WHERE name = 'person 1'",
    ] {
        let test = filled_ledger();
        assert!(Ledger::open_existing(&test.path).unwrap().verify().unwrap().is_empty());
        Connection::open(&test.path).unwrap().execute_batch(damage).unwrap();
        let error = Ledger::open_existing(&test.path).unwrap_err();
        assert!(matches!(error.kind(), inkveil_ledger::ErrorKind::Corrupt { .. }), "{damage}: {error}");
        assert!(!Ledger::examine(&test.path).unwrap().is_empty(), "{damage}");
    }
}

/// Makes a ledger look as version 1 wrote it.
fn as_version_1(test: &TestLedger) {
    let connection = Connection::open(&test.path).unwrap();
    connection.execute_batch("DROP TABLE row_sets; PRAGMA user_version = 1").unwrap();
}

#[test]
fn a_ledger_of_version_1_is_brought_to_this_version_and_keeps_its_rows() {
    let test = filled_ledger();
    let truth = content(&test.open()).unwrap();
    as_version_1(&test);
    let mut ledger = Ledger::open_existing(&test.path).unwrap();
    assert_eq!(content(&ledger).unwrap(), truth);
    assert!(ledger.verify().unwrap().is_empty());
    ledger.record(&release(vec![charge(Some("person 1"), 1.0)])).unwrap();
    drop(ledger);
    Connection::open(&test.path).unwrap().execute_batch("DELETE FROM limits").unwrap();
    assert!(Ledger::open(&test.path).is_err());
}

#[test]
fn a_ledger_of_version_1_without_its_totals_is_refused_and_stays_as_it_is() {
    let test = filled_ledger();
    as_version_1(&test);
    Connection::open(&test.path)
        .unwrap()
        .execute_batch("DELETE FROM totals WHERE scope = 'subject'")
        .unwrap();
    assert!(Ledger::open(&test.path).is_err());
    let version: i64 = Connection::open(&test.path)
        .unwrap()
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert_eq!(version, 1);
}

/// Returns all data of a ledger as text.
fn content(ledger: &Ledger) -> Result<String, Error> {
    let mut json = Vec::new();
    for entry in ledger.releases(Filter::default()) {
        entry?.write_json(&mut json).unwrap();
    }
    Ok(format!(
        "{}{:?}{:?}",
        String::from_utf8_lossy(&json),
        ledger.totals(&Filter::default())?,
        ledger.limits()?
    ))
}

/// What happens with a damaged file.
#[derive(Debug, PartialEq)]
enum Outcome {
    Refused,
    Reported,
    Same,
    Changed,
}

fn outcome(path: &Path, truth: &str, often: bool) -> Outcome {
    let examined = Ledger::examine(path);
    let Ok(mut ledger) = Ledger::open_existing(path) else {
        assert!(
            !matches!(&examined, Ok(problems) if problems.is_empty()),
            "refused, but verify reports no problem"
        );
        return Outcome::Refused;
    };
    let reported = !matches!(&examined, Ok(problems) if problems.is_empty());
    let outcome = match content(&ledger) {
        Ok(found) if found == truth => Outcome::Same,
        _ if reported => Outcome::Reported,
        Ok(_) => Outcome::Changed,
        Err(_) => Outcome::Refused,
    };
    // Recording may fail here but must not panic. Most files are undamaged in practice, and a flush
    // takes time.
    if outcome == Outcome::Same && !often {
        return outcome;
    }
    let _ = ledger.record(&release(vec![charge(Some("person 1"), 1.0)]));
    outcome
}

#[test]
fn flipped_bytes_never_change_the_content() {
    let test = filled_ledger();
    let truth = content(&test.open()).unwrap();
    let bytes = fs::read(&test.path).unwrap();
    let copy = test.folder.path().join("copy.ledger");
    let mut outcomes = [0; 3];
    // Every byte of the header and a sample of all others. The step has no common factor with the
    // page size.
    for (turn, at) in (0..100).chain((100..bytes.len()).step_by(211)).enumerate() {
        let mut damaged = bytes.clone();
        damaged[at] ^= [0x01, 0x80, 0xff, 0x10][turn % 4];
        fs::write(&copy, &damaged).unwrap();
        let outcome = outcome(&copy, &truth, turn % 16 == 0);
        assert_ne!(outcome, Outcome::Changed, "byte {at}");
        outcomes[outcome as usize] += 1;
        for beside in ["copy.ledger-wal", "copy.ledger-shm", "copy.ledger-journal"] {
            let _ = fs::remove_file(test.folder.path().join(beside));
        }
    }
    // Most of a small file is unused space. Damage to the rest is detected.
    assert!(outcomes[0] + outcomes[1] > 50 && outcomes[2] > 50, "{outcomes:?}");
}

#[test]
fn truncated_and_overwritten_files_never_change_the_content() {
    let test = filled_ledger();
    let truth = content(&test.open()).unwrap();
    let bytes = fs::read(&test.path).unwrap();
    let copy = test.folder.path().join("copy.ledger");
    let page = 4096;
    let check = |name: &str, damaged: &[u8]| {
        fs::write(&copy, damaged).unwrap();
        assert_ne!(outcome(&copy, &truth, true), Outcome::Changed, "{name}");
        for beside in ["copy.ledger-wal", "copy.ledger-shm", "copy.ledger-journal"] {
            let _ = fs::remove_file(test.folder.path().join(beside));
        }
    };
    for length in (0..bytes.len()).step_by(1999).chain((0..bytes.len()).step_by(page)) {
        check(&format!("truncated at {length}"), &bytes[..length]);
    }
    for start in (0..bytes.len()).step_by(page) {
        let mut zeroed = bytes.clone();
        zeroed[start..(start + page).min(bytes.len())].fill(0);
        check(&format!("zeroed page at {start}"), &zeroed);
        let mut repeated = bytes.clone();
        repeated.copy_within(page..2 * page, start);
        check(&format!("wrong page at {start}"), &repeated);
    }
}

#[test]
fn changed_rows_are_reported() {
    let change = |statement: &str| {
        let test = filled_ledger();
        let sqlite = Connection::open(&test.path).unwrap();
        let unlock = "PRAGMA foreign_keys = OFF; PRAGMA recursive_triggers = OFF; DROP TRIGGER releases_stay; \
                      DROP TRIGGER releases_remain; DROP TRIGGER charges_stay; DROP TRIGGER charges_remain;";
        let triggers: Vec<String> = {
            let mut found = sqlite
                .prepare("SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid")
                .unwrap();
            found.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
        };
        sqlite.execute_batch(&format!("{unlock} {statement}; {};", triggers.join(";"))).unwrap();
        sqlite.close().unwrap();
        Ledger::examine(&test.path).unwrap()
    };
    assert_eq!(change("SELECT 1"), []);
    assert!(
        change("UPDATE charges SET epsilon = 0 WHERE release = 3")
            .contains(&LedgerProblem::Release { seq: 3 })
    );
    assert!(
        change("UPDATE releases SET at = at + 1 WHERE seq = 2").contains(&LedgerProblem::Release { seq: 2 })
    );
    assert!(change("DELETE FROM releases WHERE seq = 4").contains(&LedgerProblem::Missing { seq: 4 }));
    let end = "DELETE FROM charges WHERE release = 41; DELETE FROM releases WHERE seq = 41";
    assert!(change(end).contains(&LedgerProblem::Missing { seq: 41 }));
    let total = change("DELETE FROM totals WHERE scope = 'subject' AND name = 'person 2'");
    assert!(total.contains(&LedgerProblem::Total { of: "subject \"person 2\"".into() }), "{total:?}");
    for statement in [
        "UPDATE totals SET epsilon = 0 WHERE scope = 'dataset'",
        "UPDATE limits SET epsilon = 1e9",
        "UPDATE confirmations SET at = 5 WHERE release = 7",
        "UPDATE ledger SET content_key = zeroblob(32)",
        "UPDATE releases SET kind = 'poem' WHERE seq = 9",
        "UPDATE releases SET dataset = CAST(x'ff' AS TEXT) WHERE seq = 9",
    ] {
        assert!(!change(statement).is_empty(), "{statement}");
    }
}

#[test]
fn a_changed_limit_or_total_stops_recording() {
    for statement in
        ["UPDATE limits SET epsilon = 1e300", "UPDATE totals SET epsilon = 0 WHERE scope = 'dataset'"]
    {
        let test = filled_ledger();
        let mut ledger = test.open();
        Connection::open(&test.path).unwrap().execute_batch(statement).unwrap();
        let error = ledger.record(&release(vec![charge(Some("person 1"), 1.0)])).unwrap_err();
        assert!(error.to_string().contains("damaged"), "{error}");
    }
}
