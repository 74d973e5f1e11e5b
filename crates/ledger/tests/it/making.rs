//! Ledgers and releases for tests.

use std::path::PathBuf;

use inkveil_ledger::{Charge, Ledger, Release, ReleaseId};
use inkveil_privacy::{Epsilon, Metric, ReleaseKind, Unit};
use tempfile::TempDir;

pub(crate) fn eps(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

/// A temporary folder with the path of a ledger in it.
pub(crate) struct TestLedger {
    pub(crate) folder: TempDir,
    pub(crate) path: PathBuf,
}

impl TestLedger {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("budget.ledger");
        Self { folder, path }
    }

    pub(crate) fn open(&self) -> Ledger {
        Ledger::open(&self.path).unwrap()
    }
}

/// A charge in chordal distance with a worst case of twice its ε.
pub(crate) fn charge(subject: Option<&str>, epsilon: f64) -> Charge {
    Charge { worst_case: Some(eps(2.0 * epsilon)), ..Charge::new(subject, Metric::Chordal, eps(epsilon)) }
}

/// A new release of the dataset `letters`.
pub(crate) fn release(charges: Vec<Charge>) -> Release {
    Release {
        id: ReleaseId::fresh().unwrap(),
        part: 0,
        dataset: "letters".into(),
        kind: ReleaseKind::Text,
        mechanism: "polar".into(),
        unit: Unit::Token,
        secure: true,
        receipt: "0123456789abcdef".repeat(4),
        content: None,
        charges,
    }
}
