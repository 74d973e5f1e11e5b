//! Reading zip files: wheels, and archives inside them. Their contents are not trusted.

use std::fs::File;
use std::io::{BufReader, Read, Seek, Write};
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

use crate::error::{Error, ErrorKind};
use crate::monitor::Monitor;
use crate::path;

/// More members than any real wheel has.
const MOST_MEMBERS: usize = 100_000;

/// A zip file with safe member names.
pub(crate) struct Archive {
    zip: ZipArchive<BufReader<File>>,
    name: String,
    members: Vec<Member>,
}

/// A file in an archive.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) path: String,
    pub(crate) bytes: u64,
}

impl Archive {
    pub(crate) fn open(path: &Path, name: &str) -> Result<Self, Error> {
        let file = File::open(path).map_err(|e| Error::io("open it", &e).of(name))?;
        Self::from_file(file, name)
    }

    /// Reads the list of members. One unsafe name makes the whole archive invalid.
    pub(crate) fn from_file(mut file: File, name: &str) -> Result<Self, Error> {
        file.rewind().map_err(|e| Error::io("read it", &e).of(name))?;
        let mut zip = ZipArchive::new(BufReader::new(file)).map_err(|e| broken(&e).of(name))?;
        if zip.len() > MOST_MEMBERS {
            return Err(Error::from(ErrorKind::BadArchive { what: "it has too many members" }).of(name));
        }
        let mut members = Vec::new();
        for number in 0..zip.len() {
            let entry = zip.by_index_raw(number).map_err(|e| broken(&e).of(name))?;
            let plain = std::str::from_utf8(entry.name_raw()).map_err(|_| {
                Error::from(ErrorKind::BadArchive { what: "the name of a member is not UTF-8" }).of(name)
            })?;
            let folder = plain.strip_suffix('/');
            path::check_relative(folder.unwrap_or(plain)).map_err(|e| e.of(name))?;
            if folder.is_none() && !entry.is_symlink() {
                members.push(Member { path: plain.to_owned(), bytes: entry.size() });
            }
        }
        Ok(Self { zip, name: name.to_owned(), members })
    }

    pub(crate) fn members(&self) -> &[Member] {
        &self.members
    }

    /// Copies a member and checks the archive's own checksum.
    pub(crate) fn copy(
        &mut self,
        member: &str,
        out: &mut dyn Write,
        monitor: &mut Monitor<'_>,
    ) -> Result<(), Error> {
        let name = &self.name;
        let missing = || Error::from(ErrorKind::MissingMember { member: member.to_owned() }).of(name);
        let number = self.zip.index_for_name(member).ok_or_else(missing)?;
        let mut entry = self.zip.by_index(number).map_err(|e| broken(&e).of(name))?;
        let announced = entry.size();
        let mut buffer = vec![0; 256 << 10];
        let mut copied: u64 = 0;
        loop {
            let read = match entry.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                // A failing disk reports an error number. Any other error comes from the archive.
                Err(e) if e.raw_os_error().is_some() => return Err(Error::io("read it", &e).of(name)),
                Err(_) => return Err(damaged().of(name)),
            };
            copied = copied.saturating_add(read as u64);
            if copied > announced {
                return Err(damaged().of(name));
            }
            out.write_all(buffer.get(..read).unwrap_or_default())
                .map_err(|e| Error::io("write its contents", &e).of(name))?;
            monitor.advance(read as u64)?;
        }
        if copied == announced { Ok(()) } else { Err(damaged().of(name)) }
    }

    /// The beginning of a text file in the archive.
    pub(crate) fn text(&mut self, member: &str, longest: u64) -> Option<String> {
        let number = self.zip.index_for_name(member)?;
        let mut bytes = Vec::new();
        self.zip.by_index(number).ok()?.take(longest).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn damaged() -> Error {
    ErrorKind::BadArchive { what: "a member is damaged" }.into()
}

fn broken(error: &ZipError) -> Error {
    let what = match error {
        ZipError::Io(e) if e.raw_os_error().is_some() => return Error::io("read it", e),
        ZipError::UnsupportedArchive(_) => "its compression method is not supported",
        _ => "it is incomplete or damaged",
    };
    ErrorKind::BadArchive { what }.into()
}
