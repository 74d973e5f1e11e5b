//! Releases as they stand in the ledger.

use std::collections::VecDeque;

use inkveil_privacy::{Epsilon, ReleaseKind, Unit};
use rusqlite::types::FromSql;
use rusqlite::{Connection, Row, Statement, params};

use crate::charge::Charge;
use crate::confirm;
use crate::error::{Error, sql};
use crate::filter::Filter;
use crate::ledger::Ledger;
use crate::measure::Measure;
use crate::moment::Moment;
use crate::names;
use crate::release::ReleaseId;
use crate::seal::Seal;

/// A release in the ledger.
///
/// ```
/// use inkveil_ledger::{Filter, Ledger};
///
/// let folder = tempfile::tempdir()?;
/// let ledger = Ledger::open(folder.path().join("budget.ledger"))?;
/// for entry in ledger.releases(Filter::default()) {
///     let entry = entry?;
///     println!("{} {} of {}", entry.at, entry.mechanism, entry.dataset);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// Its place, from 1.
    pub seq: u64,
    /// The job.
    pub id: ReleaseId,
    /// Which of the job's releases.
    pub part: u64,
    /// When it was recorded.
    pub at: Moment,
    /// When it was confirmed; if it never was, it counts as spent all the same.
    pub released: Option<Moment>,
    /// The data.
    pub dataset: String,
    /// What was released.
    pub kind: ReleaseKind,
    /// The mechanism.
    pub mechanism: String,
    /// What one budget protects.
    pub unit: Unit,
    /// Whether the noise came from the operating system.
    pub secure: bool,
    /// The receipt's digest.
    pub receipt: String,
    /// The keyed hash of the input, which says nothing without the ledger's key.
    pub content: Option<[u8; 32]>,
    /// What it cost.
    pub charges: Vec<Charge>,
    /// SHA-256 of this release and of the one before.
    pub chain: [u8; 32],
}

/// The hash of a release and of the one before. Whether it was confirmed is not part of it: that comes later.
pub(crate) fn link(before: &[u8; 32], entry: &Entry) -> [u8; 32] {
    let mut seal = Seal::of("release")
        .bytes(before)
        .number(entry.seq)
        .bytes(&entry.id.0)
        .number(entry.part)
        .number(entry.at.seconds() as u64)
        .text(&entry.dataset)
        .text(names::of_kind(entry.kind))
        .text(&entry.mechanism)
        .text(entry.unit.name())
        .number(u64::from(entry.secure))
        .text(&entry.receipt)
        .maybe(entry.content.as_ref(), |seal, content| seal.bytes(content))
        .number(entry.charges.len() as u64);
    for charge in &entry.charges {
        let (measure, within) = charge.measure().columns();
        seal = seal
            .maybe(charge.subject.as_deref(), Seal::text)
            .text(measure)
            .real(within)
            .real(charge.epsilon.get())
            .maybe(charge.worst_case, |seal, epsilon| seal.real(epsilon.get()))
            .real(charge.delta)
            .number(charge.units);
    }
    seal.close()
}

/// Reads releases by their place.
pub(crate) struct Reader<'c> {
    release: Statement<'c>,
    charges: Statement<'c>,
}

impl<'c> Reader<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Result<Self, Error> {
        let release = "SELECT id, part, r.at, dataset, kind, mechanism, unit, secure, receipt, content, chain, c.at, c.seal \
                       FROM releases r LEFT JOIN confirmations c ON c.release = r.seq WHERE seq = ?";
        let charges = "SELECT subject, measure, within, epsilon, worst_case, delta, units \
                       FROM charges WHERE release = ? ORDER BY position";
        Ok(Self {
            release: connection.prepare(release).map_err(sql)?,
            charges: connection.prepare(charges).map_err(sql)?,
        })
    }

    pub(crate) fn read(&mut self, seq: u64) -> Result<Entry, Error> {
        let at = seq as i64;
        let mut charges = Vec::new();
        let mut rows = self.charges.query([at]).map_err(sql)?;
        while let Some(row) = rows.next().map_err(sql)? {
            charges.push(charge(row)?);
        }
        let mut rows = self.release.query([at]).map_err(sql)?;
        match rows.next().map_err(sql)? {
            Some(row) => entry(row, seq, charges),
            None => Err(Error::corrupt(format!("release {seq} is missing"))),
        }
    }
}

