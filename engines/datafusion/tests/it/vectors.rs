//! Vectors of texts, and noise on vectors.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use datafusion::arrow::array::{
    Array as _, ArrayRef, AsArray as _, FixedSizeListArray, Int64Array, LargeListArray, ListArray,
    RecordBatch, StringArray,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Float32Type, Float64Type};
use inkveil::ledger::{BudgetScope, Counted, Filter, Ledger, Limit};
use inkveil::release::{Account, MemoryVectors, Silent};
use inkveil::vectors::{CorpusNote, EncoderNote, MaskNote};
use inkveil::{Encoder, Epsilon, Mask, NoiseKey, VectorVeilBuilder, Veil};
use inkveil_datafusion::{Engine, EngineOptions};

use crate::tables::{NAME, engine, query, refused, text, under, values, write_parquet};

type Vector = Option<Vec<f32>>;

const DIM: usize = 6;

/// The vector of a row, and null in every fifth row.
fn vector(row: usize) -> Vector {
    let number = |at: usize| ((row * DIM + at) as f32 * 0.37).sin();
    (row % 5 != 4).then(|| (0..DIM).map(number).collect())
}

fn id(row: usize) -> u64 {
    row as u64 * 3 + 1
}

fn some<T: Copy>(vector: Vector, of: impl Fn(f32) -> T) -> Option<Vec<Option<T>>> {
    vector.map(|numbers| numbers.into_iter().map(|number| Some(of(number))).collect())
}

/// Rows with an id, a text, and the same vectors in four types.
fn table(rows: usize) -> RecordBatch {
    let all = || (0..rows).map(vector);
    let narrow = || all().map(|vector| some(vector, |number| number));
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values((0..rows).map(|row| id(row) as i64)));
    let texts: ArrayRef =
        Arc::new(StringArray::from_iter((0..rows).map(|row| (row % 7 != 6).then(|| text(row)))));
    let fixed: ArrayRef =
        Arc::new(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(narrow(), DIM as i32));
    let list: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(narrow()));
    let large: ArrayRef = Arc::new(LargeListArray::from_iter_primitive::<Float32Type, _, _>(narrow()));
    let wide: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(
        all().map(|vector| some(vector, f64::from)),
    ));
    let columns =
        [("id", ids), ("body", texts), ("fixed", fixed), ("list", list), ("large", large), ("wide", wide)];
    RecordBatch::try_from_iter(columns).unwrap()
}

async fn session(path: &Path, options: EngineOptions) -> Engine {
    let engine = engine(path, options).await;
    engine.set("vector_epsilon", "40").unwrap();
    engine
}

/// The vectors of a column, in the order of the rows.
fn vectors(batches: &[RecordBatch], column: &str) -> Vec<Vector> {
    let list = DataType::List(Arc::new(Field::new_list_field(DataType::Float32, true)));
    let mut all = Vec::new();
    for batch in batches {
        let lists = cast(batch.column_by_name(column).unwrap(), &list).unwrap();
        for vector in lists.as_list::<i32>().iter() {
            all.push(vector.map(|vector| vector.as_primitive::<Float32Type>().values().to_vec()));
        }
    }
    all
}

/// What the facade makes of vectors.
fn facade(builder: VectorVeilBuilder, given: &[Vector], records: &[u64]) -> Vec<Vector> {
    let dim = given.iter().flatten().next().unwrap().len();
    let key = NoiseKey::insecure_from_seed(5);
    let release = MemoryVectors::open(builder.build(dim).unwrap(), key, &Account::none(), "v").unwrap();
    let mut rows: Vec<f32> = given.iter().flatten().flatten().copied().collect();
    let records: Vec<u64> =
        given.iter().zip(records).filter(|(vector, _)| vector.is_some()).map(|(_, id)| *id).collect();
    release.release(&mut rows, Some(&records), &Silent, &AtomicBool::new(false)).unwrap();
    let mut veiled = rows.chunks_exact(dim).map(<[f32]>::to_vec);
    given.iter().map(|vector| vector.as_ref().and_then(|_| veiled.next())).collect()
}

