//! Writes a Parquet file like the one read.

use std::io::{self, Write};
use std::sync::{Arc, OnceLock};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::SchemaRef;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, ArrowWriter};
use parquet::basic::Compression;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use super::column::VectorColumn;
use super::guard::guarded;
use super::read::{ColumnarCarry, ColumnarReader};
use crate::error::Error;
use inkveil_files::Sink;

/// The library keeps a row group in memory until it is complete, so row groups are closed at this size.
pub(super) const GROUP_BYTES: usize = 32 << 20;

/// Where the input ends a row group the output does too, unless it would be smaller than this.
const SMALL_GROUP_BYTES: usize = 1 << 20;

/// Writes a Parquet file.
pub(crate) struct ColumnarWriter {
    writer: ArrowWriter<Noting>,
    failed: Failure,
    schema: SchemaRef,
    column: VectorColumn,
    dim: usize,
}

impl ColumnarWriter {
    pub(crate) fn new(like: &ColumnarReader, sink: Sink) -> Result<Self, Error> {
        let schema = like.schema();
        let column = like.vector_column().clone();
        let (writer, failed) = noted(sink, |noting| {
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
        let written = guarded(|| {
            self.writer.write(&batch).map_err(|_| refused())?;
            let size = self.writer.in_progress_size();
            if size >= GROUP_BYTES || (ends_group && size >= SMALL_GROUP_BYTES) {
                self.writer.flush().map_err(|_| refused())?;
            }
            Ok(())
        });
        written.map_err(|_| cause(&self.failed))
    }

    pub(crate) fn finish(self) -> Result<Sink, Error> {
        end(self.writer, &self.failed)
    }
}

/// Begins a file whose failures are noted.
pub(super) fn noted(
    sink: Sink,
    begin: impl FnOnce(Noting) -> Result<ArrowWriter<Noting>, Error>,
) -> Result<(ArrowWriter<Noting>, Failure), Error> {
    let failed = Failure::default();
    let noting = Noting { sink, failed: Arc::clone(&failed) };
    let writer = guarded(|| begin(noting)).map_err(|_| cause(&failed))?;
    Ok((writer, failed))
}

/// Ends a file and gives back what it was written to.
pub(super) fn end(writer: ArrowWriter<Noting>, failed: &Failure) -> Result<Sink, Error> {
    let noting = guarded(|| writer.into_inner().map_err(|_| refused())).map_err(|_| cause(failed))?;
    Ok(noting.sink)
}

/// The first failure of the output. The library turns some of them into plain words.
pub(super) type Failure = Arc<OnceLock<Error>>;

/// Why a call of the library failed: the output did, or else a column is of a kind the library cannot write.
pub(super) fn cause(failed: &Failure) -> Error {
    failed.get().cloned().unwrap_or_else(refused)
}

pub(super) fn refused() -> Error {
    Error::unsupported("one of the other columns of this Parquet file", "leave out columns of unusual types")
}

/// Notes the first failure of the output.
pub(super) struct Noting {
    sink: Sink,
    failed: Failure,
}

impl Noting {
    fn note<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result
            && error.kind() != io::ErrorKind::Interrupted
        {
            self.failed.get_or_init(|| Error::io("write it", error));
        }
        result
    }
}

impl Write for Noting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.sink.write(bytes);
        self.note(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.sink.flush();
        self.note(result)
    }
}

/// How the file that was read was written. `vectors` is the column of the vectors, if there is one.
pub(super) fn options_like(
    metadata: &ParquetMetaData,
    schema: &SchemaRef,
    vectors: Option<usize>,
) -> Result<ArrowWriterOptions, Error> {
    let kept = metadata.file_metadata().key_value_metadata().cloned().unwrap_or_default();
    // The writer makes this one itself, if the input had it.
    let (arrow, kept): (Vec<_>, Vec<_>) =
        kept.into_iter().partition(|pair| pair.key == ARROW_SCHEMA_META_KEY);
    let mut properties = WriterProperties::builder()
        .set_key_value_metadata(Some(kept).filter(|kept| !kept.is_empty()))
        // Whoever writes says where groups end.
        .set_max_row_group_row_count(None);
    // Names inside lists may differ between the two files, but the leaves come in the same order.
    let leaves = ArrowSchemaConverter::new().convert(schema).map_err(|_| refused())?;
    for (leaf, descriptor) in leaves.columns().iter().enumerate() {
        let path = descriptor.path();
        let codec = metadata.row_groups().iter().find_map(|group| group.columns().get(leaf));
        let codec = codec.map_or(Compression::UNCOMPRESSED, |chunk| chunk.compression());
        properties = properties.set_column_compression(path.clone(), codec);
        if Some(leaves.get_column_root_idx(leaf)) == vectors {
            // Noise repeats nothing, so a dictionary only costs; bounds of a coordinate say nothing a reader can use.
            properties = properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_statistics_enabled(path.clone(), EnabledStatistics::None);
        }
    }
    Ok(ArrowWriterOptions::new()
        .with_properties(properties.build())
        .with_skip_arrow_metadata(arrow.is_empty()))
}
