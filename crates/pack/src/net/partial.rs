//! A partial download on disk, which a later process can resume.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use inkveil_files::{Sha256Hasher, Sha256Sum};
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use crate::monitor::Monitor;

/// A partially downloaded file, and the state that is needed to resume it.
pub(crate) struct Partial {
    path: PathBuf,
    state_path: PathBuf,
    state: ResumeState,
    file: File,
    hasher: Sha256Hasher,
    bytes: u64,
}

/// What must be known to resume a download.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ResumeState {
    /// The server's tag for this version of the file.
    pub(crate) etag: Option<String>,
    /// The checksum, once the file is complete.
    pub(crate) complete: Option<Sha256Sum>,
}

impl Partial {
    /// Opens and hashes what was downloaded before, or starts an empty file. `key` identifies the download.
    pub(crate) fn open(folder: &Path, key: &str, monitor: &mut Monitor<'_>) -> Result<Self, Error> {
        crate::folder::create(folder)?;
        let path = folder.join(format!("{key}.part"));
        let state_path = folder.join(format!("{key}.json"));
        let state = fs::read(&state_path)
            .ok()
            .and_then(|json| serde_json::from_slice(&json).ok())
            .unwrap_or_default();
        let mut hasher = Sha256Hasher::new();
        let present = fs::metadata(&path).map(|found| found.len()).unwrap_or(0);
        if present > 0 {
            monitor.start("checking the partial download", Some(present));
            hash_all(&path, &mut hasher, monitor)?;
        }
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)
            .map_err(|e| Error::io("open it for writing", &e).of(path.display()))?;
        Ok(Self { path, state_path, state, file, hasher, bytes: present })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn state(&self) -> &ResumeState {
        &self.state
    }

    pub(crate) fn set_state(&mut self, state: ResumeState) -> Result<(), Error> {
        if self.state == state {
            return Ok(());
        }
        let failed = |e: &std::io::Error| {
            Error::io("write the state of the download", e).of(self.state_path.display())
        };
        let json = serde_json::to_vec(&state).map_err(|e| failed(&e.into()))?;
        fs::write(&self.state_path, json).map_err(|e| failed(&e))?;
        self.state = state;
        Ok(())
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).map_err(|e| Error::io("write it", &e).of(self.path.display()))?;
        self.hasher.update(bytes);
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        Ok(())
    }

    /// Discards what was downloaded so far.
    pub(crate) fn clear(&mut self) -> Result<(), Error> {
        if self.bytes > 0 {
            let cleared = self.file.set_len(0).and_then(|()| self.file.seek(SeekFrom::Start(0)));
            cleared.map_err(|e| Error::io("empty it", &e).of(self.path.display()))?;
        }
        self.hasher = Sha256Hasher::new();
        self.bytes = 0;
        self.set_state(ResumeState::default())
    }

    /// Fails if the file is longer than announced.
    pub(crate) fn check_limit(&self, expected: Option<u64>, limit: u64) -> Result<(), Error> {
        match expected {
            Some(expected) if self.bytes > expected => {
                Err(ErrorKind::WrongSize { expected, found: self.bytes }.into())
            }
            _ if self.bytes > limit => Err(ErrorKind::TooLarge { limit }.into()),
            _ => Ok(()),
        }
    }

    /// The checksum of what was downloaded so far.
    pub(crate) fn sum(&self) -> Sha256Sum {
        self.hasher.sum()
    }

    /// Removes the download. If that fails, the checksum will not match next time.
    pub(crate) fn discard(self) {
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_file(&self.state_path);
    }

    pub(crate) fn into_path(self) -> PathBuf {
        self.path
    }
}

fn hash_all(path: &Path, hasher: &mut Sha256Hasher, monitor: &mut Monitor<'_>) -> Result<(), Error> {
    use std::io::Read as _;
    let failed = |e: &std::io::Error| Error::io("read it", e).of(path.display());
    let mut file = File::open(path).map_err(|e| failed(&e))?;
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => {
                hasher.update(buffer.get(..read).unwrap_or_default());
                monitor.advance(read as u64)?;
            }
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(failed(&e)),
        }
    }
}
