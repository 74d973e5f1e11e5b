//! Sums of what was spent, kept with every recording so that a limit is checked at once.

use std::collections::BTreeMap;

use inkveil_privacy::Epsilon;
use rusqlite::{Connection, Row, params};

use crate::charge::{Charge, plus, plus_delta};
use crate::error::{Error, sql};
use crate::filter::Filter;
use crate::ledger::Ledger;
use crate::limit::{Limit, Scope, effective, left};
use crate::limits;
use crate::measure::Measure;
use crate::seal::Seal;

/// What was spent on a subject or in a dataset, in one measure.
///
/// ```
/// use inkveil_ledger::{Filter, Ledger};
///
/// let folder = tempfile::tempdir()?;
/// let ledger = Ledger::open(folder.path().join("budget.ledger"))?;
/// for total in ledger.totals(&Filter::default())? {
///     println!("{}: {} ε of {}", total.scope, total.measure, total.epsilon.readable());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Total {
    /// The subject or dataset.
    pub scope: Scope,
    /// What is counted.
    pub measure: Measure,
    /// The sum, rounded up.
    pub epsilon: Epsilon,
    /// The sum of the failure probabilities.
    pub delta: f64,
    /// How many units; 0 for worst cases, whose units are those of the other measures.
    pub units: u64,
    /// How many releases.
    pub releases: u64,
    /// The lowest limit that holds, if there is one.
    pub limit: Option<Epsilon>,
    /// What is left of that limit, rounded down.
    pub left: Option<Epsilon>,
}

impl Total {
    /// What is left as people read it: six digits, rounded down.
    pub fn readable_left(&self) -> Option<String> {
        self.left.map(crate::limit::readable_down)
    }

    /// The limit as people read it: six digits, rounded down.
    pub fn readable_limit(&self) -> Option<String> {
        self.limit.map(crate::limit::readable_down)
    }
}

/// Whom sums are kept for: a subject, a dataset, or a content by its keyed hash.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Account {
    pub(crate) kind: &'static str,
    pub(crate) name: String,
}

impl Account {
    pub(crate) const SUBJECT: &'static str = "subject";
    pub(crate) const DATASET: &'static str = "dataset";
    pub(crate) const CONTENT: &'static str = "content";

    pub(crate) fn from_columns(kind: &str, name: String) -> Option<Self> {
        let kind = [Self::SUBJECT, Self::DATASET, Self::CONTENT].into_iter().find(|known| *known == kind)?;
        Some(Self { kind, name })
    }

    /// None for a content, which has no limits.
    pub(crate) fn scope(&self) -> Option<Scope> {
        Scope::from_columns(self.kind, self.name.clone())
    }
}

/// The accounts that a release is charged to, with the charges of each.
pub(crate) fn accounts<'a>(
    dataset: &str,
    content: Option<&[u8; 32]>,
    charges: &'a [Charge],
) -> Vec<(Account, Vec<&'a Charge>)> {
    let mut accounts =
        vec![(Account { kind: Account::DATASET, name: dataset.to_owned() }, charges.iter().collect())];
    if let Some(content) = content {
        let name = inkveil_files::hex::encode(content);
        accounts.push((Account { kind: Account::CONTENT, name }, charges.iter().collect()));
    }
    let mut subjects: BTreeMap<&str, Vec<&Charge>> = BTreeMap::new();
    for charge in charges {
        if let Some(subject) = &charge.subject {
            subjects.entry(subject).or_default().push(charge);
        }
    }
    let named =
        |(name, charges): (&str, _)| (Account { kind: Account::SUBJECT, name: name.to_owned() }, charges);
    accounts.extend(subjects.into_iter().map(named));
    accounts
}

/// One sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sum {
    pub(crate) measure: Measure,
    pub(crate) epsilon: Epsilon,
    pub(crate) delta: f64,
    pub(crate) units: u64,
    pub(crate) releases: u64,
}

