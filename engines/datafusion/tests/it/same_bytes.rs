//! The noise of a row follows from the key, the id and the text, and from nothing else.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use inkveil::release::{Account, MemoryRelease, Silent};
use inkveil::{BatchColumns, BatchRelease, NoiseKey, TextTally, Veil};
use inkveil_datafusion::{Engine, EngineOptions, TableFile};

use crate::tables::{engine, mails, query, refused, text, under, values, write_parquet};

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
    // A filter, another name and a second call change nothing either.
    let engine = engine(&path, EngineOptions::default()).await;
    let some = query(
        &engine,
        "SELECT m.id, veil(m.body, m.id) AS body, length(veil(m.body, m.id)) AS size FROM mails AS m \
         WHERE m.size BETWEEN 100 AND 119 ORDER BY m.id",
    );
    assert_eq!(values(&some.await.unwrap(), "body"), seen[0].1[100..120]);
}

/// The table that the facade makes of these columns.
fn facade(batch: &RecordBatch, texts: &[&str]) -> RecordBatch {
    let veil = Arc::new(Veil::text().build().unwrap());
    let key = NoiseKey::insecure_from_seed(5);
    let driver = MemoryRelease::open(veil.clone(), key, &Account::none(), "mails").unwrap();
    let ticket = driver.charge_job(&TextTally::default(), &Silent).unwrap();
    let worker = MemoryRelease::of_job(veil, &ticket).unwrap();
    let texts = texts.iter().map(|name| (*name).to_owned()).collect();
    let columns = BatchColumns { texts, id: Some("id".into()), ..BatchColumns::default() };
    BatchRelease::new(worker.into(), columns).veil(batch, &Silent, &AtomicBool::new(false)).unwrap().0
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_gives_the_bytes_of_the_facade() {
    let folder = tempfile::tempdir().unwrap();
    let batch = mails(60);
    let path = write_parquet(&folder.path().join("mails.parquet"), &batch);
    let rows = query(&engine(&path, EngineOptions::default()).await, SQL).await.unwrap();
    assert_eq!(values(&rows, "body"), values(&[facade(&batch, &["body"])], "body"));
}

#[tokio::test(flavor = "multi_thread")]
async fn several_columns_get_the_bytes_of_the_facade() {
    let folder = tempfile::tempdir().unwrap();
    let batch = mails(60);
    let path = write_parquet(&folder.path().join("mails.parquet"), &batch);
    let sql = "SELECT id, veil(body, id) AS body, veil(city, id) AS city FROM mails ORDER BY id";
    let rows = query(&engine(&path, EngineOptions::default()).await, sql).await.unwrap();
    let facade = [facade(&batch, &["body", "city"])];
    assert_eq!(values(&rows, "body"), values(&facade, "body"));
    assert_eq!(values(&rows, "city"), values(&facade, "city"));
}

/// A table whose two columns hold the same texts, so that equal noise shows.
fn twins(rows: usize) -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows as i64));
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..rows).map(text)));
    RecordBatch::try_from_iter([("id", ids), ("title", texts.clone()), ("body", texts)]).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_and_tables_do_not_share_noise() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &twins(12));
    let table = |name: &str| TableFile { name: name.to_owned(), path: path.clone() };
    let tables = [table("mails"), table("notes")];
    let engine = Engine::with_tables(EngineOptions::default(), &tables, None).await.unwrap();
    for (name, value) in [("insecure_seed", "5"), ("ledger", "none")] {
        engine.set(name, value).unwrap();
    }
    for sql in [
        "SELECT veil(title, id) AS a, veil(body, id) AS b FROM mails",
        "SELECT veil(m.body, m.id) AS a, veil(n.body, n.id) AS b FROM mails m JOIN notes n ON m.id = n.id",
        "SELECT veil(body, id) AS a, veil(btrim(body), id) AS b FROM mails",
        "SELECT veil(m.t, m.id) AS a, veil(n.t, n.id) AS b FROM \
         (SELECT id, title AS t FROM mails UNION ALL SELECT id + 100, title FROM notes) m JOIN \
         (SELECT id, body AS t FROM mails UNION ALL SELECT id + 100, body FROM notes) n ON m.id = n.id",
    ] {
        let rows = query(&engine, sql).await.unwrap();
        assert_ne!(values(&rows, "a"), values(&rows, "b"), "{sql}");
    }
    // One column under two names is one column.
    let sql =
        "SELECT veil(m.body, m.id) AS a, veil(n.body, n.id) AS b FROM mails m JOIN mails n ON m.id = n.id";
    let rows = query(&engine, sql).await.unwrap();
    assert_eq!(values(&rows, "a"), values(&rows, "b"));
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_of_a_policy_do_not_share_noise_and_keep_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &twins(12));
    let policy = "[settings]\ninsecure_seed = \"5\"\nledger = \"none\"\n\
                  [tables.mails]\nid = \"id\"\ncolumns = { title = \"veil\", body = \"veil\" }\n";
    let engine = under(&path, policy).await.unwrap();
    let both = query(&engine, "SELECT title, body FROM mails ORDER BY id").await.unwrap();
    assert_ne!(values(&both, "title"), values(&both, "body"));
    // The bytes of a column do not depend on what else a query reads.
    let one = query(&engine, "SELECT body FROM mails ORDER BY id").await.unwrap();
    assert_eq!(values(&one, "body"), values(&both, "body"));
    // A query cannot draw the noise of a row for a text of its own.
    for sql in ["SELECT veil('a guess', id) FROM mails", "EXPLAIN SELECT veil('a guess', 1)"] {
        assert!(refused(&engine, sql).await.contains("the policy decides"), "{sql}");
    }
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
