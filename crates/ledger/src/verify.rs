//! Checks the consistency of a whole ledger.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use rusqlite::Connection;

use crate::charge::Charge;
use crate::confirmations;
use crate::entry::{EntryReader, chain_hash};
use crate::error::{Error, ErrorKind, sql};
use crate::head::Head;
use crate::ledger::Ledger;
use crate::limits;
use crate::row_sets::RowSet;
use crate::sums::{self, Account, Sums};

/// An inconsistency of a ledger.
///
/// ```
/// use inkveil_ledger::LedgerProblem;
///
/// assert_eq!(LedgerProblem::Release { seq: 7 }.to_string(), "release 7 or the release before it was changed");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LedgerProblem {
    /// The file itself is damaged.
    Storage {
        /// The finding of SQLite or of this crate.
        what: String,
    },
    /// A release does not match its hash.
    Release {
        /// Its number.
        seq: u64,
    },
    /// Releases are missing.
    Missing {
        /// The first missing number.
        seq: u64,
    },
    /// A total does not match its charges.
    Total {
        /// The subject or dataset.
        of: String,
    },
}

impl fmt::Display for LedgerProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Storage { what } => write!(f, "the file is damaged: {what}"),
            Self::Release { seq } => write!(f, "release {seq} or the release before it was changed"),
            Self::Missing { seq } => write!(f, "release {seq} is missing"),
            Self::Total { of } => write!(f, "the total of {of} does not match its releases"),
        }
    }
}

impl Ledger {
    /// Returns every inconsistency of this ledger, or nothing if it is consistent. Reads the whole
    /// file.
    ///
    /// The hashes detect accidents, not forgery: an attacker who can write the file can recompute
    /// them.
    ///
    /// # Errors
    /// If it cannot be read at all.
    pub fn verify(&self) -> Result<Vec<LedgerProblem>, Error> {
        let verified = self.connection.unchecked_transaction().map_err(sql).map(|tx| problems(&tx));
        self.with_file(verified)
    }

    /// As [`Ledger::verify`], and works for a ledger that is too damaged to open.
    ///
    /// # Errors
    /// If there is no file, it is not a ledger or is newer, or it cannot be read.
    pub fn examine(path: impl AsRef<Path>) -> Result<Vec<LedgerProblem>, Error> {
        let path = path.as_ref();
        match Self::unchecked(path) {
            Ok(ledger) => ledger.verify(),
            Err(error) => match error.kind() {
                ErrorKind::Corrupt { what } => Ok(vec![LedgerProblem::Storage { what: what.clone() }]),
                _ => Err(error.in_file(path)),
            },
        }
    }
}

/// Returns every inconsistency of a file.
pub(crate) fn problems(connection: &Connection) -> Vec<LedgerProblem> {
    let mut problems = Problems(Vec::new());
    problems.check(connection);
    problems.0
}

/// The largest number of reported problems.
const MOST: usize = 1000;

struct Problems(Vec<LedgerProblem>);

impl Problems {
    fn add(&mut self, problem: LedgerProblem) {
        if self.0.len() < MOST && !self.0.contains(&problem) {
            self.0.push(problem);
        }
    }

    fn add_error(&mut self, error: &Error) {
        let what = match error.kind() {
            ErrorKind::Corrupt { what } => what.clone(),
            other => other.to_string(),
        };
        self.add(LedgerProblem::Storage { what });
    }

    fn note(&mut self, result: Result<(), Error>) {
        if let Err(error) = result {
            self.add_error(&error);
        }
    }

    fn check(&mut self, connection: &Connection) {
        let storage = self.storage(connection);
        self.note(storage);
        let releases = self.releases(connection);
        self.note(releases);
        self.note(limits::all(connection).map(|_| ()));
        let confirmations = self.confirmations(connection);
        self.note(confirmations);
        for set in RowSet::ALL {
            self.note(set.check(connection));
        }
    }