/// The sums of one account, by measure.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Sums(BTreeMap<(&'static str, u64), Sum>);

impl Sums {
    /// Adds one release. The order of additions is that of the charges, so that the same charges always give the same sum.
    pub(crate) fn add(&mut self, charges: &[&Charge]) {
        let before = self.clone();
        for charge in charges {
            let sum = self.of_mut(charge.measure());
            sum.epsilon = plus(sum.epsilon, charge.epsilon);
            sum.delta = plus_delta(sum.delta, charge.delta);
            sum.units = sum.units.saturating_add(charge.units).min(i64::MAX as u64);
            sum.releases = before.releases(charge.measure()) + 1;
            let worst = self.of_mut(Measure::WorstCase);
            worst.epsilon = plus(worst.epsilon, charge.worst_case.unwrap_or(Epsilon::INFINITE));
            worst.releases = before.releases(Measure::WorstCase) + 1;
        }
    }

    fn of_mut(&mut self, measure: Measure) -> &mut Sum {
        let nothing = Sum { measure, epsilon: Epsilon::ZERO, delta: 0.0, units: 0, releases: 0 };
        self.0.entry(measure.key()).or_insert(nothing)
    }

    pub(crate) fn epsilon(&self, measure: Measure) -> Epsilon {
        self.0.get(&measure.key()).map_or(Epsilon::ZERO, |sum| sum.epsilon)
    }

    pub(crate) fn releases(&self, measure: Measure) -> u64 {
        self.0.get(&measure.key()).map_or(0, |sum| sum.releases)
    }

