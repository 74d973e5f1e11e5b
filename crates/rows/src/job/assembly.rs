//! The parts of a file that is complete, and the file that was read.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_schema::SchemaRef;
use inkveil_files::Input;

use super::files::JobFile;
use super::part::{self, ROWS};
use super::settings::JobSettings;
use crate::columnar::{arrow_error, guarded, parquet_rows};
use crate::error::{Error, ErrorKind};
use crate::records::{RecordFormat, RecordReader, with_added};

/// All parts of a file, which are about to be joined.
pub(super) struct Assembly<'a> {
    pub(super) settings: &'a JobSettings,
    pub(super) file: &'a JobFile,
    pub(super) output: &'a Path,
    pub(super) parts: &'a Path,
    pub(super) count: usize,
    pub(super) prelude: &'a [u8],
    pub(super) added: &'a [String],
}

impl Assembly<'_> {
    pub(super) fn open(&self, index: usize) -> Result<File, Error> {
        let path = part::path(self.parts, index, ROWS);
        File::open(&path).map_err(|e| Error::io("open it", &e).in_file(path.display().to_string()))
    }

    /// Returns all rows of a columnar file, part by part.
    pub(super) fn batches(&self) -> impl Iterator<Item = Result<RecordBatch, Error>> + '_ {
        (0..self.count).flat_map(move |index| {
            let opened = self.open(index).and_then(|file| {
                guarded(|| StreamReader::try_new(BufReader::new(file), None).map_err(arrow_error))
            });
            let (reader, failed) = match opened {
                Ok(reader) => (Some(reader), None),
                Err(error) => (None, Some(Err(error))),
            };
            let rows = reader.into_iter().flatten().map(|batch| batch.map_err(arrow_error));
            failed.into_iter().chain(rows)
        })
    }

    /// Returns the schema of a columnar file with added columns.
    pub(super) fn schema(&self) -> Result<SchemaRef, Error> {
        let schema = match self.file.format {
            RecordFormat::Parquet => parquet_rows(Input::path(&self.file.input), 1, 1)?.schema(),
            _ => self.reader()?.schema().ok_or(ErrorKind::Empty)?,
        };
        Ok(with_added(&schema, self.added.iter().map(String::as_str)))
    }

    /// Opens the input again.
    pub(super) fn reader(&self) -> Result<RecordReader, Error> {
        let JobFile { input, format, packing, .. } = self.file;
        RecordReader::open(Input::path(input), *format, *packing, &self.settings.options)
    }
}
