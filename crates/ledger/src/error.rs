//! Errors of ledgers: what happened, where, and what to do.

use inkveil_error::{Cause, SystemError, error_type};
use inkveil_privacy::Epsilon;

use crate::id::ReleaseId;
use crate::limit::Counted;
use crate::measure::BudgetMeasure;
use crate::rounding::readable_down;
use crate::scope::BudgetScope;

error_type! {
    /// An error of this crate.
    ///
    /// Errors contain the names of files, datasets and subjects as the user gave them. They never
    /// contain a content, its hash or a key.
    ///
    /// ```
    /// use inkveil_ledger::{ErrorKind, Ledger};
    ///
    /// let error = Ledger::open_existing("absent.ledger").unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::NotFound));
    /// assert!(error.to_string().starts_with("absent.ledger: "));
    /// ```
    #[derive(Clone, PartialEq)]
    pub struct Error(ErrorKind) at file;
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There is no file of this name.
    #[error("there is no such file; check the name, or record a first release to create the ledger")]
    NotFound,
    /// The path is a folder.
    #[error("this is a folder, not a ledger; give the path of a file")]
    Folder,
    /// The file is not a ledger.
    #[error("this is not a ledger ({what}); nothing was changed. Check the name of the file")]
    NotALedger {
        /// What the file is instead.
        what: &'static str,
    },
    /// The file was written by a later version of this program.
    #[error(
        "this ledger has version {version}, and this program reads version {known}; use a newer version of inkveil"
    )]
    Newer {
        /// Its version.
        version: i64,
        /// The version of this program.
        known: i64,
    },
    /// The file is damaged.
    #[error(
        "this ledger is damaged ({what}), so nothing was recorded and nothing may be released. Verifying the ledger lists all \
         problems. Restore a backup and keep the damaged file: it is the only record of the spent budgets"
    )]
    Corrupt {
        /// The problem.
        what: String,
    },
    /// The file or its folder cannot be written.
    #[error("this ledger cannot be written; allow writing to the file and to its folder")]
    ReadOnly,
    /// Another process locked the ledger for too long.
    #[error(
        "another process locked this ledger for more than {seconds} seconds; nothing was recorded. Try again"
    )]
    Busy {
        /// The waiting time.
        seconds: u64,
    },
    /// The disk is full.
    #[error(
        "the disk is full; nothing was recorded and nothing may be released. Free some space and try again"
    )]
    Full,
    /// The operating system refused an operation.
    #[error("cannot {doing}")]
    Io {
        /// The operation.
        doing: &'static str,
        /// Why it was refused.
        #[source]
        cause: SystemError,
    },
    /// SQLite refused an operation.
    #[error("cannot {doing}")]
    Sqlite {
        /// The operation.
        doing: &'static str,
        /// Why it was refused.
        #[source]
        cause: Cause,
    },
    /// The ledger could not be created.
    #[error(transparent)]
    File(#[from] inkveil_files::Error),
    /// The folder does not allow a write-ahead log.
    #[error("the folder does not allow a write-ahead log; move the ledger to a local disk")]
    NoWriteAheadLog,
    /// A value cannot be recorded.
    #[error("{name} must be {allowed}")]
    Invalid {
        /// The name of the value.
        name: &'static str,
        /// The allowed values.
        allowed: &'static str,
    },
    /// The same release was recorded before with other data.
    #[error(
        "part {part} of release {id} was recorded before with another {what}; a resumed job must release the same data again. Use \
         a new id for a new release"
    )]
    Conflict {
        /// The release.
        id: ReleaseId,
        /// Its part.
        part: u64,
        /// The difference.
        what: &'static str,
    },
    /// A release was confirmed but never recorded.
    #[error("part {part} of release {id} was never recorded; record a release before it is made")]
    NotRecorded {
        /// The release.
        id: ReleaseId,
        /// Its part.
        part: u64,
    },
    /// The release names no subject, but every subject has a limit.
    #[error("every subject has a limit, and this release does not say which subject it is about")]
    NoSubject,
    /// The release would exceed a limit.
    #[error("{}", over_limit(scope, measure, [*spent, *asked, *left, *limit]))]
    OverLimit {
        /// The subject or dataset and its name.
        scope: BudgetScope,
        /// The measure of the numbers.
        measure: BudgetMeasure,
        /// The budget spent before.
        spent: Epsilon,
        /// The budget of this release.
        asked: Epsilon,
        /// The remaining budget.
        left: Epsilon,
        /// The limit.
        limit: Epsilon,
    },
    /// The release would exceed a limit on failure probabilities.
    #[error(
        "this release would exceed the limit of {scope}, so nothing was recorded and nothing may be released: {measure} δ of \
         {spent} spent, {asked} requested, {limit} allowed. Use noise without a δ, or allow a δ with the limit"
    )]
    OverDelta {
        /// The subject or dataset and its name.
        scope: BudgetScope,
        /// The measure of the release.
        measure: BudgetMeasure,
        /// The δ spent before.
        spent: f64,
        /// The δ of this release.
        asked: f64,
        /// The limit.
        limit: f64,
    },
    /// No limit counts the metric of the release.
    #[error(
        "the limits of {scope} count {limited} ε, and this release spends {measure} ε, which they cannot express. So nothing was \
         recorded and nothing may be released. Set a limit in that metric too, or one on the worst case or on each metric"
    )]
    OtherMetric {
        /// The subject or dataset and its name.
        scope: BudgetScope,
        /// The measure of the release.
        measure: BudgetMeasure,
        /// What a limit counts.
        limited: Counted,
    },
    /// The operating system returned no randomness.
    #[error("nothing was recorded, because the operating system returned no randomness")]
    NoEntropy {
        /// Why there was none.
        #[source]
        cause: Cause,
    },
}

