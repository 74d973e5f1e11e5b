//! The job of a release with one output: what is kept until the output has its name.

use std::path::{Path, PathBuf};

use inkveil_files::{Finished, Output};
use inkveil_privacy::{NoiseKey, Receipt};
use super::stub::{JobFolder, JobState};

use super::account::Accounting;
use super::job::{KeyChoice, from_kept, kept_secret};
use super::observer::Observer;
use super::rows::job_folder;
use crate::error::{Error, ErrorKind};

/// A job with one output. Its folder holds the key, the id and the checksum of a finished output.
///
/// Noise follows from the key and the row, so a resumed job computes the same bytes again. It needs no
/// finished parts.
pub(super) struct OutputJob {
    folder: JobFolder,
    state: JobState,
    output: PathBuf,
}

impl OutputJob {
    pub(super) fn open(
        output: &Path,
        input: &str,
        identity: &str,
        key: KeyChoice,
        accounting: &Accounting,
        resume: bool,
        overwrite: bool,
    ) -> Result<Self, Error> {
        let path = job_folder(output);
        let files = [(input.to_owned(), output.display().to_string())];
        if resume {
            let folder = JobFolder::open(&path)?;
            let state = folder.load_for(identity, &files)?;
            return Ok(Self { folder, state, output: output.to_owned() });
        }
        if output.exists() && !overwrite {
            return Err(ErrorKind::OutputExists { path: output.to_owned() }.into());
        }
        let folder = JobFolder::create(&path, overwrite)?;
        let secret = kept_secret(&key.key()?, accounting.id());
        let state = JobState::new(identity.to_owned(), secret, &files);
        folder.save(&state)?;
        Ok(Self { folder, state, output: output.to_owned() })
    }

    /// The key and the id of the release.
    pub(super) fn kept(&self) -> Result<(NoiseKey, inkveil_ledger::ReleaseId), Error> {
        from_kept(self.state.secret())
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Whether an earlier run gave the output its name and was stopped after that.
    pub(super) fn is_released(&self) -> bool {
        let noted = self.state.file(0).sha256.as_deref();
        noted.is_some() && inkveil_files::Sha256Sum::of_file(&self.output).ok().map(|sum| sum.to_string()).as_deref() == noted
    }

    pub(super) fn rows(&self) -> u64 {
        self.state.file(0).rows
    }

    /// Notes what the output will be, before anything is charged. A resumed job must come to the same.
    pub(super) fn note(&mut self, finished: &Finished) -> Result<(), Error> {
        let file = self.state.file_mut(0);
        match &file.sha256 {
            Some(noted) if noted != finished.sha256() => {
                return Err(ErrorKind::InputChanged { output: self.output.clone() }.into());
            }
            _ => (file.sha256, file.rows) = (Some(finished.sha256().to_owned()), finished.rows()),
        }
        Ok(self.folder.save(&self.state)?)
    }

    /// Removes the folder of a job that could not start.
    pub(super) fn discard(self) {
        // An empty job folder harms nobody, but it would be in the way.
        let _ = self.folder.remove();
    }

    pub(super) fn finish(self) -> Result<(), Error> {
        Ok(self.folder.remove()?)
    }
}

/// The outputs of a release, opened before any work so that a bad path is reported at once.
pub(super) struct ReceiptFile {
    pub(super) path: PathBuf,
    output: Output,
}

impl ReceiptFile {
    pub(super) fn open(path: &Path, overwrite: bool) -> Result<Self, Error> {
        if path.exists() && !overwrite {
            return Err(ErrorKind::ReceiptExists { path: path.to_owned() }.into());
        }
        Ok(Self { path: path.to_owned(), output: Output::file(path, overwrite)? })
    }

    pub(super) fn write(self, receipt: &Receipt) -> Result<PathBuf, Error> {
        self.output.put(receipt.to_json().as_bytes())?;
        Ok(self.path)
    }
}

/// What a finished output is charged with.
pub(super) struct ChargedReceipt {
    pub(super) receipt: Receipt,
    pub(super) by_subject: std::collections::BTreeMap<String, Receipt>,
    pub(super) content: Option<[u8; 32]>,
}

/// Releases a finished output: charge, receipt, name, confirmation, in this order.
pub(super) fn release(
    job: Option<&mut OutputJob>,
    finished: Finished,
    charged: &ChargedReceipt,
    receipt_file: Option<ReceiptFile>,
    accounting: &Accounting,
    observer: &dyn Observer,
) -> Result<Option<PathBuf>, Error> {
    if let Some(job) = job {
        job.note(&finished)?;
    }
    let ChargedReceipt { receipt, by_subject, content } = charged;
    accounting.reserve(0, receipt, by_subject, *content, observer)?;
    // The receipt first: an output without one must not exist.
    let path = receipt_file.map(|file| file.write(receipt)).transpose()?;
    if let Err(error) = finished.commit() {
        if let Some(path) = &path {
            // A receipt without its output would confuse.
            let _ = std::fs::remove_file(path);
        }
        return Err(error.into());
    }
    accounting.commit(0)?;
    Ok(path)
}