fn round() -> VectorVeilBuilder {
    Veil::vectors(Epsilon::new(40.0).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_type_of_vectors_gets_the_bytes_of_the_facade() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &table(120));
    let given: Vec<Vector> = (0..120).map(vector).collect();
    let ids: Vec<u64> = (0..120).map(id).collect();
    let expected = facade(round(), &given, &ids);
    assert_ne!(expected, given);
    for (partitions, rows) in [(1, 8192), (3, 7)] {
        let options = EngineOptions { partitions: Some(partitions), batch_size: Some(rows) };
        let engine = session(&path, options).await;
        for column in ["fixed", "list", "large", "wide"] {
            let sql = format!("SELECT veil_vector({column}, id) AS v FROM mails ORDER BY id");
            let rows = query(&engine, &sql).await.unwrap();
            assert_eq!(vectors(&rows, "v"), expected, "{column}");
        }
        for column in ["fixed", "list", "large"] {
            let sql = format!("SELECT {column} AS a, veil_vector({column}, id) AS b FROM mails LIMIT 1");
            let rows = query(&engine, &sql).await.unwrap();
            assert_eq!(rows[0].column(0).data_type(), rows[0].column(1).data_type());
        }
        engine.set("id", "id").unwrap();
        let filled = query(&engine, "SELECT veil_vector(list) AS v FROM mails ORDER BY id").await.unwrap();
        assert_eq!(vectors(&filled, "v"), expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_of_vectors_do_not_share_noise() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &table(20));
    let engine = session(&path, EngineOptions::default()).await;
    let sql = "SELECT veil_vector(fixed, id) AS a, veil_vector(list, id) AS b, veil_vector(list, id) AS c, \
               veil(body, id) AS d FROM mails ORDER BY id";
    let rows = query(&engine, sql).await.unwrap();
    let (a, b, c) = (vectors(&rows, "a"), vectors(&rows, "b"), vectors(&rows, "c"));
    assert!(a.iter().zip(&b).all(|(a, b)| a != b || a.is_none()));
    assert_eq!(b, c);
    // One text beside vectors has the bytes of a text alone.
    let alone = query(&engine, "SELECT veil(body, id) AS d FROM mails ORDER BY id").await.unwrap();
    assert_eq!(values(&rows, "d"), values(&alone, "d"));
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_become_vectors_with_or_without_noise() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &table(12));
    let engine = session(&path, EngineOptions::default()).await;
    let texts: Vec<Option<String>> = (0..12).map(|row| (row % 7 != 6).then(|| text(row))).collect();
    let encoder = Encoder::open("en").unwrap();
    let given: Vec<&str> = texts.iter().flatten().map(String::as_str).collect();
    let flat = encoder.encode(&given, &AtomicBool::new(false), |_| ()).unwrap();
    let mut each = flat.chunks_exact(encoder.model.width()).map(<[f32]>::to_vec);
    let clear: Vec<Vector> = texts.iter().map(|text| text.as_ref().and_then(|_| each.next())).collect();
    let rows = query(&engine, "SELECT embed(body) AS v FROM mails ORDER BY id").await.unwrap();
    let embedded = vectors(&rows, "v");
    for (one, other) in embedded.iter().zip(&clear) {
        let (Some(one), Some(other)) = (one, other) else {
            assert_eq!(one, other);
            continue;
        };
        // Texts of other batches may change the last bits.
        assert!(one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-4));
    }
    let ids: Vec<u64> = (0..12).map(id).collect();
    let expected = facade(round().encoder(Some(encoder.note.clone())), &embedded, &ids);
    let sql = "SELECT veil_vector(embed(body), id) AS v FROM mails ORDER BY id";
    assert_eq!(vectors(&query(&engine, sql).await.unwrap(), "v"), expected);
    let near =
        "SELECT id FROM mails ORDER BY array_distance(embed(body), embed('The heating is broken.')) LIMIT 1";
    let found = values(&query(&engine, near).await.unwrap(), "id");
    assert!(["4", "16", "28"].contains(&found[0].as_deref().unwrap()), "{found:?}");
    // A ledger changes when texts are read, and not what is released.
    let ledger = folder.path().join("spent.ledger");
    engine.set("ledger", ledger.to_str().unwrap()).unwrap();
    assert_eq!(vectors(&query(&engine, sql).await.unwrap(), "v"), expected);
    assert_eq!(Ledger::open(&ledger).unwrap().releases(Filter::default()).count(), 1);
    query(&engine, "SELECT embed(body) AS v FROM mails").await.unwrap();
    assert_eq!(Ledger::open(&ledger).unwrap().releases(Filter::default()).count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn vectors_are_charged_once_before_the_first_row() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &table(100));
    let options = EngineOptions { partitions: Some(3), batch_size: Some(16) };
    let engine = session(&path, options).await;
    let ledger = folder.path().join("spent.ledger");
    engine.set("ledger", ledger.to_str().unwrap()).unwrap();
    let releases = || Ledger::open(&ledger).unwrap().releases(Filter::default()).count();
    let sql = "SELECT id, veil_vector(list, id) AS v FROM mails";
    let prepared = engine.prepare_one(sql).await.unwrap();
    let mut running = engine.start(prepared).await.unwrap();
    assert_eq!(releases(), 1);
    let mut rows = 0;
    while let Some(batch) = running.next().await.unwrap() {
        rows += batch.num_rows();
    }
    let receipts = running.finish(None).unwrap();
    assert_eq!((rows, receipts.len(), receipts[0].count()), (100, 1, 80));
    assert_eq!(releases(), 1);
    // Only the rows that are read count.
    let some = engine.prepare_one(&format!("{sql} WHERE id < 50")).await.unwrap();
    let mut running = engine.start(some).await.unwrap();
    while running.next().await.unwrap().is_some() {}
    assert!(running.finish(None).unwrap()[0].count() < 20);
    // A query without a vector has nothing to charge and no receipt.
    let none = engine.prepare_one(&format!("{sql} WHERE id < 0")).await.unwrap();
    let running = engine.start(none).await.unwrap();
    assert!(running.finish(None).unwrap().is_empty());
    assert_eq!(releases(), 2);
    assert!(Ledger::open(&ledger).unwrap().unconfirmed().next().is_none());
    let scope = BudgetScope::Dataset("mails".to_owned());
    let limit = Limit::new(scope, Counted::EachMetric, Epsilon::new(0.001).unwrap());
    Ledger::open(&ledger).unwrap().set_limit(&limit).unwrap();
    let before = engine.done();
    assert!(refused(&engine, sql).await.contains("limit"));
    assert_eq!((releases(), engine.done()), (2, before));
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_and_vectors_of_a_query_are_charged_together_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &table(20));
    let engine = session(&path, EngineOptions::default()).await;
    let ledger = folder.path().join("spent.ledger");
    engine.set("ledger", ledger.to_str().unwrap()).unwrap();
    engine.set("preset", "strict").unwrap();
    engine.set("tier", "rules").unwrap();
    let all =
        || Ledger::open(&ledger).unwrap().releases(Filter::default()).map(Result::unwrap).collect::<Vec<_>>();
    let both = "SELECT veil(body, id) AS t, veil_vector(list, id) AS v FROM mails WHERE id < 10";
    query(&engine, both).await.unwrap();
    // One release of two parts.
    assert_eq!(all().len(), 2);
    assert_eq!((all()[0].id, all()[0].part + 1), (all()[1].id, all()[1].part));
    // The vectors alone pass the limit of their metric, so the texts are not charged either.
    let metric = all()[1].charges[0].metric.unwrap();
    let scope = BudgetScope::Dataset("mails".to_owned());
    let spent = Epsilon::new(all()[1].charges[0].epsilon.get() * 1.5).unwrap();
    let enough = Epsilon::new(1e9).unwrap();
    for (counted, epsilon) in [(Counted::Metric(metric), spent), (Counted::EachMetric, enough)] {
        let limit = Limit { delta: 0.5, ..Limit::new(scope.clone(), counted, epsilon) };
        Ledger::open(&ledger).unwrap().set_limit(&limit).unwrap();
    }
    let before = engine.done();
    let message = refused(&engine, both).await;
    assert!(message.contains("limit") && message.contains(&metric.to_string()), "{message}");
    assert_eq!((all().len(), engine.done()), (2, before));
    query(&engine, "SELECT veil(body, id) AS t FROM mails WHERE id < 10").await.unwrap();
    assert_eq!(all().len(), 3);
    assert!(Ledger::open(&ledger).unwrap().unconfirmed().next().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn vectors_that_come_after_the_charge_do_not_leave() {
    let folder = tempfile::tempdir().unwrap();
    for rows in [20, 0] {
        let path = write_parquet(&folder.path().join("mails.parquet"), &table(rows));
        let engine = session(&path, EngineOptions { partitions: Some(1), batch_size: None }).await;
        engine.set("ledger", folder.path().join("spent.ledger").to_str().unwrap()).unwrap();
        let prepared = engine.prepare_one("SELECT veil_vector(list, id) FROM mails").await.unwrap();
        let mut running = engine.start(prepared).await.unwrap();
        write_parquet(&path, &table(400));
        let message = loop {
            match running.next().await {
                Ok(Some(batch)) => {
                    assert!(rows > 0 || batch.column(0).null_count() == batch.num_rows());
                }
                Ok(None) if rows == 0 => return,
                Ok(None) => panic!("more vectors left than were charged"),
                Err(error) => break error.to_string(),
            }
        };
        assert!(message.contains("changed since") || message.contains("cannot be read"), "{message}");
    }
}

/// A mask with every second gate open.
fn mask(dim: usize, encoder: &str) -> Vec<u8> {
    let encoder = EncoderNote { name: encoder.to_owned(), sha256: None };
    let corpus = CorpusNote { sha256: "0".repeat(64), texts: 1, pairs: 1, public: true };
    let gates = (0..dim).map(|at| if at % 2 == 0 { 1.0 } else { 0.0 }).collect();
    let note = MaskNote::new(("people", "people", ""), encoder, corpus, None);
    Mask { gates, mean_squares: vec![1.0 / dim as f32; dim], eraser: None, note }.to_bytes().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mask_is_used_and_one_that_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &table(20));
    let engine = session(&path, EngineOptions::default()).await;
    let file = folder.path().join("people.mask");
    std::fs::write(&file, mask(DIM, "elsewhere")).unwrap();
    engine.set("vector_mask", file.to_str().unwrap()).unwrap();
    let sql = "SELECT veil_vector(list, id) AS v FROM mails ORDER BY id";
    let given: Vec<Vector> = (0..20).map(vector).collect();
    let ids: Vec<u64> = (0..20).map(id).collect();
    let expected = facade(round().mask(&file), &given, &ids);
    assert_eq!(vectors(&query(&engine, sql).await.unwrap(), "v"), expected);
    // The settings say that the vectors are of another encoder.
    engine.set("encoder", "en").unwrap();
    assert!(refused(&engine, sql).await.contains("people.mask"));
    engine.set("encoder", "").unwrap();
    std::fs::write(&file, mask(DIM + 1, "elsewhere")).unwrap();
    assert!(refused(&engine, sql).await.contains("people.mask"));
    std::fs::write(&file, "no mask").unwrap();
    assert!(refused(&engine, sql).await.contains("people.mask"));
    engine.set("vector_mask", folder.path().join("missing.mask").to_str().unwrap()).unwrap();
    assert!(refused(&engine, sql).await.contains("missing.mask"));
}

