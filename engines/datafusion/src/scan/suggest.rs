//! Suggests a treatment for a column, and a column of ids.

use datafusion::arrow::array::{Array as _, AsArray as _, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Int64Type, Schema};

use super::column::ColumnScan;
use super::{ColumnReport, TableReport};
use crate::policy::{Policy, TablePolicy, Treatment};
use crate::scan::ScanReport;

/// The mean number of characters from which texts count as prose.
const PROSE: u64 = 40;

/// The report of a column.
pub(super) fn column(field: &Field, scan: Option<ColumnScan>, harmless: bool) -> ColumnReport {
    let (suggestion, reason) = match &scan {
        _ if harmless => (Treatment::Keep, "it holds no texts"),
        None => (Treatment::Drop, "its values cannot be searched"),
        Some(scan) if scan.with_findings == 0 => {
            (Treatment::Keep, "nothing was found, which is no proof that nothing is there")
        }
        Some(scan) if scan.characters / scan.texts.max(1) >= PROSE => {
            (Treatment::Veil, "prose with findings")
        }
        Some(_) => (Treatment::Mask, "short values with findings"),
    };
    let scan = scan.filter(|_| !harmless);
    ColumnReport {
        name: field.name().clone(),
        r#type: class(field.data_type()),
        searched: scan.is_some(),
        texts: scan.as_ref().map_or(0, |scan| scan.texts),
        texts_with_findings: scan.as_ref().map_or(0, |scan| scan.with_findings),
        kinds: scan.map(|scan| scan.kinds()).unwrap_or_default(),
        suggestion,
        reason,
    }
}

/// A type in words. Names of fields in a nested type may be data: the keys of a JSON object are such names.
fn class(kind: &DataType) -> String {
    let word = match kind {
        DataType::Struct(_) => "struct",
        DataType::Map(..) => "map",
        DataType::Union(..) => "union",
        DataType::Dictionary(_, values) => return class(values),
        DataType::RunEndEncoded(_, values) => return class(values.data_type()),
        _ if kind.is_nested() => "list",
        _ => return kind.to_string(),
    };
    word.to_owned()
}

/// Columns that may hold ids, the likeliest first.
pub(super) fn candidates(columns: &[ColumnReport], schema: &Schema) -> Vec<String> {
    let named = |name: &str| {
        let name = name.to_lowercase();
        ["id", "key", "uuid"].iter().any(|word| name == *word || name.ends_with(&format!("_{word}")))
    };
    let is_whole =
        |name: &str| schema.field_with_name(name).is_ok_and(|field| field.data_type().is_integer());
    let kept = || columns.iter().filter(|column| column.suggestion == Treatment::Keep);
    let (mut first, mut rest): (Vec<_>, Vec<_>) = kept()
        .filter(|column| named(&column.name) || is_whole(&column.name))
        .map(|column| column.name.clone())
        .partition(|name| named(name));
    first.append(&mut rest);
    first
}

/// Whether all values of a column are there and different.
pub(super) fn is_id(counts: &[RecordBatch], rows: u64) -> bool {
    let Some(batch) = counts.iter().find(|batch| batch.num_rows() == 1 && batch.num_columns() == 2) else {
        return false;
    };
    let number = |at: usize| {
        let column = batch.column(at);
        column
            .as_primitive_opt::<Int64Type>()
            .filter(|column| !column.is_empty())
            .map(|column| column.value(0))
    };
    let all = i64::try_from(rows).ok();
    rows > 0 && number(0) == all && number(1) == all
}

/// Without an id, nothing can be veiled.
pub(super) fn without_id(mut columns: Vec<ColumnReport>, has_id: bool) -> Vec<ColumnReport> {
    for column in columns.iter_mut().filter(|column| !has_id && column.suggestion == Treatment::Veil) {
        (column.suggestion, column.reason) =
            (Treatment::Mask, "prose with findings, in a table without a column of ids that veil() needs");
    }
    columns
}

impl ScanReport {
    /// The policy that the report suggests. All columns that may hold texts are listed.
    pub fn policy(&self) -> Policy {
        let table = |table: &TableReport| {
            let listed =
                table.columns.iter().filter(|column| column.searched || column.suggestion == Treatment::Drop);
            let columns = listed.map(|column| (column.name.clone(), column.suggestion)).collect();
            (table.name.clone(), TablePolicy { id: table.id.clone(), columns, ..TablePolicy::default() })
        };
        Policy { tables: self.tables.iter().map(table).collect(), ..Policy::default() }
    }

    /// The policy as a file. It begins with the tables whose ids have to be checked.
    pub fn policy_file(&self) -> String {
        let warned = self.unchecked_ids().map(|table| format!("#   {table}\n")).collect::<String>();
        let policy = self.policy().to_toml();
        match warned.is_empty() {
            true => policy,
            false => format!(
                "# The ids of these tables were compared in a part of their rows only. Rows that share an id share their \
                 noise.\n# Check that no id is there twice:\n{warned}\n{policy}"
            ),
        }
    }

    /// The tables whose suggested ids may repeat in the rows that were not read.
    pub fn unchecked_ids(&self) -> impl Iterator<Item = &str> {
        let is_unchecked = |table: &&TableReport| table.id.is_some() && !table.is_whole;
        self.tables.iter().filter(is_unchecked).map(|table| table.name.as_str())
    }
}
