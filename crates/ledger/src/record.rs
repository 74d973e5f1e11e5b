//! Records a release before it leaves: checks all limits and writes in one transaction.

use inkveil_privacy::Epsilon;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::charge::Charge;
use crate::confirmations;
use crate::content::{self, ContentKey};
use crate::entry::{EntryReader, LedgerEntry, chain_hash};
use crate::error::{Error, ErrorKind, sql};
use crate::head::Head;
use crate::id::ReleaseId;
use crate::ledger::Ledger;
use crate::limit::Limit;
use crate::limits;
use crate::measure::BudgetMeasure;
use crate::moment::Moment;
use crate::names;
use crate::release::Release;
use crate::sums::{self, Account, Sums};

/// The result of recording a release. The output may be released now.
///
/// ```
/// # use inkveil_ledger::{Charge, Ledger, Release, ReleaseId};
/// # use inkveil_privacy::{Epsilon, Metric, ReleaseKind, Unit};
/// # let folder = tempfile::tempdir()?;
/// # let mut ledger = Ledger::open(folder.path().join("budget.ledger"))?;
/// # let release = Release {
/// #     id: ReleaseId::fresh()?, part: 0, dataset: "letters".into(), kind: ReleaseKind::Text, mechanism: "polar".into(),
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
    /// Its number in the ledger, from 1.
    pub seq: u64,
    /// Whether it had been recorded before. If so, nothing was added.
    pub already: bool,
    /// Whether it had also been confirmed before. If so, the output was already released.
    pub confirmed: bool,
    /// When it was recorded.
    pub at: Moment,
    /// Earlier releases of the same content.
    pub earlier: EarlierReleases,
}

/// Earlier releases of the same content. Their budgets add up: an attacker who sees all of them
/// learns more than from one.
///
/// ```
/// assert_eq!(inkveil_ledger::EarlierReleases::default().releases, 0);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct EarlierReleases {
    /// Their number.
    pub releases: u64,
    /// When the last one was recorded.
    pub last: Option<Moment>,
    /// Their total cost, by measure.
    pub spent: Vec<(BudgetMeasure, Epsilon)>,
}

impl Ledger {
    /// Records a release. When this returns, the row is on disk and the output may be released.
    /// Afterwards confirm it with [`Ledger::confirm`].
    ///
    /// A resumed job may record the same id and part again. This adds nothing.
    ///
    /// # Errors
    /// If it would exceed a limit ([`ErrorKind::OverLimit`]), if the same id and part were recorded
    /// with other data ([`ErrorKind::Conflict`]), or if the ledger cannot be written. Nothing is
    /// recorded in these cases, and nothing may be released.
    pub fn record(&mut self, release: &Release) -> Result<Recorded, Error> {
        let mut recorded = self.record_all(std::slice::from_ref(release))?;
        recorded.pop().ok_or_else(|| Error::corrupt("a recording is missing"))
    }

    /// Records several releases at once, either all or none. It takes as long as recording one.
    ///
    /// # Errors
    /// As for [`Ledger::record`].
    pub fn record_all(&mut self, releases: &[Release]) -> Result<Vec<Recorded>, Error> {
        let recorded = self.record_at(releases, Moment::now());
        self.with_file(recorded)
    }

    pub(crate) fn record_at(&mut self, releases: &[Release], now: Moment) -> Result<Vec<Recorded>, Error> {
        releases.iter().try_for_each(Release::check)?;
        let Self { connection, key, .. } = self;
        // The lock comes first, so that nothing changes between check and write.
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
        let limits = limits::all(&transaction)?;
        let mut recorded = Vec::with_capacity(releases.len());
        for release in releases {
            recorded.push(record_one(&transaction, key, &limits, release, now)?);
        }
        transaction.commit().map_err(sql)?;
        Ok(recorded)
    }
}

impl Ledger {
    /// Confirms that the output was released. Repeating it changes nothing.
    ///
    /// # Errors
    /// If it was never recorded, or the ledger cannot be written.
    pub fn confirm(&mut self, id: &ReleaseId, part: u64) -> Result<(), Error> {
        self.confirm_all(&[(*id, part)])
    }

    /// Confirms several releases at once, either all or none.
    ///
    /// # Errors
    /// As for [`Ledger::confirm`].
    pub fn confirm_all(&mut self, parts: &[(ReleaseId, u64)]) -> Result<(), Error> {
        let confirmed = confirmations::confirm(&mut self.connection, parts, Moment::now());
        self.with_file(confirmed)
    }