#[tokio::test(flavor = "multi_thread")]
async fn vectors_that_cannot_be_veiled_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let of = |rows: [Vec<Option<f32>>; 2]| -> ArrayRef {
        Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(rows.map(Some)))
    };
    let columns = [
        ("id", ids),
        ("uneven", of([vec![Some(1.0)], vec![Some(1.0), Some(2.0)]])),
        ("empty", of([vec![], vec![]])),
        ("gap", of([vec![Some(1.0), None], vec![Some(1.0), Some(2.0)]])),
        ("endless", of([vec![Some(1.0), Some(f32::INFINITY)], vec![Some(1.0), Some(2.0)]])),
        ("short", of([vec![Some(1.0)], vec![Some(1.0)]])),
        ("long", of([vec![Some(1.0), Some(2.0)], vec![Some(1.0), Some(2.0)]])),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &batch);
    let engine = engine(&path, EngineOptions::default()).await;
    let ledger = folder.path().join("spent.ledger");
    engine.set("ledger", ledger.to_str().unwrap()).unwrap();
    let message = refused(&engine, "SELECT veil_vector(long, id) FROM mails").await;
    assert!(message.contains("vector_epsilon"), "{message}");
    for wrong in ["0", "-1", "much", "1; DROP TABLE mails", "1e999"] {
        assert!(engine.set("vector_epsilon", wrong).is_err(), "{wrong}");
    }
    engine.set("vector_epsilon", "40").unwrap();
    for (column, says) in
        [("uneven", "lengths"), ("empty", "empty"), ("gap", "null"), ("endless", "not finite")]
    {
        let message = refused(&engine, &format!("SELECT veil_vector({column}, id) FROM mails")).await;
        assert!(message.contains(says) && message.contains(column), "{column}: {message}");
    }
    for (sql, says) in [
        ("SELECT veil_vector(short, id), veil_vector(long, id) FROM mails", "several lengths"),
        ("SELECT veil_vector(long) FROM mails", "veil_vector(vector, id)"),
        ("SELECT veil_vector(long, 1) FROM mails", "rows would share it"),
        ("SELECT veil_vector(long, uuid()) FROM mails", "stable row id"),
        ("SELECT veil_vector(veil_vector(long, id), id) FROM mails", "released once"),
        ("SELECT veil_vector(embed(veil('a text', id)), id) FROM mails", "released once"),
    ] {
        let message = refused(&engine, sql).await;
        assert!(message.contains(says), "{sql}: {message}");
    }
    for sql in [
        "SELECT veil_vector(id, id) FROM mails",
        "SELECT veil_vector('a text', id) FROM mails",
        "SELECT veil_vector(long, id, 'a task') FROM mails",
        "SELECT embed(long) FROM mails",
        "SELECT embed('a', 'b')",
    ] {
        let message = refused(&engine, sql).await;
        assert!(message.contains("write ") || message.contains("planned"), "{sql}: {message}");
    }
    assert!(!ledger.exists() || Ledger::open(&ledger).unwrap().releases(Filter::default()).next().is_none());
}

