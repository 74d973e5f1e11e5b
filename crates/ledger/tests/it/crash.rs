//! Processes that crash, and several processes that use one ledger.

use std::path::Path;
use std::process::{Child, Command};

use inkveil_ledger::{Filter, Ledger, Release, ReleaseId};

use crate::making::{TestLedger, charge, eps, release};

const FILE: &str = "INKVEIL_LEDGER_CHILD";

fn spawn(test: &str, path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env(FILE, path)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

fn part(part: u64) -> Release {
    Release { id: ReleaseId([7; 16]), part, ..release(vec![charge(Some("anna"), 1.0)]) }
}

/// Records and aborts, as if the power had failed.
#[test]
fn child_process_aborts_after_recording() {
    let Some(path) = std::env::var_os(FILE) else { return };
    let mut ledger = Ledger::open(path).unwrap();
    ledger.record(&part(0)).unwrap();
    ledger.confirm(&part(0).id, 0).unwrap();
    ledger.record(&part(1)).unwrap();
    std::process::abort();
}

#[test]
fn unconfirmed_releases_count_as_spent() {
    let test = TestLedger::new();
    assert!(!spawn("crash::child_process_aborts_after_recording", &test.path).wait().unwrap().success());
    let mut ledger = test.open();
    let open: Vec<u64> = ledger.unconfirmed().map(|entry| entry.unwrap().part).collect();
    assert_eq!(open, [1]);
    let spent = |ledger: &Ledger| ledger.totals(&Filter::default()).unwrap()[0].epsilon;
    assert_eq!(spent(&ledger), eps(2.0));
    // The job resumes.
    assert!(ledger.record(&part(0)).unwrap().confirmed);
    let resumed = ledger.record(&part(1)).unwrap();
    assert!(resumed.already && !resumed.confirmed);
    ledger.confirm(&part(1).id, 1).unwrap();
    assert_eq!((ledger.unconfirmed().count(), spent(&ledger)), (0, eps(2.0)));
    assert_eq!(ledger.verify().unwrap(), []);
}

/// Also creates the ledger if it is the first process.
#[test]
fn child_process_records_with_flushing() {
    let Some(path) = std::env::var_os(FILE) else { return };
    let mut ledger = Ledger::open(path).unwrap();
    for _ in 0..60 {
        ledger.record(&release(vec![charge(Some("anna"), 0.25)])).unwrap();
    }
}

#[test]
fn several_processes_create_and_use_one_ledger() {
    let test = TestLedger::new();
    let children: Vec<Child> =
        (0..3).map(|_| spawn("crash::child_process_records_with_flushing", &test.path)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let ledger = Ledger::open_existing(&test.path).unwrap();
    assert_eq!(ledger.releases(Filter::default()).count(), 180);
    assert_eq!(ledger.totals(&Filter::default()).unwrap()[0].epsilon, eps(45.0));
    assert_eq!(ledger.verify().unwrap(), []);
    drop(ledger);
    let names: Vec<_> =
        std::fs::read_dir(test.folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["budget.ledger"], "no temporary files remain");
}

#[test]
fn readers_do_not_wait_for_writers() {
    let test = TestLedger::new();
    let mut writer = test.open();
    let reader = Ledger::open_existing(&test.path).unwrap();
    writer.record(&release(vec![charge(None, 1.0)])).unwrap();
    let mut entries = reader.releases(Filter::default());
    assert!(entries.next().is_some());
    writer.record(&release(vec![charge(None, 1.0)])).unwrap();
    assert_eq!(reader.totals(&Filter::default()).unwrap()[0].releases, 2);
}
