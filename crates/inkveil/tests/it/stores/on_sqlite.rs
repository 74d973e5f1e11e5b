//! SQLite with sqlite-vec.

use super::sqlite::SqliteStore;
use super::store::{Store, StoreError};
use super::{all_ids, dim, embedded, mean_recall, release};

#[test]
fn search_survives_little_noise_and_not_much() {
    let recall_at = |epsilon| {
        let mut store = SqliteStore::open(None, dim()).unwrap();
        release(&mut store, epsilon, 1).unwrap();
        assert_eq!(store.ids().unwrap(), all_ids());
        mean_recall(&mut store, epsilon, 2)
    };
    let (little, much) = (recall_at(3000.0), recall_at(10.0));
    assert!(little >= 0.8, "{little}");
    assert!(much <= 0.5, "{much}");
}

#[test]
fn without_noise_the_store_finds_the_same() {
    let mut store = SqliteStore::open(None, dim()).unwrap();
    let ids: Vec<u64> = all_ids().into_iter().collect();
    store.insert(&ids, &embedded().texts.concat()).unwrap();
    for query in &embedded().queries {
        assert_eq!(store.nearest(query, 5).unwrap(), super::recall::nearest(&embedded().texts, query, 5));
    }
}

#[test]
fn a_batch_is_stored_whole_or_not_at_all() {
    let mut store = SqliteStore::open(None, 2).unwrap();
    store.insert(&[3], &[1.0, 0.0]).unwrap();
    let error = store.insert(&[1, 2, 3], &[0.0, 1.0, 1.0, 1.0, 0.5, 0.5]).unwrap_err();
    assert!(matches!(error, StoreError::Refused { .. }), "{error}");
    assert_eq!(store.ids().unwrap(), [3].into());
    assert!(matches!(store.insert(&[u64::MAX], &[0.0, 1.0]), Err(StoreError::Id)));
}

#[test]
fn rows_of_another_dimension_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    SqliteStore::open(Some(&file), 3).unwrap();
    let error = SqliteStore::open(Some(&file), 2).unwrap().insert(&[0], &[1.0, 0.0]).unwrap_err();
    assert!(error.to_string().to_lowercase().contains("dimension"), "{error}");
}
