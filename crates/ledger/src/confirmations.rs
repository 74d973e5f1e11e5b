//! Confirmations that an output was released.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::error::{Error, ErrorKind, sql};
use crate::id::ReleaseId;
use crate::moment::Moment;
use crate::row_sets::{Change, RowSet};
use crate::seal::Seal;

pub(crate) fn confirm(
    connection: &mut Connection,
    parts: &[(ReleaseId, u64)],
    now: Moment,
) -> Result<(), Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
    let mut changes = Vec::new();
    for (id, part) in parts {
        let seq = find(&transaction, id, *part)?.ok_or(ErrorKind::NotRecorded { id: *id, part: *part })?;
        let query = "INSERT INTO confirmations (release, at, seal) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
        let sealed = seal(seq, now);
        let added = transaction.execute(query, params![seq as i64, now.seconds(), sealed]).map_err(sql)?;
        if added > 0 {
            changes.push(Change { before: None, after: Some(sealed) });
        }
    }
    RowSet::Confirmations.change(&transaction, &changes)?;
    transaction.commit().map_err(sql)
}

/// Returns the number of a release, if it was recorded.
pub(crate) fn find(connection: &Connection, id: &ReleaseId, part: u64) -> Result<Option<u64>, Error> {
    // Parts of 2^63 or more cannot be recorded.
    let Ok(part) = i64::try_from(part) else { return Ok(None) };
    let query = "SELECT seq FROM releases WHERE id = ? AND part = ?";
    let seq: Option<i64> =
        connection.query_row(query, params![id.0, part], |row| row.get(0)).optional().map_err(sql)?;
    seq.map(|seq| u64::try_from(seq).map_err(|_| Error::corrupt("a release has an invalid number")))
        .transpose()
}

fn seal(seq: u64, at: Moment) -> [u8; 32] {
    Seal::of("confirmation").number(seq).number(at.seconds() as u64).close()
}

/// Returns the moment of a confirmation after checking that its row is unchanged.
pub(crate) fn verified_moment(seq: u64, at: i64, sealed: [u8; 32]) -> Result<Moment, Error> {
    match Moment::from_seconds(at) {
        Some(at) if seal(seq, at) == sealed => Ok(at),
        _ => Err(Error::corrupt(format!("the confirmation of release {seq} was changed"))),
    }
}
