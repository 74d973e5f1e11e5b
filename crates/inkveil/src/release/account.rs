//! Charges a release to a ledger before it leaves.
//!
//! [`Reserved`] is the permission to leave. Only this module makes one: after the ledger has recorded
//! the charge, or if the user keeps no ledger. Everything that writes a release or sends it to a
//! server asks for one. So a new path cannot forget the ledger, and a ledger that cannot be written
//! stops every path.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use inkveil_ledger::{BudgetScope, Charge, Ledger, Release, ReleaseId};
use inkveil_privacy::faults::{self, Fault};
use inkveil_privacy::{Epsilon, Metric, Receipt};

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
#[derive(Debug, Clone)]
pub struct Account {
    ledger: Option<PathBuf>,
    dataset: Option<String>,
    subject: Option<String>,
}

impl Account {
    /// The environment variable that names a ledger for every release.
    pub const VARIABLE: &str = "INKVEIL_LEDGER";

    /// No ledger: nothing is recorded, even if the environment names a ledger. This is for outputs
    /// that stay on this machine.
    pub fn none() -> Self {
        Self { ledger: None, dataset: None, subject: None }
    }

    /// Charges this ledger. It is created if it does not exist.
    pub fn new(ledger: impl Into<PathBuf>) -> Self {
        Self { ledger: Some(ledger.into()), ..Self::none() }
    }

    /// Charges the ledger that the environment names, if it names one. Every release does so by
    /// default.
    pub fn from_environment() -> Self {
        let named = std::env::var_os(Self::VARIABLE).filter(|name| !name.is_empty());
        Self { ledger: named.map(PathBuf::from), ..Self::none() }
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
    pub(crate) fn open(&self, dataset: &str) -> Result<Accounting, Error> {
        Ok(Accounting {
            ledger: self.ledger.as_ref().map(Ledger::open).transpose()?.map(Mutex::new),
            id: ReleaseId::fresh()?,
            dataset: self.dataset.clone().unwrap_or_else(|| dataset.to_owned()),
            subject: self.subject.clone(),
            reserved: Mutex::default(),
        })
    }
}

/// Permission to let one part of a release leave: its charge is recorded, or the user keeps no ledger.
///
/// It has no public constructor.
#[must_use = "a part that was charged is released and then confirmed"]
#[derive(Debug)]
pub struct Reserved {
    part: u64,
}

/// An open account.
pub(crate) struct Accounting {
    ledger: Option<Mutex<Ledger>>,
    id: ReleaseId,
    dataset: String,
    subject: Option<String>,
    /// Parts that are charged and not confirmed yet.
    reserved: Mutex<Vec<u64>>,
}

/// What a part is charged with.
#[derive(Clone, Copy)]
pub(crate) struct PartCharge<'a> {
    /// The number of the part.
    pub(crate) part: u64,
    /// The receipt of the part.
    pub(crate) receipt: &'a Receipt,
    /// A receipt for each subject that the input names. If it is empty, the whole receipt is charged to
    /// the account's own subject.
    pub(crate) by_subject: &'a BTreeMap<String, Receipt>,
    /// The checksum of the input.
    pub(crate) content: Option<[u8; 32]>,
    /// Whether the same content was charged when it was sent to a server. The release is then made from
    /// what was sent, and costs nothing more.
    pub(crate) charged_when_sent: bool,
}

impl<'a> PartCharge<'a> {
    /// A part without subjects of its own.
    pub(crate) fn new(part: u64, receipt: &'a Receipt, content: Option<[u8; 32]>) -> Self {
        const NOBODY: &BTreeMap<String, Receipt> = &BTreeMap::new();
        Self { part, receipt, by_subject: NOBODY, content, charged_when_sent: false }
    }
}

/// The numbers of parts that were sent to a server begin here. No release has as many texts.
const FIRST_SENT: u64 = 1 << 62;

/// The part of texts that are sent to a server, by the address of the first of them.
pub(crate) fn sent_part(first: u64) -> u64 {
    FIRST_SENT | first
}

impl Accounting {
    /// Uses the id that a resumed job has kept.
    pub(crate) fn with_id(mut self, id: ReleaseId) -> Self {
        self.id = id;
        self
    }

    pub(crate) fn id(&self) -> ReleaseId {
        self.id
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.ledger.is_some()
    }

