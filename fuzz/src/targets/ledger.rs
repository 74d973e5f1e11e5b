//! Arbitrary bytes as the file of a ledger, and a good ledger with some bytes changed: opened, shown, verified, recorded to. With one byte
//! changed, what is opened and verified says what it said before.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use inkveil_ledger::{BudgetScope, Charge, Counted, Filter, Ledger, Limit, Release, ReleaseId};
use inkveil_privacy::{Epsilon, Metric, ReleaseKind, Unit};

fn release(part: u64) -> Release {
    let epsilon = Epsilon::new(part as f64).expect("a budget");
    Release {
        id: ReleaseId([7; 16]),
        part,
        dataset: "letters".into(),
        kind: ReleaseKind::Text,
        mechanism: "polar".into(),
        unit: Unit::Token,
        secure: true,
        receipt: "0".repeat(64),
        content: Some([part as u8 % 3; 32]),
        charges: vec![
            Charge::new(Some("anna"), Metric::Chordal, epsilon),
            Charge::without_guarantee(None, 1),
        ],
    }
}

/// All that a ledger says, if it can be read to its end.
fn said(ledger: &Ledger) -> Option<String> {
    let mut said = Vec::new();
    for entry in ledger.releases(Filter::default()) {
        let entry = entry.ok()?;
        entry.write_json(&mut said).expect("memory can be written");
        entry.write_csv(&mut said).expect("memory can be written");
    }
    let totals = ledger.totals(&Filter::default()).ok()?;
    Some(format!("{}{totals:?}{:?}", String::from_utf8_lossy(&said), ledger.limits().ok()?))
}

/// The bytes of a good ledger, and all that it says.
fn good() -> &'static (Vec<u8>, String) {
    static GOOD: OnceLock<(Vec<u8>, String)> = OnceLock::new();
    GOOD.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("good.ledger");
        let mut ledger = Ledger::open(&path).expect("a new ledger");
        let epsilon = Epsilon::new(1e9).expect("a budget");
        let limit = Limit::new(BudgetScope::EverySubject, Counted::EachMetric, epsilon);
        ledger.record_all(&(0..20).map(release).collect::<Vec<_>>()).expect("they can be recorded");
        // Some of them have no subject, which this limit would refuse.
        ledger.set_limit(&limit).expect("a limit");
        ledger.confirm(&ReleaseId([7; 16]), 3).expect("it was recorded");
        let truth = said(&ledger).expect("it can be read");
        drop(ledger);
        (fs::read(&path).expect("the file"), truth)
    })
}

/// Uses a file as if it were a ledger.
fn use_it(path: &Path, truth: Option<&str>) {
    let examined = Ledger::examine(path);
    if let Ok(mut ledger) = Ledger::open_existing(path) {
        let found = said(&ledger);
        let fine = ledger.verify().is_ok_and(|problems| problems.is_empty());
        if let (true, Some(truth), Some(found)) = (fine, truth, &found) {
            assert_eq!(found, truth, "verified, and yet it says something else");
        }
        let _ = ledger.record(&release(3));
        let _ = ledger.record(&release(100));
        let _ = ledger.confirm(&ReleaseId([7; 16]), 4);
    } else {
        assert!(!matches!(examined, Ok(problems) if problems.is_empty()), "refused, but verify says nothing");
    }
}

pub fn run(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("fuzzed.ledger");
    if first % 2 == 0 {
        fs::write(&path, rest).expect("a file");
        use_it(&path, None);
    } else {
        let (mut file, truth) = good().clone();
        // Each four bytes are a place and what is put there.
        for change in rest.chunks_exact(4) {
            let at = usize::from(change[0]) << 16 | usize::from(change[1]) << 8 | usize::from(change[2]);
            let at = at % file.len();
            file[at] = change[3];
        }
        fs::write(&path, &file).expect("a file");
        // Hashes show accidents: many changes that fit each other could be a forger's.
        use_it(&path, (rest.len() < 8).then_some(truth.as_str()));
    }
}
