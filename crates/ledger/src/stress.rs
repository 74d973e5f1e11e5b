//! Two processes that record in one ledger at the same time. Flushing to disk is turned off here,
//! since ten thousand flushes take a minute. This only affects a loss of power; `tests/it/crash.rs`
//! runs with flushing.

use std::process::Command;

use inkveil_privacy::{Epsilon, Metric, ReleaseKind, Unit};

use crate::{BudgetScope, Charge, Counted, ErrorKind, Filter, Ledger, Limit, Release, ReleaseId};

const FILE: &str = "INKVEIL_LEDGER_STRESS";

/// The number of releases of 0.1 that each of two processes tries.
const TRIES: u64 = 5_500;

fn release(id: ReleaseId, part: u64) -> Release {
    let charge = Charge::new(Some("anna"), Metric::Chordal, Epsilon::new(0.1).unwrap());
    Release {
        id,
        part,
        dataset: "letters".into(),
        kind: ReleaseKind::Text,
        mechanism: "polar".into(),
        unit: Unit::Token,
        secure: true,
        receipt: "0".repeat(64),
        content: None,
        charges: vec![charge],
    }
}

/// The work of each process. Without the environment variable this test does nothing.
#[test]
fn child_process_records() {
    let Some(path) = std::env::var_os(FILE) else { return };
    let mut ledger = Ledger::open(path).unwrap();
    ledger.connection.pragma_update(None, "synchronous", "OFF").unwrap();
    let id = ReleaseId::fresh().unwrap();
    let mut refused = 0;
    for part in 0..TRIES {
        match ledger.record(&release(id, part)) {
            Ok(recorded) => assert!(!recorded.already),
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::OverLimit { .. }), "{error}");
                refused += 1;
            }
        }
    }
    println!("refused {refused}");
}

#[test]
fn two_processes_never_exceed_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ledger");
    // The limit is the sum of 10,000 additions of 0.1, each rounded up.
    let tenth = Epsilon::new(0.1).unwrap();
    let limit = (0..10_000).fold(Epsilon::ZERO, |sum, _| sum.checked_add(tenth).unwrap());
    let scope = BudgetScope::Subject("anna".into());
    let mut ledger = Ledger::open(&path).unwrap();
    ledger.set_limit(&Limit::new(scope.clone(), Counted::EachMetric, limit)).unwrap();
    let spawn = || {
        Command::new(std::env::current_exe().unwrap())
            .args(["stress::child_process_records", "--exact", "--nocapture"])
            .env(FILE, &path)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap()
    };
    let children = [spawn(), spawn()];
    let mut refused = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        let output_text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{output_text}");
        let word = output_text.split("refused ").nth(1).unwrap().split_whitespace().next().unwrap();
        refused += word.parse::<u64>().unwrap();
    }
    let filter = Filter { subject: Some("anna".into()), ..Filter::default() };
    let total =
        ledger.totals(&filter).unwrap().into_iter().find(|t| t.measure.to_string() == "chordal").unwrap();
    assert_eq!((total.epsilon, total.releases, refused), (limit, 10_000, 2 * TRIES - 10_000));
    assert_eq!(total.left, Some(Epsilon::ZERO));
    assert_eq!(ledger.releases(Filter::default()).count(), 10_000);
    assert_eq!(ledger.verify().unwrap(), []);
}

#[test]
fn a_ledger_that_stays_locked_records_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ledger");
    let mut ledger = Ledger::open(&path).unwrap();
    let other = Ledger::open(&path).unwrap();
    other.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    // Patience would only slow down the test.
    ledger.connection.busy_timeout(std::time::Duration::from_millis(20)).unwrap();
    let charge = crate::Charge::new(None, inkveil_privacy::Metric::Chordal, inkveil_privacy::Epsilon::ZERO);
    let release = crate::Release {
        id: crate::ReleaseId([1; 16]),
        part: 0,
        dataset: "letters".into(),
        kind: inkveil_privacy::ReleaseKind::Text,
        mechanism: "polar".into(),
        unit: inkveil_privacy::Unit::Token,
        secure: true,
        receipt: "ab".repeat(32),
        content: None,
        charges: vec![charge],
    };
    let error = ledger.record(&release).unwrap_err();
    assert!(matches!(error.kind(), crate::ErrorKind::Busy { .. }), "{error}");
    other.connection.execute_batch("ROLLBACK").unwrap();
    assert_eq!(ledger.releases(crate::Filter::default()).count(), 0);
    ledger.record(&release).unwrap();
}