    /// Charges one part of the release. Reserving the same part again changes nothing.
    pub(crate) fn reserve(
        &self,
        charge: &PartCharge<'_>,
        observer: &dyn Observer,
    ) -> Result<Reserved, Error> {
        self.reserve_all(std::slice::from_ref(charge), observer).map(drop)?;
        Ok(Reserved { part: charge.part })
    }

    /// Charges several parts of the release, either all or none.
    pub(crate) fn reserve_all(
        &self,
        parts: &[PartCharge<'_>],
        observer: &dyn Observer,
    ) -> Result<Vec<Reserved>, Error> {
        let reserved = || parts.iter().map(|charge| Reserved { part: charge.part }).collect();
        let Some(ledger) = &self.ledger else { return Ok(reserved()) };
        if faults::is(Fault::LedgerBypass) {
            return Ok(reserved());
        }
        let release = |charge: &PartCharge<'_>| {
            let charges = self.charges(charge);
            let release =
                Release::of_receipt(self.id, charge.part, self.dataset.clone(), charge.receipt, charges);
            Release { content: charge.content, ..release }
        };
        let releases: Vec<Release> = parts.iter().map(release).collect();
        let by_subject = parts.iter().any(|charge| !charge.by_subject.is_empty());
        let recorded = lock(ledger).record_all(&releases).map_err(|error| refused(error, by_subject))?;
        lock(&self.reserved).extend(parts.iter().map(|charge| charge.part));
        for (charge, recorded) in parts.iter().zip(recorded) {
            if recorded.earlier.releases > 0 && !recorded.already && !charge.charged_when_sent {
                observer.notice(&Notice::ReleasedBefore(recorded.earlier));
            }
        }
        Ok(reserved())
    }

    fn charges(&self, charge: &PartCharge<'_>) -> Vec<Charge> {
        let of = |subject: Option<&str>, receipt: &Receipt| match charge.charged_when_sent {
            false => Charge::of_receipt(subject, receipt),
            true => vec![Charge {
                worst_case: Some(Epsilon::ZERO),
                units: 0,
                ..Charge::new(subject, Metric::Discrete, Epsilon::ZERO)
            }],
        };
        match charge.by_subject.is_empty() {
            true => of(self.subject.as_deref(), charge.receipt),
            false => {
                let named = |name: &'_ String| Some(name.clone()).filter(|name| !name.is_empty());
                let all = charge.by_subject.iter();
                all.flat_map(|(subject, receipt)| of(named(subject).as_deref(), receipt)).collect()
            }
        }
    }

    /// Confirms that a reserved part has left.
    pub(crate) fn commit(&self, reserved: Reserved) -> Result<(), Error> {
        self.confirm(reserved.part)
    }

    /// Confirms a part that an earlier run of the same job reserved and released.
    pub(crate) fn commit_earlier(&self, part: u64) -> Result<(), Error> {
        self.confirm(part)
    }

    /// Confirms that all reserved parts have left.
    pub(crate) fn commit_all(&self) -> Result<(), Error> {
        let reserved = lock(&self.reserved).clone();
        reserved.into_iter().try_for_each(|part| self.confirm(part))
    }

    fn confirm(&self, part: u64) -> Result<(), Error> {
        if let Some(ledger) = &self.ledger
            && !faults::is(Fault::LedgerBypass)
        {
            lock(ledger).confirm(&self.id, part)?;
            lock(&self.reserved).retain(|reserved| *reserved != part);
        }
        Ok(())
    }
}

/// Hides the name of a subject that was read from the input: errors never quote input.
fn refused(error: inkveil_ledger::Error, subject_from_input: bool) -> Error {
    use inkveil_ledger::ErrorKind as Kind;
    let why = match error.kind() {
        Kind::OverLimit { scope: BudgetScope::Subject(_), measure, spent, asked, left, limit } => format!(
            "ε of {} spent, {} requested, {} left of {} ({measure})",
            spent.readable(),
            asked.readable(),
            left.readable(),
            limit.readable()
        ),
        Kind::OverDelta { scope: BudgetScope::Subject(_), measure, spent, asked, limit } => {
            format!("δ of {spent} spent, {asked} requested, {limit} allowed ({measure})")
        }
        Kind::OtherMetric { scope: BudgetScope::Subject(_), measure, limited } => {
            format!("its limits count {limited} ε and cannot express {measure} ε")
        }
        _ => return error.into(),
    };
    match subject_from_input {
        true => ErrorKind::SubjectOverLimit { why }.into(),
        false => error.into(),
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
