//! Texts in Arrow tables through the word veil, for query engines and other languages.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, LargeStringArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use inkveil_privacy::NoiseKey;
use inkveil_rows::Texts;
use inkveil_text::{Document, Replacements, TextTally, TextVeil, Veiled};
use sha2::{Digest as _, Sha256};

use crate::error::{Error, ErrorKind};
use crate::release::{MemoryRelease, MemoryText, Observer, document};

/// The column of receipts.
pub const RECEIPT_COLUMN: &str = "inkveil_receipt";

/// What the columns of a table are.
#[derive(Debug, Clone, Default)]
pub struct BatchColumns {
    /// The columns of texts. All other columns are copied.
    pub texts: Vec<String>,
    /// The column of ids. A row with an id gets the same replacements in any order and on any machine. Without it, rows
    /// get the next free records.
    pub id: Option<String>,
    /// The column with the task of each row. The tasks of the veil by default.
    pub task: Option<String>,
    /// Whether a column with the receipt of each row is added.
    pub receipts: bool,
}

/// A release of texts in Arrow tables.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::AtomicBool;
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
/// use inkveil::release::{Account, MemoryRelease, Silent};
/// use inkveil::{BatchColumns, BatchRelease, NoiseKey, Veil};
///
/// let ids: ArrayRef = Arc::new(Int64Array::from(vec![7]));
/// let texts: ArrayRef = Arc::new(StringArray::from(vec!["Ana Lima lives in Porto."]));
/// let table = RecordBatch::try_from_iter([("id", ids), ("body", texts)])?;
/// let veil = Arc::new(Veil::text().build()?);
/// let release = MemoryRelease::open(veil, NoiseKey::fresh()?, &Account::none(), "letters")?;
/// let columns = BatchColumns { texts: vec!["body".into()], id: Some("id".into()), ..BatchColumns::default() };
/// let release = BatchRelease::new(release.into(), columns);
/// let (veiled, _) = release.veil(&table, &Silent, &AtomicBool::new(false))?;
/// assert_eq!(veiled.column(0), table.column(0));
/// assert_ne!(veiled.column(1), table.column(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BatchRelease {
    release: Arc<MemoryRelease>,
    columns: BatchColumns,
}

impl BatchRelease {
    /// Releases the texts of these columns.
    pub fn new(release: Arc<MemoryRelease>, columns: BatchColumns) -> Self {
        Self { release, columns }
    }

