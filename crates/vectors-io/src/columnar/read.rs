//! Reads a Parquet file, one row group after the other.

use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_schema::SchemaRef;
use inkveil_rows::columnar::{Chunks, arrow_error, corrupt, guarded, parquet_error, parquet_row_count};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::file::reader::Length as _;

use super::column::VectorColumn;
use crate::batch::{MAX_DIM, VectorBatch, batch_rows};
use crate::carry::{Carry, ColumnarCarry};
use crate::error::{Error, ErrorKind};
use crate::options::ReadOptions;
use inkveil_files::Input;

/// The approximate size of a batch. A batch of rows with long texts has fewer rows.
const BATCH_BYTES: u64 = 16 << 20;

/// Reads a Parquet file.
pub(crate) struct ColumnarReader {
    chunks: Chunks,
    metadata: ArrowReaderMetadata,
    column: VectorColumn,
    dim: usize,
    rows: u64,
    asked_rows: usize,
    /// The row group to open next.
    next_group: usize,
    group: Option<Group>,
    /// The rows read so far.
    done: u64,
}

/// The row group that is being read.
struct Group {
    reader: ParquetRecordBatchReader,
    left: u64,
}

impl ColumnarReader {
    pub(crate) fn open(input: Input, options: &ReadOptions) -> Result<Self, Error> {
        let chunks = Chunks::open(input)?;
        if chunks.len() == 0 {
            return Err(ErrorKind::Empty.into());
        }
        let metadata =
            guarded(|| ArrowReaderMetadata::load(&chunks, ArrowReaderOptions::new()).map_err(parquet_error))?;
        let column = VectorColumn::choose(metadata.schema(), options.column.as_deref())?;
        let rows = parquet_row_count(metadata.metadata())?;
        if rows == 0 {
            return Err(ErrorKind::Empty.into());
        }
        let mut reader = ColumnarReader {
            chunks,
            metadata,
            column,
            dim: 0,
            rows,
            asked_rows: options.batch_rows,
            next_group: 0,
            group: None,
            done: 0,
        };
        let dim = match reader.column.fixed_dim() {
            Some(dim) => dim,
            None => guarded(|| reader.first_length()).map_err(|e| e.in_field(Some(&reader.column.name)))?,
        };
        if dim == 0 {
            return Err(Error::from(ErrorKind::Empty).in_field(Some(&reader.column.name)));
        }
        if dim as u64 > MAX_DIM {
            let error = Error::unsupported(format!("a vector of {dim} numbers"), "check the schema");
            return Err(error.in_field(Some(&reader.column.name)));
        }
        reader.dim = dim;
        Ok(reader)
    }

    pub(crate) fn dim(&self) -> usize {
        self.dim
    }

    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    pub(crate) fn column(&self) -> &str {
        &self.column.name
    }

    pub(crate) fn bytes_total(&self) -> u64 {
        self.chunks.len()
    }

    pub(crate) fn bytes_read(&self) -> u64 {
        self.chunks.bytes_read()
    }

    pub(super) fn metadata(&self) -> &ArrowReaderMetadata {
        &self.metadata
    }

    pub(super) fn schema(&self) -> SchemaRef {
        Arc::clone(self.metadata.schema())
    }

    pub(super) fn vector_column(&self) -> &VectorColumn {
        &self.column
    }

    pub(crate) fn next_batch(&mut self) -> Result<Option<VectorBatch>, Error> {
        guarded(|| self.read_batch()).map_err(|e| {
            let is_corrupt = matches!(e.kind(), ErrorKind::Corrupt { .. });
            if is_corrupt { e.in_row(self.done) } else { e }
        })
    }

    fn read_batch(&mut self) -> Result<Option<VectorBatch>, Error> {
        if self.group.is_none() {
            self.group = self.open_group()?;
        }
        let Some(group) = &mut self.group else { return Ok(None) };
        let batch = match group.reader.next() {
            Some(Ok(batch)) if batch.num_rows() > 0 => batch,
            Some(Err(error)) => return Err(arrow_error(error).into()),
            _ => return Err(Error::from(ErrorKind::Truncated).in_row(self.done)),
        };
        let rows = batch.num_rows() as u64;
        group.left =
            group.left.checked_sub(rows).ok_or_else(|| corrupt("a row group is longer than it says"))?;
        let ends_group = group.left == 0;
        if ends_group {
            self.group = None;
        }
        let first_row = self.done;
        let batch = self.take_vectors(batch, first_row, ends_group)?;
        self.done += rows;
        Ok(Some(batch))
    }

    fn take_vectors(
        &self,
        batch: RecordBatch,
        first_row: u64,
        ends_group: bool,
    ) -> Result<VectorBatch, Error> {
        let (_, columns, _) = batch.into_parts();
        let mut columns: Vec<Option<ArrayRef>> = columns.into_iter().map(Some).collect();
        let vectors = columns
            .get_mut(self.column.index)
            .and_then(Option::take)
            .ok_or_else(|| corrupt("the vectors are not what its schema says"))?;
        let values = self.column.values(&vectors, self.dim, first_row)?;
        let carry = Carry::Columnar(ColumnarCarry { columns, ends_group });
        VectorBatch::new(first_row, self.dim, values, carry)
    }

    /// Opens the next row group that has rows.
    fn open_group(&mut self) -> Result<Option<Group>, Error> {
        let Some((index, rows)) = self.group_from(self.next_group) else { return Ok(None) };
        self.next_group = index + 1;
        let bytes = self.metadata.metadata().row_group(index).total_byte_size();
        let row_bytes = u64::try_from(bytes).unwrap_or(0) / rows;
        let by_bytes = usize::try_from(BATCH_BYTES / row_bytes.max(1)).unwrap_or(usize::MAX);
        let batch_rows = batch_rows(self.asked_rows.min(by_bytes), self.dim);
        let reader = self.reader(index, batch_rows, ProjectionMask::all())?;
        Ok(Some(Group { reader, left: rows }))
    }

    /// Returns the first row group at or after `start` that has rows, and the number of its rows.
    fn group_from(&self, start: usize) -> Option<(usize, u64)> {
        let groups = self.metadata.metadata().row_groups().iter().enumerate().skip(start);
        groups
            .map(|(index, group)| (index, u64::try_from(group.num_rows()).unwrap_or(0)))
            .find(|(_, rows)| *rows > 0)
    }

    /// Reads the first vector and returns its length.
    fn first_length(&self) -> Result<usize, Error> {
        let (index, _) = self.group_from(0).ok_or(ErrorKind::Empty)?;
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), [self.column.index]);
        let batch = match self.reader(index, 1, mask)?.next() {
            Some(Ok(batch)) => batch,
            Some(Err(error)) => return Err(arrow_error(error).into()),
            None => return Err(Error::from(ErrorKind::Truncated).in_row(0)),
        };
        let vectors = batch.columns().first().filter(|vectors| !vectors.is_empty());
        self.column.first_length(vectors.ok_or(ErrorKind::Truncated)?)
    }

    fn reader(
        &self,
        group: usize,
        batch_rows: usize,
        mask: ProjectionMask,
    ) -> Result<ParquetRecordBatchReader, Error> {
        Ok(ParquetRecordBatchReaderBuilder::new_with_metadata(self.chunks.clone(), self.metadata.clone())
            .with_row_groups(vec![group])
            .with_batch_size(batch_rows)
            .with_projection(mask)
            .build()
            .map_err(parquet_error)?)
    }
}
