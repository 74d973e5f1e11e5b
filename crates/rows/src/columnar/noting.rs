//! Writing Parquet with the reasons of failures kept.

use std::io::{self, Write};
use std::sync::{Arc, OnceLock};

use arrow_schema::SchemaRef;
use inkveil_files::Sink;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, ArrowWriter};
use parquet::basic::Compression;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use super::guard::guarded;
use crate::error::Error;

/// Starts a Parquet file whose output remembers its first failure.
///
/// # Errors
/// If the output fails, or a column is of a kind that the library cannot write.
pub fn start_parquet(
    sink: Sink,
    begin: impl FnOnce(NotingWriter) -> Result<ArrowWriter<NotingWriter>, Error>,
) -> Result<(ArrowWriter<NotingWriter>, Failure), Error> {
    let failed = Failure::default();
    let noting = NotingWriter { sink, failed: Arc::clone(&failed) };
    let writer = guarded(|| begin(noting)).map_err(|_| failure_of(&failed))?;
    Ok((writer, failed))
}

/// Finishes a Parquet file and returns its output.
///
/// # Errors
/// If the output fails.
pub fn finish_parquet(writer: ArrowWriter<NotingWriter>, failed: &Failure) -> Result<Sink, Error> {
    let noting = guarded(|| writer.into_inner().map_err(|_| refused())).map_err(|_| failure_of(failed))?;
    Ok(noting.sink)
}

/// The first failure of an output. The library reduces some of them to plain text.
pub type Failure = Arc<OnceLock<Error>>;

/// Returns why a call of the library failed: the output failed, or a column is of a kind that the library cannot write.
pub fn failure_of(failed: &Failure) -> Error {
    failed.get().cloned().unwrap_or_else(refused)
}

/// Returns the error for a column of a kind that the library cannot write.
pub fn refused() -> Error {
    Error::unsupported("one of the other columns of this Parquet file", "leave out columns of unusual types")
}

/// An output that remembers its first failure.
pub struct NotingWriter {
    sink: Sink,
    failed: Failure,
}

impl NotingWriter {
    fn note<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result
            && error.kind() != io::ErrorKind::Interrupted
        {
            self.failed.get_or_init(|| Error::io("write it", error));
        }
        result
    }
}

impl Write for NotingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.sink.write(bytes);
        self.note(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.sink.flush();
        self.note(result)
    }
}

/// Returns options for writing a file like one that was read. `vectors` is the column of the vectors, if there is one.
///
/// # Errors
/// If a column is of a kind that the library cannot write.
pub fn options_like(
    metadata: &ParquetMetaData,
    schema: &SchemaRef,
    vectors: Option<usize>,
) -> Result<ArrowWriterOptions, Error> {
    let kept = metadata.file_metadata().key_value_metadata().cloned().unwrap_or_default();
    // The writer adds this key itself if the input had it.
    let (arrow, kept): (Vec<_>, Vec<_>) =
        kept.into_iter().partition(|pair| pair.key == ARROW_SCHEMA_META_KEY);
    let mut properties = WriterProperties::builder()
        .set_key_value_metadata(Some(kept).filter(|kept| !kept.is_empty()))
        // The caller ends row groups.
        .set_max_row_group_row_count(None);
    // Names inside lists may differ between the two files, but the leaves have the same order.
    let leaves = ArrowSchemaConverter::new().convert(schema).map_err(|_| refused())?;
    for (leaf, descriptor) in leaves.columns().iter().enumerate() {
        let path = descriptor.path();
        let codec = metadata.row_groups().iter().find_map(|group| group.columns().get(leaf));
        let codec = codec.map_or(Compression::UNCOMPRESSED, |chunk| chunk.compression());
        properties = properties.set_column_compression(path.clone(), codec);
        if Some(leaves.get_column_root_idx(leaf)) == vectors {
            // Noisy numbers do not repeat, so a dictionary only costs. Bounds of a coordinate do not help a reader.
            properties = properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_statistics_enabled(path.clone(), EnabledStatistics::None);
        }
    }
    Ok(ArrowWriterOptions::new()
        .with_properties(properties.build())
        .with_skip_arrow_metadata(arrow.is_empty()))
}
