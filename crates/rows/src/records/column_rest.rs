//! The columns around the texts of a columnar format, and how changed texts are written into them.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::nested;
use super::path::ColumnPath;
use super::table::{Changed, Texts};
use crate::columnar::{corrupt, guarded};
use crate::error::Error;

/// The columns that the texts were found in.
pub(crate) struct ColumnRest {
    pub(crate) first_row: u64,
    pub(crate) batch: RecordBatch,
    pub(crate) columns: Vec<(usize, ColumnPath)>,
    /// For each path, the positions of its values among those of the table, in the order of the column.
    pub(crate) places: Vec<Vec<usize>>,
}

impl ColumnRest {
    pub(crate) fn write(&self, texts: &Texts, changed: &Changed) -> Result<RecordBatch, Error> {
        let values = texts.joined(&changed.texts)?;
        guarded(|| {
            let mut columns = self.batch.columns().to_vec();
            for ((index, path), places) in self.columns.iter().zip(&self.places) {
                let mut replaced = places.iter().map(|&place| values[place].text.as_deref());
                columns[*index] = nested::replace(&columns[*index], &path.steps, &mut replaced)
                    .map_err(|error| error.in_field(Some(&path.to_string())))?;
            }
            let schema =
                with_added(&self.batch.schema(), changed.added.iter().map(|added| added.name.as_str()));
            for added in &changed.added {
                let mut values = vec![None; self.batch.num_rows()];
                for (row, value) in &added.values {
                    let at = row.checked_sub(self.first_row).and_then(|at| usize::try_from(at).ok());
                    if let Some(place) = at.and_then(|at| values.get_mut(at)) {
                        *place = Some(value.as_str());
                    }
                }
                columns.push(Arc::new(arrow_array::StringArray::from(values)));
            }
            RecordBatch::try_new(schema, columns).map_err(|_| corrupt("a column is not what its schema says"))
        })
    }
}

/// Returns a schema with added columns of text.
pub(crate) fn with_added<'n>(schema: &SchemaRef, names: impl Iterator<Item = &'n str>) -> SchemaRef {
    let mut fields: Vec<Arc<Field>> = schema.fields().iter().cloned().collect();
    fields.extend(names.map(|name| Arc::new(Field::new(name, DataType::Utf8, true))));
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}
