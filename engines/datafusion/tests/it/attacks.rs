//! The table function `attack` gives the counts of the attack on texts, and no text.

use std::path::Path;

use datafusion::arrow::array::{Array as _, AsArray as _, RecordBatch};
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::Float64Type;
use inkveil::{DEFAULT_PACK, names_folder, pack_folder};
use inkveil_datafusion::{Engine, EngineOptions, TableFile};
use inkveil_eval::Watch;
use inkveil_eval::attack::{OpenTextAttack, ReleasedTexts, text};

use crate::tables::{mails, query, refused, under, values, write_parquet};

/// The tables `mails`, `kept` with the same texts, and `masked`, whose rows have another order.
async fn session(folder: &Path) -> Engine {
    let rows = mails(160);
    write_parquet(&folder.join("mails.parquet"), &rows);
    write_parquet(&folder.join("kept.parquet"), &rows);
    let table =
        |name: &str| TableFile { name: name.to_owned(), path: folder.join(format!("{name}.parquet")) };
    let engine = Engine::with_tables(EngineOptions::default(), &[table("mails")], None).await.unwrap();
    engine.set("ledger", "none").unwrap();
    let masked = "SELECT id, mask(body) AS body FROM mails ORDER BY size DESC";
    let masked = query(&engine, masked).await.unwrap();
    write_parquet(&folder.join("masked.parquet"), &concat_batches(&masked[0].schema(), &masked).unwrap());
    let tables = ["mails", "kept", "masked"].map(table);
    Engine::with_tables(EngineOptions::default(), &tables, None).await.unwrap()
}

