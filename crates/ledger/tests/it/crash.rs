//! Processes that end at the wrong moment, and processes that use one ledger at once.

use std::path::Path;
use std::process::{Child, Command};

use inkveil_ledger::{Filter, Ledger, Release, ReleaseId};

use crate::making::{Place, charge, eps, release};

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

/// Records and ends at once, as if the power had failed: nothing is closed.
#[test]
fn dies_after_recording() {
    let Some(path) = std::env::var_os(FILE) else { return };
    let mut ledger = Ledger::open(path).unwrap();
    ledger.record(&part(0)).unwrap();
    ledger.released(&part(0).id, 0).unwrap();
    ledger.record(&part(1)).unwrap();
    std::process::abort();
}

#[test]
fn what_was_recorded_and_not_confirmed_counts_as_spent() {
    let place = Place::new();
    assert!(!spawn("crash::dies_after_recording", &place.path).wait().unwrap().success());
    let mut ledger = place.open();
    let open: Vec<u64> = ledger.unconfirmed().map(|entry| entry.unwrap().part).collect();
    assert_eq!(open, [1]);
    let spent = |ledger: &Ledger| ledger.totals(&Filter::default()).unwrap()[0].epsilon;
    assert_eq!(spent(&ledger), eps(2.0));
    // The job resumes.
    assert!(ledger.record(&part(0)).unwrap().confirmed);
    let resumed = ledger.record(&part(1)).unwrap();
    assert!(resumed.already && !resumed.confirmed);
    ledger.released(&part(1).id, 1).unwrap();
    assert_eq!((ledger.unconfirmed().count(), spent(&ledger)), (0, eps(2.0)));
    assert_eq!(ledger.verify().unwrap(), []);
}

/// Creates the ledger too, if it is the first.
#[test]
fn spends_with_flushing() {
    let Some(path) = std::env::var_os(FILE) else { return };
    let mut ledger = Ledger::open(path).unwrap();
    for _ in 0..60 {
        ledger.record(&release(vec![charge(Some("anna"), 0.25)])).unwrap();
    }
}

#[test]
fn several_processes_create_and_use_one_ledger() {
    let place = Place::new();
    let children: Vec<Child> = (0..3).map(|_| spawn("crash::spends_with_flushing", &place.path)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let ledger = Ledger::open_existing(&place.path).unwrap();
    assert_eq!(ledger.releases(Filter::default()).count(), 180);
    assert_eq!(ledger.totals(&Filter::default()).unwrap()[0].epsilon, eps(45.0));
    assert_eq!(ledger.verify().unwrap(), []);
    drop(ledger);
    let names: Vec<_> =
        std::fs::read_dir(place.folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["budget.ledger"], "nothing is left beside it");
}

#[test]
fn readers_do_not_wait() {
    let place = Place::new();
    let mut writer = place.open();
    let reader = Ledger::open_existing(&place.path).unwrap();
    writer.record(&release(vec![charge(None, 1.0)])).unwrap();
    let mut entries = reader.releases(Filter::default());
    assert!(entries.next().is_some());
    writer.record(&release(vec![charge(None, 1.0)])).unwrap();
    assert_eq!(reader.totals(&Filter::default()).unwrap()[0].releases, 2);
}
