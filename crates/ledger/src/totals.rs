//! Totals of spent budgets with their limits.

use std::collections::BTreeMap;

use inkveil_privacy::{Epsilon, Metric};
use rusqlite::{Connection, params};
use serde::Serialize;

use crate::counted::{CountedSum, LimitLine};
use crate::error::{Error, sql};
use crate::filter::Filter;
use crate::ledger::Ledger;
use crate::limit::{Counted, Limit, effective};
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
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Total {
    /// The subject or dataset.
    #[serde(flatten)]
    pub scope: BudgetScope,
    /// The measure.
    pub measure: BudgetMeasure,
    /// The total, rounded up.
    pub epsilon: Epsilon,
    /// The sum of the failure probabilities.
    pub delta: f64,
    /// The ε that holds with the same δ if Gaussian releases are composed, rounded up. None if it is
    /// not smaller than the total.
    pub composed: Option<Epsilon>,
    /// The number of units. 0 for worst cases, whose units are listed with the other measures.
    pub units: u64,
    /// The number of releases.
    pub releases: u64,
    /// The limit with the smallest rest, if one applies.
    pub limit: Option<Epsilon>,
    /// The rest of that limit, rounded down. Other measures may count against the same limit.
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
        let lines =
            effective(limits, &scope).filter_map(|limit| Some((limit, line_of(limit, &sum.measure)?)));
        let rests = lines.map(|(limit, line)| {
            let spent = CountedSum::of(sums, line, limit).tightest(limit.delta).unwrap_or(Epsilon::INFINITE);
            (left(limit.epsilon, spent), limit.epsilon)
        });
        let lowest = rests.min();
        Total {
            scope: scope.clone(),
            measure: sum.measure.clone(),
            epsilon: sum.epsilon,
            delta: sum.delta,
            composed: sum.composed.epsilon(sum.delta).filter(|composed| *composed < sum.epsilon),
            units: sum.units,
            releases: sum.releases,
            limit: lowest.map(|(_, limit)| limit),
            left: lowest.map(|(left, _)| left),
        }
    });
    totals.collect()
}

/// The line of a limit that counts a measure, if the limit counts it. For releases without a
/// guarantee it is any line, since they count in all of them.
fn line_of(limit: &Limit, measure: &BudgetMeasure) -> Option<LimitLine> {
    match (limit.counted, measure) {
        (Counted::WorstCase, BudgetMeasure::WorstCase) => Some(LimitLine::WorstCase),
        (Counted::WorstCase, _) | (_, BudgetMeasure::WorstCase) => None,
        (Counted::EachMetric, BudgetMeasure::Metric { metric, .. }) => Some(LimitLine::Metric(*metric)),
        (Counted::EachMetric, BudgetMeasure::NoGuarantee) => Some(LimitLine::Metric(Metric::Discrete)),
        (Counted::Metric(limited), BudgetMeasure::NoGuarantee) => Some(LimitLine::Metric(limited)),
        (Counted::Metric(limited), BudgetMeasure::Metric { metric, .. }) => {
            (limited == *metric).then_some(LimitLine::Metric(limited))
        }
    }
}
