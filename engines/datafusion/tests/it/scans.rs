//! A scan reports what is sensitive, suggests a policy that works, and shows no value of a row.

use inkveil_datafusion::scan::{ScanOptions, scan};
use inkveil_datafusion::{Engine, EngineOptions, TableFile, Treatment};

use crate::tables::{NAME, mails, query, write_parquet};

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_suggests_a_policy_that_works() {
    let folder = tempfile::tempdir().unwrap();
    let lake = folder.path().join("lake");
    std::fs::create_dir_all(lake.join("parts")).unwrap();
    write_parquet(&lake.join("mails.parquet"), &mails(60));
    write_parquet(&lake.join("parts/a.parquet"), &mails(10));
    write_parquet(&lake.join("parts/b.parquet"), &mails(10));
    std::fs::write(lake.join("People.csv"), "name,mail\nIngeborg Thorvald,i.t@example.org\n").unwrap();
    std::fs::write(lake.join("broken.parquet"), "nothing").unwrap();
    std::fs::write(lake.join("notes.txt"), "left out").unwrap();
    let engine = Engine::new(EngineOptions::default()).unwrap();
    let report = scan(&engine, &lake, ScanOptions::default()).await.unwrap();
    let names: Vec<&str> = report.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["mails", "parts", "people"]);
    assert_eq!(report.unread.keys().collect::<Vec<_>>(), ["broken"]);
    let mails = &report.tables[0];
    assert_eq!((mails.rows, mails.id.as_deref()), (60, Some("id")));
    let body = mails.columns.iter().find(|column| column.name == "body").unwrap();
    assert_eq!(body.suggestion, Treatment::Veil);
    assert!(body.kinds["person"].count >= 20 && body.kinds["person"].shape == "xxxxxxxxxx xxxxxxxxxxx");
    assert_eq!(report.tables[1].rows, 20);
    // Its ids repeat in the second file, so it has no column of ids.
    assert_eq!(report.tables[1].id, None);
    let (text, json) = (report.render(), serde_json::to_string(&report).unwrap());
    for value in ["Oostergaard", "Ingeborg", "Thorvald", "example.org", "Ghent"] {
        assert!(!text.contains(value) && !json.contains(value), "{text}\n{json}");
    }
    std::fs::remove_file(lake.join("broken.parquet")).unwrap();
    let tables = TableFile::in_folder(&lake).await.unwrap().tables;
    let policy = report.policy();
    let engine = Engine::with_tables(EngineOptions::default(), &tables, Some(&policy)).await.unwrap();
    engine.set("ledger", "none").unwrap();
    engine.set("insecure_seed", "5").unwrap();
    for table in ["mails", "parts", "people"] {
        query(&engine, &format!("SELECT * FROM {table}")).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_can_read_a_part_of_each_table() {
    let folder = tempfile::tempdir().unwrap();
    write_parquet(&folder.path().join("mails.parquet"), &mails(100));
    let engine = Engine::new(EngineOptions::default()).unwrap();
    let report = scan(&engine, folder.path(), ScanOptions { rows: Some(15) }).await.unwrap();
    assert_eq!((report.tables[0].rows, report.tables[0].is_whole), (15, false));
    assert!(scan(&engine, &folder.path().join("none"), ScanOptions::default()).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn ids_of_a_part_of_the_rows_are_not_certain() {
    let folder = tempfile::tempdir().unwrap();
    // The ids are different in the first 50 rows, and repeat later.
    let twice = datafusion::arrow::compute::concat_batches(&mails(50).schema(), &[mails(50), mails(50)]);
    write_parquet(&folder.path().join("mails.parquet"), &twice.unwrap());
    write_parquet(&folder.path().join("small.parquet"), &mails(20));
    let engine = Engine::new(EngineOptions::default()).unwrap();
    for (rows, id, unchecked) in
        [(Some(50), Some("id"), &["mails"][..]), (Some(20), Some("id"), &["mails"]), (None, None, &[])]
    {
        let report = scan(&engine, folder.path(), ScanOptions { rows }).await.unwrap();
        assert_eq!(report.tables[0].id.as_deref(), id, "{rows:?}");
        assert_eq!(report.unchecked_ids().collect::<Vec<_>>(), unchecked, "{rows:?}");
        // A table that ends with the last row that was read is whole.
        assert!(report.tables[1].is_whole && report.tables[1].id.is_some(), "{rows:?}");
        let (text, file) = (report.render(), report.policy_file());
        let json = serde_json::to_value(&report).unwrap();
        let says = !unchecked.is_empty();
        assert_eq!(text.contains("perhaps ids in id: they may repeat"), says, "{text}");
        assert_eq!(file.contains("Check that no id is there twice:\n#   mails\n\n"), says, "{file}");
        assert_eq!(json["tables"][0]["is_whole"], !says);
        assert!(text.contains("small.parquet): 20 rows, ids in id\n"), "{text}");
        assert!(inkveil_datafusion::Policy::from_toml(&file, std::path::Path::new("lake.toml")).is_ok());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_names_no_column_and_no_field_that_may_be_data() {
    let folder = tempfile::tempdir().unwrap();
    let row = format!("{{\"id\": 1, \"paid\": {{\"{NAME}\": 7}}, \"all\": [{{\"{NAME}\": 7}}]}}\n");
    std::fs::write(folder.path().join("keys.jsonl"), row).unwrap();
    std::fs::write(folder.path().join("bare.csv"), format!("1,{NAME} lives here\n2,Nobody does\n")).unwrap();
    let engine = Engine::new(EngineOptions::default()).unwrap();
    let report = scan(&engine, folder.path(), ScanOptions::default()).await.unwrap();
    let (text, json) = (report.render(), serde_json::to_string(&report).unwrap());
    for shown in [&text, &json] {
        assert!(!shown.contains("Oostergaard"), "{shown}");
        assert!(
            shown.contains("(name not shown)") && shown.contains("struct") && shown.contains("list"),
            "{shown}"
        );
    }
    // The policy has to name them.
    assert!(report.policy().to_toml().contains(NAME));
}
