//! What all paths of one audit share: a folder, keys, findings, and the flag that stops it.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use inkveil_privacy::audit::{AuditEffort, Finding};
use tempfile::TempDir;

use crate::error::{Error, ErrorKind};
use crate::release::KeyChoice;

/// The state of an audit.
pub(super) struct Lab<'a> {
    folder: TempDir,
    effort: AuditEffort,
    key: KeyChoice,
    releases: Cell<u64>,
    observe: &'a dyn Fn(&Finding),
    cancel: &'a AtomicBool,
    findings: RefCell<Vec<Finding>>,
}

impl<'a> Lab<'a> {
    pub(super) fn new(
        effort: AuditEffort,
        key: KeyChoice,
        observe: &'a dyn Fn(&Finding),
        cancel: &'a AtomicBool,
    ) -> Result<Self, Error> {
        let folder = tempfile::tempdir().map_err(|cause| Error::write(&std::env::temp_dir(), cause))?;
        let (releases, findings) = (Cell::new(0), RefCell::default());
        Ok(Self { folder, effort, key, releases, observe, cancel, findings })
    }

    /// The number of samples: all, or those of a quick audit.
    pub(super) fn samples(&self, quick: usize, full: usize) -> usize {
        match self.effort {
            AuditEffort::Quick => quick,
            AuditEffort::Full => full,
        }
    }

    /// A new folder for one release.
    pub(super) fn folder(&self) -> Result<PathBuf, Error> {
        self.releases.set(self.releases.get() + 1);
        let folder = self.folder.path().join(self.releases.get().to_string());
        std::fs::create_dir(&folder).map_err(|cause| Error::write(&folder, cause))?;
        Ok(folder)
    }

    /// Frees the space of a release that was read.
    pub(super) fn remove(&self, folder: &Path) -> Result<(), Error> {
        std::fs::remove_dir_all(folder).map_err(|cause| Error::write(folder, cause))
    }

    /// A key that no other release of this audit has.
    pub(super) fn key(&self) -> KeyChoice {
        match self.key {
            KeyChoice::Fresh => KeyChoice::Fresh,
            KeyChoice::InsecureSeed(seed) => {
                KeyChoice::InsecureSeed((seed << 20).wrapping_add(self.releases.get()))
            }
        }
    }

    pub(super) fn cancel(&self) -> &AtomicBool {
        self.cancel
    }

    /// Records a finding. Stops the audit if the user cancelled it.
    pub(super) fn found(&self, finding: Finding) -> Result<(), Error> {
        (self.observe)(&finding);
        self.findings.borrow_mut().push(finding);
        match self.cancel.load(Ordering::Relaxed) {
            true => Err(ErrorKind::Cancelled.into()),
            false => Ok(()),
        }
    }

    pub(super) fn into_findings(self) -> Vec<Finding> {
        self.findings.into_inner()
    }
}
