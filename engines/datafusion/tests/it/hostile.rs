//! Hostile input: clear errors, nothing leaves, and no message quotes a row.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use inkveil::ledger::{Filter, Ledger};
use inkveil_datafusion::{Engine, EngineOptions, TableFile};

use crate::tables::{NAME, engine, mails, query, refused, values, write_parquet};

#[tokio::test(flavor = "multi_thread")]
async fn wrong_settings_are_refused_and_cannot_inject_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(4));
    let engine = engine(&path, EngineOptions::default()).await;
    let before = engine.options();
    for (name, value, says) in [
        ("preset", "strickt", "strict"),
        ("preset", "strict\"\n[detect]\ntier = \"rules", "preset"),
        ("task", "", ""),
        ("tier", "fastest", "tier"),
        ("language", "Klingon", "language"),
        ("presett", "strict", "preset"),
        ("insecure_seed", "-1", "whole number"),
        ("epsilon", "-3", ""),
        ("key_file", "some.key", "not both"),
    ] {
        let result = engine.set(name, value);
        if name == "task" {
            continue;
        }
        let message = result.unwrap_err().to_string();
        assert!(message.contains(says), "{name}: {message}");
        assert_eq!(engine.options(), before, "{name}");
    }
    // A task is any text. It changes no other setting.
    engine.set("task", "x\"]\npreset = \"utility").unwrap();
    assert_eq!(engine.options().get("preset"), None);
    assert!(query(&engine, "SELECT veil(body, id) FROM mails").await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn statements_that_write_or_change_the_engine_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(4));
    let engine = engine(&path, EngineOptions::default()).await;
    let out = folder.path().join("out.csv");
    for sql in [
        format!("COPY mails TO '{}'", out.display()),
        format!("COPY (SELECT veil(body, id) FROM mails) TO '{}'", out.display()),
        format!("CREATE EXTERNAL TABLE raw STORED AS PARQUET LOCATION '{}'", path.display()),
        "CREATE TABLE a AS SELECT * FROM mails".to_owned(),
        "CREATE VIEW a AS SELECT * FROM mails".to_owned(),
        "INSERT INTO mails SELECT * FROM mails".to_owned(),
        "DROP TABLE mails".to_owned(),
        "EXPLAIN ANALYZE SELECT veil(body, id) FROM mails".to_owned(),
        "PREPARE p AS SELECT * FROM mails".to_owned(),
        "SET datafusion.catalog.information_schema = false".to_owned(),
        "SET datafusion.execution.target_partitions = 0".to_owned(),
        "SET datafusion.execution.target_partitions = 1000000000".to_owned(),
        "SET datafusion.execution.batch_size = 18446744073709551615".to_owned(),
        "SET datafusion.execution.batch_size = -1".to_owned(),
        "SET inkveil.preset = 'strict; DROP TABLE mails'".to_owned(),
        format!("SELECT * FROM '{}'", path.display()),
        format!("SELECT * FROM read_parquet('{}')", path.display()),
    ] {
        let message = match engine.statements(&sql) {
            Err(error) => error.to_string(),
            Ok(mut statements) => match engine.prepare(statements.remove(0)).await {
                Err(error) => error.to_string(),
                Ok(_) => panic!("{sql} was not refused"),
            },
        };
        assert!(!message.contains(NAME), "{message}");
    }
    assert!(!out.exists());
    assert_eq!(
        values(&query(&engine, "SELECT count(*) AS n FROM mails").await.unwrap(), "n")[0].as_deref(),
        Some("4")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_where_their_cost_is_unknown_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(10));
    let engine = engine(&path, EngineOptions::default()).await;
    for sql in [
        "SELECT id FROM mails ORDER BY veil(body, id)",
        "SELECT a.id FROM mails a JOIN mails b ON veil(a.body, a.id) < veil(b.body, b.id)",
        "SELECT max(veil(body, id)) OVER (ORDER BY veil(body, id)) FROM mails",
        "VALUES (veil('a text', 1))",
    ] {
        // The engine may also move a call to where it is computed once.
        if let Err(error) = query(&engine, sql).await {
            assert!(
                error.to_string().contains("SELECT list") || error.to_string().contains("planned"),
                "{error}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_parquet_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(300));
    let bytes = std::fs::read(&path).unwrap();
    let open = async || {
        let table = TableFile { name: "mails".to_owned(), path: path.clone() };
        Engine::with_tables(EngineOptions::default(), &[table], None).await
    };
    for damaged in [&b"PAR1"[..], &bytes[..bytes.len() / 2], &bytes[100..], b""] {
        std::fs::write(&path, damaged).unwrap();
        let message = open().await.unwrap_err().to_string();
        assert!(
            message.contains("mails.parquet") && message.contains("damaged")
                || message.contains("no columns"),
            "{message}"
        );
    }
    // The footer is whole and the pages are not.
    let mut damaged = bytes.clone();
    damaged[4..4000].iter_mut().for_each(|byte| *byte ^= 0x5a);
    std::fs::write(&path, damaged).unwrap();
    let engine = open().await.unwrap();
    for sql in ["SELECT veil(body, id) FROM mails", "SELECT a.id FROM mails a JOIN mails b ON a.id = b.id"] {
        let message = refused(&engine, sql).await;
        assert!(message.contains("failed") && !message.contains(NAME), "{message}");
        assert!(message.contains("reads mails (") && message.contains("mails.parquet)"), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_the_engine_do_not_quote_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(10));
    let engine = engine(&path, EngineOptions::default()).await;
    for sql in [
        "SELECT CAST(body AS INT) FROM mails",
        "SELECT 1 / (length(body) - length(body)) FROM mails",
        "SELECT to_timestamp(body) FROM mails",
        "SELECT regexp_like(body, body || '(') FROM mails",
    ] {
        let message = refused(&engine, sql).await;
        assert!(message.contains("withheld") && !message.contains("Oostergaard"), "{sql}: {message}");
    }
    let message = refused(&engine, "SELECT bodi FROM mails").await;
    assert!(message.contains("bodi") && message.contains("body"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_without_a_header_is_not_quoted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mails.csv");
    std::fs::write(&path, format!("1,{NAME} lives here\n2,Nobody does\n")).unwrap();
    let engine = engine(&path, EngineOptions::default()).await;
    let message = refused(&engine, "SELECT nothing FROM mails").await;
    assert!(message.contains("header") && !message.contains("Oostergaard"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_json_objects_are_not_quoted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mails.jsonl");
    std::fs::write(&path, format!("{{\"id\": 1, \"paid\": [{{\"by\": {{\"{NAME}\": 7}}}}]}}\n")).unwrap();
    let engine = engine(&path, EngineOptions::default()).await;
    for sql in ["SELECT paid + 1 FROM mails", "SELECT nothing FROM mails", "SELECT veil(paid, id) FROM mails"]
    {
        let message = refused(&engine, sql).await;
        assert!(!message.contains("Oostergaard"), "{sql}: {message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn long_texts_are_veiled_or_refused_and_never_cut() {
    let folder = tempfile::tempdir().unwrap();
    let long = "The old well in the garden is dry. ".repeat(30_000);
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let bodies: ArrayRef = Arc::new(StringArray::from(vec![long.as_str(), "Call me.", long.as_str()]));
    let batch = RecordBatch::try_from_iter([("id", ids), ("body", bodies)]).unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &batch);
    let engine = engine(&path, EngineOptions::default()).await;
    engine.set("tier", "rules").unwrap();
    let rows = query(&engine, "SELECT mask(body) AS v FROM mails ORDER BY id").await.unwrap();
    let lengths: Vec<usize> = values(&rows, "v").iter().flatten().map(String::len).collect();
    assert_eq!(lengths, [long.len(), 8, long.len()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_of_100_mb_is_refused_by_every_function() {
    let folder = tempfile::tempdir().unwrap();
    let long = "The old well is dry. ".repeat(5_000_000);
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let bodies: ArrayRef = Arc::new(StringArray::from(vec![long.as_str(), "Call me."]));
    let batch = RecordBatch::try_from_iter([("id", ids), ("body", bodies)]).unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &batch);
    let engine = engine(&path, EngineOptions::default()).await;
    engine.set("vector_epsilon", "40").unwrap();
    let ledger = folder.path().join("spent.ledger");
    engine.set("ledger", ledger.to_str().unwrap()).unwrap();
    for call in [
        "veil(body, id)",
        "veil_vector(embed(body), id)",
        "embed(body)",
        "detect(body)",
        "pii_kinds(body)",
        "style_risk(body)",
    ] {
        let message = refused(&engine, &format!("SELECT {call} AS v FROM mails")).await;
        assert!(message.contains("longer than") && message.contains("the column body"), "{call}: {message}");
        assert!(message.len() < 400, "{call}");
    }
    let charged = Ledger::open(&ledger).unwrap().releases(Filter::default()).count();
    assert_eq!(charged, 0);
    engine.set("ledger", "none").unwrap();
    assert!(refused(&engine, "SELECT mask(body) AS v FROM mails").await.contains("longer than"));
    // The advice of the message works.
    let short = "SELECT veil(body, id) AS v FROM mails WHERE octet_length(body) <= 1000";
    assert_eq!(values(&query(&engine, short).await.unwrap(), "v").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_of_columns_that_may_be_data_are_not_quoted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mails.csv");
    let long = "The old well is dry. ".repeat(300_000);
    std::fs::write(&path, format!("Oostergaard,1985-04-12\n{long},1\n")).unwrap();
    let engine = engine(&path, EngineOptions::default()).await;
    let message = refused(&engine, "SELECT mask(\"Oostergaard\") FROM mails").await;
    assert!(message.contains("longer than") && !message.contains("Oostergaard"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn statements_in_values_of_settings_are_values() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &mails(8));
    let engine = engine(&path, EngineOptions::default()).await;
    let ledger = folder.path().join("spent.ledger");
    engine.set("ledger", ledger.to_str().unwrap()).unwrap();
    let injected = "x'; SELECT body FROM mails; DROP TABLE mails; --";
    for name in ["task", "dataset", "subject"] {
        engine.set(name, injected).unwrap();
        let escaped = injected.replace('\'', "''");
        let mut set = engine.statements(&format!("SET inkveil.{name} = '{escaped}'")).unwrap();
        assert_eq!(set.len(), 1);
        assert!(engine.prepare(set.remove(0)).await.unwrap().is_none());
        assert_eq!(engine.options().get(name), Some(injected));
    }
    let rows = query(&engine, "SELECT veil(body, id) AS v FROM mails").await.unwrap();
    let rows = values(&rows, "v");
    assert!(rows.len() == 8 && rows.iter().flatten().all(|text| !text.contains("Oostergaard")));
    for name in ["id", "key_file", "map", "memory", "encoder", "vector_mask"] {
        if name == "key_file" {
            engine.set("insecure_seed", "").unwrap();
        }
        engine.set(name, injected).unwrap();
        let sql = match name {
            "id" => "SELECT veil(body) FROM mails",
            "map" => "SELECT restore(body) FROM mails",
            "memory" => "SELECT style_risk(body) FROM mails",
            "encoder" => "SELECT embed(body) FROM mails",
            "vector_mask" => "SELECT veil_vector(make_array(0.5, 0.5), id) FROM mails",
            _ => "SELECT veil(body, id) FROM mails",
        };
        engine.set("vector_epsilon", "40").unwrap();
        let message = refused(&engine, sql).await;
        assert!(!message.contains("Oostergaard"), "{name}: {message}");
        engine.set(name, "").unwrap();
    }
    for name in
        ["preset", "epsilon", "mechanism", "at_zero", "tier", "language", "insecure_seed", "vector_epsilon"]
    {
        let message = engine.set(name, injected).unwrap_err().to_string();
        assert!(!message.is_empty() && engine.options().get(name) != Some(injected), "{name}");
    }
    let still = query(&engine, "SELECT count(*) AS n FROM mails").await.unwrap();
    assert_eq!(values(&still, "n")[0].as_deref(), Some("8"));
}

#[tokio::test(flavor = "multi_thread")]
async fn json_with_escaped_pairs_is_read_as_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mails.jsonl");
    std::fs::write(&path, "{\"id\": 1, \"body\": \"well \\ud83d\\ude00 done \\u00e9\"}\n").unwrap();
    let engine = engine(&path, EngineOptions::default()).await;
    let rows = query(&engine, "SELECT body FROM mails").await.unwrap();
    assert_eq!(values(&rows, "body")[0].as_deref(), Some("well 😀 done é"));
}

#[tokio::test(flavor = "multi_thread")]
async fn hidden_files_are_no_part_of_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mails");
    std::fs::create_dir(&path).unwrap();
    for (file, text) in [
        ("a.csv", "id,body\n1,Call me.\n"),
        (".a.csv.crc", "crc"),
        ("_SUCCESS", ""),
        ("_started/b.csv", "id,body\n2,x\n"),
    ] {
        let file = path.join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let rows = query(&engine(&path, EngineOptions::default()).await, "SELECT id FROM mails").await.unwrap();
    assert_eq!(values(&rows, "id"), [Some("1".to_owned())]);
    for hidden in ["._a.csv", "_deleted.csv"] {
        std::fs::write(path.join(hidden), format!("id,body\n9,{NAME}\n")).unwrap();
        let table = TableFile { name: "mails".to_owned(), path: path.clone() };
        let message =
            Engine::with_tables(EngineOptions::default(), &[table], None).await.unwrap_err().to_string();
        assert!(message.contains("begin with") && !message.contains("Oostergaard"), "{message}");
        std::fs::remove_file(path.join(hidden)).unwrap();
    }
}
