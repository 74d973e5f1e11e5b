//! Totals of spent budgets with their limits.

use std::collections::BTreeMap;

use inkveil_privacy::Epsilon;
use rusqlite::{Connection, params};

use crate::error::{Error, sql};
use crate::filter::Filter;
use crate::ledger::Ledger;
use crate::limit::{Limit, effective};
use crate::limits;
use crate::measure::BudgetMeasure;
use crate::rounding::{left, readable_down};
use crate::scope::BudgetScope;
use crate::sums::{self, Account, COLUMNS, Sums};

/// The spent budget of a subject or dataset, in one measure.
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
    pub scope: BudgetScope,
    /// The measure.
    pub measure: BudgetMeasure,
    /// The total, rounded up.
    pub epsilon: Epsilon,
    /// The sum of the failure probabilities.
    pub delta: f64,
    /// The number of units. 0 for worst cases, whose units are listed with the other measures.
    pub units: u64,
    /// The number of releases.
    pub releases: u64,
    /// The lowest limit that applies, if there is one.
    pub limit: Option<Epsilon>,
    /// The rest of that limit, rounded down.
    pub left: Option<Epsilon>,
}

impl Total {
    /// Formats the rest of the limit with six digits, rounded down.
    pub fn readable_left(&self) -> Option<String> {
        self.left.map(readable_down)
    }

    /// Formats the limit with six digits, rounded down.
    pub fn readable_limit(&self) -> Option<String> {
        self.limit.map(readable_down)
    }
}

impl Ledger {
    /// Returns the spent budgets: one total for each subject and measure and for each dataset and
    /// measure, with the limits that apply. A filter with a subject omits datasets unless it also
    /// names one, and vice versa.
    ///
    /// # Errors
    /// If the ledger cannot be read or is damaged.
    pub fn totals(&self, filter: &Filter) -> Result<Vec<Total>, Error> {
        let totals = self.connection.unchecked_transaction().map_err(sql).and_then(|tx| totals(&tx, filter));
        self.with_file(totals)
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
        let (account, sum) = sums::read(row)?;
        accounts.entry(account).or_default().insert(sum);
    }
    Ok(accounts.iter().flat_map(|(account, sums)| of_scope(account, sums, &limits)).collect())
}

fn of_scope(account: &Account, sums: &Sums, limits: &[Limit]) -> Vec<Total> {
    let Some(scope) = account.scope() else { return Vec::new() };
    let totals = sums.iter().map(|sum| {
        let holding = effective(limits, &scope).filter(|limit| limits::applies(limit.counted, sum.measure));
        let limit = holding.map(|limit| limit.epsilon).min();
        Total {
            scope: scope.clone(),
            measure: sum.measure,
            epsilon: sum.epsilon,
            delta: sum.delta,
            units: sum.units,
            releases: sum.releases,
            limit,
            left: limit.map(|limit| left(limit, sums.counted_against(sum.measure))),
        }
    });
    totals.collect()
}
