//! Releases as stored in the ledger.

use inkveil_privacy::{Epsilon, ReleaseKind, Unit};
use rusqlite::types::FromSql;
use rusqlite::{Connection, Row, Statement};

use crate::charge::Charge;
use crate::confirmations;
use crate::error::{Error, sql};
use crate::id::ReleaseId;
use crate::measure::BudgetMeasure;
use crate::moment::Moment;
use crate::names;
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
pub struct LedgerEntry {
    /// Its number, from 1.
    pub seq: u64,
    /// The job.
    pub id: ReleaseId,
    /// The number of the release within the job.
    pub part: u64,
    /// When it was recorded.
    pub at: Moment,
    /// When it was confirmed. An unconfirmed release counts as spent, too.
    pub released: Option<Moment>,
    /// The dataset.
    pub dataset: String,
    /// The kind of release.
    pub kind: ReleaseKind,
    /// The mechanism.
    pub mechanism: String,
    /// What one budget protects.
    pub unit: Unit,
    /// Whether the noise came from the operating system.
    pub secure: bool,
    /// The receipt's digest.
    pub receipt: String,
    /// The keyed hash of the input, which reveals nothing without the ledger's key.
    pub content: Option<[u8; 32]>,
    /// The costs.
    pub charges: Vec<Charge>,
    /// SHA-256 of this release and of the release before it.
    pub chain: [u8; 32],
}

/// Returns the hash of a release and of the release before it. The confirmation is not included,
/// since it comes later.
pub(crate) fn chain_hash(before: &[u8; 32], entry: &LedgerEntry) -> [u8; 32] {
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
        let measure = charge.measure();
        let (name, space, within) = measure.columns();
        seal = seal
            .maybe(charge.subject.as_deref(), Seal::text)
            .text(name)
            .text(space)
            .real(within)
            .real(charge.epsilon.get())
            .maybe(charge.worst_case, |seal, epsilon| seal.real(epsilon.get()))
            .real(charge.delta)
            .number(charge.units)
            .maybe(charge.zcdp, Seal::real);
    }
    seal.close()
}

/// Reads releases by their number.
pub(crate) struct EntryReader<'c> {
    release: Statement<'c>,
    charges: Statement<'c>,
}

impl<'c> EntryReader<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Result<Self, Error> {
        let release = "SELECT id, part, r.at, dataset, kind, mechanism, unit, secure, receipt, content, chain, c.at, c.seal \
                       FROM releases r LEFT JOIN confirmations c ON c.release = r.seq WHERE seq = ?";
        let charges = "SELECT subject, measure, space, within, epsilon, worst_case, delta, units, rho \
                       FROM charges WHERE release = ? ORDER BY position";
        Ok(Self {
            release: connection.prepare(release).map_err(sql)?,
            charges: connection.prepare(charges).map_err(sql)?,
        })
    }

    pub(crate) fn read(&mut self, seq: u64) -> Result<LedgerEntry, Error> {
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

fn entry(row: &Row<'_>, seq: u64, charges: Vec<Charge>) -> Result<LedgerEntry, Error> {
    let invalid = || Error::corrupt(format!("release {seq} has an invalid value"));
    let text = |column| get::<String>(row, column);
    let released = match get::<Option<i64>>(row, 11)? {
        None => None,
        Some(at) => Some(confirmations::verified_moment(seq, at, get(row, 12)?)?),
    };
    Ok(LedgerEntry {
        seq,
        id: ReleaseId(get(row, 0)?),
        part: u64::try_from(get::<i64>(row, 1)?).map_err(|_| invalid())?,
        at: Moment::from_seconds(get(row, 2)?).ok_or_else(invalid)?,
        released,
        dataset: text(3)?,
        kind: names::kind(&text(4)?).ok_or_else(invalid)?,
        mechanism: text(5)?,
        unit: names::unit(&text(6)?).ok_or_else(invalid)?,
        secure: match get::<i64>(row, 7)? {
            0 => false,
            1 => true,
            _ => return Err(invalid()),
        },
        receipt: text(8)?,
        content: get(row, 9)?,
        chain: get(row, 10)?,
        charges,
    })
}

fn charge(row: &Row<'_>) -> Result<Charge, Error> {
    let invalid = || Error::corrupt("a charge has an invalid value");
    let measure = BudgetMeasure::from_columns(&get::<String>(row, 1)?, get(row, 2)?, get(row, 3)?);
    let (metric, space, within) = match measure {
        Some(BudgetMeasure::Metric { metric, space, within }) => (Some(metric), space, within),
        Some(BudgetMeasure::NoGuarantee) => (None, None, None),
        _ => return Err(invalid()),
    };
    let worst_case = match get::<Option<f64>>(row, 5)? {
        None => None,
        Some(value) => Some(Epsilon::new(value).map_err(|_| invalid())?),
    };
    let charge = Charge {
        subject: get(row, 0)?,
        metric,
        space,
        within,
        epsilon: Epsilon::new(get(row, 4)?).map_err(|_| invalid())?,
        worst_case,
        delta: get(row, 6)?,
        units: u64::try_from(get::<i64>(row, 7)?).map_err(|_| invalid())?,
        zcdp: get(row, 8)?,
    };
    charge.check().map_err(|_| invalid())?;
    Ok(charge)
}

fn get<T: FromSql>(row: &Row<'_>, column: usize) -> Result<T, Error> {
    row.get(column).map_err(sql)
}
