//! A new Parquet file with an id and a vector in each row.

use std::sync::Arc;

use arrow_array::{ArrayRef, FixedSizeListArray, Float32Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use inkveil_files::Sink;
use inkveil_rows::columnar::{
    Failure, NotingWriter, failure_of, finish_parquet, guarded, refused, start_parquet,
};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use super::write::GROUP_BYTES;
use crate::error::Error;

/// Writes rows of an id and a vector.
pub(crate) struct NewColumns {
    writer: ArrowWriter<NotingWriter>,
    failed: Failure,
    schema: SchemaRef,
    item: Arc<Field>,
    width: i32,
}

impl NewColumns {
    pub(crate) fn new(dim: usize, sink: Sink) -> Result<Self, Error> {
        let width = i32::try_from(dim).map_err(|_| refused())?;
        let item = Arc::new(Field::new("item", DataType::Float32, false));
        let lists = DataType::FixedSizeList(Arc::clone(&item), width);
        let fields = vec![Field::new("id", DataType::Utf8, false), Field::new("embedding", lists, false)];
        let schema = Arc::new(Schema::new(fields));
        // The numbers of vectors do not repeat, and their bounds do not help a reader.
        let leaf = ColumnPath::from(vec!["embedding".into(), "list".into(), "item".into()]);
        let properties = WriterProperties::builder()
            .set_column_dictionary_enabled(leaf.clone(), false)
            .set_column_statistics_enabled(leaf, EnabledStatistics::None)
            .build();
        let (writer, failed) = start_parquet(sink, |noting| {
            ArrowWriter::try_new(noting, Arc::clone(&schema), Some(properties)).map_err(|_| refused())
        })?;
        Ok(Self { writer, failed, schema, item, width })
    }

    pub(crate) fn write(&mut self, ids: &[&str], values: &[f32]) -> Result<(), Error> {
        let numbers: ArrayRef = Arc::new(Float32Array::from(values.to_vec()));
        let lists = FixedSizeListArray::try_new(Arc::clone(&self.item), self.width, numbers, None);
        let columns: Vec<ArrayRef> =
            vec![Arc::new(StringArray::from(ids.to_vec())), Arc::new(lists.map_err(|_| refused())?)];
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(|_| refused())?;
        let written: Result<(), inkveil_rows::Error> = guarded(|| {
            self.writer.write(&batch).map_err(|_| refused())?;
            if self.writer.in_progress_size() >= GROUP_BYTES {
                self.writer.flush().map_err(|_| refused())?;
            }
            Ok(())
        });
        Ok(written.map_err(|_| failure_of(&self.failed))?)
    }

    pub(crate) fn finish(self) -> Result<Sink, Error> {
        Ok(finish_parquet(self.writer, &self.failed)?)
    }
}
