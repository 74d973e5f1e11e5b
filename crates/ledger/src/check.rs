//! The check when a ledger is opened: the consistency of the file, the last links of the chain, and missing rows.

use rusqlite::Connection;

use crate::entry::{EntryReader, chain_hash};
use crate::error::{Error, sql};
use crate::head::Head;
use crate::limits;
use crate::row_sets::RowSet;

/// The number of last releases that are checked.
const LAST: u64 = 16;

pub(crate) fn quick(connection: &Connection) -> Result<(), Error> {
    // A transaction gives a consistent view, since other processes may add rows.
    let snapshot = connection.unchecked_transaction().map_err(sql)?;
    let result: String = snapshot.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(sql)?;
    if result != "ok" {
        return Err(Error::corrupt("its pages are inconsistent"));
    }
    let (head, _) = Head::read(&snapshot)?;
    let last: Option<i64> =
        snapshot.query_row("SELECT max(seq) FROM releases", [], |row| row.get(0)).map_err(sql)?;
    if last.unwrap_or(0) != head.releases as i64 {
        return Err(Error::corrupt("releases are missing at its end"));
    }
    let mut reader = EntryReader::new(&snapshot)?;
    let first = head.releases.saturating_sub(LAST);
    let mut before = match first {
        0 => [0; 32],
        seq => reader.read(seq)?.chain,
    };
    for seq in first + 1..=head.releases {
        let entry = reader.read(seq)?;
        if chain_hash(&before, &entry) != entry.chain {
            return Err(Error::corrupt(format!("release {seq} was changed")));
        }
        before = entry.chain;
    }
    if before != head.chain {
        return Err(Error::corrupt("its last release was changed"));
    }
    limits::all(&snapshot)?;
    RowSet::ALL.into_iter().try_for_each(|set| set.check(&snapshot))
}
