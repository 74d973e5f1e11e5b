//! Recording a release: checked against all limits and written in one transaction, before it leaves.

use inkveil_privacy::Epsilon;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::charge::Charge;
use crate::confirm;
use crate::content::{self, ContentKey};
use crate::entry::{Entry, Reader, link};
use crate::error::{Error, ErrorKind, sql};
use crate::ledger::{Head, Ledger};
use crate::limit::Limit;
use crate::limits;
use crate::measure::Measure;
use crate::moment::Moment;
use crate::names;
use crate::release::Release;
use crate::totals::{self, Account, Sums};

/// What came of recording a release: it may leave now.
///
/// ```
/// # use inkveil_ledger::{Charge, Ledger, Release, ReleaseId};
/// # use inkveil_privacy::{Epsilon, Metric, ReleaseKind, Unit};
/// # let folder = tempfile::tempdir()?;
/// # let mut ledger = Ledger::open(folder.path().join("budget.ledger"))?;
/// # let release = Release {
/// #     id: ReleaseId::fresh()?, part: 0, dataset: "letters".into(), kind: ReleaseKind::Text, mechanism: "vmf".into(),
/// #     unit: Unit::Token, secure: true, receipt: "0".repeat(64), content: Some([7; 32]),
/// #     charges: vec![Charge::new(None, Metric::Chordal, Epsilon::new(5.0)?)],
/// # };
/// let recorded = ledger.record(&release)?;
/// assert!(!recorded.already && recorded.earlier.releases == 0);
/// let again = ledger.record(&Release { id: ReleaseId::fresh()?, ..release })?;
/// assert_eq!(again.earlier.releases, 1, "the same content was released before");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Recorded {
    /// Its place in the ledger, from 1.
    pub seq: u64,
    /// Whether it had been recorded before: then nothing was added.
    pub already: bool,
    /// Whether it had been confirmed before, too: then it has left already.
    pub confirmed: bool,
    /// When it was recorded.
    pub at: Moment,
    /// What was released of the same content before.
    pub earlier: Earlier,
}

/// Earlier releases of the same content. Their budgets add up: whoever sees all of them learns more than from one.
///
/// ```
/// assert_eq!(inkveil_ledger::Earlier::default().releases, 0);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Earlier {
    /// How many.
    pub releases: u64,
    /// When the last of them was recorded.
    pub last: Option<Moment>,
    /// What they cost together, by measure.
    pub spent: Vec<(Measure, Epsilon)>,
}

impl Ledger {
    /// Records a release. Once this returns it is on the disk, and the release may leave; then confirm it with [`Ledger::released`].
    ///
    /// The same id and part may be recorded again, by a job that resumes: nothing is added then.
    ///
    /// # Errors
    /// If it would pass a limit ([`ErrorKind::OverLimit`]), the same id and part were recorded with something else
    /// ([`ErrorKind::Conflict`]), or the ledger cannot be written. Nothing was recorded then, and nothing may leave.
    pub fn record(&mut self, release: &Release) -> Result<Recorded, Error> {
        let mut recorded = self.record_all(std::slice::from_ref(release))?;
        recorded.pop().ok_or_else(|| Error::corrupt("a recording got lost"))
    }

    /// Records many releases at once: all of them or none. It costs as much time as one.
    ///
    /// # Errors
    /// As for [`Ledger::record`].
    pub fn record_all(&mut self, releases: &[Release]) -> Result<Vec<Recorded>, Error> {
        let recorded = self.record_at(releases, Moment::now());
        self.named(recorded)
    }

    pub(crate) fn record_at(&mut self, releases: &[Release], now: Moment) -> Result<Vec<Recorded>, Error> {
        releases.iter().try_for_each(Release::check)?;
        let Self { connection, key, .. } = self;
        // The lock comes first: what is checked cannot change before it is written.
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
        let limits = limits::all(&transaction)?;
        let mut recorded = Vec::with_capacity(releases.len());
        for release in releases {
            recorded.push(one(&transaction, key, &limits, release, now)?);
        }
        transaction.commit().map_err(sql)?;
        Ok(recorded)
    }
}

fn one(
    connection: &Connection,
    key: &ContentKey,
    limits: &[Limit],
    release: &Release,
    now: Moment,
) -> Result<Recorded, Error> {
    let tag = release.content.map(|content| content::tag(key, &content));
    if let Some(seq) = confirm::place(connection, &release.id, release.part)? {
        return again(connection, release, tag, seq);
    }
    let mut earlier = Earlier::default();
    for (account, charges) in totals::accounts(&release.dataset, tag.as_ref(), &release.charges) {
        let before = totals::of_account(connection, &account)?;
        let mut after = before.clone();
        after.add(&charges);
        if let Some(scope) = account.scope() {
            limits::hold(limits, &scope, &charges, &before, &after)?;
        }
        totals::write(connection, &account, &before, &after)?;
        if account.kind == Account::CONTENT {
            earlier = summed(&before, last(connection, tag, i64::MAX)?);
        }
    }
    let (head, _) = Head::read(connection)?;
    let entry = insert(connection, release, tag, &head, now)?;
    Head { releases: entry.seq, chain: entry.chain, ..head }.update(connection, key)?;
    Ok(Recorded { seq: entry.seq, already: false, confirmed: false, at: now, earlier })
}

