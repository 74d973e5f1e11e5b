//! A part: finished rows of a file. One file holds the rows; a second file, written last, makes them count.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_ipc::writer::StreamWriter;
use arrow_schema::SchemaRef;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::columnar::guarded;
use crate::error::{Error, ErrorKind};
use crate::records::{Packer, Packing, Reject, WrittenRows};
use inkveil_files::{create_private, write_private};

/// The note that makes a part count.
#[derive(Serialize, Deserialize, Clone, Default)]
pub(super) struct PartNote<N> {
    /// The number of rows and texts of the input up to the end of this part.
    pub(super) rows: u64,
    pub(super) texts: u64,
    pub(super) written: u64,
    pub(super) rejected: u64,
    /// The checksum of all rows of the input up to the end of this part.
    pub(super) fingerprint: String,
    /// The note of the caller's work.
    pub(super) note: N,
}

pub(super) const ROWS: &str = "rows";
pub(super) const REJECTS: &str = "rejects";

pub(super) fn path(folder: &Path, index: usize, what: &str) -> PathBuf {
    folder.join(format!("{index:08}.{what}"))
}

/// Returns the notes of the finished parts. Files of an unfinished part are removed.
pub(super) fn done<N: DeserializeOwned>(folder: &Path) -> Result<Vec<PartNote<N>>, Error> {
    let shown = folder.display().to_string();
    let failed = |e: std::io::Error| Error::io("read what is done", &e).in_file(&shown);
    let mut notes = Vec::new();
    loop {
        let at = path(folder, notes.len(), "json");
        match fs::read(&at) {
            Ok(bytes) => notes.push(
                serde_json::from_slice(&bytes)
                    .map_err(|_| Error::cannot_resume(format!("{} is damaged", at.display())))?,
            ),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => break,
            Err(error) => return Err(failed(error)),
        }
    }
    for what in [ROWS, REJECTS] {
        let stray = path(folder, notes.len(), what);
        if stray.exists() {
            fs::remove_file(stray).map_err(failed)?;
        }
    }
    Ok(notes)
}

/// A part that is being written.
pub(super) struct PartWriter {
    folder: PathBuf,
    index: usize,
    rows: PartRows,
    rejects: Option<File>,
}

enum PartRows {
    Bytes(Box<Packer>),
    Batches(Box<StreamWriter<File>>),
}

impl PartWriter {
    /// Starts a part of tables with this schema, or of bytes if there is none.
    pub(super) fn begin(
        folder: &Path,
        index: usize,
        schema: Option<&SchemaRef>,
        packing: Packing,
    ) -> Result<Self, Error> {
        let at = path(folder, index, ROWS);
        let failed = |e: std::io::Error| Error::io("write it", &e).in_file(at.display().to_string());
        let file = create_private(&at).map_err(failed)?;
        let rows = match schema {
            Some(schema) => PartRows::Batches(Box::new(guarded(|| {
                StreamWriter::try_new(file, schema).map_err(|_| refused(&at))
            })?)),
            None => PartRows::Bytes(Box::new(Packer::new(file, packing).map_err(failed)?)),
        };
        Ok(Self { folder: folder.to_owned(), index, rows, rejects: None })
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let at = self.path(ROWS);
        match &mut self.rows {
            PartRows::Bytes(packer) => packer
                .write_all(bytes)
                .map_err(|e| Error::io("write it", &e).in_file(at.display().to_string())),
            PartRows::Batches(_) => Err(ErrorKind::OutOfOrder.into()),
        }
    }

    pub(super) fn write(&mut self, written: &WrittenRows) -> Result<(), Error> {
        let at = self.path(ROWS);
        match (written, &mut self.rows) {
            (WrittenRows::Bytes(bytes), PartRows::Bytes(_)) => self.bytes(bytes),
            (WrittenRows::Batch(batch), PartRows::Batches(writer)) => {
                guarded(|| writer.write(batch).map_err(|error| ipc_error(error, &at)))
            }
            _ => Err(ErrorKind::OutOfOrder.into()),
        }
    }

    /// Writes rejected rows as JSON lines that name the problem of each.
    pub(super) fn reject(&mut self, rejects: &[Reject]) -> Result<(), Error> {
        if rejects.is_empty() {
            return Ok(());
        }
        let at = self.path(REJECTS);
        let failed = |e: std::io::Error| Error::io("write it", &e).in_file(at.display().to_string());
        if self.rejects.is_none() {
            self.rejects = Some(create_private(&at).map_err(failed)?);
        }
        let mut lines = String::new();
        for reject in rejects {
            let raw = String::from_utf8_lossy(&reject.raw);
            let line = serde_json::json!({
                "row": reject.error.row(),
                "field": reject.error.field(),
                "error": reject.error.kind().to_string(),
                "raw": raw.trim_end_matches(['\n', '\r']),
            });
            lines.push_str(&line.to_string());
            lines.push('\n');
        }
        match &mut self.rejects {
            Some(file) => file.write_all(lines.as_bytes()).map_err(failed),
            None => Ok(()),
        }
    }

    /// Finishes the part and makes it count.
    pub(super) fn end<N: Serialize>(self, note: &PartNote<N>) -> Result<(), Error> {
        let at = self.path(ROWS);
        let shown = at.display().to_string();
        let failed = |e: std::io::Error| Error::io("flush it to disk", &e).in_file(&shown);
        let json = path(&self.folder, self.index, "json");
        let file = match self.rows {
            PartRows::Bytes(packer) => packer.finish().map_err(failed)?,
            PartRows::Batches(mut writer) => guarded(|| {
                writer.finish().map_err(|error| ipc_error(error, &at))?;
                writer.into_inner().map_err(|error| ipc_error(error, &at))
            })?,
        };
        file.sync_all().map_err(failed)?;
        if let Some(rejects) = self.rejects {
            rejects.sync_all().map_err(failed)?;
        }
        let bytes = serde_json::to_vec(note).map_err(|_| refused(&json))?;
        Ok(write_private(&json, &bytes, true)?)
    }

    fn path(&self, what: &str) -> PathBuf {
        path(&self.folder, self.index, what)
    }
}

fn ipc_error(error: arrow_schema::ArrowError, at: &Path) -> Error {
    match error {
        arrow_schema::ArrowError::IoError(_, io) => {
            Error::io("write it", &io).in_file(at.display().to_string())
        }
        _ => refused(at),
    }
}

fn refused(at: &Path) -> Error {
    Error::unsupported("a column of this type", "leave out columns of unusual types")
        .in_file(at.display().to_string())
}

/// Returns the schema of the parts of a table.
pub(super) fn schema_of(written: &WrittenRows) -> Option<SchemaRef> {
    match written {
        WrittenRows::Bytes(_) => None,
        WrittenRows::Batch(batch) => Some(Arc::clone(batch.schema_ref())),
    }
}

/// Copies all bytes.
pub(super) fn copy(from: &mut impl Read, to: &mut impl Write) -> Result<(), Error> {
    let mut buffer = vec![0; 1 << 20];
    loop {
        match from.read(&mut buffer).map_err(|e| Error::io("read what is done", &e))? {
            0 => return Ok(()),
            count => to.write_all(&buffer[..count]).map_err(|e| Error::io("write it", &e))?,
        }
    }
}
