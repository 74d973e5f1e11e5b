//! Texts as an Arrow table: the input and the output of a veil.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::builder::{LargeStringBuilder, UInt64Builder};
use arrow_array::{Array as _, LargeStringArray, RecordBatch, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::columns::{ColumnUse, Columns, CopiedValue};
use crate::error::{Error, ErrorKind};

/// The columns of the table.
const NAMES: [&str; 5] = ["text", "row", "task", "id", "subject"];

/// Texts to be changed, one in each row of an Arrow table.
///
/// The columns are `text`, `row` (the row of the input, from 0), `task`, `id` and `subject`; the last three may be
/// null. A row of the input may have several texts, or none.
///
/// ```
/// use inkveil_rows::Texts;
///
/// let texts = Texts::new(["one", "two"]);
/// assert_eq!(texts.len(), 2);
/// assert_eq!(texts.text(1), "two");
/// assert_eq!(Texts::from_batch(texts.batch().clone())?.text(0), "one");
/// # Ok::<(), inkveil_rows::Error>(())
/// ```
#[derive(Clone)]
pub struct Texts {
    batch: RecordBatch,
    text: LargeStringArray,
    row: UInt64Array,
    beside: [LargeStringArray; 3],
    columns: ColumnUse,
    copied: Vec<CopiedValue>,
    /// The value of the input that each text belongs to. Empty if each text is a value of its own.
    value: Vec<usize>,
}

/// A value of the input after its texts were changed.
pub(crate) struct JoinedValue<'c> {
    /// Nothing if it is removed.
    pub(crate) text: Option<Cow<'c, str>>,
    pub(crate) unchanged: bool,
}

impl Texts {
    /// Returns a table of texts, each in a row of its own.
    pub fn new<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut builder = TextsBuilder::default();
        for (row, text) in (0..).zip(texts) {
            builder.push(row, text, [None; 3]);
        }
        builder.finish()
    }

    /// Reads a table with a column `text` of strings and any of the other columns. Unknown columns are ignored.
    ///
    /// # Errors
    /// If there is no column `text`, if it has nulls, if one of the columns has another type, or if two have the same name.
    pub fn from_batch(batch: RecordBatch) -> Result<Self, Error> {
        // The second of two columns of one name would be overlooked.
        Columns::check_names(batch.schema().fields().iter().map(|field| field.name()))?;
        let column = |name: &str, kind: &DataType| -> Result<_, Error> {
            let Some(column) = batch.column_by_name(name) else { return Ok(None) };
            let cast = arrow_cast::cast(column, kind)
                .map_err(|_| Error::from(ErrorKind::NotText).in_field(Some(name)))?;
            Ok(Some(cast))
        };
        let strings = |name: &str| -> Result<Option<LargeStringArray>, Error> {
            let cast = column(name, &DataType::LargeUtf8)?;
            Ok(cast.and_then(|cast| cast.as_any().downcast_ref().cloned()))
        };
        let rows = batch.num_rows();
        let missing =
            |name| Error::from(ErrorKind::MissingField { present: Vec::new() }).in_field(Some(name));
        let text = strings("text")?.ok_or_else(|| missing("text"))?;
        if text.null_count() > 0 {
            return Err(Error::from(ErrorKind::NotText).in_field(Some("text")));
        }
        let row = match column("row", &DataType::UInt64)? {
            Some(cast) => cast.as_any().downcast_ref().cloned().ok_or_else(|| missing("row"))?,
            None => UInt64Array::from_iter_values(0..rows as u64),
        };
        let mut beside = [const { None }; 3];
        for (place, name) in beside.iter_mut().zip(&NAMES[2..]) {
            *place = strings(name)?;
        }
        let beside = beside.map(|found| found.unwrap_or_else(|| LargeStringArray::new_null(rows)));
        Ok(Self {
            batch,
            text,
            row,
            beside,
            columns: ColumnUse::default(),
            copied: Vec::new(),
            value: Vec::new(),
        })
    }

    /// Returns the table.
    pub fn batch(&self) -> &RecordBatch {
        &self.batch
    }

    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns whether there are no texts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a text.
    ///
    /// # Panics
    /// If the index is out of range.
    pub fn text(&self, index: usize) -> &str {
        self.text.value(index)
    }

    /// Returns all texts, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|index| self.text.value(index))
    }

    /// Returns the row of a text in the input, from 0.
    pub fn row(&self, index: usize) -> u64 {
        self.row.value(index)
    }

    /// Returns the task of a text, if the input has one.
    pub fn task(&self, index: usize) -> Option<&str> {
        self.beside(0, index)
    }

    /// Returns the id of its row, if the input has one.
    pub fn id(&self, index: usize) -> Option<&str> {
        self.beside(1, index)
    }

    /// Returns the subject of its row, if the input has one.
    pub fn subject(&self, index: usize) -> Option<&str> {
        self.beside(2, index)
    }

    fn beside(&self, which: usize, index: usize) -> Option<&str> {
        let column = &self.beside[which];
        column.is_valid(index).then(|| column.value(index))
    }

    /// Returns what became of the columns of these rows. It is empty for texts that have no columns.
    pub fn columns(&self) -> &ColumnUse {
        &self.columns
    }

    /// Returns the different strings that are copied in columns that no one has named, if the column of the texts was
    /// [chosen](super::Columns::are_chosen). **Private.**
    pub fn copied(&self) -> &[CopiedValue] {
        &self.copied
    }

    /// Returns the position of the value that a text is, or is a part of.
    pub(crate) fn value_of(&self, index: usize) -> usize {
        self.value.get(index).copied().unwrap_or(index)
    }

    /// Joins the parts of long values again. A value of which a part is removed is removed as a whole.
    ///
    /// # Errors
    /// If there are more or fewer texts than before.
    pub(crate) fn joined<'c>(&self, changed: &'c [Option<String>]) -> Result<Vec<JoinedValue<'c>>, Error> {
        if changed.len() != self.len() {
            return Err(ErrorKind::OutOfOrder.into());
        }
        let mut values: Vec<JoinedValue<'c>> = Vec::with_capacity(changed.len());
        for (index, text) in changed.iter().enumerate() {
            let unchanged = text.as_deref() == Some(self.text(index));
            match values.get_mut(self.value_of(index)) {
                Some(value) => {
                    value.unchanged &= unchanged;
                    value.text = value.text.take().zip(text.as_deref()).map(|(before, text)| before + text);
                }
                None => values.push(JoinedValue { text: text.as_deref().map(Cow::Borrowed), unchanged }),
            }
        }
        Ok(values)
    }

    /// Returns the schema of the tables of this crate.
    pub fn schema() -> SchemaRef {
        let fields = NAMES.iter().enumerate().map(|(index, name)| match index {
            1 => Field::new(*name, DataType::UInt64, false),
            _ => Field::new(*name, DataType::LargeUtf8, index > 1),
        });
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    }
}