/// A release that is in the ledger already must be the same.
fn again(
    connection: &Connection,
    release: &Release,
    tag: Option<[u8; 32]>,
    seq: u64,
) -> Result<Recorded, Error> {
    let entry = Reader::new(connection)?.read(seq)?;
    let differs = match () {
        () if entry.receipt != release.receipt => Some("receipt"),
        () if entry.charges != release.charges => Some("charge"),
        () if entry.content != tag => Some("content"),
        () if entry.dataset != release.dataset => Some("dataset"),
        () if entry.mechanism != release.mechanism => Some("mechanism"),
        () if (entry.kind, entry.unit, entry.secure) != (release.kind, release.unit, release.secure) => {
            Some("kind, unit or randomness")
        }
        () => None,
    };
    if let Some(what) = differs {
        return Err(ErrorKind::Conflict { id: release.id, part: release.part, what }.into());
    }
    let earlier = match tag {
        Some(tag) => before(connection, tag, seq)?,
        None => Earlier::default(),
    };
    Ok(Recorded { seq, already: true, confirmed: entry.released.is_some(), at: entry.at, earlier })
}

/// What was released of a content before place `seq`: summed anew, since the totals hold later ones, too.
fn before(connection: &Connection, tag: [u8; 32], seq: u64) -> Result<Earlier, Error> {
    let query = "SELECT seq FROM releases WHERE content = ? AND seq < ? ORDER BY seq";
    let mut statement = connection.prepare(query).map_err(sql)?;
    let mut rows = statement.query(params![tag, seq as i64]).map_err(sql)?;
    let mut reader = Reader::new(connection)?;
    let mut sums = Sums::default();
    while let Some(row) = rows.next().map_err(sql)? {
        let entry = reader.read(row.get::<_, i64>(0).map_err(sql)? as u64)?;
        sums.add(&entry.charges.iter().collect::<Vec<&Charge>>());
    }
    Ok(summed(&sums, last(connection, Some(tag), seq as i64)?))
}

fn summed(sums: &Sums, last: Option<Moment>) -> Earlier {
    let spent = sums.iter().map(|sum| (sum.measure, sum.epsilon)).collect();
    // Every charge has a worst case, if only an infinite one, so that this sum counts them all.
    Earlier { releases: sums.releases(Measure::WorstCase), last, spent }
}

/// When a content was last recorded before place `seq`.
fn last(connection: &Connection, tag: Option<[u8; 32]>, seq: i64) -> Result<Option<Moment>, Error> {
    let query = "SELECT at FROM releases WHERE content = ? AND seq < ? ORDER BY seq DESC LIMIT 1";
    let at: Option<i64> =
        connection.query_row(query, params![tag, seq], |row| row.get(0)).optional().map_err(sql)?;
    Ok(at.and_then(Moment::from_seconds))
}

fn insert(
    connection: &Connection,
    release: &Release,
    tag: Option<[u8; 32]>,
    head: &Head,
    now: Moment,
) -> Result<Entry, Error> {
    let mut entry = Entry {
        seq: head.releases + 1,
        id: release.id,
        part: release.part,
        at: now,
        released: None,
        dataset: release.dataset.clone(),
        kind: release.kind,
        mechanism: release.mechanism.clone(),
        unit: release.unit,
        secure: release.secure,
        receipt: release.receipt.clone(),
        content: tag,
        charges: release.charges.clone(),
        chain: [0; 32],
    };
    entry.chain = link(&head.chain, &entry);
    let query = "INSERT INTO releases (seq, id, part, at, dataset, kind, mechanism, unit, secure, receipt, content, chain) \
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let row = params![
        entry.seq as i64,
        entry.id.0,
        entry.part as i64,
        now.seconds(),
        entry.dataset,
        names::of_kind(entry.kind),
        entry.mechanism,
        entry.unit.name(),
        entry.secure,
        entry.receipt,
        entry.content,
        entry.chain
    ];
    connection.execute(query, row).map_err(sql)?;
    let query = "INSERT INTO charges (release, position, subject, measure, within, epsilon, worst_case, delta, units) \
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let mut statement = connection.prepare(query).map_err(sql)?;
    for (position, charge) in entry.charges.iter().enumerate() {
        let (measure, within) = charge.measure().columns();
        let row = params![
            entry.seq as i64,
            position as i64,
            charge.subject,
            measure,
            within,
            charge.epsilon.get(),
            charge.worst_case.map(Epsilon::get),
            charge.delta,
            charge.units as i64
        ];
        statement.execute(row).map_err(sql)?;
    }
    Ok(entry)
}