    /// Returns the schema of released tables.
    ///
    /// # Errors
    /// If a column is missing, is not of texts, or would be written twice.
    pub fn schema(&self, schema: &Schema) -> Result<SchemaRef, Error> {
        // The second of two columns of one name would be overlooked.
        let mut names: Vec<&String> = schema.fields().iter().map(|field| field.name()).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(ErrorKind::SameColumns.into());
        }
        for name in &self.columns.texts {
            let kind = schema.field_with_name(name).map_err(|_| missing(name))?.data_type();
            if !is_text(kind) {
                return Err(not_text(name));
            }
        }
        let beside = [&self.columns.id, &self.columns.task];
        for name in beside.into_iter().flatten() {
            schema.field_with_name(name).map_err(|_| missing(name))?;
        }
        let mut fields: Vec<Arc<Field>> = schema.fields().iter().cloned().collect();
        if self.columns.receipts {
            if schema.field_with_name(RECEIPT_COLUMN).is_ok() {
                return Err(ErrorKind::FieldExists { name: RECEIPT_COLUMN }.into());
            }
            fields.push(Arc::new(Field::new(RECEIPT_COLUMN, DataType::LargeUtf8, true)));
        }
        Ok(Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())))
    }

    /// Veils a table, and returns it with what its receipt is made from. Texts that are null stay null. The table is
    /// charged before it is returned.
    ///
    /// # Errors
    /// If a column is missing or not of texts, an id is null or that of another text, a model fails, a limit would be passed, or the work is
    /// cancelled.
    pub fn veil(
        &self,
        batch: &RecordBatch,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<(RecordBatch, TextTally), Error> {
        let schema = self.schema(&batch.schema())?;
        let cells = Cells::read(batch, &self.columns)?;
        let released =
            self.release.release(&cells.texts(), observer, cancel).map_err(|error| cells.in_rows(error))?;
        let mut columns: Vec<ArrayRef> = batch.columns().to_vec();
        let mut texts = released.texts.iter();
        let mut receipts: Vec<Option<String>> = vec![None; batch.num_rows()];
        for (name, column) in self.columns.texts.iter().zip(&cells.columns) {
            let mut values: Vec<Option<&str>> = Vec::with_capacity(column.len());
            for (row, receipt) in receipts.iter_mut().enumerate() {
                let Some(released) = (!column.is_null(row)).then(|| texts.next()).flatten() else {
                    values.push(None);
                    continue;
                };
                values.push(Some(&released.text));
                if self.columns.receipts {
                    let line = released.receipt.to_line();
                    // A row of several texts has one receipt to a line.
                    match receipt {
                        Some(lines) => {
                            lines.push('\n');
                            lines.push_str(&line);
                        }
                        none => *none = Some(line),
                    }
                }
            }
            let at = batch.schema().index_of(name).map_err(|_| missing(name))?;
            let texts = LargeStringArray::from_iter(values);
            // The output has the type of the input.
            columns[at] = arrow_cast::cast(&texts, columns[at].data_type()).map_err(|_| not_text(name))?;
        }
        if self.columns.receipts {
            columns.push(Arc::new(LargeStringArray::from_iter(receipts)));
        }
        let veiled = RecordBatch::try_new(schema, columns)
            .map_err(|_| Error::from(ErrorKind::Bug("a veiled table does not fit its schema")))?;
        Ok((veiled, released.tally))
    }

    /// Returns what a table would cost. Nothing is drawn, charged or released.
    ///
    /// # Errors
    /// As [`veil`](Self::veil).
    pub fn plan(
        &self,
        batch: &RecordBatch,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<TextTally, Error> {
        self.schema(&batch.schema())?;
        let cells = Cells::read(batch, &self.columns)?;
        self.release.plan(&cells.texts(), observer, cancel).map_err(|error| cells.in_rows(error))
    }
}

/// Returns the record of a row: of its id, and of the column if a row has several texts.
pub fn record_of_id(id: &str, column: Option<&str>) -> u64 {
    let mut hash = Sha256::new();
    hash.update((id.len() as u64).to_le_bytes());
    hash.update(id);
    hash.update(column.unwrap_or_default());
    let digest: [u8; 32] = hash.finalize().into();
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    u64::from_le_bytes(first)
}

/// The texts of a table and what belongs to them.
struct Cells {
    columns: Vec<LargeStringArray>,
    names: Vec<String>,
    tasks: Option<LargeStringArray>,
    ids: Option<Ids>,
}

enum Ids {
    Numbers(arrow_array::UInt64Array),
    Names(LargeStringArray),
}

impl Cells {
    fn read(batch: &RecordBatch, columns: &BatchColumns) -> Result<Self, Error> {
        let tasks = columns.task.as_deref().map(|name| strings(batch, name)).transpose()?;
        let ids = columns.id.as_deref().map(|name| ids(batch, name)).transpose()?;
        let texts = columns.texts.iter().map(|name| strings(batch, name)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { columns: texts, names: columns.texts.clone(), tasks, ids })
    }

    /// Names rows instead of texts in an error about ids. Both texts are of one column, because it is part of their record.
    fn in_rows(&self, error: Error) -> Error {
        let ErrorKind::SameId { first, second } = *error.kind() else { return error };
        let rows =
            self.columns.iter().flat_map(|column| (0..column.len()).filter(|&row| !column.is_null(row)));
        let row = |text: usize| rows.clone().nth(text - 1).map_or(text, |row| row + 1);
        ErrorKind::SameId { first: row(first), second: row(second) }.into()
    }

    /// The texts that are not null, column by column.
    fn texts(&self) -> Vec<MemoryText<'_>> {
        let several = self.columns.len() > 1;
        let mut texts = Vec::new();
        for (column, name) in self.columns.iter().zip(&self.names) {
            let name = several.then_some(name.as_str());
            for row in (0..column.len()).filter(|&row| !column.is_null(row)) {
                let task =
                    self.tasks.as_ref().filter(|tasks| !tasks.is_null(row)).map(|tasks| tasks.value(row));
                let record = self.ids.as_ref().map(|ids| match (ids, name) {
                    (Ids::Numbers(ids), None) => ids.value(row),
                    (Ids::Numbers(ids), name) => record_of_id(&ids.value(row).to_string(), name),
                    (Ids::Names(ids), name) => record_of_id(ids.value(row), name),
                });
                texts.push(MemoryText { text: column.value(row), task, record });
            }
        }
        texts
    }
}

fn strings(batch: &RecordBatch, name: &str) -> Result<LargeStringArray, Error> {
    let column = batch.column_by_name(name).ok_or_else(|| missing(name))?;
    let cast = arrow_cast::cast(column, &DataType::LargeUtf8).map_err(|_| not_text(name))?;
    Ok(cast.as_string::<i64>().clone())
}