    /// Runs SQLite's own checks. The tables are known to be ours, so SQLite's messages contain no
    /// other names.
    fn storage(&mut self, connection: &Connection) -> Result<(), Error> {
        for query in ["PRAGMA integrity_check(100)", "PRAGMA foreign_key_check"] {
            let mut statement = connection.prepare(query).map_err(sql)?;
            let mut rows = statement.query([]).map_err(sql)?;
            while let Some(row) = rows.next().map_err(sql)? {
                let message: String = row.get(0).map_err(sql)?;
                match message.as_str() {
                    "ok" => {}
                    table if query.ends_with("foreign_key_check") => {
                        self.add(LedgerProblem::Storage {
                            what: format!("{table} refer to a missing release"),
                        });
                    }
                    message => self
                        .add(LedgerProblem::Storage { what: message.lines().collect::<Vec<_>>().join("; ") }),
                }
            }
        }
        Ok(())
    }

    /// Checks the chain of releases and the totals that follow from them.
    fn releases(&mut self, connection: &Connection) -> Result<(), Error> {
        let mut sums: BTreeMap<Account, Sums> = BTreeMap::new();
        let mut statement = connection.prepare("SELECT seq FROM releases ORDER BY seq").map_err(sql)?;
        let mut rows = statement.query([]).map_err(sql)?;
        let mut reader = EntryReader::new(connection)?;
        let (mut before, mut expected) = ([0; 32], 1);
        while let Some(row) = rows.next().map_err(sql)? {
            let seq = row.get::<_, i64>(0).map_err(sql)? as u64;
            if seq != expected {
                self.add(LedgerProblem::Missing { seq: expected });
            }
            expected = seq.saturating_add(1);
            match reader.read(seq) {
                Err(error) => {
                    self.add_error(&error);
                    self.add(LedgerProblem::Release { seq });
                }
                Ok(entry) => {
                    if chain_hash(&before, &entry) != entry.chain {
                        self.add(LedgerProblem::Release { seq });
                    }
                    before = entry.chain;
                    for (account, charges) in
                        sums::accounts(&entry.dataset, entry.content.as_ref(), &entry.charges)
                    {
                        sums.entry(account).or_default().add(&charges as &[&Charge]);
                    }
                }
            }
        }
        let (head, _) = Head::read(connection)?;
        if head.releases != expected - 1 {
            self.add(LedgerProblem::Missing { seq: expected });
        } else if head.chain != before {
            self.add(LedgerProblem::Release { seq: head.releases });
        }
        self.totals(connection, sums)
    }

    fn totals(&mut self, connection: &Connection, expected: BTreeMap<Account, Sums>) -> Result<(), Error> {
        let mut found: BTreeMap<Account, Sums> = BTreeMap::new();
        sums::each(connection, |row| match row {
            Ok((account, sum)) => found.entry(account).or_default().insert(sum),
            Err(error) => self.add_error(&error),
        })?;
        let wrong = expected.iter().filter(|(account, sums)| found.get(account) != Some(sums));
        let extra = found.keys().filter(|account| !expected.contains_key(account));
        for account in wrong.map(|(account, _)| account).chain(extra) {
            let of = account.scope().map_or("a repeated content".to_owned(), |scope| scope.to_string());
            self.add(LedgerProblem::Total { of });
        }
        Ok(())
    }

    fn confirmations(&mut self, connection: &Connection) -> Result<(), Error> {
        let mut statement = connection.prepare("SELECT release, at, seal FROM confirmations").map_err(sql)?;
        let mut rows = statement.query([]).map_err(sql)?;
        while let Some(row) = rows.next().map_err(sql)? {
            let (seq, at): (i64, i64) = (row.get(0).map_err(sql)?, row.get(1).map_err(sql)?);
            let checked =
                row.get(2).map_err(sql).and_then(|seal| confirmations::verified_moment(seq as u64, at, seal));
            self.note(checked.map(|_| ()));
        }
        Ok(())
    }
}
