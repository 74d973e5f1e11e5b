//! Charges a release to a ledger before it leaves.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use inkveil_ledger::{BudgetScope, Charge, Ledger, Release, ReleaseId};
use inkveil_privacy::Receipt;

use super::observer::{Notice, Observer};
use crate::error::{Error, ErrorKind};

/// Which ledger a release is charged to, and under which names.
///
/// ```
/// use inkveil::release::Account;
///
/// let account = Account::new("budget.ledger").dataset("letters").subject("patient 7");
/// assert!(account.is_kept());
/// assert!(!Account::none().is_kept());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Account {
    ledger: Option<PathBuf>,
    dataset: Option<String>,
    subject: Option<String>,
}

impl Account {
    /// The environment variable that names a ledger for every release.
    pub const VARIABLE: &str = "INKVEIL_LEDGER";

    /// No ledger: nothing is recorded.
    pub fn none() -> Self {
        Self::default()
    }

    /// Charges this ledger. It is created if it does not exist.
    pub fn new(ledger: impl Into<PathBuf>) -> Self {
        Self { ledger: Some(ledger.into()), ..Self::default() }
    }

    /// Charges the ledger that the environment names, if it names one.
    pub fn from_environment() -> Self {
        let named = std::env::var_os(Self::VARIABLE).filter(|name| !name.is_empty());
        Self { ledger: named.map(PathBuf::from), ..Self::default() }
    }

    /// The name of the dataset in the ledger. The name of the input is used by default.
    pub fn dataset(mut self, name: impl Into<String>) -> Self {
        self.dataset = Some(name.into());
        self
    }

    /// The person or thing that all of the input is about.
    pub fn subject(mut self, name: impl Into<String>) -> Self {
        self.subject = Some(name.into());
        self
    }

    /// Whether there is a ledger.
    pub fn is_kept(&self) -> bool {
        self.ledger.is_some()
    }

    /// The ledger's file.
    pub fn ledger(&self) -> Option<&PathBuf> {
        self.ledger.as_ref()
    }

    /// Opens the ledger. `dataset` is the name to use if none was given.
    pub(super) fn open(&self, dataset: &str) -> Result<Accounting, Error> {
        Ok(Accounting {
            ledger: self.ledger.as_ref().map(Ledger::open).transpose()?.map(Mutex::new),
            id: ReleaseId::fresh()?,
            dataset: self.dataset.clone().unwrap_or_else(|| dataset.to_owned()),
            subject: self.subject.clone(),
            reserved: Mutex::default(),
        })
    }
}

/// An open account.
pub(super) struct Accounting {
    ledger: Option<Mutex<Ledger>>,
    id: ReleaseId,
    dataset: String,
    subject: Option<String>,
    /// Parts that are charged and not confirmed yet.
    reserved: Mutex<Vec<u64>>,
}

impl Accounting {
    /// Uses the id that a resumed job has kept.
    pub(super) fn with_id(mut self, id: ReleaseId) -> Self {
        self.id = id;
        self
    }

    pub(super) fn id(&self) -> ReleaseId {
        self.id
    }

    pub(super) fn is_kept(&self) -> bool {
        self.ledger.is_some()
    }

    /// Charges one part of the release. `by_subject` holds a receipt for each subject that the input
    /// names; if it is empty, the whole receipt is charged to the account's own subject.
    /// Reserving the same part again changes nothing.
    pub(super) fn reserve(
        &self,
        part: u64,
        receipt: &Receipt,
        by_subject: &BTreeMap<String, Receipt>,
        content: Option<[u8; 32]>,
        observer: &dyn Observer,
    ) -> Result<(), Error> {
        let Some(ledger) = &self.ledger else { return Ok(()) };
        let charges = match by_subject.is_empty() {
            true => Charge::of_receipt(self.subject.as_deref(), receipt),
            false => by_subject
                .iter()
                .flat_map(|(subject, receipt)| {
                    Charge::of_receipt(Some(subject.as_str()).filter(|name| !name.is_empty()), receipt)
                })
                .collect(),
        };
        let mut release = Release::of_receipt(self.id, part, self.dataset.clone(), receipt, charges);
        release.content = content;
        let recorded =
            lock(ledger).record(&release).map_err(|error| refused(error, !by_subject.is_empty()))?;
        lock(&self.reserved).push(part);
        if recorded.earlier.releases > 0 && !recorded.already {
            observer.notice(&Notice::ReleasedBefore(recorded.earlier));
        }
        Ok(())
    }

    /// Confirms that a reserved part has left.
    pub(super) fn commit(&self, part: u64) -> Result<(), Error> {
        if let Some(ledger) = &self.ledger {
            lock(ledger).confirm(&self.id, part)?;
            lock(&self.reserved).retain(|reserved| *reserved != part);
        }
        Ok(())
    }

    /// Confirms that all reserved parts have left.
    pub(super) fn commit_all(&self) -> Result<(), Error> {
        let reserved = std::mem::take(&mut *lock(&self.reserved));
        reserved.into_iter().try_for_each(|part| self.commit(part))
    }
}

/// Hides the name of a subject that was read from the input: errors never quote input.
fn refused(error: inkveil_ledger::Error, subject_from_input: bool) -> Error {
    match error.kind() {
        inkveil_ledger::ErrorKind::OverLimit {
            scope: BudgetScope::Subject(_),
            measure,
            spent,
            asked,
            left,
            limit,
        } if subject_from_input => ErrorKind::SubjectOverLimit {
            measure: measure.to_string(),
            spent: spent.readable(),
            asked: asked.readable(),
            left: left.readable(),
            limit: limit.readable(),
        }
        .into(),
        _ => error.into(),
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