fn ids(batch: &RecordBatch, name: &str) -> Result<Ids, Error> {
    let column = batch.column_by_name(name).ok_or_else(|| missing(name))?;
    if column.null_count() > 0 {
        return Err(ErrorKind::NullId { column: name.to_owned() }.into());
    }
    let wrong = |_| not_text(name);
    if column.data_type().is_unsigned_integer() {
        let cast = arrow_cast::cast(column, &DataType::UInt64).map_err(wrong)?;
        return Ok(Ids::Numbers(cast.as_primitive().clone()));
    }
    if column.data_type().is_signed_integer() {
        // A negative id wraps around to a large one.
        let cast = arrow_cast::cast(column, &DataType::Int64).map_err(wrong)?;
        let signed = cast.as_primitive::<arrow_array::types::Int64Type>();
        return Ok(Ids::Numbers(signed.values().iter().map(|id| id.cast_unsigned()).collect()));
    }
    Ok(Ids::Names(strings(batch, name)?))
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

fn missing(name: &str) -> Error {
    ErrorKind::NoColumn { column: name.to_owned() }.into()
}

fn not_text(name: &str) -> Error {
    ErrorKind::NotTexts { column: name.to_owned() }.into()
}

/// Veils a table of texts. `known` holds earlier replacements
/// ([`veil_all_with`](TextVeil::veil_all_with)). This is not a release: no ledger is charged.
///
/// # Errors
/// If a model fails. Nothing is released then.
pub fn veil_texts<'t>(
    veil: &TextVeil,
    texts: &'t Texts,
    known: &mut Replacements,
    first: u64,
    key: &NoiseKey,
) -> Result<Vec<Veiled<'t>>, Error> {
    let documents: Vec<Document<'t>> = (0..texts.len()).map(|index| document(texts, index)).collect();
    Ok(veil.veil_all_with(known, &documents, first, key)?)
}

#[cfg(test)]
mod tests {
    use arrow_array::{Int64Array, StringArray, StringViewArray};

    use super::*;
    use crate::Veil;
    use crate::release::{Account, Silent};

    fn table() -> RecordBatch {
        let ids: ArrayRef = Arc::new(Int64Array::from(vec![7, -1, 9]));
        let names: ArrayRef = Arc::new(StringArray::from(vec!["seven", "eight", "nine"]));
        let bodies: ArrayRef =
            Arc::new(StringArray::from(vec![Some("Ana Lima lives in Porto."), None, Some("Ask Ana Lima.")]));
        let notes: ArrayRef = Arc::new(StringViewArray::from(vec!["Call Ben Cole.", "nothing", "Ben Cole"]));
        RecordBatch::try_from_iter([("id", ids), ("name", names), ("body", bodies), ("note", notes)]).unwrap()
    }

    fn release(columns: BatchColumns) -> BatchRelease {
        let veil = Arc::new(Veil::text().build().unwrap());
        let key = NoiseKey::insecure_from_seed(5);
        let release = MemoryRelease::open(veil, key, &Account::none(), "letters").unwrap();
        BatchRelease::new(release.into(), columns)
    }

    fn columns(texts: &[&str], id: Option<&str>) -> BatchColumns {
        BatchColumns {
            texts: texts.iter().map(|name| (*name).to_owned()).collect(),
            id: id.map(str::to_owned),
            ..BatchColumns::default()
        }
    }

    fn veil(release: &BatchRelease, batch: &RecordBatch) -> RecordBatch {
        release.veil(batch, &Silent, &AtomicBool::new(false)).unwrap().0
    }

    #[test]
    fn ids_decide_the_replacements_and_types_and_nulls_stay() {
        for id in ["id", "name"] {
            let release = release(BatchColumns { receipts: true, ..columns(&["body", "note"], Some(id)) });
            let whole = veil(&release, &table());
            assert_eq!(whole.schema().field(3).data_type(), &DataType::Utf8View);
            assert_eq!(whole.num_columns(), 5);
            assert!(whole.column(2).is_null(1) && whole.column(4).null_count() == 0);
            assert_eq!(whole.column(1), table().column(1));
            let last = veil(&release, &table().slice(2, 1));
            assert_eq!(whole.slice(2, 1).column(2), last.column(2));
            assert_eq!(whole.slice(2, 1).column(3), last.column(3));
        }
    }

    #[test]
    fn wrong_columns_are_refused() {
        let refused = |columns| {
            let error = release(columns).veil(&table(), &Silent, &AtomicBool::new(false)).unwrap_err();
            error.to_string()
        };
        assert!(refused(columns(&["text"], None)).contains("no column"));
        assert!(refused(columns(&["id"], None)).contains("does not hold texts"));
        assert!(refused(columns(&["body"], Some("key"))).contains("no column"));
        assert!(refused(columns(&["note"], Some("body"))).contains("null"));
        // Rows 1 and 3 have different texts, and null between them.
        let ids: ArrayRef = Arc::new(Int64Array::from(vec![7, 8, 7]));
        let shared = RecordBatch::try_from_iter([("id", ids), ("body", table().column(2).clone())]).unwrap();
        let error = release(columns(&["body"], Some("id")))
            .veil(&shared, &Silent, &AtomicBool::new(false))
            .unwrap_err();
        assert!(error.to_string().starts_with("text 3 has the same id as text 1"), "{error}");
        let cost = release(columns(&["body"], None)).plan(&table(), &Silent, &AtomicBool::new(false));
        assert!(cost.is_ok());
    }
}
