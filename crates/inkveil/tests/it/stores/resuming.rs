//! A run that stopped is run again.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::Connection;

use super::release::{BATCH, ReleaseError};
use super::sqlite::SqliteStore;
use super::store::{Store, StoreError};
use super::{Eventful, OnInsert, dim, embedded, release};

const EPSILON: f64 = 1000.0;

fn lost() -> StoreError {
    StoreError::Lost { store: "SQLite", reason: "the test says so".to_owned() }
}

/// The rows of a file, bit for bit. A row that is there twice fails.
fn rows(file: &Path) -> BTreeMap<u64, Vec<u8>> {
    let connection = Connection::open(file).unwrap();
    let mut select = connection.prepare("SELECT id, vector FROM veiled").unwrap();
    let mut all = BTreeMap::new();
    for row in select.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?))).unwrap() {
        let (id, vector) = row.unwrap();
        assert!(all.insert(u64::try_from(id).unwrap(), vector).is_none());
    }
    all
}

/// Stops at the second batch, resumes with the same key, and says how many rows are stored when it stops.
fn stop_and_resume(on_insert: OnInsert<'_>) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let (whole, file) = (folder.path().join("whole.db"), folder.path().join("stopped.db"));
    release(&mut SqliteStore::open(Some(&whole), dim()).unwrap(), EPSILON, 7).unwrap();

    let mut store = SqliteStore::open(Some(&file), dim()).unwrap();
    let mut first = Eventful::new(&mut store, on_insert);
    let error = release(&mut first, EPSILON, 7).unwrap_err();
    let all = embedded().texts.len();
    assert!(matches!(error, ReleaseError::Stopped { stored: BATCH, .. }), "{error}");
    let said = error.to_string();
    assert!(said.contains(&format!("at least {BATCH} of {all} rows are stored")), "{said}");
    assert!(said.contains("run it again"), "{said}");
    let sent = first.sent;
    drop(store);
    let stored = rows(&file);

    let mut store = SqliteStore::open(Some(&file), dim()).unwrap();
    let mut pass = |_: usize, insert: &mut dyn FnMut() -> Result<(), StoreError>| insert();
    let mut second = Eventful::new(&mut store, &mut pass);
    release(&mut second, EPSILON, 7).unwrap();
    for (ids, again) in &second.sent {
        assert!(ids.iter().all(|id| !stored.contains_key(id)), "a stored row was veiled again");
        // What the store may have seen already has no other noise now.
        assert!(sent.iter().all(|(before, rows)| before != ids || rows == again));
    }
    assert_eq!(rows(&file), rows(&whole));
    stored.len()
}

#[test]
fn what_was_not_stored_is_sent_again_with_the_same_noise() {
    let stored = stop_and_resume(&mut |nth, insert| if nth == 2 { Err(lost()) } else { insert() });
    assert_eq!(stored, BATCH);
}

#[test]
fn what_was_stored_without_an_answer_is_not_sent_again() {
    let stored = stop_and_resume(&mut |nth, insert| {
        insert()?;
        if nth == 2 { Err(lost()) } else { Ok(()) }
    });
    assert_eq!(stored, 2 * BATCH);
}

#[test]
fn rows_that_are_there_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let mut store = SqliteStore::open(Some(&file), dim()).unwrap();
    // Gaps of one row, of less than a batch and of more; and a row that is none of ours.
    let there = [0, 2, 5, 40, 1000];
    store.insert(&there, &vec![1.0; there.len() * dim()]).unwrap();
    let before = rows(&file);
    release(&mut store, EPSILON, 7).unwrap();
    let after = rows(&file);
    assert_eq!(after.len(), embedded().texts.len() + 1);
    assert!(before.iter().all(|(id, row)| after[id] == *row));

    // The noise of a row does not depend on what else is stored.
    let whole = folder.path().join("whole.db");
    release(&mut SqliteStore::open(Some(&whole), dim()).unwrap(), EPSILON, 7).unwrap();
    assert!(rows(&whole).iter().all(|(id, row)| before.contains_key(id) || after[id] == *row));
}
