//! Checksums of whole tables, which detect rows that were removed or added outside of this crate.
//!
//! Releases are chained, so a missing one is noticed. Limits, totals and confirmations change or are removed for good
//! reasons, so they cannot be chained. For each of these tables the file keeps the number of its rows and the exclusive or
//! of their seals. Both are updated in the transaction that changes a row, and checked when the ledger is opened.

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::{Error, sql};
use crate::seal::Seal;

/// A table whose rows are counted and sealed one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowSet {
    Limits,
    Totals,
    Confirmations,
}

impl RowSet {
    pub(crate) const ALL: [Self; 3] = [Self::Limits, Self::Totals, Self::Confirmations];

    /// The table, which is also its name in `row_sets`.
    pub(crate) fn table(self) -> &'static str {
        match self {
            Self::Limits => "limits",
            Self::Totals => "totals",
            Self::Confirmations => "confirmations",
        }
    }

    /// Returns what is wrong with a table, or nothing.
    pub(crate) fn check(self, connection: &Connection) -> Result<(), Error> {
        match Kept::read(connection, self)? == Kept::of_rows(connection, self)? {
            true => Ok(()),
            false => {
                Err(Error::corrupt(format!("rows were removed from its {} or added to them", self.table())))
            }
        }
    }

    /// Notes changed rows: the seals of the rows before and after, or nothing where there is no row.
    pub(crate) fn change(self, connection: &Connection, changes: &[Change]) -> Result<(), Error> {
        if changes.is_empty() {
            return Ok(());
        }
        let mut kept = Kept::read(connection, self)?;
        for Change { before, after } in changes {
            kept.rows += i64::from(after.is_some()) - i64::from(before.is_some());
            before.iter().chain(after).for_each(|seal| kept.toggle(seal));
        }
        kept.write(connection, self)
    }
}

/// A row that is added, changed or removed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change {
    pub(crate) before: Option<[u8; 32]>,
    pub(crate) after: Option<[u8; 32]>,
}

/// Computes the checksums of all tables, for a new ledger or one of an older version.
pub(crate) fn fill(connection: &Connection) -> Result<(), Error> {
    RowSet::ALL.into_iter().try_for_each(|set| Kept::of_rows(connection, set)?.write(connection, set))
}

/// What is kept of the rows of a table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Kept {
    rows: i64,
    sum: [u8; 32],
}

impl Kept {
    fn toggle(&mut self, seal: &[u8; 32]) {
        self.sum.iter_mut().zip(seal).for_each(|(byte, other)| *byte ^= other);
    }

    fn seal(&self, set: RowSet) -> [u8; 32] {
        Seal::of("row set").text(set.table()).number(self.rows as u64).bytes(&self.sum).close()
    }

    fn of_rows(connection: &Connection, set: RowSet) -> Result<Self, Error> {
        let mut statement = connection.prepare(&format!("SELECT seal FROM {}", set.table())).map_err(sql)?;
        let mut rows = statement.query([]).map_err(sql)?;
        let mut found = Self::default();
        while let Some(row) = rows.next().map_err(sql)? {
            found.rows += 1;
            found.toggle(&row.get(0).map_err(sql)?);
        }
        Ok(found)
    }

    fn read(connection: &Connection, set: RowSet) -> Result<Self, Error> {
        let damaged = || Error::corrupt(format!("the checksum of its {} was changed", set.table()));
        let query = "SELECT rows, sum, seal FROM row_sets WHERE name = ?";
        let found: Option<(i64, [u8; 32], [u8; 32])> = connection
            .query_row(query, [set.table()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()
            .map_err(sql)?;
        let (rows, sum, seal) = found.ok_or_else(damaged)?;
        let kept = Self { rows, sum };
        if kept.seal(set) == seal { Ok(kept) } else { Err(damaged()) }
    }

    fn write(&self, connection: &Connection, set: RowSet) -> Result<(), Error> {
        let query = "INSERT INTO row_sets (name, rows, sum, seal) VALUES (?, ?, ?, ?) \
                     ON CONFLICT DO UPDATE SET rows = excluded.rows, sum = excluded.sum, seal = excluded.seal";
        let row = params![set.table(), self.rows, self.sum, self.seal(set)];
        connection.execute(query, row).map_err(sql)?;
        Ok(())
    }
}
