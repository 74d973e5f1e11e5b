//! What is sensitive in the tables of a folder, and which policy fits them. A report holds no values of rows.

mod column;
mod report;
mod shape;
mod suggest;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use datafusion::functions_aggregate::expr_fn::{count, count_distinct};
use datafusion::logical_expr::ident;
use futures::StreamExt as _;
use serde::Serialize;

use crate::engine::Engine;
use crate::error::Error;
use crate::policy::{Treatment, is_harmless};
use crate::tables::TableFile;
use crate::texts::text_type;
use column::ColumnScan;

/// How much is scanned.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScanOptions {
    /// The most rows of a table that are read. All by default.
    pub rows: Option<usize>,
}

/// What a scan has found.
#[derive(Debug, Clone, Serialize)]
pub struct ScanReport {
    /// The tables.
    pub tables: Vec<TableReport>,
    /// Tables that could not be read, and why.
    pub unread: BTreeMap<String, String>,
    /// Folders that are no tables.
    #[serde(skip)]
    pub left_out: Vec<PathBuf>,
}

/// What a scan has found in a table.
#[derive(Debug, Clone, Serialize)]
pub struct TableReport {
    /// The name of the table.
    pub name: String,
    /// Its file or folder.
    pub path: PathBuf,
    /// The rows that were read.
    pub rows: u64,
    /// Whether these are all rows of the table.
    pub is_whole: bool,
    /// A column whose values are all different in the rows that were read, if there is one. JSON has it only if it looks
    /// like a name.
    #[serde(serialize_with = "report::serialize_shown_id")]
    pub id: Option<String>,
    /// Its columns.
    pub columns: Vec<ColumnReport>,
}

/// What a scan has found in a column.
#[derive(Debug, Clone, Serialize)]
pub struct ColumnReport {
    /// The name of the column. JSON has it only if it looks like a name, because a file without a header has data there.
    #[serde(serialize_with = "report::serialize_shown")]
    pub name: String,
    /// The type of its values. Nested types are "list", "struct", "map" and "union".
    pub r#type: String,
    /// Whether its texts were searched.
    pub searched: bool,
    /// The number of texts that are not null.
    pub texts: u64,
    /// The number of texts with a finding.
    pub texts_with_findings: u64,
    /// The findings of each kind.
    pub kinds: BTreeMap<String, KindReport>,
    /// The suggested treatment.
    pub suggestion: Treatment,
    /// Why it is suggested.
    pub reason: &'static str,
}

/// The findings of one kind in a column.
#[derive(Debug, Clone, Serialize)]
pub struct KindReport {
    /// Their number.
    pub count: u64,
    /// The number of texts that hold one.
    pub texts: u64,
    /// The most common form, with letters as `x` and digits as `9`.
    pub shape: String,
}

/// Scans the tables of a folder.
///
/// # Errors
/// If the folder cannot be read, a model cannot be opened, or the work is cancelled. A table that cannot be read is
/// listed in the report.
pub async fn scan(engine: &Engine, folder: &Path, options: ScanOptions) -> Result<ScanReport, Error> {
    let found = TableFile::in_folder(folder).await?;
    let mut report = ScanReport { tables: Vec::new(), unread: BTreeMap::new(), left_out: found.left_out };
    for table in found.tables {
        match scan_table(engine, &table, options).await {
            Ok(found) => report.tables.push(found),
            Err(error @ (Error::Refused(_) | Error::Run(_))) => {
                report.unread.insert(table.name, error.to_string());
            }
            Err(error) => return Err(error),
        }
    }
    Ok(report)
}

async fn scan_table(engine: &Engine, table: &TableFile, options: ScanOptions) -> Result<TableReport, Error> {
    let detector = engine.models.detector(&engine.options())?;
    let raw = table.open(&engine.context).await?;
    let schema = raw.schema();
    let frame = engine.context.read_table(raw).map_err(|error| Error::of_run(&error))?;
    let wanted: Vec<_> =
        schema.fields().iter().filter(|field| text_type(field.data_type()).is_some()).collect();
    let mut found: Vec<ColumnScan> = wanted.iter().map(|_| ColumnScan::default()).collect();
    let columns = wanted.iter().map(|field| ident(field.name().as_str())).collect::<Vec<_>>();
    let read = match columns.is_empty() {
        true => frame.clone(),
        false => frame.clone().select(columns).map_err(|error| Error::of_run(&error))?,
    };
    let read = read.limit(0, options.rows).map_err(|error| Error::of_run(&error))?;
    let mut stream = read.execute_stream().await.map_err(|error| Error::of_run(&error))?;
    let mut rows = 0;
    while let Some(batch) = stream.next().await {
        let batch = batch.map_err(|error| Error::of_run(&error))?;
        rows += batch.num_rows() as u64;
        for (column, scan) in batch.columns().iter().zip(&mut found).take(wanted.len()) {
            scan.read(column, &detector, &engine.cancel)?;
        }
        engine.done.fetch_add(batch.num_rows() as u64, std::sync::atomic::Ordering::Relaxed);
    }
    let is_whole = match options.rows {
        Some(most) if rows >= most as u64 => {
            let next = frame.clone().limit(most, Some(1)).map_err(|error| Error::of_run(&error))?;
            next.count().await.map_err(|error| Error::of_run(&error))? == 0
        }
        _ => true,
    };
    let mut searched = found.into_iter();
    let columns: Vec<ColumnReport> = schema
        .fields()
        .iter()
        .map(|field| {
            let scan = text_type(field.data_type()).and_then(|_| searched.next());
            suggest::column(field, scan, is_harmless(field.data_type()))
        })
        .collect();
    let mut id = None;
    for name in suggest::candidates(&columns, &schema) {
        let distinct = frame
            .clone()
            .limit(0, options.rows)
            .and_then(|rows| {
                rows.aggregate(
                    vec![],
                    vec![count(ident(name.as_str())), count_distinct(ident(name.as_str()))],
                )
            })
            .map_err(|error| Error::of_run(&error))?
            .collect()
            .await
            .map_err(|error| Error::of_run(&error))?;
        if suggest::is_id(&distinct, rows) {
            id = Some(name);
            break;
        }
    }
    let columns = suggest::without_id(columns, id.is_some());
    Ok(TableReport { name: table.name.clone(), path: table.path.clone(), rows, is_whole, id, columns })
}
