//! What each function returns.

use std::sync::Arc;

use datafusion::arrow::array::{Array as _, ArrayRef, Float64Array, Int64Array, RecordBatch};
use datafusion::arrow::util::pretty::pretty_format_batches;
use inkveil_datafusion::EngineOptions;

use crate::tables::{NAME, engine, in_types, mails, query, refused, values, write_parquet};

#[tokio::test(flavor = "multi_thread")]
async fn every_type_of_texts_keeps_its_type_and_its_nulls() {
    let folder = tempfile::tempdir().unwrap();
    let first = format!("{NAME} lives in Rotterdam.");
    let texts = [Some(first.as_str()), None, Some("")];
    let [utf8, large, view] = in_types(&texts);
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let batch = RecordBatch::try_from_iter([("id", ids), ("a", utf8), ("b", large), ("c", view)]).unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &batch);
    let engine = engine(&path, EngineOptions::default()).await;
    let mut all = Vec::new();
    for column in ["a", "b", "c"] {
        for call in [format!("veil({column}, id)"), format!("mask({column})")] {
            let sql = format!(
                "SELECT arrow_typeof({column}) AS t, {call} AS v, arrow_typeof({call}) AS w FROM mails ORDER BY id"
            );
            let rows = query(&engine, &sql).await.unwrap();
            assert_eq!(values(&rows, "t"), values(&rows, "w"));
            let veiled = values(&rows, "v");
            assert!(!veiled[0].as_ref().unwrap().contains("Oostergaard"));
            assert_eq!((&veiled[1], veiled[2].as_deref()), (&None, Some("")));
            all.push(veiled);
        }
    }
    assert!(all.chunks(2).all(|pair| pair == &all[..2]));
    assert_eq!(all[1][0].as_deref(), Some("[PERSON] lives in [LOCATION]."));
}

#[tokio::test(flavor = "multi_thread")]
async fn findings_have_places_in_characters_and_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(8));
    let engine = engine(&path, EngineOptions::default()).await;
    let sql = "SELECT detect('Grüße, mail é@a.b or ana.m@example.org now') AS found, \
               pii_kinds('mail ana.m@example.org or ben.k@example.org') AS kinds, \
               detect(NULL) AS nothing, pii_kinds('a well') AS none";
    let rows = pretty_format_batches(&query(&engine, sql).await.unwrap()).unwrap().to_string();
    assert!(rows.contains("kind: email, start: 21, end: 38"), "{rows}");
    assert!(rows.contains("[email]") && rows.contains("[]"), "{rows}");
    assert!(!rows.contains('@'), "{rows}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_of_a_row_or_of_the_session_keeps_what_it_needs() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(8));
    let engine = engine(&path, EngineOptions::default()).await;
    let of_row = "SELECT veil(body, id, 'What is wrong with the heating?') AS v FROM mails ORDER BY id";
    let rows = values(&query(&engine, of_row).await.unwrap(), "v");
    engine.set("task", "What is wrong with the heating?").unwrap();
    let of_session = "SELECT veil(body, id) AS v FROM mails ORDER BY id";
    assert_eq!(rows, values(&query(&engine, of_session).await.unwrap(), "v"));
}

#[tokio::test(flavor = "multi_thread")]
async fn style_risk_is_a_number_or_null() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(4));
    let engine = engine(&path, EngineOptions::default()).await;
    let long = "I went to the market in the morning and bought some apples, because they were cheap and looked good. \
                Then I walked home along the river, sat down on a bench for a while, and read the paper that I had \
                found on the train. ";
    let sql = format!("SELECT style_risk('{}') AS a, style_risk('short') AS b", long.repeat(3));
    let rows = query(&engine, &sql).await.unwrap();
    let number =
        |name| rows[0].column_by_name(name).unwrap().as_any().downcast_ref::<Float64Array>().unwrap().clone();
    assert!((0.0..=1.0).contains(&number("a").value(0)));
    assert!(number("b").is_null(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn restore_puts_originals_back() {
    use inkveil::restore::{MapKey, ReplacementMap};
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(4));
    let (map, key_file) = (folder.path().join("a.map"), folder.path().join("a.key"));
    let key = MapKey::create_file(&key_file).unwrap();
    let mut builder = ReplacementMap::builder();
    builder.add("Petra Vance", NAME, "person").unwrap();
    builder.build().save(&map, &key, false).unwrap();
    let engine = engine(&path, EngineOptions::default()).await;
    let sql = "SELECT restore('Ask Petra Vance.') AS v";
    assert!(refused(&engine, sql).await.contains("inkveil.map"));
    engine.set("map", map.to_str().unwrap()).unwrap();
    engine.set("map_key", key_file.to_str().unwrap()).unwrap();
    let rows = values(&query(&engine, sql).await.unwrap(), "v");
    assert_eq!(rows[0].as_deref(), Some(format!("Ask {NAME}.").as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_arguments_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(4));
    let engine = engine(&path, EngineOptions::default()).await;
    for sql in [
        "SELECT veil(size, id) FROM mails",
        "SELECT veil() FROM mails",
        "SELECT veil(body, id, 'a', 'b') FROM mails",
        "SELECT mask(body, id) FROM mails",
        "SELECT detect(id) FROM mails",
        "SELECT veil(body, id, size) FROM mails",
    ] {
        let message = refused(&engine, sql).await;
        assert!(message.contains("write ") || message.contains("planned"), "{sql}: {message}");
    }
    for sql in [
        "SELECT veil(veil(body, id), id) FROM mails",
        "SELECT mask(v) FROM (SELECT veil(body, id) AS v FROM mails)",
    ] {
        assert!(refused(&engine, sql).await.contains("released once"), "{sql}");
    }
    let beside = "SELECT veil(body, id) AS v FROM mails WHERE veil(body, id) LIKE '%a%'";
    let message = refused(&engine, beside).await;
    assert!(message.contains("in a subquery") && !message.contains("released once"), "{message}");
    let inside = "SELECT v FROM (SELECT veil(body, id) AS v FROM mails) WHERE v LIKE '%a%'";
    query(&engine, inside).await.unwrap();
}
