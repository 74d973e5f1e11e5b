//! Sums of spent budgets, updated with every recording so that a limit is checked at once.

use std::collections::BTreeMap;

use inkveil_privacy::Epsilon;
use rusqlite::{Connection, Row, params};

use crate::charge::{Charge, plus, plus_delta};
use crate::composed::Composed;
use crate::error::{Error, sql};
use crate::measure::{BudgetMeasure, MeasureKey};
use crate::row_sets::{Change, RowSet};
use crate::scope::BudgetScope;
use crate::seal::Seal;

/// The owner of sums: a subject, a dataset, or a content by its keyed hash.
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

    /// Returns the scope of limits, or `None` for a content, which has no limits.
    pub(crate) fn scope(&self) -> Option<BudgetScope> {
        BudgetScope::from_columns(self.kind, self.name.clone())
    }
}

/// Returns the accounts that a release is charged to, with the charges of each.
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
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sum {
    pub(crate) measure: BudgetMeasure,
    /// Plain sums over all charges.
    pub(crate) epsilon: Epsilon,
    pub(crate) delta: f64,
    pub(crate) composed: Composed,
    pub(crate) units: u64,
    pub(crate) releases: u64,
}

/// The sums of one account, by measure.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Sums(BTreeMap<MeasureKey, Sum>);

impl Sums {
    /// Adds one release. Charges are added in order, so that the same charges always give the same
    /// sum.
    pub(crate) fn add(&mut self, charges: &[&Charge]) {
        let before = self.clone();
        for charge in charges {
            let measure = charge.measure();
            let sum = self.of_mut(&measure);
            sum.epsilon = plus(sum.epsilon, charge.epsilon);
            sum.delta = plus_delta(sum.delta, charge.delta);
            sum.composed.add(charge);
            sum.units = sum.units.saturating_add(charge.units).min(i64::MAX as u64);
            sum.releases = before.releases(&measure) + 1;
            let worst = self.of_mut(&BudgetMeasure::WorstCase);
            let worst_case = charge.worst_case.unwrap_or(Epsilon::INFINITE);
            worst.epsilon = plus(worst.epsilon, worst_case);
            worst.composed.rest_epsilon = worst.epsilon;
            worst.releases = before.releases(&BudgetMeasure::WorstCase) + 1;
        }
    }

    fn of_mut(&mut self, measure: &BudgetMeasure) -> &mut Sum {
        self.0.entry(measure.key()).or_insert_with(|| Sum {
            measure: measure.clone(),
            epsilon: Epsilon::ZERO,
            delta: 0.0,
            composed: Composed::default(),
            units: 0,
            releases: 0,
        })
    }

    pub(crate) fn releases(&self, measure: &BudgetMeasure) -> u64 {
        self.0.get(&measure.key()).map_or(0, |sum| sum.releases)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Sum> {
        self.0.values()
    }

    pub(crate) fn insert(&mut self, sum: Sum) {
        self.0.insert(sum.measure.key(), sum);
    }
}

fn seal(account: &Account, sum: &Sum) -> [u8; 32] {
    let (measure, space, within) = sum.measure.columns();
    Seal::of("total")
        .text(account.kind)
        .text(&account.name)
        .text(measure)
        .text(space)
        .real(within)
        .real(sum.epsilon.get())
        .real(sum.delta)
        .real(sum.composed.rho)
        .real(sum.composed.rest_epsilon.get())
        .real(sum.composed.rest_delta)
        .number(sum.units)
        .number(sum.releases)
        .close()
}

pub(crate) const COLUMNS: &str = "scope, name, measure, space, within, epsilon, delta, rho, rest_epsilon, \
                                  rest_delta, units, releases, seal";

/// Reads a row and checks its checksum.
pub(crate) fn read(row: &Row<'_>) -> Result<(Account, Sum), Error> {
    let invalid = || Error::corrupt("a total has an invalid value");
    let number = |column| row.get::<_, i64>(column).map_err(sql);
    let real = |column| row.get::<_, f64>(column).map_err(sql);
    let text = |column| row.get::<_, String>(column).map_err(sql);
    let account = Account::from_columns(&text(0)?, text(1)?).ok_or_else(invalid)?;
    let sum = Sum {
        measure: BudgetMeasure::from_columns(&text(2)?, text(3)?, real(4)?).ok_or_else(invalid)?,
        epsilon: Epsilon::new(real(5)?).map_err(|_| invalid())?,
        delta: real(6)?,
        composed: Composed {
            rho: real(7)?,
            rest_epsilon: Epsilon::new(real(8)?).map_err(|_| invalid())?,
            rest_delta: real(9)?,
        },
        units: u64::try_from(number(10)?).map_err(|_| invalid())?,
        releases: u64::try_from(number(11)?).map_err(|_| invalid())?,
    };
    if seal(&account, &sum) == row.get::<_, [u8; 32]>(12).map_err(sql)? {
        Ok((account, sum))
    } else {
        Err(Error::corrupt("a total was changed"))
    }
}

/// Returns the sums of one account.
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

/// Reads all rows in order.
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

/// Writes the changed sums.
pub(crate) fn write(
    connection: &Connection,
    account: &Account,
    before: &Sums,
    after: &Sums,
) -> Result<(), Error> {
    let query = format!(
        "INSERT INTO totals ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \
         ON CONFLICT DO UPDATE SET epsilon = excluded.epsilon, delta = excluded.delta, rho = excluded.rho, \
         rest_epsilon = excluded.rest_epsilon, rest_delta = excluded.rest_delta, units = excluded.units, releases = excluded.releases, seal = excluded.seal"
    );
    let mut statement = connection.prepare(&query).map_err(sql)?;
    let mut changes = Vec::new();
    for (key, sum) in &after.0 {
        if before.0.get(key) == Some(sum) {
            continue;
        }
        let earlier = before.0.get(key).map(|before| seal(account, before));
        changes.push(Change { before: earlier, after: Some(seal(account, sum)) });
        let (measure, space, within) = sum.measure.columns();
        let row = params![
            account.kind,
            account.name,
            measure,
            space,
            within,
            sum.epsilon.get(),
            sum.delta,
            sum.composed.rho,
            sum.composed.rest_epsilon.get(),
            sum.composed.rest_delta,
            sum.units as i64,
            sum.releases as i64,
            seal(account, sum)
        ];
        statement.execute(row).map_err(sql)?;
    }
    RowSet::Totals.change(connection, &changes)
}
