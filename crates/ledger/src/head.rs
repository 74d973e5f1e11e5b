//! The head of a ledger: its first row.

use inkveil_privacy::Secret;
use rusqlite::{Connection, params};

use crate::content::ContentKey;
use crate::error::{Error, sql};
use crate::moment::Moment;
use crate::seal::Seal;

/// The number of releases and the hash of the last one. They reveal rows that were removed at the
/// end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) created: Moment,
    pub(crate) releases: u64,
    pub(crate) chain: [u8; 32],
}

impl Head {
    /// The head of a ledger without releases.
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
