//! Reading the releases of a ledger in order.

use std::collections::VecDeque;

use rusqlite::params;

use crate::entry::{EntryReader, LedgerEntry};
use crate::error::{Error, sql};
use crate::filter::Filter;
use crate::ledger::Ledger;

/// The releases of a ledger in the order of recording. Only a few are in memory at a time.
#[derive(Debug)]
pub struct LedgerEntries<'a> {
    ledger: &'a Ledger,
    filter: Filter,
    /// The number of the last release read.
    after: u64,
    page: VecDeque<LedgerEntry>,
    ended: bool,
}

/// The number of releases read at a time.
const PAGE: i64 = 512;

impl Ledger {
    /// Returns the releases, oldest first.
    pub fn releases(&self, filter: Filter) -> LedgerEntries<'_> {
        LedgerEntries { ledger: self, filter, after: 0, page: VecDeque::new(), ended: false }
    }

    /// Returns the releases that were recorded and never confirmed, because a process ended in
    /// between. They count as spent. A resumed job records them again, which adds nothing, and then
    /// releases and confirms them.
    pub fn unconfirmed(&self) -> LedgerEntries<'_> {
        self.releases(Filter { unconfirmed: true, ..Filter::default() })
    }
}

impl LedgerEntries<'_> {
    fn next_page(&mut self) -> Result<(), Error> {
        let snapshot = self.ledger.connection.unchecked_transaction().map_err(sql)?;
        let query = "SELECT seq FROM releases WHERE seq > ?1 AND (?2 IS NULL OR dataset = ?2) \
                     AND (?3 IS NULL OR EXISTS (SELECT 1 FROM charges WHERE release = seq AND subject = ?3)) \
                     AND (?4 IS NULL OR receipt = ?4) \
                     AND (NOT ?5 OR NOT EXISTS (SELECT 1 FROM confirmations WHERE release = seq)) \
                     ORDER BY seq LIMIT ?6";
        let mut statement = snapshot.prepare(query).map_err(sql)?;
        let Filter { subject, dataset, receipt, unconfirmed } = &self.filter;
        let mut rows = statement
            .query(params![self.after as i64, dataset, subject, receipt, unconfirmed, PAGE])
            .map_err(sql)?;
        let mut reader = EntryReader::new(&snapshot)?;
        let mut count = 0;
        while let Some(row) = rows.next().map_err(sql)? {
            let seq = row.get::<_, i64>(0).map_err(sql)?;
            // A damaged index may return earlier rows.
            self.after = match u64::try_from(seq) {
                Ok(seq) if seq > self.after => seq,
                _ => return Err(Error::corrupt("its releases are out of order")),
            };
            self.page.push_back(reader.read(self.after)?);
            count += 1;
        }
        self.ended = count < PAGE;
        Ok(())
    }
}

impl Iterator for LedgerEntries<'_> {
    type Item = Result<LedgerEntry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.page.is_empty()
            && !self.ended
            && let Err(error) = self.next_page()
        {
            self.ended = true;
            self.page.clear();
            return Some(self.ledger.with_file(Err(error)));
        }
        self.page.pop_front().map(Ok)
    }
}