fn entry(row: &Row<'_>, seq: u64, charges: Vec<Charge>) -> Result<Entry, Error> {
    let impossible = || Error::corrupt(format!("release {seq} has an impossible value"));
    let text = |column| get::<String>(row, column);
    let released = match get::<Option<i64>>(row, 11)? {
        None => None,
        Some(at) => Some(confirm::checked(seq, at, get(row, 12)?)?),
    };
    Ok(Entry {
        seq,
        id: ReleaseId(get(row, 0)?),
        part: u64::try_from(get::<i64>(row, 1)?).map_err(|_| impossible())?,
        at: Moment::from_seconds(get(row, 2)?).ok_or_else(impossible)?,
        released,
        dataset: text(3)?,
        kind: names::kind(&text(4)?).ok_or_else(impossible)?,
        mechanism: text(5)?,
        unit: names::unit(&text(6)?).ok_or_else(impossible)?,
        secure: match get::<i64>(row, 7)? {
            0 => false,
            1 => true,
            _ => return Err(impossible()),
        },
        receipt: text(8)?,
        content: get(row, 9)?,
        chain: get(row, 10)?,
        charges,
    })
}

fn charge(row: &Row<'_>) -> Result<Charge, Error> {
    let impossible = || Error::corrupt("a charge has an impossible value");
    let (metric, within) = match Measure::from_columns(&get::<String>(row, 1)?, get(row, 2)?) {
        Some(Measure::Metric { metric, within }) => (Some(metric), within),
        Some(Measure::NoPromise) => (None, None),
        _ => return Err(impossible()),
    };
    let worst_case = match get::<Option<f64>>(row, 4)? {
        None => None,
        Some(value) => Some(Epsilon::new(value).map_err(|_| impossible())?),
    };
    let charge = Charge {
        subject: get(row, 0)?,
        metric,
        within,
        epsilon: Epsilon::new(get(row, 3)?).map_err(|_| impossible())?,
        worst_case,
        delta: get(row, 5)?,
        units: u64::try_from(get::<i64>(row, 6)?).map_err(|_| impossible())?,
    };
    charge.check().map_err(|_| impossible())?;
    Ok(charge)
}

fn get<T: FromSql>(row: &Row<'_>, column: usize) -> Result<T, Error> {
    row.get(column).map_err(sql)
}

/// Releases one after the other, in the order in which they were recorded. Only a few are in memory at a time.
#[derive(Debug)]
pub struct Entries<'a> {
    ledger: &'a Ledger,
    filter: Filter,
    /// The last place that was looked at.
    after: u64,
    page: VecDeque<Entry>,
    ended: bool,
}

/// How many releases are read at a time.
const PAGE: i64 = 512;

impl Ledger {
    /// The releases, oldest first.
    pub fn releases(&self, filter: Filter) -> Entries<'_> {
        Entries { ledger: self, filter, after: 0, page: VecDeque::new(), ended: false }
    }

    /// The releases that were recorded and never confirmed, because a process ended in between. They count as spent. A job that resumes
    /// records them again, which adds nothing, releases and confirms them.
    pub fn unconfirmed(&self) -> Entries<'_> {
        self.releases(Filter { unconfirmed: true, ..Filter::default() })
    }
}

impl Entries<'_> {
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
        let mut reader = Reader::new(&snapshot)?;
        let mut count = 0;
        while let Some(row) = rows.next().map_err(sql)? {
            let seq = get::<i64>(row, 0)?;
            // A damaged index may lead backwards.
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

impl Iterator for Entries<'_> {
    type Item = Result<Entry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.page.is_empty()
            && !self.ended
            && let Err(error) = self.next_page()
        {
            self.ended = true;
            self.page.clear();
            return Some(self.ledger.named(Err(error)));
        }
        self.page.pop_front().map(Ok)
    }
}
