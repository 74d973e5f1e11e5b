//! The ledger is charged once, before any row leaves, and limits stop a query before it starts.

use std::path::Path;

use inkveil::Epsilon;
use inkveil::ledger::{BudgetScope, Counted, Filter, Ledger, Limit};
use inkveil_datafusion::{Engine, EngineOptions};

use crate::tables::{engine, mails, query, refused, write_parquet};

fn releases(ledger: &Path) -> usize {
    Ledger::open(ledger).unwrap().releases(Filter::default()).count()
}

fn limit(ledger: &Path, dataset: &str, epsilon: f64) {
    let scope = BudgetScope::Dataset(dataset.to_owned());
    let limit = Limit::new(scope, Counted::EachMetric, Epsilon::new(epsilon).unwrap());
    Ledger::open(ledger).unwrap().set_limit(&limit).unwrap();
}

async fn charged(folder: &Path, rows: usize, options: EngineOptions) -> Engine {
    let path = write_parquet(&folder.join("mails.parquet"), &mails(rows));
    let engine = engine(&path, options).await;
    engine.set("ledger", folder.join("spent.ledger").to_str().unwrap()).unwrap();
    // A preset with finite budgets, so that there is something to charge.
    engine.set("preset", "strict").unwrap();
    engine
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_is_charged_once_whatever_its_partitions() {
    let folder = tempfile::tempdir().unwrap();
    let options = EngineOptions { partitions: Some(4), batch_size: Some(16) };
    let engine = charged(folder.path(), 200, options).await;
    let ledger = folder.path().join("spent.ledger");
    query(&engine, "SELECT id, veil(body, id) AS a, veil(city, id) AS b FROM mails").await.unwrap();
    assert_eq!(releases(&ledger), 1);
    for uncharged in [
        "SELECT count(*) FROM mails",
        "SELECT pii_kinds(body) FROM mails",
        "EXPLAIN SELECT veil(body, id) FROM mails",
    ] {
        query(&engine, uncharged).await.unwrap();
    }
    assert_eq!(releases(&ledger), 1);
    query(&engine, "SELECT mask(body) FROM mails LIMIT 2").await.unwrap();
    assert_eq!(releases(&ledger), 2);
    assert!(Ledger::open(&ledger).unwrap().unconfirmed().next().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_charge_is_that_of_the_rows_that_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let engine = charged(folder.path(), 200, EngineOptions::default()).await;
    let cost = async |sql: &str| {
        let query = engine.prepare_one(sql).await.unwrap();
        let mut running = engine.start(query).await.unwrap();
        while running.next().await.unwrap().is_some() {}
        running.finish(None).unwrap().remove(0).count()
    };
    let all = cost("SELECT veil(body, id) FROM mails").await;
    let half = cost("SELECT veil(body, id) FROM mails WHERE size < 100").await;
    let few = cost("SELECT veil(body, id) FROM (SELECT * FROM mails ORDER BY size LIMIT 10)").await;
    // The engine sorts after it veils.
    assert_eq!(cost("SELECT veil(body, id) FROM mails ORDER BY size LIMIT 10").await, all);
    assert!(cost("SELECT veil(body, id) FROM mails LIMIT 10").await <= 2 * few);
    let counted = cost("SELECT count(veil(body, id)), city FROM mails GROUP BY city").await;
    assert!(all > half && half > few && few > 0, "{all} {half} {few}");
    assert_eq!(counted, all);
    let unused =
        engine.prepare_one("SELECT a FROM (SELECT size AS a, veil(body, id) AS b FROM mails)").await.unwrap();
    assert!(!unused.releases());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_stops_a_query_before_it_starts() {
    let folder = tempfile::tempdir().unwrap();
    let engine = charged(folder.path(), 40, EngineOptions::default()).await;
    let ledger = folder.path().join("spent.ledger");
    limit(&ledger, "mails", 0.001);
    let before = engine.done();
    let message = refused(&engine, "SELECT veil(body, id) FROM mails").await;
    assert!(message.contains("limit") || message.contains('ε'), "{message}");
    refused(&engine, "SELECT mask(body) FROM mails").await;
    assert_eq!((releases(&ledger), engine.done()), (0, before));
    engine.set("dataset", "another").unwrap();
    query(&engine, "SELECT veil(body, id) FROM mails").await.unwrap();
    assert_eq!(releases(&ledger), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_change_after_the_charge_do_not_leave() {
    let folder = tempfile::tempdir().unwrap();
    let engine = charged(folder.path(), 20, EngineOptions { partitions: Some(1), batch_size: None }).await;
    let prepared = engine.prepare_one("SELECT veil(body, id) FROM mails").await.unwrap();
    let mut running = engine.start(prepared).await.unwrap();
    // The file grows between the charge and the first row.
    write_parquet(&folder.path().join("mails.parquet"), &mails(400));
    let message = loop {
        match running.next().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("more rows left than were charged"),
            Err(error) => break error.to_string(),
        }
    };
    assert!(message.contains("changed since") || message.contains("cannot be read"), "{message}");
}
