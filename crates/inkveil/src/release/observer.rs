//! What a release reports while it runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use inkveil_ledger::EarlierReleases;

/// Receives progress and notices of a release. Called from several threads.
pub trait Observer: Sync {
    /// Work has advanced.
    fn progress(&self, progress: &Progress<'_>) {
        let _ = progress;
    }

    /// Something happened that the user should know.
    fn notice(&self, notice: &Notice) {
        let _ = notice;
    }
}

/// An observer that ignores everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}

/// How far a release has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// The file in work, if it is a file.
    pub file: Option<&'a Path>,
    /// The index of that file, from 0.
    pub index: usize,
    /// The number of files.
    pub files: usize,
    /// Rows done, over all files.
    pub rows: u64,
    /// Bytes read, over all files.
    pub bytes: u64,
}

/// An event that the user should know. It holds no input.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Notice {
    /// The ledger already holds releases of the same content. Their budgets add up.
    ReleasedBefore(EarlierReleases),
    /// A new key file was written. It opens the map.
    KeyFileCreated(PathBuf),
    /// The column of the texts was chosen by its name.
    ColumnChosen {
        /// The column of the texts, for a message.
        texts: String,
        /// The columns that are copied unchanged, for a message.
        copied: Option<String>,
    },
    /// A plain text is too long for one piece of work. Its parts are veiled one by one.
    TextInParts,
    /// This was removed from a document, so often.
    Removed(BTreeMap<String, u64>),
    /// The release stopped early. The folder holds what is needed to resume it.
    JobKept(PathBuf),
}
