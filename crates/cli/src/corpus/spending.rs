//! Spending is recorded before anything is released.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, anyhow};
use inkveil::Receipt;
use inkveil_ledger::{BudgetScope, Charge, ErrorKind, Ledger, Release, ReleaseId};
use owo_colors::OwoColorize as _;
use sha2::{Digest as _, Sha256};

use crate::args::SpendingArgs;

/// The ledger of a run, if there is one.
pub(crate) struct Spending {
    ledger: Option<Mutex<Ledger>>,
    id: ReleaseId,
    dataset: String,
    subject: Option<String>,
    /// What is recorded and has not left yet.
    waiting: Mutex<Vec<u64>>,
}

/// The ledger that is named, on the command line or else in the environment.
pub(crate) fn named_ledger(flag: Option<&Path>) -> Option<PathBuf> {
    let from_environment = || std::env::var_os("INKVEIL_LEDGER").filter(|name| !name.is_empty());
    flag.map(Path::to_owned).or_else(|| from_environment().map(PathBuf::from))
}

impl Spending {
    /// Opens the ledger that is asked for.
    pub(crate) fn open(args: &SpendingArgs, dataset: &str) -> anyhow::Result<Self> {
        let path = named_ledger(args.ledger.as_deref());
        anyhow::ensure!(
            path.is_some()
                || (args.dataset.is_none() && args.subject.is_none() && args.subject_column.is_none()),
            "--dataset, --subject and --subject-column are written into a ledger; name it with --ledger"
        );
        let ledger = path.map(Ledger::open).transpose()?.map(Mutex::new);
        let id = ReleaseId::fresh()?;
        let dataset = args.dataset.clone().unwrap_or_else(|| dataset.to_owned());
        Ok(Self { ledger, id, dataset, subject: args.subject.clone(), waiting: Mutex::default() })
    }

    /// The same, under the name of a job that keeps its own.
    pub(crate) fn of_job(mut self, id: ReleaseId) -> Self {
        self.id = id;
        self
    }

    /// What the run is called in the ledger.
    pub(crate) fn id(&self) -> ReleaseId {
        self.id
    }

    /// Whether spending is recorded.
    pub(crate) fn is_on(&self) -> bool {
        self.ledger.is_some()
    }

    /// Records a release. `receipts` are those of single subjects, where the input says whom a row is about; `content` is a checksum
    /// of what was read.
    pub(crate) fn record(
        &self,
        part: u64,
        receipt: &Receipt,
        receipts: &BTreeMap<String, Receipt>,
        content: Option<[u8; 32]>,
    ) -> anyhow::Result<()> {
        let Some(ledger) = &self.ledger else { return Ok(()) };
        let charges = match receipts.is_empty() {
            true => Charge::of_receipt(self.subject.as_deref(), receipt),
            false => receipts
                .iter()
                .flat_map(|(subject, receipt)| {
                    Charge::of_receipt(Some(subject.as_str()).filter(|name| !name.is_empty()), receipt)
                })
                .collect(),
        };
        let mut release = Release::of_receipt(self.id, part, self.dataset.clone(), receipt, charges);
        release.content = content;
        let recorded = ledger
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .record(&release)
            .map_err(|error| without_subject(error, !receipts.is_empty()))
            .context("nothing was released")?;
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(part);
        if recorded.earlier.releases > 0 && !recorded.already {
            let times = match recorded.earlier.releases {
                1 => "once".to_owned(),
                times => format!("{times} times"),
            };
            let spent: Vec<String> = recorded
                .earlier
                .spent
                .iter()
                .map(|(measure, epsilon)| format!("ε = {} ({measure})", epsilon.readable()))
                .collect();
            anstream::eprintln!(
                "{} the same content was released {times} before, for {}: budgets add up",
                "note:".yellow().bold(),
                spent.join(" and ")
            );
        }
        Ok(())
    }

    /// Says that a recorded release has left.
    pub(crate) fn released(&self, part: u64) -> anyhow::Result<()> {
        if let Some(ledger) = &self.ledger {
            ledger.lock().unwrap_or_else(PoisonError::into_inner).confirm(&self.id, part)?;
            self.waiting.lock().unwrap_or_else(PoisonError::into_inner).retain(|waiting| *waiting != part);
        }
        Ok(())
    }

    /// Says that everything that is recorded has left.
    pub(crate) fn released_all(&self) -> anyhow::Result<()> {
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.into_iter().try_for_each(|part| self.released(part))
    }
}

/// A name that stands in a row is no business of whoever reads an error.
fn without_subject(error: inkveil_ledger::Error, from_rows: bool) -> anyhow::Error {
    match error.kind() {
        ErrorKind::OverLimit { scope: BudgetScope::Subject(_), measure, spent, asked, left, limit }
            if from_rows =>
        {
            anyhow!(
                "the limit of a subject in these rows would be passed, so nothing was recorded: {measure} ε of {} spent, \
                 {} asked, {} left of {}. `inkveil ledger show` says what each subject has left; lower the budget, release less, \
                 or raise the limit with `inkveil ledger limit`",
                spent.readable(),
                asked.readable(),
                left.readable(),
                limit.readable()
            )
        }
        _ => error.into(),
    }
}

/// A checksum of texts, to notice that they are released again.
pub(crate) fn content_of<'t>(texts: impl Iterator<Item = &'t str>) -> [u8; 32] {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize().into()
}
