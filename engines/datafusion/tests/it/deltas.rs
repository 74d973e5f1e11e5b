//! Delta tables on disk and in object storage.

use std::path::Path;

use inkveil_datafusion::{Engine, EngineOptions, TableFile};

use crate::tables::{mails, query, refused, values, write_parquet};

const SCHEMA: &str = r#"{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}},{\"name\":\"body\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}},{\"name\":\"city\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}},{\"name\":\"size\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}},{\"name\":\"day\",\"type\":\"date\",\"nullable\":true,\"metadata\":{}}]}"#;

fn add(table: &Path, name: &str, day: &str, more: &str) -> String {
    let size = std::fs::metadata(table.join(name)).unwrap().len();
    format!(
        "{{\"add\":{{\"path\":\"{name}\",\"partitionValues\":{{\"day\":{day}}},\"size\":{size},\"modificationTime\":1,\
         \"dataChange\":true{more}}}}}\n"
    )
}

fn log(table: &Path, version: u64, lines: &str) {
    let log = table.join("_delta_log");
    std::fs::create_dir_all(&log).unwrap();
    std::fs::write(log.join(format!("{version:020}.json")), lines).unwrap();
}

/// A table with rows of two days, and a file that was replaced.
fn table(folder: &Path) -> std::path::PathBuf {
    let table = folder.join("mails");
    std::fs::create_dir_all(table.join("day=2026-01-02")).unwrap();
    let rows = mails(90);
    write_parquet(&table.join("a.parquet"), &rows.slice(0, 40));
    write_parquet(&table.join("day=2026-01-02/b.parquet"), &rows.slice(40, 20));
    write_parquet(&table.join("old.parquet"), &rows.slice(60, 30));
    let head = format!(
        "{{\"protocol\":{{\"minReaderVersion\":1,\"minWriterVersion\":2}}}}\n{{\"metaData\":{{\"id\":\"i\",\"format\":\
         {{\"provider\":\"parquet\",\"options\":{{}}}},\"schemaString\":\"{SCHEMA}\",\"partitionColumns\":[\"day\"],\
         \"configuration\":{{}}}}}}\n"
    );
    log(
        &table,
        0,
        &(head + &add(&table, "old.parquet", "\"2026-01-01\"", "") + &add(&table, "a.parquet", "null", "")),
    );
    let removed = "{\"remove\":{\"path\":\"old.parquet\",\"dataChange\":true}}\n".to_owned();
    log(&table, 1, &(removed + &add(&table, "day=2026-01-02/b.parquet", "\"2026-01-02\"", "")));
    table
}

async fn opened(path: &Path) -> Result<Engine, inkveil_datafusion::Error> {
    let tables = [TableFile { name: "mails".to_owned(), path: path.to_owned() }];
    let engine =
        Engine::with_tables(EngineOptions { partitions: Some(3), batch_size: None }, &tables, None).await?;
    engine.set("ledger", "none")?;
    engine.set("insecure_seed", "5")?;
    engine.set("tier", "rules")?;
    Ok(engine)
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_files_that_the_log_names_count() {
    let folder = tempfile::tempdir().unwrap();
    let path = table(folder.path());
    let engine = opened(&path).await.unwrap();
    let rows =
        query(&engine, "SELECT id, CAST(day AS VARCHAR) AS day FROM mails ORDER BY size").await.unwrap();
    let days = values(&rows, "day");
    assert_eq!(days.len(), 60);
    assert!(days[..40].iter().all(Option::is_none));
    assert!(days[40..].iter().all(|day| day.as_deref() == Some("2026-01-02")));
    let few = query(&engine, "SELECT size FROM mails WHERE day = '2026-01-02' AND size < 45").await.unwrap();
    assert_eq!(values(&few, "size").len(), 5);
    // A folder of tables has it as one table.
    let found = TableFile::in_folder(folder.path()).await.unwrap();
    assert_eq!(found.tables, [TableFile { name: "mails".to_owned(), path }]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delta_table_is_charged_as_a_table_and_gives_the_bytes_of_its_rows() {
    use inkveil::ledger::{Filter, Ledger};
    let folder = tempfile::tempdir().unwrap();
    let path = table(folder.path());
    let file = write_parquet(&folder.path().join("mails.parquet"), &mails(60));
    let sql = "SELECT id, veil(body, id) AS v FROM mails ORDER BY id";
    let (delta, plain) = (opened(&path).await.unwrap(), opened(&file).await.unwrap());
    let ledger = folder.path().join("spent.ledger");
    delta.set("ledger", ledger.to_str().unwrap()).unwrap();
    let rows = values(&query(&delta, sql).await.unwrap(), "v");
    assert_eq!(rows, values(&query(&plain, sql).await.unwrap(), "v"));
    let releases: Vec<_> =
        Ledger::open(&ledger).unwrap().releases(Filter::default()).map(Result::unwrap).collect();
    assert_eq!((releases.len(), releases[0].dataset.as_str()), (1, "mails"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_reader_cannot_follow_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = table(folder.path());
    let deleted =
        add(&path, "a.parquet", "null", ",\"deletionVector\":{\"storageType\":\"u\",\"sizeInBytes\":1}");
    for (line, words) in [
        (deleted.as_str(), "deletion vectors"),
        ("{\"protocol\":{\"minReaderVersion\":3,\"readerFeatures\":[\"typeWidening\"]}}", "not supported"),
        ("{\"add\":{\"path\":\"../mails.parquet\",\"size\":10}}", "outside"),
        ("{\"add\":{\"path\":\"Wilhelmina Oostergaard", "damaged"),
        (
            "{\"add\":{\"path\":\"x\",\"partitionValues\":{\"day\":\"Oostergaard\"},\"size\":10}}",
            "does not fit",
        ),
    ] {
        log(&path, 2, line);
        let message = opened(&path).await.unwrap_err().to_string();
        assert!(message.contains(words) && !message.contains("Oostergaard"), "{line}: {message}");
    }
    std::fs::remove_file(path.join("_delta_log").join(format!("{:020}.json", 2))).unwrap();
    // A file that is gone ends the query, and is not left out.
    std::fs::remove_file(path.join("a.parquet")).unwrap();
    let engine = opened(&path).await.unwrap();
    assert!(refused(&engine, "SELECT count(id) FROM mails").await.contains("cannot be read"));
    // Without its log, a folder of Parquet files would show rows that were deleted.
    std::fs::rename(path.join("_delta_log").join(format!("{:020}.json", 0)), folder.path().join("gone"))
        .unwrap();
    assert!(opened(&path).await.unwrap_err().to_string().contains("version is missing"));
}
