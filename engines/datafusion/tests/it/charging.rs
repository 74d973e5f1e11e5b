//! The ledger is charged once, before any row leaves, and limits stop a query before it starts.

use std::path::Path;

use inkveil::Epsilon;
use inkveil::ledger::{BudgetScope, Counted, Filter, Ledger, Limit};
use inkveil_datafusion::{Engine, EngineOptions, TableFile};

use crate::tables::{engine, mails, query, refused, values, write_parquet};

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

#[tokio::test(flavor = "multi_thread")]
async fn a_query_does_not_choose_the_dataset_that_it_is_charged_to() {
    let folder = tempfile::tempdir().unwrap();
    let engine = charged(folder.path(), 20, EngineOptions::default()).await;
    let ledger = folder.path().join("spent.ledger");
    limit(&ledger, "mails", 0.001);
    for sql in [
        "SELECT veil(m.body, m.id) FROM mails m, generate_series(1, 1)",
        "SELECT veil(m.body, m.id) FROM mails m CROSS JOIN (SELECT 1 AS one) o",
        "SELECT veil(body, id) FROM (SELECT body, id FROM mails ORDER BY size LIMIT 5) AS fresh1",
        "WITH fresh2 AS (SELECT body, id FROM mails) SELECT veil(body, id) FROM fresh2",
        "WITH RECURSIVE fresh3 AS (SELECT body, id, 1 AS n FROM mails UNION ALL SELECT body, id, n + 1 FROM fresh3 \
         WHERE n < 1) SELECT veil(body, id) FROM fresh3",
        "SELECT veil(body, id) FROM mails WHERE 'mails' IN (SELECT table_name FROM information_schema.tables)",
        "SELECT veil(max(body), max(id)) FROM mails GROUP BY city",
        "SELECT veil(body, id) FROM (SELECT id, body, max(size) OVER (PARTITION BY city) AS n FROM mails) WHERE n > 0",
        "SELECT veil(upper(body) || '.', id) FROM mails UNION ALL SELECT 'a text'",
        "SELECT mask((SELECT max(body) FROM mails))",
        "SELECT mask(t) FROM (VALUES (1)) v(n) CROSS JOIN (SELECT max(body) AS t FROM mails) m",
        "SELECT mask(m.body) FROM mails m, generate_series(1, 1)",
    ] {
        let message = refused(&engine, sql).await;
        assert!(message.contains("mails") && message.contains("limit"), "{sql}: {message}");
    }
    assert_eq!(releases(&ledger), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_of_several_tables_need_the_name_of_a_dataset() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(10));
    let ledger = folder.path().join("spent.ledger");
    let table = |name: &str| TableFile { name: name.to_owned(), path: path.clone() };
    let tables = [table("mails"), table("notes")];
    let engine = Engine::with_tables(EngineOptions::default(), &tables, None).await.unwrap();
    let sql = "SELECT veil(body, id) FROM mails UNION ALL SELECT veil(body, id) FROM notes";
    engine.set("ledger", "none").unwrap();
    query(&engine, sql).await.unwrap();
    engine.set("ledger", ledger.to_str().unwrap()).unwrap();
    assert!(refused(&engine, sql).await.contains("several tables"));
    assert!(!ledger.exists() || releases(&ledger) == 0);
    // Tables that only choose rows do not count.
    let joined = "SELECT veil(m.body, m.id) FROM mails m JOIN notes n ON m.id = n.id WHERE n.size < 5";
    query(&engine, joined).await.unwrap();
    engine.set("dataset", "letters").unwrap();
    query(&engine, sql).await.unwrap();
    assert_eq!(releases(&ledger), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charged_query_reads_the_rows_that_were_counted() {
    let folder = tempfile::tempdir().unwrap();
    for options in [
        EngineOptions { partitions: Some(1), batch_size: None },
        EngineOptions { partitions: Some(3), batch_size: Some(16) },
    ] {
        let engine = charged(folder.path(), 120, options).await;
        for (sql, rows) in [
            ("SELECT size, veil(body, id) AS v FROM mails WHERE size % 2 = 0", 60),
            ("SELECT size, veil(body, id) AS v FROM (SELECT * FROM mails ORDER BY size DESC LIMIT 10)", 10),
            (
                "SELECT size FROM (SELECT size, veil(body, id) AS v FROM mails WHERE size % 2 = 0) \
                 WHERE v <> 'a text' OR v IS NULL",
                60,
            ),
            (
                "SELECT m.size, veil(m.body, m.id) AS v FROM mails m JOIN mails n ON m.id = n.id WHERE n.size < 20",
                20,
            ),
            ("SELECT size, veil(body, id) AS v FROM mails ORDER BY size DESC LIMIT 5", 5),
            ("SELECT city, count(veil(body, id)) AS v FROM mails WHERE size % 3 = 0 GROUP BY city", 2),
            // The engine makes filters while it runs: of the first rows, and of one side of a join.
            ("SELECT size, veil(body, id) AS v FROM mails WHERE body IS NOT NULL ORDER BY v LIMIT 5", 5),
            (
                "SELECT m.v FROM (SELECT veil(body, id) AS v FROM mails) m JOIN (SELECT DISTINCT city FROM mails) n \
                 ON m.v = n.city",
                0,
            ),
        ] {
            let batches = query(&engine, sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
            assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), rows, "{sql}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_functions_stand_below_a_charged_veil() {
    let folder = tempfile::tempdir().unwrap();
    let engine = charged(folder.path(), 40, EngineOptions::default()).await;
    for sql in [
        "SELECT veil(body, id) AS v FROM mails WHERE array_has(pii_kinds(body), 'person')",
        "SELECT veil(body, id) AS v FROM mails WHERE cardinality(detect(body)) > 0 AND size < 20",
        "SELECT veil(body, id) AS v FROM mails WHERE style_risk(body) IS NULL",
    ] {
        let rows = query(&engine, sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert!(!values(&rows, "v").is_empty(), "{sql}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn chance_below_a_charged_veil_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let engine = charged(folder.path(), 10, EngineOptions::default()).await;
    let ledger = folder.path().join("spent.ledger");
    let below = [
        "SELECT veil(body, id) FROM mails WHERE uuid() < 'a'",
        "SELECT veil(body || uuid(), id) FROM mails",
        "SELECT veil(t, id) FROM (SELECT id, body || uuid() AS t FROM mails ORDER BY size LIMIT 5)",
    ];
    for sql in below {
        assert!(refused(&engine, sql).await.contains("chance"), "{sql}");
    }
    query(&engine, "SELECT veil(body, id), uuid() FROM mails").await.unwrap();
    assert_eq!(releases(&ledger), 1);
    engine.set("ledger", "none").unwrap();
    query(&engine, below[0]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mask_is_confirmed_while_tasks_of_the_engine_stop() {
    let folder = tempfile::tempdir().unwrap();
    let options = EngineOptions { partitions: Some(4), batch_size: Some(8) };
    let engine = charged(folder.path(), 400, options).await;
    let ledger = folder.path().join("spent.ledger");
    for round in 1..=5 {
        // The query ends while other partitions still work.
        let prepared = engine.prepare_one("SELECT mask(body) AS v FROM mails").await.unwrap();
        let mut running = engine.start(prepared).await.unwrap();
        running.next().await.unwrap();
        running.finish(None).unwrap();
        assert_eq!(releases(&ledger), round);
    }
    assert!(Ledger::open(&ledger).unwrap().unconfirmed().next().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_release_in_the_repeated_part_of_a_query_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let engine = charged(folder.path(), 10, EngineOptions::default()).await;
    for call in ["veil(body, id)", "mask(body)"] {
        let sql = format!(
            "WITH RECURSIVE a AS (SELECT body, id, 1 AS n FROM mails UNION ALL SELECT {call}, id, n + 1 FROM a \
             WHERE n < 3) SELECT body FROM a"
        );
        assert!(refused(&engine, &sql).await.contains("recursive"), "{call}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_release_in_a_lambda_is_refused() {
    use datafusion::sql::parser::DFParser;
    use datafusion::sql::sqlparser::dialect::DuckDbDialect;
    let folder = tempfile::tempdir().unwrap();
    let engine = charged(folder.path(), 10, EngineOptions::default()).await;
    let ledger = folder.path().join("spent.ledger");
    limit(&ledger, "mails", 0.001);
    // The texts of a lambda come from no table that could be traced, so no limit would stop them.
    for call in ["mask(x)", "veil(x, id)"] {
        let sql = format!("SELECT array_transform(make_array(body), x -> {call}) FROM mails");
        let mut parsed = DFParser::parse_sql_with_dialect(&sql, &DuckDbDialect {}).unwrap();
        let message = engine.prepare(parsed.pop_front().unwrap()).await.unwrap_err().to_string();
        assert!(message.contains("lambda"), "{call}: {message}");
    }
    assert_eq!(releases(&ledger), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_the_engine_cannot_run_is_not_charged() {
    let folder = tempfile::tempdir().unwrap();
    let engine = charged(folder.path(), 10, EngineOptions::default()).await;
    let ledger = folder.path().join("spent.ledger");
    for sql in [
        "SELECT veil(body, id), (SELECT max(b.id) FROM mails b WHERE b.id > a.id LIMIT 1) FROM mails a",
        "SELECT mask(body), (SELECT max(b.id) FROM mails b WHERE b.id > a.id LIMIT 1) FROM mails a",
        "SELECT veil(m.body, m.id), x.n FROM mails m, LATERAL (SELECT m.id AS n) x",
        "SELECT mask(t) FROM (VALUES ((SELECT max(body) FROM mails))) v(t)",
    ] {
        let message = refused(&engine, sql).await;
        assert!(message.contains("the query failed"), "{sql}: {message}");
        assert!(!ledger.exists() || releases(&ledger) == 0, "{sql}");
    }
}