const POLICY: &str = "\
[settings]
insecure_seed = \"5\"
ledger = \"none\"
vector_epsilon = \"40\"

[tables.mails]
id = \"id\"
columns = { body = \"drop\", list = \"veil\", fixed = \"veil\", large = \"drop\", wide = \"drop\" }
";

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_veils_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_parquet(&folder.path().join("mails.parquet"), &table(20));
    let engine = under(&path, POLICY).await.unwrap();
    let both = query(&engine, "SELECT list, fixed FROM mails ORDER BY id").await.unwrap();
    let given: Vec<Vector> = (0..20).map(vector).collect();
    let (list, fixed) = (vectors(&both, "list"), vectors(&both, "fixed"));
    let differ = |one: &[Vector], other: &[Vector]| {
        one.iter().zip(other).all(|(one, other)| one != other || one.is_none())
    };
    assert!(differ(&list, &given) && differ(&list, &fixed));
    let one = query(&engine, "SELECT list FROM mails ORDER BY id").await.unwrap();
    assert_eq!(vectors(&one, "list"), list);
    // A query cannot compare a guess with a row.
    for sql in
        ["SELECT veil_vector(make_array(1.0, 2.0), id) FROM mails", "SELECT veil_vector(list, id) FROM mails"]
    {
        assert!(refused(&engine, sql).await.contains("the policy decides"), "{sql}");
    }
    for wrong in ["mask", "detect"] {
        let policy = POLICY.replace("list = \"veil\"", &format!("list = \"{wrong}\""));
        let message = under(&path, &policy).await.unwrap_err().to_string();
        assert!(message.contains("table mails") && message.contains("list"), "{message}");
        assert!(message.contains("veiled, dropped or kept") && !message.contains(NAME), "{message}");
    }
    let fresh = POLICY.replace("insecure_seed = \"5\"\n", "");
    let engine = under(&path, &fresh).await.unwrap();
    assert!(refused(&engine, "SELECT list FROM mails").await.contains("key_file or a ledger"));
}
