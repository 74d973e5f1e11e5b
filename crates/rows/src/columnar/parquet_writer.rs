//! Writes rows as Parquet, in groups like those of the file that was read.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::properties::WriterProperties;

use super::guard::guarded;
use super::noting::{
    Failure, NotingWriter, failure_of, finish_parquet, options_like, refused, start_parquet,
};
use crate::error::Error;
use inkveil_files::Sink;

/// A row group is in memory until it is complete, so it ends at this size.
const GROUP_BYTES: usize = 128 << 20;

/// The rows of a row group if there is no input to follow.
const GROUP_ROWS: u64 = 1 << 17;

pub(crate) struct RowsWriter {
    writer: ArrowWriter<NotingWriter>,
    failed: Failure,
    /// The numbers of rows of the input's row groups, in reverse order.
    groups: Vec<u64>,
    /// The number of rows until the row group ends.
    left: u64,
}

impl RowsWriter {
    /// Starts a file with the metadata, the compression and the row groups of another.
    pub(crate) fn like(metadata: &ParquetMetaData, schema: &SchemaRef, sink: Sink) -> Result<Self, Error> {
        let mut groups: Vec<u64> = metadata
            .row_groups()
            .iter()
            .rev()
            .map(|group| u64::try_from(group.num_rows()).unwrap_or(0))
            .filter(|rows| *rows > 0)
            .collect();
        let left = groups.pop().unwrap_or(GROUP_ROWS);
        let (writer, failed) = start_parquet(sink, |noting| {
            let options = options_like(metadata, schema, None)?;
            ArrowWriter::try_new_with_options(noting, Arc::clone(schema), options).map_err(|_| refused())
        })?;
        Ok(Self { writer, failed, groups, left })
    }

    /// Starts a file with the usual settings.
    pub(crate) fn new(schema: &SchemaRef, sink: Sink) -> Result<Self, Error> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(None)
            .build();
        let (writer, failed) = start_parquet(sink, |noting| {
            let options = ArrowWriterOptions::new().with_properties(properties);
            ArrowWriter::try_new_with_options(noting, Arc::clone(schema), options).map_err(|_| refused())
        })?;
        Ok(Self { writer, failed, groups: Vec::new(), left: GROUP_ROWS })
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let mut rest = batch.clone();
        while rest.num_rows() > 0 {
            let take = usize::try_from(self.left).unwrap_or(usize::MAX).min(rest.num_rows());
            let now = rest.slice(0, take);
            rest = rest.slice(take, rest.num_rows() - take);
            self.left -= take as u64;
            let ends = self.left == 0;
            let written: Result<(), Error> = guarded(|| {
                self.writer.write(&now).map_err(|_| refused())?;
                if ends || self.writer.in_progress_size() >= GROUP_BYTES {
                    self.writer.flush().map_err(|_| refused())?;
                }
                Ok(())
            });
            written.map_err(|_| failure_of(&self.failed))?;
            if ends {
                self.left = self.groups.pop().unwrap_or(GROUP_ROWS);
            }
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<Sink, Error> {
        finish_parquet(self.writer, &self.failed)
    }
}