fn over_limit(scope: &BudgetScope, measure: &BudgetMeasure, numbers: [Epsilon; 4]) -> String {
    let [spent, asked, left, limit] = numbers;
    let why = match measure {
        _ if spent.is_infinite() => " (an earlier release has no bound, which counts as infinite)",
        _ if asked.is_infinite() => {
            " (this release has no guarantee in this measure, or one that does not reach the distance of the \
             limit; both count as infinite)"
        }
        _ => "",
    };
    format!(
        "this release would exceed the limit of {scope}, so nothing was recorded and nothing may be released: {measure} ε of {} spent, {} \
         requested, {} left of {}{why}. Lower the budget, release less, or raise the limit",
        spent.readable(),
        asked.readable(),
        readable_down(left),
        readable_down(limit),
    )
}

impl Error {
    pub(crate) fn corrupt(what: impl Into<String>) -> Self {
        ErrorKind::Corrupt { what: what.into() }.into()
    }

    pub(crate) fn io(doing: &'static str, error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::StorageFull => ErrorKind::Full,
            std::io::ErrorKind::ReadOnlyFilesystem => ErrorKind::ReadOnly,
            _ => ErrorKind::Io { doing, cause: error.into() },
        }
        .into()
    }
}

/// How long to wait for another process.
pub(crate) const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

/// Converts an error of SQLite. Its own messages are dropped, since they may quote an untrusted
/// file.
pub(crate) fn sql(error: rusqlite::Error) -> Error {
    use rusqlite::ErrorCode as Code;
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => match failure.code {
            Code::DatabaseCorrupt => Error::corrupt("its pages are inconsistent"),
            Code::NotADatabase => ErrorKind::NotALedger { what: "it is not a SQLite file" }.into(),
            Code::DatabaseBusy | Code::DatabaseLocked => {
                ErrorKind::Busy { seconds: PATIENCE.as_secs() }.into()
            }
            Code::ReadOnly => ErrorKind::ReadOnly.into(),
            Code::DiskFull => ErrorKind::Full.into(),
            Code::ConstraintViolation => Error::corrupt("its rows are inconsistent"),
            Code::CannotOpen | Code::PermissionDenied => {
                ErrorKind::Sqlite { doing: "open the ledger", cause: Cause::new(failure) }.into()
            }
            _ => ErrorKind::Sqlite { doing: "use the ledger", cause: Cause::new(failure) }.into(),
        },
        _ => Error::corrupt("a row has an invalid value"),
    }
}
