//! Packed files: parts in a ZIP archive.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use crate::pieces::{Piece, Pieces, RunTexts, render};

/// A part that is written.
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) pieces: Vec<Piece>,
    /// Whether it is not compressed. The first part of an OpenDocument file must not be.
    pub(crate) stored: bool,
}

impl Part {
    pub(crate) fn new(name: impl Into<String>, pieces: Pieces) -> Self {
        Self { name: name.into(), pieces: pieces.list, stored: false }
    }

    pub(crate) fn fixed(name: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        let mut pieces = Pieces::default();
        pieces.fixed(bytes);
        Self::new(name, pieces)
    }
}

/// A packed file that is read.
pub(crate) struct Package<'b> {
    archive: ZipArchive<Cursor<&'b [u8]>>,
    /// The parts by their names.
    names: BTreeMap<String, usize>,
    limits: Limits,
    format: &'static str,
    unpacked: u64,
}

impl<'b> Package<'b> {
    pub(crate) fn open(bytes: &'b [u8], limits: &Limits, format: &'static str) -> Result<Self, Error> {
        // Office files with a password are no archives.
        if bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]) {
            return Err(match format {
                "docx" | "pptx" | "xlsx" => ErrorKind::Encrypted.into(),
                _ => Error::damaged(format, "it is a file of another kind"),
            });
        }
        let damaged = |_| Error::damaged(format, "it is no ZIP archive, or it is cut off");
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
        if archive.len() > limits.parts {
            return Err(Error::too_large("the number of parts", limits.parts as u64));
        }
        let mut names = BTreeMap::new();
        for index in 0..archive.len() {
            let file = archive.by_index_raw(index).map_err(damaged)?;
            if file.encrypted() {
                return Err(ErrorKind::Encrypted.into());
            }
            let Ok(name) = file.name() else { continue };
            if file.is_file() && names.insert(name.trim_start_matches('/').to_owned(), index).is_some() {
                return Err(Error::damaged(format, "two parts have the same name"));
            }
        }
        Ok(Self { archive, names, limits: *limits, format, unpacked: 0 })
    }

    /// The names of all parts.
    pub(crate) fn names(&self) -> Vec<String> {
        self.names.keys().cloned().collect()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// Reads a part.
    pub(crate) fn read(&mut self, name: &str) -> Result<Vec<u8>, Error> {
        let damaged = |what| Error::damaged(self.format, what);
        let index = *self.names.get(name).ok_or_else(|| damaged("a part is missing"))?;
        let file = self.archive.by_index(index).map_err(|_| damaged("a part cannot be unpacked"))?;
        let limit = self.limits.part.min(self.limits.unpacked.saturating_sub(self.unpacked));
        let mut bytes = Vec::new();
        let read = file.take(limit + 1).read_to_end(&mut bytes).map_err(|_| damaged("a part is damaged"))?;
        if read as u64 > limit {
            return Err(Error::too_large("an unpacked part", limit));
        }
        self.unpacked += read as u64;
        Ok(bytes)
    }
}

/// Writes a packed file. The times of its parts say nothing.
pub(crate) fn write(parts: &[Part], runs: &RunTexts, into: &mut Vec<u8>) -> Result<(), Error> {
    let failed = |_| Error::damaged("ZIP", "a part cannot be packed");
    let mut archive = ZipWriter::new(Cursor::new(&mut *into));
    for part in parts {
        let method = if part.stored { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        let options =
            SimpleFileOptions::default().compression_method(method).last_modified_time(DateTime::default());
        archive.start_file(part.name.as_str(), options).map_err(failed)?;
        let mut bytes = Vec::new();
        render(&part.pieces, runs, &mut bytes);
        archive.write_all(&bytes).map_err(|_| Error::damaged("ZIP", "a part cannot be packed"))?;
    }
    archive.finish().map_err(failed)?;
    Ok(())
}
