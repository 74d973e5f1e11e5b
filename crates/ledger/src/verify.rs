//! Whether a ledger adds up.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use rusqlite::Connection;

use crate::charge::Charge;
use crate::confirm;
use crate::entry::{Reader, link};
use crate::error::{Error, ErrorKind, sql};
use crate::ledger::{Head, Ledger};
use crate::limits;
use crate::totals::{self, Account, Sums};

/// Something that is wrong with a ledger.
///
/// ```
/// use inkveil_ledger::Problem;
///
/// assert_eq!(Problem::Release { seq: 7 }.to_string(), "release 7 or the one before it was changed");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The file itself is damaged.
    Storage {
        /// What SQLite or a reader found.
        what: String,
    },
    /// A release does not fit its hash.
    Release {
        /// Its place.
        seq: u64,
    },
    /// Releases are missing.
    Missing {
        /// The first place without one.
        seq: u64,
    },
    /// A total is not the sum of its charges.
    Total {
        /// Whose.
        of: String,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Storage { what } => write!(f, "the file is damaged: {what}"),
            Self::Release { seq } => write!(f, "release {seq} or the one before it was changed"),
            Self::Missing { seq } => write!(f, "release {seq} is missing"),
            Self::Total { of } => write!(f, "the total of {of} is not the sum of its releases"),
        }
    }
}

impl Ledger {
    /// Everything that is wrong with this ledger; empty if it adds up. Reads all of it.
    ///
    /// The hashes show accidents, not forgers: someone who can write the file can compute them anew.
    ///
    /// # Errors
    /// If it cannot be read at all.
    pub fn verify(&self) -> Result<Vec<Problem>, Error> {
        let verified = self.connection.unchecked_transaction().map_err(sql).map(|tx| {
            let mut problems = Problems(Vec::new());
            problems.look(&tx);
            problems.0
        });
        self.named(verified)
    }

    /// As [`Ledger::verify`], also for a ledger that is too damaged to be opened.
    ///
    /// # Errors
    /// If there is no file, it is something else or newer, or it cannot be read.
    pub fn examine(path: impl AsRef<Path>) -> Result<Vec<Problem>, Error> {
        let path = path.as_ref();
        match Self::unchecked(path) {
            Ok(ledger) => ledger.verify(),
            Err(error) => match error.kind() {
                ErrorKind::Corrupt { what } => Ok(vec![Problem::Storage { what: what.clone() }]),
                _ => Err(error.in_file(path)),
            },
        }
    }
}

/// No more than so many are of use to anyone.
const MOST: usize = 1000;

struct Problems(Vec<Problem>);

impl Problems {
    fn add(&mut self, problem: Problem) {
        if self.0.len() < MOST && !self.0.contains(&problem) {
            self.0.push(problem);
        }
    }

    fn add_error(&mut self, error: &Error) {
        let what = match error.kind() {
            ErrorKind::Corrupt { what } => what.clone(),
            other => other.to_string(),
        };
        self.add(Problem::Storage { what });
    }

    fn note(&mut self, result: Result<(), Error>) {
        if let Err(error) = result {
            self.add_error(&error);
        }
    }

    fn look(&mut self, connection: &Connection) {
        let storage = self.storage(connection);
        self.note(storage);
        let releases = self.releases(connection);
        self.note(releases);
        self.note(limits::all(connection).map(|_| ()));
        let confirmations = self.confirmations(connection);
        self.note(confirmations);
    }

    /// What SQLite itself finds. Its tables are known to be ours, so its words name nothing else.
    fn storage(&mut self, connection: &Connection) -> Result<(), Error> {
        for query in ["PRAGMA integrity_check(100)", "PRAGMA foreign_key_check"] {
            let mut statement = connection.prepare(query).map_err(sql)?;
            let mut rows = statement.query([]).map_err(sql)?;
            while let Some(row) = rows.next().map_err(sql)? {
                let said: String = row.get(0).map_err(sql)?;
                match said.as_str() {
                    "ok" => {}
                    table if query.ends_with("foreign_key_check") => {
                        self.add(Problem::Storage {
                            what: format!("{table} name a release that is not there"),
                        });
                    }
                    said => self.add(Problem::Storage { what: said.lines().collect::<Vec<_>>().join("; ") }),
                }
            }
        }
        Ok(())
    }

    /// The chain of releases, and the totals that follow from them.
    fn releases(&mut self, connection: &Connection) -> Result<(), Error> {
        let mut sums: BTreeMap<Account, Sums> = BTreeMap::new();
        let mut statement = connection.prepare("SELECT seq FROM releases ORDER BY seq").map_err(sql)?;
        let mut rows = statement.query([]).map_err(sql)?;
        let mut reader = Reader::new(connection)?;
        let (mut before, mut expected) = ([0; 32], 1);
        while let Some(row) = rows.next().map_err(sql)? {
            let seq = row.get::<_, i64>(0).map_err(sql)? as u64;
            if seq != expected {
                self.add(Problem::Missing { seq: expected });
            }
            expected = seq.saturating_add(1);
            match reader.read(seq) {
                Err(error) => {
                    self.add_error(&error);
                    self.add(Problem::Release { seq });
                }
                Ok(entry) => {
                    if link(&before, &entry) != entry.chain {
                        self.add(Problem::Release { seq });
                    }
                    before = entry.chain;
                    for (account, charges) in
                        totals::accounts(&entry.dataset, entry.content.as_ref(), &entry.charges)
                    {
                        sums.entry(account).or_default().add(&charges as &[&Charge]);
                    }
                }
            }
        }
        let (head, _) = Head::read(connection)?;
        if head.releases != expected - 1 {
            self.add(Problem::Missing { seq: expected });
        } else if head.chain != before {
            self.add(Problem::Release { seq: head.releases });
        }
        self.totals(connection, sums)
    }

    fn totals(&mut self, connection: &Connection, expected: BTreeMap<Account, Sums>) -> Result<(), Error> {
        let mut found: BTreeMap<Account, Sums> = BTreeMap::new();
        totals::each(connection, |row| match row {
            Ok((account, sum)) => found.entry(account).or_default().insert(sum),
            Err(error) => self.add_error(&error),
        })?;
        let wrong = expected.iter().filter(|(account, sums)| found.get(account) != Some(sums));
        let extra = found.keys().filter(|account| !expected.contains_key(account));
        for account in wrong.map(|(account, _)| account).chain(extra) {
            let of = account.scope().map_or("a content".to_owned(), |scope| scope.to_string());
            self.add(Problem::Total { of });
        }
        Ok(())
    }

    fn confirmations(&mut self, connection: &Connection) -> Result<(), Error> {
        let mut statement = connection.prepare("SELECT release, at, seal FROM confirmations").map_err(sql)?;
        let mut rows = statement.query([]).map_err(sql)?;
        while let Some(row) = rows.next().map_err(sql)? {
            let (seq, at): (i64, i64) = (row.get(0).map_err(sql)?, row.get(1).map_err(sql)?);
            let checked = row.get(2).map_err(sql).and_then(|seal| confirm::checked(seq as u64, at, seal));
            self.note(checked.map(|_| ()));
        }
        Ok(())
    }
}
