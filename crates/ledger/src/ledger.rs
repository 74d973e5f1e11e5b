//! Opening a ledger and setting its limits.

use std::fmt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::check;
use crate::content::ContentKey;
use crate::error::{Error, ErrorKind};
use crate::head::Head;
use crate::limit::{Counted, Limit};
use crate::limits;
use crate::moment::Moment;
use crate::open;
use crate::scope::BudgetScope;

/// A ledger: one SQLite file that several processes may use at the same time.
///
/// While it is in use, SQLite keeps two more files next to it whose names end in `-wal` and `-shm`.
/// They are part of the ledger.
///
/// ```
/// use inkveil_ledger::Ledger;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("budget.ledger");
/// let ledger = Ledger::open(&path)?;
/// assert!(ledger.verify()?.is_empty());
/// assert!(Ledger::open_existing(&path).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Ledger {
    pub(crate) connection: Connection,
    pub(crate) key: ContentKey,
    path: PathBuf,
}

impl Ledger {
    /// Opens a ledger, or creates it if there is no file of this name. Only the owner may read a
    /// new ledger.
    ///
    /// # Errors
    /// If the file is not a ledger, has a newer version, is damaged, or cannot be written.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        match Self::open_existing(path) {
            Err(error) if error.kind() == &ErrorKind::NotFound => {
                Self::create(path, &open::fresh_key()?, Moment::now())?;
                Self::open_existing(path)
            }
            opened => opened,
        }
    }

    pub(crate) fn create(path: &Path, key: &ContentKey, now: Moment) -> Result<(), Error> {
        open::create(path, key, now).map_err(|e| e.in_file(path))
    }

    /// Opens an existing ledger.
    ///
    /// # Errors
    /// If there is no file, or as for [`Ledger::open`].
    pub fn open_existing(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let open = || {
            let ledger = Self::unchecked(path)?;
            check::quick(&ledger.connection)?;
            Ok(ledger)
        };
        open().map_err(|e: Error| e.in_file(path))
    }

    /// Opens a ledger without checking its rows.
    pub(crate) fn unchecked(path: &Path) -> Result<Self, Error> {
        let connection = open::connect(path)?;
        let (_, key) = Head::read(&connection)?;
        Ok(Self { connection, key, path: path.to_owned() })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn with_file<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        result.map_err(|e| e.in_file(&self.path))
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Ledger {
    /// Sets a limit and replaces an earlier limit on the same scope and measure. Spent budgets
    /// stay: a limit below them refuses every release that costs more than 0.
    ///
    /// # Errors
    /// If the name is not valid, or the ledger cannot be written.
    pub fn set_limit(&mut self, limit: &Limit) -> Result<(), Error> {
        let set = limit.check().and_then(|()| limits::set(&mut self.connection, limit, Moment::now()));
        self.with_file(set)
    }

    /// Removes a limit. Returns false if there was none.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    pub fn remove_limit(&mut self, scope: &BudgetScope, counted: Counted) -> Result<bool, Error> {
        let removed = limits::remove(&mut self.connection, scope, counted);
        self.with_file(removed)
    }

    /// Returns all limits.
    ///
    /// # Errors
    /// If the ledger cannot be read or is damaged.
    pub fn limits(&self) -> Result<Vec<Limit>, Error> {
        self.with_file(limits::all(&self.connection))
    }
}
