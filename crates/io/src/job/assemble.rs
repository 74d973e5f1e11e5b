//! Parts become a file.

use std::fs::{self, File};
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_schema::SchemaRef;
use sha2::{Digest as _, Sha256};

use super::convert;
use super::files::JobFile;
use super::part::{self, REJECTS, ROWS};
use super::run::JobSettings;
use crate::columnar::guard::{arrow_error, guarded};
use crate::columnar::{RowsWriter, parquet_rows};
use crate::error::{Error, ErrorKind};
use crate::records::{Packer, RecordFormat, RecordReader, hex, with_added};
use inkveil_files::Input;
use inkveil_files::{Finished, Output, Sink};

/// A file that is put together from its parts.
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
    /// Writes the file under a name that is not its own yet.
    pub(super) fn assemble(&self, rows: u64) -> Result<Finished, Error> {
        let output = Output::file(self.output, self.settings.overwrite)?;
        let (name, sink) = (output.name(), output.stream());
        let (to, packing) = self.settings.target(self.file);
        let sink = match (self.file.format.is_bytes(), to == self.file.format) {
            // Pieces of text formats follow one another, packed or not.
            (true, true) if packing == self.file.packing && self.settings.to.is_none() => {
                self.concatenate(sink)
            }
            (true, true) => self.repack(sink),
            _ => convert::convert(self, to, packing, sink),
        };
        Ok(sink.map_err(|error| error.in_file(&name))?.finish(rows))
    }

    fn concatenate(&self, mut sink: Sink) -> Result<Sink, Error> {
        if self.count == 0 {
            // There are no rows, but there may be a header.
            let mut packed = tempfile::tempfile().map_err(|e| Error::io("write it", &e))?;
            let file = packed.try_clone().map_err(|e| Error::io("write it", &e))?;
            let mut packer = Packer::new(file, self.file.packing).map_err(|e| Error::io("write it", &e))?;
            packer.write_all(self.prelude).map_err(|e| Error::io("write it", &e))?;
            packer.finish().map_err(|e| Error::io("write it", &e))?;
            std::io::Seek::rewind(&mut packed).map_err(|e| Error::io("write it", &e))?;
            copy(&mut packed, &mut sink)?;
        }
        for index in 0..self.count {
            copy(&mut self.open(index)?, &mut sink)?;
        }
        Ok(sink)
    }

    /// The same rows, packed in another way.
    fn repack(&self, mut sink: Sink) -> Result<Sink, Error> {
        let (_, packing) = self.settings.target(self.file);
        let failed = |e: std::io::Error| Error::io("write it", &e);
        let mut packed = tempfile::tempfile_in(self.parts).map_err(failed)?;
        let mut packer = Packer::new(packed.try_clone().map_err(failed)?, packing).map_err(failed)?;
        if self.count == 0 {
            packer.write_all(self.prelude).map_err(failed)?;
        }
        for index in 0..self.count {
            copy(&mut self.open(index)?, &mut packer)?;
        }
        packer.finish().map_err(failed)?;
        std::io::Seek::rewind(&mut packed).map_err(failed)?;
        copy(&mut packed, &mut sink)?;
        Ok(sink)
    }

    pub(super) fn open(&self, index: usize) -> Result<File, Error> {
        let path = part::path(self.parts, index, ROWS);
        File::open(&path).map_err(|e| Error::io("open it", &e).in_file(&path.display().to_string()))
    }

    /// All rows of a columnar file, part by part.
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

    /// The schema of a columnar file, with what is added to it.
    pub(super) fn schema(&self) -> Result<SchemaRef, Error> {
        let schema = match self.file.format {
            RecordFormat::Parquet => parquet_rows(Input::path(&self.file.input), 1, 1)?.schema(),
            _ => self.reader()?.schema().ok_or(ErrorKind::Empty)?,
        };
        Ok(with_added(&schema, self.added.iter().map(String::as_str)))
    }

    /// The file that was read, opened again.
    pub(super) fn reader(&self) -> Result<RecordReader, Error> {
        let JobFile { input, format, packing, .. } = self.file;
        RecordReader::open(Input::path(input), *format, *packing, &self.settings.options)
    }

    /// A Parquet file with the columns, metadata and row groups of the one that was read.
    pub(super) fn parquet(&self, sink: Sink) -> Result<Sink, Error> {
        let like = parquet_rows(Input::path(&self.file.input), 1, 1)?;
        let schema = self.schema()?;
        let mut writer = RowsWriter::like(like.metadata(), &schema, sink)?;
        for batch in self.batches() {
            let batch = batch?;
            let batch = RecordBatch::try_new(Arc::clone(&schema), batch.columns().to_vec())
                .map_err(|_| Error::from(ErrorKind::OutOfOrder))?;
            writer.write(&batch)?;
        }
        writer.finish()
    }

    /// Puts what was set aside beside the output. What lies there is from this job, killed before the output had its name.
    pub(super) fn rejects(&self) -> Result<(), Error> {
        let mut sink = Output::file(rejects_path(self.output), true)?.stream();
        for index in 0..self.count {
            let path = part::path(self.parts, index, REJECTS);
            if path.exists() {
                let shown = path.display().to_string();
                let mut file = File::open(&path).map_err(|e| Error::io("open it", &e).in_file(&shown))?;
                copy(&mut file, &mut sink)?;
            }
        }
        Ok(sink.finish(0).commit()?)
    }
}

/// Where rows that were set aside go.
pub(super) fn rejects_path(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".rejects.jsonl");
    name.into()
}

fn copy(from: &mut impl Read, to: &mut impl Write) -> Result<(), Error> {
    let mut buffer = vec![0; 1 << 20];
    loop {
        match from.read(&mut buffer).map_err(|e| Error::io("read what is done", &e))? {
            0 => return Ok(()),
            count => to.write_all(&buffer[..count]).map_err(|e| Error::io("write it", &e))?,
        }
    }
}

/// The checksum of a file.
pub(super) fn sha256_of(path: &Path) -> std::io::Result<String> {
    let mut file = fs::File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(hash)),
            count => hash.update(&buffer[..count]),
        }
    }
}
