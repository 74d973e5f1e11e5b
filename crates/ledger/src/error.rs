//! What can go wrong with a ledger: what, where, and what to do about it.

use std::fmt;
use std::path::{Path, PathBuf};

use inkveil_privacy::Epsilon;

use crate::id::ReleaseId;
use crate::measure::BudgetMeasure;
use crate::rounding::readable_down;
use crate::scope::BudgetScope;

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
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq)]
struct Inner {
    file: Option<PathBuf>,
    kind: ErrorKind,
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
        "this ledger is damaged ({what}), so nothing was recorded and nothing may be released. `inkveil ledger verify` lists what is \
         wrong; restore a backup, and keep the damaged file: it is the only record of what was spent"
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
    /// The operating system or SQLite refused something.
    #[error("cannot {doing}: {reason}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// What was said.
        reason: String,
    },
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
        scope: BudgetScope,
        /// What the numbers are counted in.
        measure: BudgetMeasure,
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
    #[error("the operating system gave no randomness ({reason}); nothing was recorded")]
    NoEntropy {
        /// What the system said.
        reason: String,
    },
}

fn over_limit(scope: &BudgetScope, measure: BudgetMeasure, numbers: [Epsilon; 4]) -> String {
    let [spent, asked, left, limit] = numbers;
    let why = match measure {
        BudgetMeasure::NoGuarantee => " (nothing is promised about this release, which counts as infinite)",
        _ if spent.is_infinite() => {
            " (something was released before without a bound, which counts as infinite)"
        }
        _ if asked.is_infinite() => " (this release has no bound in it, which counts as infinite)",
        _ => "",
    };
    format!(
        "the limit of {scope} would be passed, so nothing was recorded and nothing may be released: {measure} ε of {} spent, {} \
         asked, {} left of {}{why}. Lower the budget, release less, or raise the limit with `inkveil ledger limit`",
        spent.readable(),
        asked.readable(),
        readable_down(left),
        readable_down(limit),
    )
}

impl Error {
    /// What kind of error this is.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The ledger's file, where one is concerned.
    pub fn file(&self) -> Option<&Path> {
        self.0.file.as_deref()
    }

    pub(crate) fn corrupt(what: impl Into<String>) -> Self {
        ErrorKind::Corrupt { what: what.into() }.into()
    }

    pub(crate) fn io(doing: &'static str, error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::StorageFull => ErrorKind::Full,
            std::io::ErrorKind::ReadOnlyFilesystem => ErrorKind::ReadOnly,
            _ => ErrorKind::Io { doing, reason: error.to_string() },
        }
        .into()
    }

    pub(crate) fn in_file(mut self, file: &Path) -> Self {
        self.0.file.get_or_insert_with(|| file.to_owned());
        self
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
                ErrorKind::Io { doing: "open the ledger", reason: failure.to_string() }.into()
            }
            _ => ErrorKind::Io { doing: "use the ledger", reason: failure.to_string() }.into(),
        },
        _ => Error::corrupt("a row has an impossible value"),
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(Inner { file: None, kind }))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error").field("file", &self.0.file).field("kind", &self.0.kind).finish()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.0.file {
            write!(f, "{}: ", file.display())?;
        }
        fmt::Display::fmt(&self.0.kind, f)
    }
}

impl std::error::Error for Error {}
