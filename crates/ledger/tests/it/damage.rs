//! Damaged ledgers: refused, or reported, or read as they were. Never a panic, and never other numbers.

use std::fs;
use std::path::Path;

use inkveil_ledger::{Charge, Counted, Error, Filter, Ledger, Limit, Problem, Release, Scope};
use inkveil_privacy::Metric;
use rusqlite::Connection;

use crate::making::{Place, charge, eps, release};

/// A ledger with a bit of everything.
fn full() -> Place {
    let place = Place::new();
    let mut ledger = place.open();
    let limit = |scope, counted| Limit { scope, counted, epsilon: eps(1e6) };
    ledger.set_limit(&limit(Scope::EverySubject, Counted::EachMetric)).unwrap();
    ledger.set_limit(&limit(Scope::Dataset("letters".into()), Counted::Metric(Metric::Chordal))).unwrap();
    let releases: Vec<Release> = (0..40u8)
        .map(|n| Release {
            content: (n % 2 == 0).then_some([n / 4; 32]),
            ..release(vec![charge(Some(&format!("person {}", n % 5)), f64::from(n)), charge(None, 0.1)])
        })
        .collect();
    ledger.record_all(&releases).unwrap();
    let rewrite = Release { dataset: "posts".into(), ..release(vec![Charge::without_promise(None, 1)]) };
    ledger.record(&rewrite).unwrap();
    ledger.all_released(&releases.iter().map(|r| (r.id, r.part)).collect::<Vec<_>>()).unwrap();
    place
}

/// All that a ledger says.
fn said(ledger: &Ledger) -> Result<String, Error> {
    let mut said = Vec::new();
    for entry in ledger.releases(Filter::default()) {
        entry?.write_json(&mut said).unwrap();
    }
    Ok(format!(
        "{}{:?}{:?}",
        String::from_utf8_lossy(&said),
        ledger.totals(&Filter::default())?,
        ledger.limits()?
    ))
}

/// What became of a damaged file.
#[derive(Debug, PartialEq)]
enum Fate {
    Refused,
    Reported,
    Same,
    Changed,
}

fn fate(path: &Path, truth: &str, often: bool) -> Fate {
    let examined = Ledger::examine(path);
    let Ok(mut ledger) = Ledger::open_existing(path) else {
        assert!(
            !matches!(&examined, Ok(problems) if problems.is_empty()),
            "refused, but verify says nothing"
        );
        return Fate::Refused;
    };
    let reported = !matches!(&examined, Ok(problems) if problems.is_empty());
    let fate = match said(&ledger) {
        Ok(found) if found == truth => Fate::Same,
        _ if reported => Fate::Reported,
        Ok(_) => Fate::Changed,
        Err(_) => Fate::Refused,
    };
    // Whether it is recorded does not matter here, only that nothing panics. Most files are as good as new, and a flush takes time.
    if fate == Fate::Same && !often {
        return fate;
    }
    let _ = ledger.record(&release(vec![charge(Some("person 1"), 1.0)]));
    fate
}

#[test]
fn flipped_bytes_never_change_what_is_said() {
    let place = full();
    let truth = said(&place.open()).unwrap();
    let bytes = fs::read(&place.path).unwrap();
    let copy = place.folder.path().join("copy.ledger");
    let mut fates = [0; 3];
    // Every byte of the header, and some of everything else. The step shares no factor with a page.
    for (turn, at) in (0..100).chain((100..bytes.len()).step_by(211)).enumerate() {
        let mut damaged = bytes.clone();
        damaged[at] ^= [0x01, 0x80, 0xff, 0x10][turn % 4];
        fs::write(&copy, &damaged).unwrap();
        let fate = fate(&copy, &truth, turn % 16 == 0);
        assert_ne!(fate, Fate::Changed, "byte {at}");
        fates[fate as usize] += 1;
        for beside in ["copy.ledger-wal", "copy.ledger-shm", "copy.ledger-journal"] {
            let _ = fs::remove_file(place.folder.path().join(beside));
        }
    }
    // Unused room is most of a small file; the rest is noticed.
    assert!(fates[0] + fates[1] > 50 && fates[2] > 50, "{fates:?}");
}

#[test]
fn cut_and_overwritten_files_never_change_what_is_said() {
    let place = full();
    let truth = said(&place.open()).unwrap();
    let bytes = fs::read(&place.path).unwrap();
    let copy = place.folder.path().join("copy.ledger");
    let page = 4096;
    let check = |name: &str, damaged: &[u8]| {
        fs::write(&copy, damaged).unwrap();
        assert_ne!(fate(&copy, &truth, true), Fate::Changed, "{name}");
        for beside in ["copy.ledger-wal", "copy.ledger-shm", "copy.ledger-journal"] {
            let _ = fs::remove_file(place.folder.path().join(beside));
        }
    };
    for length in (0..bytes.len()).step_by(1999).chain((0..bytes.len()).step_by(page)) {
        check(&format!("cut at {length}"), &bytes[..length]);
    }
    for start in (0..bytes.len()).step_by(page) {
        let mut zeroed = bytes.clone();
        zeroed[start..(start + page).min(bytes.len())].fill(0);
        check(&format!("no page at {start}"), &zeroed);
        let mut repeated = bytes.clone();
        repeated.copy_within(page..2 * page, start);
        check(&format!("the wrong page at {start}"), &repeated);
    }
}

#[test]
fn changed_rows_are_found_and_named() {
    let change = |statement: &str| {
        let place = full();
        let sqlite = Connection::open(&place.path).unwrap();
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
        Ledger::examine(&place.path).unwrap()
    };
    assert_eq!(change("SELECT 1"), []);
    assert!(
        change("UPDATE charges SET epsilon = 0 WHERE release = 3").contains(&Problem::Release { seq: 3 })
    );
    assert!(change("UPDATE releases SET at = at + 1 WHERE seq = 2").contains(&Problem::Release { seq: 2 }));
    assert!(change("DELETE FROM releases WHERE seq = 4").contains(&Problem::Missing { seq: 4 }));
    let end = "DELETE FROM charges WHERE release = 41; DELETE FROM releases WHERE seq = 41";
    assert!(change(end).contains(&Problem::Missing { seq: 41 }));
    let total = change("DELETE FROM totals WHERE scope = 'subject' AND name = 'person 2'");
    assert_eq!(total, [Problem::Total { of: "subject \"person 2\"".into() }]);
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
        let place = full();
        let mut ledger = place.open();
        Connection::open(&place.path).unwrap().execute_batch(statement).unwrap();
        let error = ledger.record(&release(vec![charge(None, 1.0)])).unwrap_err();
        assert!(error.to_string().contains("damaged"), "{error}");
    }
}
