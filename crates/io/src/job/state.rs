//! What a job keeps in its folder, so that it can go on.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use inkveil_files::write_private;

/// What is kept of a job as a whole.
#[derive(Serialize, Deserialize)]
pub(super) struct State {
    pub(super) version: u32,
    /// Of everything that decides what comes out.
    pub(super) settings: String,
    /// What the caller keeps, such as the key of its noise. **Private.**
    pub(super) secret: String,
    pub(super) files: Vec<FileState>,
}

#[derive(Serialize, Deserialize, Default, Clone)]
pub(super) struct FileState {
    pub(super) input: String,
    pub(super) output: String,
    /// The checksum of the output, once it is about to get its name.
    pub(super) sha256: Option<String>,
    pub(super) done: bool,
    pub(super) rows: u64,
    pub(super) rejected: u64,
}

const VERSION: u32 = 1;

/// The folder of a job, held by one process.
pub(super) struct Folder {
    pub(super) path: PathBuf,
    /// Held until the process ends, however it ends.
    _lock: File,
}

pub(super) fn cannot_resume(what: impl Into<String>) -> Error {
    ErrorKind::CannotResume { what: what.into() }.into()
}

impl Folder {
    /// Refuses to begin where an interrupted job lies.
    pub(super) fn check_absent(path: &Path, replace: bool) -> Result<(), Error> {
        if path.exists() && !replace {
            return Err(ErrorKind::InterruptedJob { folder: path.to_owned() }.into());
        }
        Ok(())
    }

    /// Makes the folder; an older one is refused, or removed with `replace`.
    pub(super) fn create(path: &Path, replace: bool) -> Result<Self, Error> {
        let shown = path.display().to_string();
        Self::check_absent(path, replace)?;
        if path.exists() {
            // A job that still runs must not lose its folder.
            drop(Self::open(path)?);
            fs::remove_dir_all(path).map_err(|e| Error::io("remove it", &e).in_file(&shown))?;
        }
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(path).map_err(|e| Error::io("create it", &e).in_file(&shown))?;
        Self::open(path)
    }

    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let shown = path.display().to_string();
        if !path.is_dir() {
            return Err(ErrorKind::NothingToResume { folder: path.to_owned() }.into());
        }
        let lock =
            File::create(path.join("lock")).map_err(|e| Error::io("write in it", &e).in_file(&shown))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), _lock: lock }),
            Err(_) => Err(ErrorKind::JobBusy { folder: path.to_owned() }.into()),
        }
    }

    pub(super) fn load(&self) -> Result<State, Error> {
        let path = self.path.join("job.json");
        let damaged = || cannot_resume(format!("{} is damaged", path.display()));
        let bytes = fs::read(&path).map_err(|_| damaged())?;
        let state: State = serde_json::from_slice(&bytes).map_err(|_| damaged())?;
        if state.version != VERSION {
            return Err(cannot_resume(format!("{} was written by another version", path.display())));
        }
        Ok(state)
    }

    pub(super) fn save(&self, state: &State) -> Result<(), Error> {
        // A struct of strings and numbers always serialises.
        let bytes = serde_json::to_vec(state).unwrap_or_default();
        Ok(write_private(&self.path.join("job.json"), &bytes, true)?)
    }

    /// The folder of the parts of one file.
    pub(super) fn parts(&self, file: usize) -> PathBuf {
        self.path.join(format!("{file:06}"))
    }

    pub(super) fn remove(self) -> Result<(), Error> {
        let shown = self.path.display().to_string();
        fs::remove_dir_all(&self.path).map_err(|e| Error::io("remove it", &e).in_file(&shown))
    }
}

impl State {
    pub(super) fn new(settings: String, secret: String, files: Vec<FileState>) -> Self {
        Self { version: VERSION, settings, secret, files }
    }
}
