//! The ledger and its first row.

use std::fmt;
use std::path::{Path, PathBuf};

use inkveil_privacy::Secret;
use rusqlite::{Connection, params};

use crate::check;
use crate::content::ContentKey;
use crate::error::{Error, ErrorKind, sql};
use crate::moment::Moment;
use crate::open;
use crate::seal::Seal;

/// A ledger: one SQLite file, which many processes may use at once.
///
/// Beside it lie, while it is used, two more files whose names end in `-wal` and `-shm`. They belong to it.
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
    /// Opens a ledger, or creates it if there is no file of this name. Only its owner may read a new one.
    ///
    /// # Errors
    /// If the file is no ledger, of a newer version, damaged, or cannot be written.
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

    /// Opens a ledger that is there.
    ///
    /// # Errors
    /// If there is none, or as for [`Ledger::open`].
    pub fn open_existing(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let open = || {
            let ledger = Self::unchecked(path)?;
            check::quick(&ledger.connection)?;
            Ok(ledger)
        };
        open().map_err(|e: Error| e.in_file(path))
    }

    /// A ledger whose rows were not looked at.
    pub(crate) fn unchecked(path: &Path) -> Result<Self, Error> {
        let connection = open::connect(path)?;
        let (_, key) = Head::read(&connection)?;
        Ok(Self { connection, key, path: path.to_owned() })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn named<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        result.map_err(|e| e.in_file(&self.path))
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger").field("path", &self.path).finish_non_exhaustive()
    }
}

/// How many releases there are and the hash of the last: rows that are cut off at the end are missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) created: Moment,
    pub(crate) releases: u64,
    pub(crate) chain: [u8; 32],
}

impl Head {
    /// That of a ledger without releases.
    pub(crate) fn first(created: Moment) -> Self {
        Self { created, releases: 0, chain: [0; 32] }
    }

    fn seal(&self, key: &ContentKey) -> [u8; 32] {
        Seal::of("ledger")
            .number(self.created.seconds() as u64)
            .bytes(key.expose())
            .number(self.releases)
            .bytes(&self.chain)
            .close()
    }

    pub(crate) fn insert(&self, connection: &Connection, key: &ContentKey) -> Result<(), Error> {
        let query =
            "INSERT INTO ledger (one, created, content_key, releases, head, seal) VALUES (1, ?, ?, ?, ?, ?)";
        let row =
            params![self.created.seconds(), key.expose(), self.releases as i64, self.chain, self.seal(key)];
        connection.execute(query, row).map_err(sql)?;
        Ok(())
    }

    pub(crate) fn update(&self, connection: &Connection, key: &ContentKey) -> Result<(), Error> {
        let query = "UPDATE ledger SET releases = ?, head = ?, seal = ?";
        connection.execute(query, params![self.releases as i64, self.chain, self.seal(key)]).map_err(sql)?;
        Ok(())
    }

    pub(crate) fn read(connection: &Connection) -> Result<(Self, ContentKey), Error> {
        let query = "SELECT created, content_key, releases, head, seal FROM ledger WHERE one = 1";
        let row = connection.query_row(query, [], |row| {
            Ok((row.get(0)?, Secret::new(row.get(1)?), row.get(2)?, row.get(3)?, row.get::<_, [u8; 32]>(4)?))
        });
        let (created, key, releases, chain, seal): (i64, ContentKey, i64, [u8; 32], _) = row.map_err(sql)?;
        let damaged = || Error::corrupt("its first row was changed");
        let created = Moment::from_seconds(created).ok_or_else(damaged)?;
        let head = Self { created, releases: u64::try_from(releases).map_err(|_| damaged())?, chain };
        if head.seal(&key) == seal { Ok((head, key)) } else { Err(damaged()) }
    }
}
