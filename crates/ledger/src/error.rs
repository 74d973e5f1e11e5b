//! What can go wrong with a ledger: what, where, and what to do about it.

use inkveil_error::{Cause, SystemError, error_type};
use inkveil_privacy::Epsilon;

use crate::limit::{Scope, readable_down};
use crate::measure::Measure;
use crate::release::ReleaseId;

error_type! {
    /// An error of this crate.
    ///
    /// Errors name files, datasets and subjects as the user named them. They never hold a content, its hash or a key.
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
    #[error("there is no ledger here; check the name, or record a first release to create it")]
    NotFound,
    /// The name is that of a folder.
    #[error("this is a folder, not a ledger; name a file")]
    Folder,
    /// The file is something else.
    #[error("this is not a ledger ({what}); nothing was changed. Check the name")]
    NotALedger {
        /// What it is instead.
        what: &'static str,
    },
    /// The file is from a later version of this program.
    #[error(
        "this ledger has version {version}, and this program knows version {known}; use the newer inkveil that wrote it"
    )]
    Newer {
        /// Its version.
        version: i64,
        /// The version of this program.
        known: i64,
    },
    /// The file is damaged.
    #[error(
        "this ledger is damaged ({what}), so nothing was recorded and nothing may be released. Verify the ledger for a list of all \
         damage; restore a backup, and keep the damaged file: it is the only record of the budget spent"
    )]
    Corrupt {
        /// What is wrong.
        what: String,
    },
    /// The file, or the folder it lies in, cannot be written.
    #[error("this ledger cannot be written; allow writing to the file and to its folder")]
    ReadOnly,
    /// Another process kept the ledger for too long.
    #[error(
        "another process kept this ledger for more than {seconds} seconds; nothing was recorded, so try again"
    )]
    Busy {
        /// How long it was waited for.
        seconds: u64,
    },
    /// The disk is full.
    #[error("the disk is full; nothing was recorded and nothing may be released. Make room and try again")]
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
    /// Something that is to be recorded cannot be.
    #[error("{name} must be {allowed}")]
    Invalid {
        /// What it is about.
        name: &'static str,
        /// What may be given.
        allowed: &'static str,
    },
    /// The same release was recorded already, and differently.
    #[error(
        "part {part} of release {id} was recorded already with another {what}; a job that resumes must release the same again. Take \
         a new id for a new release"
    )]
    Conflict {
        /// The release.
        id: ReleaseId,
        /// Its part.
        part: u64,
        /// What differs.
        what: &'static str,
    },
    /// A release is confirmed that was never recorded.
    #[error("part {part} of release {id} was never recorded; record it before it leaves")]
    NotRecorded {
        /// The release.
        id: ReleaseId,
        /// Its part.
        part: u64,
    },
    /// The release would pass a limit.
    #[error("{}", over_limit(scope, *measure, [*spent, *asked, *left, *limit]))]
    OverLimit {
        /// The subject or dataset, with its name.
        scope: Scope,
        /// What the numbers are counted in.
        measure: Measure,
        /// What was spent before.
        spent: Epsilon,
        /// What this release would add.
        asked: Epsilon,
        /// What is left.
        left: Epsilon,
        /// The limit.
        limit: Epsilon,
    },
    /// The operating system gave no randomness.
    #[error("nothing was recorded, because the operating system gave no randomness")]
    NoEntropy {
        /// Why there was none.
        #[source]
        cause: Cause,
    },
}

fn over_limit(scope: &Scope, measure: Measure, numbers: [Epsilon; 4]) -> String {
    let [spent, asked, left, limit] = numbers;
    let why = match measure {
        Measure::NoPromise => " (nothing is promised about this release, which counts as infinite)",
        _ if spent.is_infinite() => {
            " (something was released before without a bound, which counts as infinite)"
        }
        _ if asked.is_infinite() => " (this release has no bound in it, which counts as infinite)",
        _ => "",
    };
    format!(
        "the limit of {scope} would be passed, so nothing was recorded and nothing may be released: {measure} ε of {} spent, {} \
         asked, {} left of {}{why}. Lower the budget, release less, or raise the limit",
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

/// How long another process is waited for.
pub(crate) const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

/// What an error of SQLite means here. Its own messages are dropped: those about a stranger's file may quote it.
pub(crate) fn sql(error: rusqlite::Error) -> Error {
    use rusqlite::ErrorCode as Code;
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => match failure.code {
            Code::DatabaseCorrupt => Error::corrupt("its pages do not fit together"),
            Code::NotADatabase => ErrorKind::NotALedger { what: "it is not a SQLite file" }.into(),
            Code::DatabaseBusy | Code::DatabaseLocked => {
                ErrorKind::Busy { seconds: PATIENCE.as_secs() }.into()
            }
            Code::ReadOnly => ErrorKind::ReadOnly.into(),
            Code::DiskFull => ErrorKind::Full.into(),
            Code::ConstraintViolation => Error::corrupt("its rows contradict each other"),
            Code::CannotOpen | Code::PermissionDenied => {
                ErrorKind::Sqlite { doing: "open the ledger", cause: Cause::new(failure) }.into()
            }
            _ => ErrorKind::Sqlite { doing: "use the ledger", cause: Cause::new(failure) }.into(),
        },
        _ => Error::corrupt("a row has an impossible value"),
    }
}
