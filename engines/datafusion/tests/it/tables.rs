//! Tables and sessions for tests. The texts are invented.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::{
    Array as _, ArrayRef, Int64Array, LargeStringArray, RecordBatch, StringArray, StringViewArray,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::parquet::arrow::ArrowWriter;
use inkveil_datafusion::{Engine, EngineOptions, Error, Policy, TableFile};

/// A name that stands in every second text.
pub(crate) const NAME: &str = "Wilhelmina Oostergaard";

pub(crate) fn text(row: usize) -> String {
    match row % 4 {
        0 => format!("{NAME} paid {row} euros for the green house in Rotterdam."),
        1 => format!("Please call me at +31 20 555 {:04} about the broken heating.", row % 10_000),
        2 => format!("{NAME} asks for a refund, her mail is w.oostergaard{row}@example.org."),
        _ => "The old well in the garden is dry since the long summer.".to_owned(),
    }
}

/// Rows with an id, a text that is null in every seventh row, a city, and a number.
pub(crate) fn mails(rows: usize) -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values((0..rows).map(|row| row as i64 * 3 + 1)));
    let bodies: ArrayRef =
        Arc::new(StringArray::from_iter((0..rows).map(|row| (row % 7 != 6).then(|| text(row)))));
    let cities: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..rows).map(|row| ["Ghent", "Oslo"][row % 2])));
    let sizes: ArrayRef = Arc::new(Int64Array::from_iter_values((0..rows).map(|row| row as i64)));
    RecordBatch::try_from_iter([("id", ids), ("body", bodies), ("city", cities), ("size", sizes)]).unwrap()
}

pub(crate) fn write_parquet(path: &Path, batch: &RecordBatch) -> PathBuf {
    let mut writer =
        ArrowWriter::try_new(std::fs::File::create(path).unwrap(), batch.schema(), None).unwrap();
    // Several row groups, so that several partitions have work.
    for start in (0..batch.num_rows()).step_by(50) {
        writer.write(&batch.slice(start, 50.min(batch.num_rows() - start))).unwrap();
        writer.flush().unwrap();
    }
    writer.close().unwrap();
    path.to_owned()
}

pub(crate) async fn engine(path: &Path, options: EngineOptions) -> Engine {
    let table = TableFile { name: "mails".to_owned(), path: path.to_owned() };
    let engine = Engine::with_tables(options, &[table], None).await.unwrap();
    engine.set("insecure_seed", "5").unwrap();
    engine.set("ledger", "none").unwrap();
    engine
}

pub(crate) async fn under(path: &Path, policy: &str) -> Result<Engine, Error> {
    let table = TableFile { name: "mails".to_owned(), path: path.to_owned() };
    let policy = Policy::from_toml(policy, Path::new("policy.toml"))?;
    Engine::with_tables(EngineOptions::default(), &[table], Some(&policy)).await
}

/// Runs a query and returns its rows.
pub(crate) async fn query(engine: &Engine, sql: &str) -> Result<Vec<RecordBatch>, Error> {
    let query = engine.prepare_one(sql).await?;
    let mut running = engine.start(query).await?;
    let mut batches = Vec::new();
    while let Some(batch) = running.next().await? {
        batches.push(batch);
    }
    running.finish(None)?;
    Ok(batches)
}

pub(crate) async fn refused(engine: &Engine, sql: &str) -> String {
    match query(engine, sql).await {
        Ok(_) => panic!("{sql} was not refused"),
        Err(error) => error.to_string(),
    }
}

/// The values of a column as texts, in the order of the rows.
pub(crate) fn values(batches: &[RecordBatch], column: &str) -> Vec<Option<String>> {
    let mut all = Vec::new();
    for batch in batches {
        let array = cast(batch.column_by_name(column).unwrap(), &DataType::Utf8).unwrap();
        let array = array.as_any().downcast_ref::<StringArray>().unwrap();
        all.extend(array.iter().map(|value| value.map(str::to_owned)));
    }
    all
}

/// The same texts in each type of texts.
pub(crate) fn in_types(texts: &[Option<&str>]) -> [ArrayRef; 3] {
    [
        Arc::new(StringArray::from_iter(texts.iter().copied())),
        Arc::new(LargeStringArray::from_iter(texts.iter().copied())),
        Arc::new(StringViewArray::from_iter(texts.iter().copied())),
    ]
}

pub(crate) fn is_empty_folder(path: &Path) -> bool {
    std::fs::read_dir(path).unwrap().next().is_none()
}