    /// What counts against a limit on this measure: what was released without a promise counts everywhere.
    pub(crate) fn against(&self, measure: Measure) -> Epsilon {
        match measure {
            Measure::Metric { .. } => plus(self.epsilon(measure), self.epsilon(Measure::NoPromise)),
            _ => self.epsilon(measure),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Sum> {
        self.0.values()
    }

    pub(crate) fn insert(&mut self, sum: Sum) {
        self.0.insert(sum.measure.key(), sum);
    }
}

fn seal(account: &Account, sum: &Sum) -> [u8; 32] {
    let (measure, within) = sum.measure.columns();
    Seal::of("total")
        .text(account.kind)
        .text(&account.name)
        .text(measure)
        .real(within)
        .real(sum.epsilon.get())
        .real(sum.delta)
        .number(sum.units)
        .number(sum.releases)
        .close()
}

const COLUMNS: &str = "scope, name, measure, within, epsilon, delta, units, releases, seal";

/// A row, if it was not changed.
pub(crate) fn read(row: &Row<'_>) -> Result<(Account, Sum), Error> {
    let impossible = || Error::corrupt("a total has an impossible value");
    let number = |column| row.get::<_, i64>(column).map_err(sql);
    let real = |column| row.get::<_, f64>(column).map_err(sql);
    let text = |column| row.get::<_, String>(column).map_err(sql);
    let account = Account::from_columns(&text(0)?, text(1)?).ok_or_else(impossible)?;
    let sum = Sum {
        measure: Measure::from_columns(&text(2)?, real(3)?).ok_or_else(impossible)?,
        epsilon: Epsilon::new(real(4)?).map_err(|_| impossible())?,
        delta: real(5)?,
        units: u64::try_from(number(6)?).map_err(|_| impossible())?,
        releases: u64::try_from(number(7)?).map_err(|_| impossible())?,
    };
    if seal(&account, &sum) == row.get::<_, [u8; 32]>(8).map_err(sql)? {
        Ok((account, sum))
    } else {
        Err(Error::corrupt("a total was changed"))
    }
}

/// The sums of one account.
pub(crate) fn of_account(connection: &Connection, account: &Account) -> Result<Sums, Error> {
    let query = format!("SELECT {COLUMNS} FROM totals WHERE scope = ? AND name = ?");
    let mut statement = connection.prepare(&query).map_err(sql)?;
    let mut rows = statement.query(params![account.kind, account.name]).map_err(sql)?;
    let mut sums = Sums::default();
    while let Some(row) = rows.next().map_err(sql)? {
        sums.insert(read(row)?.1);
    }
    Ok(sums)
}

/// All rows, one after the other.
pub(crate) fn each(
    connection: &Connection,
    mut then: impl FnMut(Result<(Account, Sum), Error>),
) -> Result<(), Error> {
    let mut statement = connection.prepare(&format!("SELECT {COLUMNS} FROM totals")).map_err(sql)?;
    let mut rows = statement.query([]).map_err(sql)?;
    while let Some(row) = rows.next().map_err(sql)? {
        then(read(row));
    }
    Ok(())
}

/// Writes the sums that changed.
pub(crate) fn write(
    connection: &Connection,
    account: &Account,
    before: &Sums,
    after: &Sums,
) -> Result<(), Error> {
    let query = format!(
        "INSERT INTO totals ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET epsilon = excluded.epsilon, \
         delta = excluded.delta, units = excluded.units, releases = excluded.releases, seal = excluded.seal"
    );
    let mut statement = connection.prepare(&query).map_err(sql)?;
    for (key, sum) in &after.0 {
        if before.0.get(key) == Some(sum) {
            continue;
        }
        let (measure, within) = sum.measure.columns();
        let row = params![
            account.kind,
            account.name,
            measure,
            within,
            sum.epsilon.get(),
            sum.delta,
            sum.units as i64,
            sum.releases as i64,
            seal(account, sum)
        ];
        statement.execute(row).map_err(sql)?;
    }
    Ok(())
}

impl Ledger {
    /// What was spent: one total for each subject and measure, and for each dataset and measure, with the limits that hold. A filter with
    /// a subject leaves out datasets unless it names one too, and the other way round.
    ///
    /// # Errors
    /// If the ledger cannot be read or is damaged.
    pub fn totals(&self, filter: &Filter) -> Result<Vec<Total>, Error> {
        let totals = self.connection.unchecked_transaction().map_err(sql).and_then(|tx| totals(&tx, filter));
        self.named(totals)
    }
}

fn totals(connection: &Connection, filter: &Filter) -> Result<Vec<Total>, Error> {
    let limits = limits::all(connection)?;
    let all = filter.subject.is_none() && filter.dataset.is_none();
    let query = format!(
        "SELECT {COLUMNS} FROM totals WHERE scope != 'content' \
         AND (?1 OR (scope = 'subject' AND name = ?2) OR (scope = 'dataset' AND name = ?3)) ORDER BY scope, name"
    );
    let mut statement = connection.prepare(&query).map_err(sql)?;
    let mut rows = statement.query(params![all, filter.subject, filter.dataset]).map_err(sql)?;
    let mut accounts: BTreeMap<Account, Sums> = BTreeMap::new();
    while let Some(row) = rows.next().map_err(sql)? {
        let (account, sum) = read(row)?;
        accounts.entry(account).or_default().insert(sum);
    }
    Ok(accounts.iter().flat_map(|(account, sums)| of_scope(account, sums, &limits)).collect())
}

fn of_scope(account: &Account, sums: &Sums, limits: &[Limit]) -> Vec<Total> {
    let Some(scope) = account.scope() else { return Vec::new() };
    let totals = sums.iter().map(|sum| {
        let holding = effective(limits, &scope).filter(|limit| limits::counts(limit.counted, sum.measure));
        let limit = holding.map(|limit| limit.epsilon).min();
        Total {
            scope: scope.clone(),
            measure: sum.measure,
            epsilon: sum.epsilon,
            delta: sum.delta,
            units: sum.units,
            releases: sum.releases,
            limit,
            left: limit.map(|limit| left(limit, sums.against(sum.measure))),
        }
    });
    totals.collect()
}