    #[cfg(test)]
    pub(crate) fn confirm_at(&mut self, id: &ReleaseId, part: u64, now: Moment) -> Result<(), Error> {
        confirmations::confirm(&mut self.connection, &[(*id, part)], now)
    }
}

fn record_one(
    connection: &Connection,
    key: &ContentKey,
    limits: &[Limit],
    release: &Release,
    now: Moment,
) -> Result<Recorded, Error> {
    let tag = release.content.map(|content| content::tag(key, &content));
    if let Some(seq) = confirmations::find(connection, &release.id, release.part)? {
        return check_repeated(connection, release, tag, seq);
    }
    limits::check_subjects(limits, &release.charges)?;
    let mut earlier = EarlierReleases::default();
    for (account, charges) in sums::accounts(&release.dataset, tag.as_ref(), &release.charges) {
        let before = sums::of_account(connection, &account)?;
        let mut after = before.clone();
        after.add(&charges);
        if let Some(scope) = account.scope() {
            limits::check(limits, &scope, &charges, &before, &after)?;
        }
        sums::write(connection, &account, &before, &after)?;
        if account.kind == Account::CONTENT {
            earlier = earlier_from_sums(&before, last_recorded(connection, tag, i64::MAX)?);
        }
    }
    let (head, _) = Head::read(connection)?;
    let entry = insert(connection, release, tag, &head, now)?;
    Head { releases: entry.seq, chain: entry.chain, ..head }.update(connection, key)?;
    Ok(Recorded { seq: entry.seq, already: false, confirmed: false, at: now, earlier })
}

/// Checks that a repeated recording has the same data as the first.
fn check_repeated(
    connection: &Connection,
    release: &Release,
    tag: Option<[u8; 32]>,
    seq: u64,
) -> Result<Recorded, Error> {
    let entry = EntryReader::new(connection)?.read(seq)?;
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
        Some(tag) => earlier_releases(connection, tag, seq)?,
        None => EarlierReleases::default(),
    };
    Ok(Recorded { seq, already: true, confirmed: entry.released.is_some(), at: entry.at, earlier })
}

/// Returns the releases of a content before number `seq`. They are summed again, since the totals
/// include later releases.
fn earlier_releases(connection: &Connection, tag: [u8; 32], seq: u64) -> Result<EarlierReleases, Error> {
    let query = "SELECT seq FROM releases WHERE content = ? AND seq < ? ORDER BY seq";
    let mut statement = connection.prepare(query).map_err(sql)?;
    let mut rows = statement.query(params![tag, seq as i64]).map_err(sql)?;
    let mut reader = EntryReader::new(connection)?;
    let mut sums = Sums::default();
    while let Some(row) = rows.next().map_err(sql)? {
        let entry = reader.read(row.get::<_, i64>(0).map_err(sql)? as u64)?;
        sums.add(&entry.charges.iter().collect::<Vec<&Charge>>());
    }
    Ok(earlier_from_sums(&sums, last_recorded(connection, Some(tag), seq as i64)?))
}

fn earlier_from_sums(sums: &Sums, last: Option<Moment>) -> EarlierReleases {
    let spent = sums.iter().map(|sum| (sum.measure.clone(), sum.epsilon)).collect();
    // Every charge has a worst case, possibly infinite, so this sum counts all of them.
    EarlierReleases { releases: sums.releases(&BudgetMeasure::WorstCase), last, spent }
}

/// Returns when a content was last recorded before number `seq`.
fn last_recorded(connection: &Connection, tag: Option<[u8; 32]>, seq: i64) -> Result<Option<Moment>, Error> {
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
) -> Result<LedgerEntry, Error> {
    let mut entry = LedgerEntry {
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
    entry.chain = chain_hash(&head.chain, &entry);
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
    let query = "INSERT INTO charges (release, position, subject, measure, space, within, epsilon, worst_case, delta, units, rho) \
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let mut statement = connection.prepare(query).map_err(sql)?;
    for (position, charge) in entry.charges.iter().enumerate() {
        let measure = charge.measure();
        let (name, space, within) = measure.columns();
        let row = params![
            entry.seq as i64,
            position as i64,
            charge.subject,
            name,
            space,
            within,
            charge.epsilon.get(),
            charge.worst_case.map(Epsilon::get),
            charge.delta,
            charge.units as i64,
            charge.zcdp
        ];
        statement.execute(row).map_err(sql)?;
    }
    Ok(entry)
}
