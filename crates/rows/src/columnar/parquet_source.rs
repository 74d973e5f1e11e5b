//! Reads a Parquet file as Arrow tables, starting at any row.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::Length as _;

use super::chunks::Chunks;
use super::guard::{arrow_error, corrupt, guarded, parquet_error};
use crate::error::{Error, ErrorKind};
use inkveil_files::Input;

/// A Parquet file that is read from any row.
pub(crate) struct ParquetSource {
    chunks: Chunks,
    metadata: ArrowReaderMetadata,
    batch_rows: usize,
    rows: u64,
    reader: Option<ParquetRecordBatchReader>,
    done: u64,
}

/// Opens a Parquet file. Batches have at most `rows` rows and about `bytes` bytes.
pub(crate) fn parquet_rows(input: Input, rows: usize, bytes: usize) -> Result<ParquetSource, Error> {
    let chunks = Chunks::open(input)?;
    if chunks.len() == 0 {
        return Err(ErrorKind::Empty.into());
    }
    let metadata =
        guarded(|| ArrowReaderMetadata::load(&chunks, ArrowReaderOptions::new()).map_err(parquet_error))?;
    let total = parquet_row_count(metadata.metadata())?;
    let sizes = metadata.metadata().row_groups().iter();
    let size = sizes
        .fold(0_u64, |sum, group| sum.saturating_add(u64::try_from(group.total_byte_size()).unwrap_or(0)));
    let row_bytes = (size / total.max(1)).max(1);
    let by_bytes = usize::try_from(bytes as u64 / row_bytes).unwrap_or(usize::MAX).max(1);
    Ok(ParquetSource {
        chunks,
        metadata,
        batch_rows: rows.min(by_bytes).max(1),
        rows: total,
        reader: None,
        done: 0,
    })
}

/// Returns the number of rows of a Parquet file.
///
/// # Errors
/// If the file states an impossible number.
pub fn parquet_row_count(metadata: &ParquetMetaData) -> Result<u64, Error> {
    let mut counts = metadata.row_groups().iter().map(|group| u64::try_from(group.num_rows()).ok());
    counts
        .try_fold(0_u64, |sum, rows| sum.checked_add(rows?))
        .ok_or_else(|| corrupt("it has a row group with an impossible number of rows"))
}

impl ParquetSource {
    pub(crate) fn schema(&self) -> SchemaRef {
        Arc::clone(self.metadata.schema())
    }

    pub(crate) fn metadata(&self) -> &Arc<ParquetMetaData> {
        self.metadata.metadata()
    }

    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    pub(crate) fn bytes_total(&self) -> u64 {
        self.chunks.len()
    }

    pub(crate) fn bytes_read(&self) -> u64 {
        // The library reads ahead, so the share of rows is the better measure of progress.
        let share = self.done as f64 / self.rows.max(1) as f64;
        (self.chunks.len() as f64 * share) as u64
    }

    /// Skips to the row at this position.
    pub(crate) fn skip(&mut self, rows: u64) -> Result<(), Error> {
        if rows > self.rows {
            return Err(ErrorKind::Truncated.into());
        }
        (self.done, self.reader) = (rows, None);
        Ok(())
    }

    pub(crate) fn next(&mut self) -> Result<Option<RecordBatch>, Error> {
        if self.done >= self.rows {
            return Ok(None);
        }
        let read: Result<RecordBatch, Error> = guarded(|| {
            let reader = match &mut self.reader {
                Some(reader) => reader,
                None => {
                    let offset = usize::try_from(self.done).map_err(|_| ErrorKind::Truncated)?;
                    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(
                        self.chunks.clone(),
                        self.metadata.clone(),
                    );
                    let reader = builder.with_batch_size(self.batch_rows).with_offset(offset).build();
                    self.reader.insert(reader.map_err(parquet_error)?)
                }
            };
            match reader.next() {
                Some(Ok(batch)) => Ok(batch),
                Some(Err(error)) => Err(arrow_error(error)),
                None => Err(ErrorKind::Truncated.into()),
            }
        });
        let batch = read.map_err(|error| error.in_row(self.done))?;
        self.done += batch.num_rows() as u64;
        Ok(Some(batch))
    }
}
