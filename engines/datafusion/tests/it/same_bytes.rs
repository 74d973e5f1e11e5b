//! The noise of a row follows from the key, the id and the text, and from nothing else.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use inkveil::release::{Account, MemoryRelease, Silent};
use inkveil::{BatchColumns, BatchRelease, NoiseKey, TextTally, Veil};
use inkveil_datafusion::EngineOptions;

use crate::tables::{engine, mails, query, values, write_parquet};

const SQL: &str = "SELECT id, veil(body, id) AS body FROM mails ORDER BY id";

#[tokio::test(flavor = "multi_thread")]
async fn partitions_and_batches_do_not_change_the_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(400));
    let mut seen = Vec::new();
    for (partitions, rows) in [(1, 8192), (2, 64), (5, 7)] {
        let options = EngineOptions { partitions: Some(partitions), batch_size: Some(rows) };
        let rows = query(&engine(&path, options).await, SQL).await.unwrap();
        seen.push((values(&rows, "id"), values(&rows, "body")));
    }
    assert!(seen.iter().all(|rows| *rows == seen[0]));
    assert_eq!(seen[0].0.len(), 400);
    // A filter, another order and a second column change nothing either.
    let engine = engine(&path, EngineOptions::default()).await;
    let some = query(
        &engine,
        "SELECT id, veil(body, id) AS body, veil(city, id) AS city FROM mails WHERE size BETWEEN 100 AND 119 ORDER BY id",
    );
    assert_eq!(values(&some.await.unwrap(), "body"), seen[0].1[100..120]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_gives_the_bytes_of_the_facade() {
    let folder = tempfile::tempdir().unwrap();
    let batch = mails(60);
    let path = write_parquet(&folder.path().join("mails.parquet"), &batch);
    let rows = query(&engine(&path, EngineOptions::default()).await, SQL).await.unwrap();
    let veil = Arc::new(Veil::text().build().unwrap());
    let key = NoiseKey::insecure_from_seed(5);
    let driver = MemoryRelease::open(veil.clone(), key, &Account::none(), "mails").unwrap();
    let ticket = driver.charge_job(&TextTally::default(), &Silent).unwrap();
    let worker = MemoryRelease::of_job(veil, &ticket).unwrap();
    let columns =
        BatchColumns { texts: vec!["body".into()], id: Some("id".into()), ..BatchColumns::default() };
    let (veiled, _) =
        BatchRelease::new(worker.into(), columns).veil(&batch, &Silent, &AtomicBool::new(false)).unwrap();
    assert_eq!(values(&rows, "body"), values(&[veiled], "body"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_file_repeats_the_bytes_and_a_fresh_key_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(20));
    let key = folder.path().join("noise.key");
    inkveil_datafusion::new_key_file(&key).unwrap();
    assert!(inkveil_datafusion::new_key_file(&key).is_err());
    let engine = engine(&path, EngineOptions::default()).await;
    engine.set("insecure_seed", "").unwrap();
    let bodies = async || values(&query(&engine, SQL).await.unwrap(), "body");
    assert_ne!(bodies().await, bodies().await);
    engine.set("key_file", key.to_str().unwrap()).unwrap();
    assert_eq!(bodies().await, bodies().await);
}
