//! The second half of a release: that it has left.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::error::{Error, ErrorKind, sql};
use crate::ledger::Ledger;
use crate::moment::Moment;
use crate::release::ReleaseId;
use crate::seal::Seal;

impl Ledger {
    /// Confirms that a release has left. Doing so twice changes nothing.
    ///
    /// # Errors
    /// If it was never recorded, or the ledger cannot be written.
    pub fn released(&mut self, id: &ReleaseId, part: u64) -> Result<(), Error> {
        self.all_released(&[(*id, part)])
    }

    /// Confirms many releases at once: all of them or none.
    ///
    /// # Errors
    /// As for [`Ledger::released`].
    pub fn all_released(&mut self, parts: &[(ReleaseId, u64)]) -> Result<(), Error> {
        let confirmed = confirm(&mut self.connection, parts, Moment::now());
        self.named(confirmed)
    }

    #[cfg(test)]
    pub(crate) fn released_at(&mut self, id: &ReleaseId, part: u64, now: Moment) -> Result<(), Error> {
        confirm(&mut self.connection, &[(*id, part)], now)
    }
}

fn confirm(connection: &mut Connection, parts: &[(ReleaseId, u64)], now: Moment) -> Result<(), Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
    for (id, part) in parts {
        let seq = place(&transaction, id, *part)?.ok_or(ErrorKind::NotRecorded { id: *id, part: *part })?;
        let query = "INSERT INTO confirmations (release, at, seal) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
        transaction.execute(query, params![seq as i64, now.seconds(), seal(seq, now)]).map_err(sql)?;
    }
    transaction.commit().map_err(sql)
}

/// The place of a release, if it was recorded.
pub(crate) fn place(connection: &Connection, id: &ReleaseId, part: u64) -> Result<Option<u64>, Error> {
    // No larger part was ever recorded.
    let Ok(part) = i64::try_from(part) else { return Ok(None) };
    let query = "SELECT seq FROM releases WHERE id = ? AND part = ?";
    let seq: Option<i64> =
        connection.query_row(query, params![id.0, part], |row| row.get(0)).optional().map_err(sql)?;
    seq.map(|seq| u64::try_from(seq).map_err(|_| Error::corrupt("a release has an impossible place")))
        .transpose()
}

fn seal(seq: u64, at: Moment) -> [u8; 32] {
    Seal::of("confirmation").number(seq).number(at.seconds() as u64).close()
}

/// The moment of a confirmation, if its row was not changed.
pub(crate) fn checked(seq: u64, at: i64, sealed: [u8; 32]) -> Result<Moment, Error> {
    match Moment::from_seconds(at) {
        Some(at) if seal(seq, at) == sealed => Ok(at),
        _ => Err(Error::corrupt(format!("the confirmation of release {seq} was changed"))),
    }
}
