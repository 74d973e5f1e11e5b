//! Writes a Parquet file like the one read.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::SchemaRef;
use inkveil_files::Sink;
use inkveil_rows::columnar::{
    Failure, NotingWriter, failure_of, finish_parquet, guarded, options_like, refused, start_parquet,
};
use parquet::arrow::ArrowWriter;

use super::column::VectorColumn;
use super::read::ColumnarReader;
use crate::carry::ColumnarCarry;
use crate::error::Error;

/// The library keeps a row group in memory until it is complete, so row groups are closed at this size.
pub(super) const GROUP_BYTES: usize = 32 << 20;

/// A row group ends where one of the input ends, unless it is smaller than this.
const SMALL_GROUP_BYTES: usize = 1 << 20;

/// Writes a Parquet file.
pub(crate) struct ColumnarWriter {
    writer: ArrowWriter<NotingWriter>,
    failed: Failure,
    schema: SchemaRef,
    column: VectorColumn,
    dim: usize,
}

impl ColumnarWriter {
    pub(crate) fn new(like: &ColumnarReader, sink: Sink) -> Result<Self, Error> {
        let schema = like.schema();
        let column = like.vector_column().clone();
        let (writer, failed) = start_parquet(sink, |noting| {
            let options =
                options_like(like.metadata().metadata(), &schema, Some(like.vector_column().index))?;
            ArrowWriter::try_new_with_options(noting, Arc::clone(&schema), options).map_err(|_| refused())
        })?;
        Ok(ColumnarWriter { writer, failed, schema, column, dim: like.dim() })
    }

    pub(crate) fn write(
        &mut self,
        first_row: u64,
        values: &[f64],
        carry: ColumnarCarry,
    ) -> Result<(), Error> {
        let ColumnarCarry { mut columns, ends_group } = carry;
        let vectors = self.column.lists(values, self.dim, first_row)?;
        if let Some(place) = columns.get_mut(self.column.index) {
            *place = Some(vectors);
        }
        let columns: Vec<ArrayRef> = columns.into_iter().flatten().collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(|_| refused())?;
        let written: Result<(), inkveil_rows::Error> = guarded(|| {
            self.writer.write(&batch).map_err(|_| refused())?;
            let size = self.writer.in_progress_size();
            if size >= GROUP_BYTES || (ends_group && size >= SMALL_GROUP_BYTES) {
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