impl std::fmt::Debug for Texts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Texts({})", self.len())
    }
}

/// Builds a table.
#[derive(Default)]
pub(crate) struct TextsBuilder {
    text: LargeStringBuilder,
    row: UInt64Builder,
    beside: [LargeStringBuilder; 3],
    pub(crate) columns: ColumnUse,
    pub(crate) copied: BTreeSet<CopiedValue>,
    value: Vec<usize>,
    values: usize,
}

impl TextsBuilder {
    /// Adds a value that comes in these parts, and returns their number.
    pub(crate) fn push_parts(&mut self, row: u64, parts: &[&str], beside: [Option<&str>; 3]) -> u64 {
        self.columns.parts |= parts.len() > 1;
        for part in parts {
            self.push(row, part, beside);
            self.value.push(self.values);
        }
        self.values += 1;
        parts.len() as u64
    }

    pub(crate) fn push(&mut self, row: u64, text: &str, beside: [Option<&str>; 3]) {
        self.text.append_value(text);
        self.row.append_value(row);
        for (column, value) in self.beside.iter_mut().zip(beside) {
            column.append_option(value);
        }
    }

    pub(crate) fn finish(mut self) -> Texts {
        let (text, row) = (self.text.finish(), self.row.finish());
        let beside = self.beside.each_mut().map(LargeStringBuilder::finish);
        let mut columns: Vec<arrow_array::ArrayRef> = vec![Arc::new(text.clone()), Arc::new(row.clone())];
        columns.extend(beside.iter().map(|column| Arc::new(column.clone()) as arrow_array::ArrayRef));
        // Columns of one length and of the schema's types always make a table.
        let batch = RecordBatch::try_new(Texts::schema(), columns)
            .unwrap_or_else(|_| RecordBatch::new_empty(Texts::schema()));
        let (columns, copied) = (self.columns, self.copied.into_iter().collect());
        Texts { batch, text, row, beside, columns, copied, value: self.value }
    }
}

/// Changed texts.
#[derive(Default)]
pub struct Changed {
    /// Each text as it is written; nothing if it is removed.
    pub texts: Vec<Option<String>>,
    /// Added columns.
    pub added: Vec<Added>,
}

/// An added column.
pub struct Added {
    /// Its name.
    pub name: String,
    /// Its values, with the row of the input that each belongs to, as in [`Texts::row`].
    pub values: Vec<(u64, String)>,
}

impl std::fmt::Debug for Added {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Added({:?}, {} values)", self.name, self.values.len())
    }
}

impl std::fmt::Debug for Changed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Changed({} texts, {} columns added)", self.texts.len(), self.added.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_columns_of_one_name_are_refused() {
        let texts = || Arc::new(LargeStringArray::from(vec!["a"])) as arrow_array::ArrayRef;
        let field = || Field::new("text", DataType::LargeUtf8, false);
        let schema = Arc::new(Schema::new(vec![field(), field()]));
        let batch = RecordBatch::try_new(schema, vec![texts(), texts()]).unwrap();
        assert_eq!(Texts::from_batch(batch).unwrap_err().kind(), &ErrorKind::DuplicateField);
    }
}
