//! What was spent, on whom and in which data.
//!
//! Budgets add up over releases, also over those of last year. A [`Ledger`] is one SQLite file that keeps a row for each release, the
//! sums for each subject and dataset, and limits that no release may pass.
//!
//! **Record first, release after.** [`Ledger::record`] returns once the row is on the disk; only then may the release leave. If the
//! process dies in between, the row stays and counts as spent: too much is counted rather than too little. A job keeps its
//! [`ReleaseId`] and records again when it resumes, which adds nothing.
//!
//! ```
//! use inkveil_ledger::{Charge, Counted, Ledger, Limit, Release, ReleaseId, Scope};
//! use inkveil_privacy::{Epsilon, GroupBudget, Guarantee, Metric, NoiseKey, Receipt, ReleaseKind, Unit};
//!
//! let folder = tempfile::tempdir()?;
//! let mut ledger = Ledger::open(folder.path().join("budget.ledger"))?;
//! let limit = Limit { scope: Scope::EverySubject, counted: Counted::Metric(Metric::Chordal), epsilon: Epsilon::new(500.0)? };
//! ledger.set_limit(&limit)?;
//!
//! // Three tokens of a letter, each with ε = 100.
//! let promise = Guarantee::new(Metric::Chordal, Epsilon::new(100.0)?, Unit::Token);
//! let receipt = Receipt::builder(ReleaseKind::Text, "vmf", Unit::Token, &NoiseKey::fresh()?)
//!     .group(GroupBudget::new("all", 3, Epsilon::new(100.0)?, vec![promise]))
//!     .not_covered("how long the text is")
//!     .build()?;
//! let charges = Charge::of_receipt(Some("patient 7"), &receipt);
//! let release = Release::of_receipt(ReleaseId::fresh()?, 0, "letters", &receipt, charges);
//!
//! ledger.record(&release)?; // now it may leave …
//! ledger.released(&release.id, release.part)?; // … and it has left
//! assert!(ledger.record(&release)?.already, "a job that resumes spends nothing twice");
//!
//! // Another 300 for the same person would be 600 of 500.
//! let again = Release { id: ReleaseId::fresh()?, ..release };
//! assert!(ledger.record(&again).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod charge;
mod check;
mod confirm;
mod content;
mod entry;
mod error;
mod export;
mod filter;
mod ledger;
mod limit;
mod limits;
mod measure;
mod moment;
mod names;
mod open;
mod record;
mod release;
mod schema;
mod seal;
#[cfg(test)]
mod stress;
mod totals;
mod verify;

pub use charge::Charge;
pub use entry::{Entries, Entry};
pub use error::{Error, ErrorKind};
pub use filter::Filter;
pub use ledger::Ledger;
pub use limit::{Counted, Limit, Scope};
pub use measure::Measure;
pub use moment::Moment;
pub use record::{Earlier, Recorded};
pub use release::{Release, ReleaseId};
pub use totals::Total;
pub use verify::Problem;
