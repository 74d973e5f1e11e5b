//! A row needs a stable id.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BinaryArray, FixedSizeBinaryArray, Int64Array, RecordBatch, StringArray,
};
use inkveil_datafusion::EngineOptions;

use crate::tables::{engine, mails, query, refused, values, write_parquet};

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_without_an_id_is_refused_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(10));
    let engine = engine(&path, EngineOptions::default()).await;
    let message = refused(&engine, "SELECT veil(body) FROM mails").await;
    assert!(message.contains("give a stable row id: write veil(text, id)"), "{message}");
    engine.set("id", "key").unwrap();
    let message = refused(&engine, "SELECT veil(body) FROM mails").await;
    assert!(message.contains("SET inkveil.id"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_setting_fills_in_the_id() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(30));
    let engine = engine(&path, EngineOptions::default()).await;
    engine.set("id", "id").unwrap();
    let given = query(&engine, "SELECT veil(body, id) AS v FROM mails ORDER BY id").await.unwrap();
    for sql in [
        "SELECT veil(body) AS v FROM mails ORDER BY id",
        "SELECT v FROM (SELECT veil(m.body) AS v, m.id FROM mails m JOIN mails n ON m.id = n.id) ORDER BY id",
        "WITH some AS (SELECT * FROM mails) SELECT veil(body) AS v FROM some ORDER BY id",
    ] {
        assert_eq!(values(&query(&engine, sql).await.unwrap(), "v"), values(&given, "v"), "{sql}");
    }
    let message = refused(&engine, "SELECT veil(body) FROM (SELECT body FROM mails)").await;
    assert!(message.contains("stable row id"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_that_depends_on_order_or_chance_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(10));
    let engine = engine(&path, EngineOptions::default()).await;
    for sql in [
        "SELECT veil(body, uuid()) FROM mails",
        "SELECT veil(body, n) FROM (SELECT body, row_number() OVER () AS n FROM mails)",
        "SELECT veil(body, n) FROM (SELECT body, unnest(make_array(uuid())) AS n FROM mails)",
        "SELECT veil(t, n) FROM (SELECT unnest(make_array(body)) AS t, row_number() OVER () AS n FROM mails)",
        "WITH a AS (SELECT body, row_number() OVER (ORDER BY size) + 1 AS n FROM mails) SELECT veil(b.body, b.n) FROM a b WHERE b.n > 2",
    ] {
        let message = refused(&engine, sql).await;
        assert!(message.contains("stable row id"), "{sql}: {message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_that_rows_share_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(10));
    let engine = engine(&path, EngineOptions::default()).await;
    for sql in [
        "SELECT veil(body, 1) FROM mails",
        "SELECT veil(body, 'all') FROM mails",
        "SELECT veil(body, n) FROM (SELECT body, 1 AS n FROM mails ORDER BY size LIMIT 5)",
        "SELECT veil(m.body, v.n) FROM mails m CROSS JOIN (VALUES (1), (2)) v(n)",
    ] {
        assert!(refused(&engine, sql).await.contains("rows would share it"), "{sql}");
    }
    // Texts that the query gives come from no table.
    for sql in [
        "SELECT veil('Call me.', 1)",
        "SELECT veil(t, n) FROM (VALUES ('Call me.', 1), ('Write.', 2)) v(t, n)",
    ] {
        assert!(query(&engine, sql).await.is_ok(), "{sql}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_null_id_is_refused_and_text_ids_work() {
    let folder = tempfile::tempdir().unwrap();
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, None]));
    let names: ArrayRef = Arc::new(StringArray::from(vec!["one", "two", "three"]));
    let bodies: ArrayRef = Arc::new(StringArray::from(vec![Some("Call me."), None, Some("Write.")]));
    let batch = RecordBatch::try_from_iter([("id", ids), ("name", names), ("body", bodies)]).unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &batch);
    let engine = engine(&path, EngineOptions::default()).await;
    assert!(refused(&engine, "SELECT veil(body, id) FROM mails").await.contains("null"));
    let rows = query(&engine, "SELECT veil(body, name) AS v FROM mails ORDER BY name").await.unwrap();
    assert_eq!(values(&rows, "v").iter().flatten().count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn ids_of_bytes_that_are_no_text_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let keys = [[0xff_u8, 1, 2, 3], [0xff, 4, 5, 6]];
    let bytes: ArrayRef = Arc::new(BinaryArray::from_iter_values(keys));
    let fixed: ArrayRef = Arc::new(FixedSizeBinaryArray::try_from_iter(keys.into_iter()).unwrap());
    let text: ArrayRef = Arc::new(BinaryArray::from_iter_values(["one", "two"]));
    let bodies: ArrayRef = Arc::new(StringArray::from(vec!["Call me.", "Call me."]));
    let columns = [("bytes", bytes), ("fixed", fixed), ("name", text), ("body", bodies)];
    let path =
        write_parquet(&folder.path().join("mails.parquet"), &RecordBatch::try_from_iter(columns).unwrap());
    let engine = engine(&path, EngineOptions::default()).await;
    // Both rows would have the same id.
    for id in ["bytes", "fixed"] {
        let message = refused(&engine, &format!("SELECT veil(body, {id}) FROM mails")).await;
        assert!(message.contains("a whole number or a text"), "{id}: {message}");
    }
    assert!(query(&engine, "SELECT veil(body, name) FROM mails").await.is_ok());
}
