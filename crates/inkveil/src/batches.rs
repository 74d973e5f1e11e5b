//! Texts in Arrow tables through the word veil, for query engines and other languages.

use std::sync::Arc;

use arrow_array::{ArrayRef, LargeStringArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use inkveil_privacy::NoiseKey;
use inkveil_rows::Texts;
use inkveil_text::{Document, Replacements, TextTally, TextVeil, Veiled};

use crate::Error;
use crate::release::{Account, Accounting, KeyChoice, PartCharge, Silent, content_of, document};

/// The column of receipts.
pub const RECEIPT_COLUMN: &str = "inkveil_receipt";

/// A release of texts in Arrow tables.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
/// use inkveil::release::{Account, KeyChoice};
/// use inkveil::{BatchRelease, Veil};
///
/// let ids: ArrayRef = Arc::new(Int64Array::from(vec![7]));
/// let texts: ArrayRef = Arc::new(StringArray::from(vec!["Ana Lima lives in Porto."]));
/// let table = RecordBatch::try_from_iter([("id", ids), ("text", texts)])?;
/// let veil = Arc::new(Veil::text().build()?);
/// let release = BatchRelease::open(veil, KeyChoice::Fresh, &Account::none(), "letters")?;
/// let veiled = release.veil(&table, 0)?;
/// assert_eq!(veiled.column(0), table.column(0));
/// assert_ne!(veiled.column(1), table.column(1));
/// assert_eq!(veiled.schema().field(2).name(), "inkveil_receipt");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BatchRelease {
    veil: Arc<TextVeil>,
    key: NoiseKey,
    accounting: Accounting,
}

impl BatchRelease {
    /// Opens the ledger.
    ///
    /// # Errors
    /// If it cannot be used.
    pub fn open(
        veil: Arc<TextVeil>,
        key: KeyChoice,
        account: &Account,
        dataset: &str,
    ) -> Result<Self, Error> {
        Ok(Self { veil, key: key.key()?, accounting: account.open(dataset)? })
    }

    /// Veils the column `text` of a table, each row for the task in its column `task` if there is one, and
    /// adds a column of receipts. Everything else is kept. Row i has the address `first` + i. The table is
    /// charged before it is returned.
    ///
    /// # Errors
    /// If there is no such column, a text in it is null, a model fails, or a limit would be passed.
    pub fn veil(&self, batch: &RecordBatch, first: u64) -> Result<RecordBatch, Error> {
        let texts = Texts::from_batch(batch.clone())?;
        let veiled = veil_texts(&self.veil, &texts, &mut Replacements::default(), first, &self.key)?;
        let mut tally = TextTally::default();
        veiled.iter().for_each(|veiled| tally.add(veiled.plan()));
        let receipt = self.veil.receipt(&tally, None, &self.key)?;
        let content = content_of(texts.iter());
        let permit = self.accounting.reserve(&PartCharge::new(first, &receipt, Some(content)), &Silent)?;
        let text = LargeStringArray::from_iter_values(veiled.iter().map(Veiled::text));
        let receipts =
            LargeStringArray::from_iter_values(veiled.iter().map(|veiled| veiled.receipt().to_line()));
        let mut fields: Vec<Arc<Field>> = batch.schema().fields().iter().cloned().collect();
        let mut columns: Vec<ArrayRef> = batch.columns().to_vec();
        let at = batch
            .schema()
            .index_of("text")
            .map_err(|_| inkveil_rows::Error::from(inkveil_rows::ErrorKind::NotText))?;
        // The output has the string type of the input.
        let wrong = |_| Error::from(inkveil_rows::Error::from(inkveil_rows::ErrorKind::NotText));
        columns[at] = arrow_cast::cast(&text, fields[at].data_type()).map_err(wrong)?;
        fields.push(Arc::new(Field::new(RECEIPT_COLUMN, DataType::LargeUtf8, false)));
        columns.push(Arc::new(receipts));
        let schema = Schema::new_with_metadata(fields, batch.schema().metadata().clone());
        let released = RecordBatch::try_new(Arc::new(schema), columns).map_err(wrong)?;
        self.accounting.commit(permit)?;
        Ok(released)
    }
}

impl std::fmt::Debug for BatchRelease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BatchRelease")
    }
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
