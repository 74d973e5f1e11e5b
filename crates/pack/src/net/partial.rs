//! What has come of a download so far, on disk: it outlives the process.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use crate::job::Job;
use inkveil_files::{Sha256Hasher, Sha256Sum};

/// A file that is being downloaded, and a note of which version of it the server was sending.
pub(crate) struct Partial {
    path: PathBuf,
    note_path: PathBuf,
    note: Note,
    file: File,
    hasher: Sha256Hasher,
    bytes: u64,
}

/// What must be known to go on where a download stopped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    /// The server's mark for this version of the file.
    pub(crate) etag: Option<String>,
    /// The hash, once the file is complete.
    pub(crate) complete: Option<Sha256Sum>,
}

impl Partial {
    /// Opens what there is, hashing it, or begins anew. `key` names the download.
    pub(crate) fn open(folder: &Path, key: &str, job: &mut Job<'_>) -> Result<Self, Error> {
        crate::folder::create(folder)?;
        let path = folder.join(format!("{key}.part"));
        let note_path = folder.join(format!("{key}.json"));
        let note =
            fs::read(&note_path).ok().and_then(|json| serde_json::from_slice(&json).ok()).unwrap_or_default();
        let mut hasher = Sha256Hasher::new();
        let present = fs::metadata(&path).map(|found| found.len()).unwrap_or(0);
        if present > 0 {
            job.begin("reading what is here already", Some(present));
            hash_all(&path, &mut hasher, job)?;
        }
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)
            .map_err(|e| Error::io("open it for writing", &e).of(path.display()))?;
        Ok(Self { path, note_path, note, file, hasher, bytes: present })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn note(&self) -> &Note {
        &self.note
    }

    pub(crate) fn set_note(&mut self, note: Note) -> Result<(), Error> {
        if self.note == note {
            return Ok(());
        }
        let json = serde_json::to_vec(&note).map_err(|_| Error::manifest("a note cannot be written"))?;
        fs::write(&self.note_path, json)
            .map_err(|e| Error::io("write a note", &e).of(self.note_path.display()))?;
        self.note = note;
        Ok(())
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).map_err(|e| Error::io("write it", &e).of(self.path.display()))?;
        self.hasher.update(bytes);
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        Ok(())
    }

    /// Begins anew.
    pub(crate) fn clear(&mut self) -> Result<(), Error> {
        if self.bytes > 0 {
            let cleared = self.file.set_len(0).and_then(|()| self.file.seek(SeekFrom::Start(0)));
            cleared.map_err(|e| Error::io("empty it", &e).of(self.path.display()))?;
        }
        self.hasher = Sha256Hasher::new();
        self.bytes = 0;
        self.set_note(Note::default())
    }

    /// Fails if the file has grown beyond what was announced.
    pub(crate) fn check_limit(&self, expected: Option<u64>, limit: u64) -> Result<(), Error> {
        match expected {
            Some(expected) if self.bytes > expected => {
                Err(ErrorKind::WrongSize { expected, found: self.bytes }.into())
            }
            _ if self.bytes > limit => Err(ErrorKind::TooLarge { limit }.into()),
            _ => Ok(()),
        }
    }

    /// The hash of all there is.
    pub(crate) fn sum(&self) -> Sha256Sum {
        self.hasher.sum()
    }

    /// Removes all trace of the download; if that fails, its hash will still not fit next time.
    pub(crate) fn discard(self) {
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_file(&self.note_path);
    }

    pub(crate) fn into_path(self) -> PathBuf {
        self.path
    }
}

fn hash_all(path: &Path, hasher: &mut Sha256Hasher, job: &mut Job<'_>) -> Result<(), Error> {
    use std::io::Read as _;
    let failed = |e: &std::io::Error| Error::io("read it", e).of(path.display());
    let mut file = File::open(path).map_err(|e| failed(&e))?;
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => {
                hasher.update(buffer.get(..read).unwrap_or_default());
                job.advance(read as u64)?;
            }
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(failed(&e)),
        }
    }
}
