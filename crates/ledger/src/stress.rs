//! Two processes that spend from one ledger at once. Here flushing to the disk is turned off, which changes what survives a loss of
//! power and nothing else, since ten thousand flushes take a minute; `tests/it/crash.rs` spends with flushing.

use std::process::Command;

use inkveil_privacy::{Epsilon, Metric, ReleaseKind, Unit};

use crate::{Charge, Counted, ErrorKind, Filter, Ledger, Limit, Release, ReleaseId, Scope};

const FILE: &str = "INKVEIL_LEDGER_STRESS";

/// So many releases of 0.1 are tried by each of two processes.
const TRIES: u64 = 5_500;

fn release(id: ReleaseId, part: u64) -> Release {
    let receipt = Charge::new(Some("anna"), Metric::Chordal, Epsilon::new(0.1).unwrap());
    Release {
        id,
        part,
        dataset: "letters".into(),
        kind: ReleaseKind::Text,
        mechanism: "vmf".into(),
        unit: Unit::Token,
        secure: true,
        receipt: "0".repeat(64),
        content: None,
        charges: vec![receipt],
    }
}

/// What each process does; without the variable that names a file it is an empty test.
#[test]
fn spends() {
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
fn two_processes_never_pass_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ledger");
    // The limit is what 10,000 additions of 0.1 come to, each rounded up.
    let tenth = Epsilon::new(0.1).unwrap();
    let limit = (0..10_000).fold(Epsilon::ZERO, |sum, _| sum.checked_add(tenth).unwrap());
    let scope = Scope::Subject("anna".into());
    let mut ledger = Ledger::open(&path).unwrap();
    ledger.set_limit(&Limit { scope: scope.clone(), counted: Counted::EachMetric, epsilon: limit }).unwrap();
    let spawn = || {
        Command::new(std::env::current_exe().unwrap())
            .args(["stress::spends", "--exact", "--nocapture"])
            .env(FILE, &path)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap()
    };
    let children = [spawn(), spawn()];
    let mut refused = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{said}");
        let word = said.split("refused ").nth(1).unwrap().split_whitespace().next().unwrap();
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
