//! A stream of Arrow tables that are veiled as they are read.

use std::sync::atomic::AtomicBool;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use inkveil::release::Silent;
use inkveil::{BatchRelease, Error, ErrorKind};

/// Reads tables of another reader and veils them.
pub(crate) struct VeilingReader {
    release: BatchRelease,
    source: Box<dyn RecordBatchReader + Send>,
    schema: SchemaRef,
}

impl VeilingReader {
    pub(crate) fn new(
        release: BatchRelease,
        source: Box<dyn RecordBatchReader + Send>,
    ) -> Result<Self, Error> {
        let schema = release.schema(&source.schema())?;
        Ok(Self { release, source, schema })
    }
}

impl Iterator for VeilingReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.source.next()?;
        let veil = || self.release.veil(&read(batch)?, &Silent, &AtomicBool::new(false));
        // The message of a panic may quote a text, and a panic must not pass through another library.
        let veiled = inkveil::files::catch_quietly(veil)
            .unwrap_or_else(|| Err(ErrorKind::Bug("a table could not be veiled").into()));
        Some(veiled.map(|(veiled, _)| veiled).map_err(|error| ArrowError::ExternalError(Box::new(error))))
    }
}

impl RecordBatchReader for VeilingReader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// A table of another library. Its message may quote values, so it is dropped.
pub(crate) fn read(batch: Result<RecordBatch, ArrowError>) -> Result<RecordBatch, Error> {
    batch.map_err(|_| ErrorKind::Contradiction("the source of the tables failed").into())
}