/// The texts of both tables, in the order of the ids as texts.
fn pairs(originals: &RecordBatch, released: &[RecordBatch]) -> Vec<(String, String, String)> {
    let originals = std::slice::from_ref(originals);
    let released: std::collections::BTreeMap<_, _> =
        values(released, "id").into_iter().zip(values(released, "body")).collect();
    let ids = values(originals, "id").into_iter();
    let mut pairs: Vec<_> = ids
        .zip(values(originals, "body"))
        .filter_map(|(id, text)| Some((id.clone()?, text?, released[&id].clone()?)))
        .collect();
    pairs.sort();
    pairs
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attack_gives_the_counts_of_the_facade_and_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let engine = session(folder.path()).await;
    let pack = pack_folder(DEFAULT_PACK).unwrap();
    let open = OpenTextAttack::open(&pack, &names_folder(&pack).unwrap()).unwrap();
    let (mut verdicts, mut survived) = (Vec::new(), Vec::new());
    for table in ["kept", "masked"] {
        let sql = format!("SELECT * FROM attack('mails', '{table}', 'body', 'id', 100, 7)");
        let rows = query(&engine, &sql).await.unwrap();
        let released = query(&engine, &format!("SELECT id, body FROM {table}")).await.unwrap();
        let pairs = pairs(&mails(160), &released);
        let originals: Vec<&str> = pairs.iter().map(|pair| pair.1.as_str()).collect();
        let released: Vec<&str> = pairs.iter().map(|pair| pair.2.as_str()).collect();
        let texts = ReleasedTexts::new(&originals, &released).unwrap();
        let expected = text(&texts, &open.models(None, &[]), 100, 7, &Watch::nothing()).unwrap();
        let rows = concat_batches(&rows[0].schema(), &rows).unwrap();
        let rows = std::slice::from_ref(&rows);
        let (measures, names) = (values(rows, "measure"), values(rows, "name"));
        let at = |measure: &str, name: Option<&str>| {
            let is_it =
                |row: &usize| measures[*row].as_deref() == Some(measure) && names[*row].as_deref() == name;
            (0..measures.len()).find(is_it).unwrap()
        };
        let number = |row: usize, column: &str| {
            let column = rows[0].column_by_name(column).unwrap().as_primitive::<Float64Type>();
            (!column.is_null(row)).then(|| column.value(row))
        };
        let counted = |row: usize, column: &str| values(rows, column)[row].clone();
        let verdict = at("verdict", Some(expected.verdict().name()));
        assert_eq!(number(verdict, "high"), Some(expected.best().high));
        assert_eq!(number(at("survived", None), "share"), Some(expected.survival.mean));
        assert_eq!(number(at("linked", None), "share"), Some(expected.linked_to_original));
        assert_eq!(number(at("linked", None), "low"), None);
        for (attacker, found) in &expected.found {
            let row = at("found", Some(attacker.name()));
            let shares = ["share", "low", "high"].map(|column| number(row, column).unwrap());
            assert_eq!(shares, [found.mean, found.low, found.high]);
            assert_eq!(counted(row, "total"), Some(expected.sensitive_values.to_string()));
        }
        for (kind, count) in &expected.kinds {
            let row = at("kind", Some(kind));
            assert_eq!(counted(row, "count"), Some(count.found.to_string()));
            assert_eq!(counted(row, "total"), Some(count.values.to_string()));
        }
        let attacked = at("texts", None);
        assert_eq!(counted(attacked, "count"), Some(expected.attacked_texts.to_string()));
        assert_eq!(counted(attacked, "total"), Some(originals.len().to_string()));
        let all: String = ["measure", "name"].iter().flat_map(|c| values(rows, c)).flatten().collect();
        assert!(!all.contains("Oostergaard") && !all.contains("Rotterdam"), "{all}");
        verdicts.push(names[verdict].clone().unwrap());
        survived.push(number(at("survived", None), "share").unwrap());
    }
    // All values survive in a release that changes nothing, and few in a masked one.
    assert_eq!((verdicts[0].as_str(), survived[0]), ("high leakage", 1.0));
    assert!(survived[1] < 0.5, "{survived:?}");
    // The rows are those of a table, so a query can choose some. Nothing is attacked to explain it.
    let sql = "SELECT name FROM attack('mails', 'kept', 'body', 'id', 100, 7) WHERE measure = 'verdict'";
    assert_eq!(values(&query(&engine, sql).await.unwrap(), "name"), [Some("high leakage".to_owned())]);
    query(&engine, &format!("EXPLAIN {sql}")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attack_that_cannot_be_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let engine = session(folder.path()).await;
    for (call, words) in [
        ("attack('mails', 'kept', 'body')", "attack() is called with"),
        ("attack('mails', 'kept', 'body', 7)", "attack() is called with"),
        ("attack('mails', 'kept', 'body', 'id', 1)", "attack() is called with"),
        ("attack('mails', 'kept', 'body', 'id', 9, 1, 1)", "attack() is called with"),
        ("attack('mails', 'none', 'body', 'id')", "no table named none"),
        ("attack('mails', 'kept', 'text', 'id')", "mails has no column text"),
        // Two cities stand in many rows.
        ("attack('mails', 'kept', 'body', 'city')", "more than once"),
    ] {
        let said = refused(&engine, &format!("SELECT * FROM {call}")).await;
        assert!(said.contains(words) && !said.contains("Oostergaard"), "{call}: {said}");
    }
    let policy = "[tables.mails]\ncolumns = { body = \"mask\", city = \"keep\" }\n";
    let engine = under(&folder.path().join("mails.parquet"), policy).await.unwrap();
    let said = refused(&engine, "SELECT * FROM attack('mails', 'mails', 'body', 'id')").await;
    assert!(said.contains("under a policy"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attack_can_be_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let engine = session(folder.path()).await;
    engine.cancel().store(true, std::sync::atomic::Ordering::Relaxed);
    let asked = engine.prepare_one("SELECT * FROM attack('mails', 'kept', 'body', 'id')").await.unwrap();
    let mut running = engine.start(asked).await.unwrap();
    assert!(running.next().await.unwrap_err().is_cancelled());
}
