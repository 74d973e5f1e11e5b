//! The job of a release with one output: what is kept until the output has its name.

use std::path::{Path, PathBuf};

use inkveil_files::{Finished, Output, is_taken, remove_leftovers};
use inkveil_ledger::ReleaseId;
use inkveil_privacy::{NoiseKey, Receipt};
use inkveil_rows::JobFolder;

use super::account::{Accounting, PartCharge};
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
    output: PathBuf,
}

/// What a job with one output is about.
pub(super) struct JobTerms<'a> {
    pub(super) input: &'a Path,
    pub(super) output: &'a Path,
    /// A description of everything that decides what is released.
    pub(super) identity: &'a str,
    pub(super) key: KeyChoice,
    pub(super) resume: bool,
    pub(super) overwrite: bool,
}

impl OutputJob {
    /// Starts or resumes the job.
    pub(super) fn open(terms: &JobTerms<'_>, accounting: &Accounting) -> Result<Self, Error> {
        let JobTerms { input, output, identity, key, resume, overwrite } = *terms;
        let path = job_folder(output);
        let files = [(input.to_owned(), output.to_owned())];
        let folder = match resume {
            true => {
                let folder = JobFolder::resume(&path, identity, &files)?;
                remove_leftovers(output);
                folder
            }
            false if is_taken(output) && !overwrite => {
                return Err(ErrorKind::OutputExists { path: output.to_owned() }.into());
            }
            false => {
                let secret = kept_secret(&key.key()?, accounting.id());
                JobFolder::start(&path, identity, secret, &files, overwrite)?
            }
        };
        Ok(Self { folder, output: output.to_owned() })
    }

    /// The receipt and the rows, if an earlier run released and recorded everything and was stopped while it removed the
    /// folder. Then only [`finish`](Self::finish) is left to do.
    pub(super) fn complete(&self, receipt: Option<&Path>) -> Result<Option<(Receipt, u64)>, Error> {
        if !self.folder.is_complete() {
            return Ok(None);
        }
        let written = receipt.and_then(|path| std::fs::read_to_string(path).ok());
        let receipt = written.and_then(|json| Receipt::from_json(&json).ok());
        match receipt {
            Some(receipt) => Ok(Some((receipt, self.noted().0))),
            None => Err(ErrorKind::DamagedJob.into()),
        }
    }

    /// The key and the id of the release.
    pub(super) fn kept(&self) -> Result<(NoiseKey, ReleaseId), Error> {
        from_kept(self.folder.secret())
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Whether an earlier run gave the output its name and was stopped after that.
    pub(super) fn is_released(&self) -> bool {
        self.folder.is_released(0)
    }

    /// The rows and the checksum of an output that is released or about to be.
    pub(super) fn noted(&self) -> (u64, Option<&str>) {
        self.folder.files().first().map_or((0, None), |file| (file.rows, file.sha256.as_deref()))
    }

    /// Notes what the output will be, before anything is charged. A resumed job must come to the same.
    pub(super) fn note(&mut self, finished: &Finished) -> Result<(), Error> {
        if self.noted().1.is_some_and(|noted| noted != finished.sha256()) {
            return Err(ErrorKind::InputChanged { output: self.output.clone() }.into());
        }
        Ok(self.folder.about_to_release(0, finished.rows(), 0, finished.sha256())?)
    }

    /// Removes the folder of a job that has nothing to resume.
    pub(super) fn discard(self) {
        // If it stays, the next run reports it.
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
        if is_taken(path) && !overwrite {
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
    let charge = PartCharge { by_subject, ..PartCharge::new(0, receipt, *content) };
    let permit = accounting.reserve(&charge, observer)?;
    // The receipt first: an output without one must not exist.
    let path = receipt_file.map(|file| file.write(receipt)).transpose()?;
    if let Err(error) = finished.commit() {
        if let Some(path) = &path {
            // A receipt without its output would confuse.
            let _ = std::fs::remove_file(path);
        }
        return Err(error.into());
    }
    accounting.commit(permit)?;
    Ok(path)
}
