//! A ledger of spent privacy budgets, per subject and per dataset.
//!
//! Budgets add up over all releases, including those of earlier years. A [`Ledger`] is one SQLite
//! file with a row for each release, totals for each subject and dataset, and limits that no
//! release may exceed.
//!
//! **Record first, then release.** [`Ledger::record`] returns once the row is on disk. Only then
//! may the caller release the output. If the process dies in between, the row stays and counts as
//! spent, so the ledger may overstate the spent budget but never understates it. A job keeps its
//! [`ReleaseId`] and records again when it resumes, which adds nothing.
//!
//! ```
//! use inkveil_ledger::{Charge, Counted, Ledger, Limit, Release, ReleaseId, BudgetScope};
//! use inkveil_privacy::{Epsilon, GroupBudget, Guarantee, Metric, NoiseKey, Receipt, ReleaseKind, Unit};
//!
//! let folder = tempfile::tempdir()?;
//! let mut ledger = Ledger::open(folder.path().join("budget.ledger"))?;
//! let limit = Limit::new(BudgetScope::EverySubject, Counted::Metric(Metric::Chordal), Epsilon::new(500.0)?);
//! ledger.set_limit(&limit)?;
//!
//! // Three tokens of a letter, each with ε = 100.
//! let guarantee = Guarantee::new(Metric::Chordal, Epsilon::new(100.0)?, Unit::Token);
//! let receipt = Receipt::builder(ReleaseKind::Text, "polar", Unit::Token, &NoiseKey::fresh()?)
//!     .group(GroupBudget::new("all", 3, Epsilon::new(100.0)?, vec![guarantee]))
//!     .not_covered("how long the text is")
//!     .build()?;
//! let charges = Charge::of_receipt(Some("patient 7"), &receipt);
//! let release = Release::of_receipt(ReleaseId::fresh()?, 0, "letters", &receipt, charges);
//!
//! ledger.record(&release)?; // the output may be released now
//! ledger.confirm(&release.id, release.part)?; // the output was released
//! assert!(ledger.record(&release)?.already, "a resumed job spends its budget once");
//!
//! // Another 300 for the same subject would exceed the limit: 600 of 500.
//! let again = Release { id: ReleaseId::fresh()?, ..release };
//! assert!(ledger.record(&again).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Files
//!
//! - `schema.rs`: the tables of the SQLite file. `open.rs` and `check.rs`: what is checked before
//!   it is used.
//! - `record.rs`: the one transaction that checks a release against all limits and records it.
//!   `confirmations.rs`: marks it as released.
//! - `charge.rs`: what a receipt costs. `measure.rs`: in which metric and space. `composed.rs`:
//!   how Gaussian charges compose. `sums.rs`, `totals.rs`: the sums.
//! - `limit.rs`, `limits.rs`: limits and where they apply. `counted.rs`: what counts against one.
//! - `entry.rs`, `entries.rs`, `filter.rs`, `export.rs`: reading releases. `verify.rs`: the check
//!   of the whole file, `seal.rs` its hash chain, `row_sets.rs` the rows that are not chained.
//! - `stress.rs`: two processes at once (test).
#![forbid(unsafe_code)]

mod charge;
mod check;
mod composed;
mod confirmations;
mod content;
mod counted;
mod entries;
mod entry;
mod error;
mod export;
mod filter;
mod head;
mod id;
mod ledger;
mod limit;
mod limits;
mod measure;
mod moment;
mod names;
mod open;
mod record;
mod release;
mod rounding;
mod row_sets;
mod schema;
mod scope;
mod seal;
#[cfg(test)]
mod stress;
mod sums;
mod totals;
mod verify;

pub use charge::Charge;
pub use entries::LedgerEntries;
pub use entry::LedgerEntry;
pub use error::{Error, ErrorKind};
pub use filter::Filter;
pub use id::ReleaseId;
pub use ledger::Ledger;
pub use limit::{Counted, Limit};
pub use measure::BudgetMeasure;
pub use moment::Moment;
pub use record::{EarlierReleases, Recorded};
pub use release::Release;
pub use scope::BudgetScope;
pub use totals::Total;
pub use verify::LedgerProblem;
