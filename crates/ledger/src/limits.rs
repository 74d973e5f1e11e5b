//! Stores limits and checks releases against them.

use inkveil_privacy::Epsilon;
use rusqlite::{Connection, TransactionBehavior, params};

use crate::charge::Charge;
use crate::error::{Error, ErrorKind, sql};
use crate::limit::{Counted, Limit, effective};
use crate::measure::BudgetMeasure;
use crate::moment::Moment;
use crate::rounding::left;
use crate::scope::BudgetScope;
use crate::seal::Seal;
use crate::sums::Sums;

fn seal(limit: &Limit, at: i64) -> [u8; 32] {
    let (kind, name) = limit.scope.columns();
    Seal::of("limit")
        .text(kind)
        .text(name)
        .text(&limit.counted.to_string())
        .real(limit.epsilon.get())
        .number(at as u64)
        .close()
}

pub(crate) fn set(connection: &mut Connection, limit: &Limit, now: Moment) -> Result<(), Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
    let (kind, name) = limit.scope.columns();
    let query = "INSERT INTO limits (scope, name, counted, epsilon, at, seal) VALUES (?, ?, ?, ?, ?, ?) \
                 ON CONFLICT DO UPDATE SET epsilon = excluded.epsilon, at = excluded.at, seal = excluded.seal";
    let at = now.seconds();
    let row = params![kind, name, limit.counted.to_string(), limit.epsilon.get(), at, seal(limit, at)];
    transaction.execute(query, row).map_err(sql)?;
    transaction.commit().map_err(sql)
}

pub(crate) fn remove(
    connection: &mut Connection,
    scope: &BudgetScope,
    counted: Counted,
) -> Result<bool, Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
    let (kind, name) = scope.columns();
    let query = "DELETE FROM limits WHERE scope = ? AND name = ? AND counted = ?";
    let removed = transaction.execute(query, params![kind, name, counted.to_string()]).map_err(sql)?;
    transaction.commit().map_err(sql)?;
    Ok(removed > 0)
}

/// Returns all limits. A changed row is an error, since the allowed budget is then unknown.
pub(crate) fn all(connection: &Connection) -> Result<Vec<Limit>, Error> {
    let query = "SELECT scope, name, counted, epsilon, at, seal FROM limits ORDER BY scope, name, counted";
    let mut statement = connection.prepare(query).map_err(sql)?;
    let mut rows = statement.query([]).map_err(sql)?;
    let mut limits = Vec::new();
    while let Some(row) = rows.next().map_err(sql)? {
        let changed = || Error::corrupt("a limit was changed");
        let text = |column| row.get::<_, String>(column).map_err(sql);
        let limit = Limit {
            scope: BudgetScope::from_columns(&text(0)?, text(1)?).ok_or_else(changed)?,
            counted: text(2)?.parse().map_err(|_| changed())?,
            epsilon: Epsilon::new(row.get(3).map_err(sql)?).map_err(|_| changed())?,
        };
        let at: i64 = row.get(4).map_err(sql)?;
        if limit.check().is_err() || seal(&limit, at) != row.get::<_, [u8; 32]>(5).map_err(sql)? {
            return Err(changed());
        }
        limits.push(limit);
    }
    Ok(limits)
}

/// Whether a limit applies to a measure. Releases without a guarantee count against every limit.
pub(crate) fn applies(counted: Counted, measure: BudgetMeasure) -> bool {
    match (counted, measure) {
        (Counted::WorstCase, measure) => measure == BudgetMeasure::WorstCase,
        (_, BudgetMeasure::WorstCase) => false,
        (_, BudgetMeasure::NoGuarantee) | (Counted::EachMetric, _) => true,
        (Counted::Metric(limited), BudgetMeasure::Metric { metric, .. }) => limited == metric,
    }
}

/// Checks that the sums may grow from `before` to `after`.
pub(crate) fn check(
    limits: &[Limit],
    scope: &BudgetScope,
    charges: &[&Charge],
    before: &Sums,
    after: &Sums,
) -> Result<(), Error> {
    let mut asked = Sums::default();
    asked.add(charges);
    for limit in effective(limits, scope) {
        for sum in asked.iter().filter(|sum| applies(limit.counted, sum.measure)) {
            // A release without cost passes even if a limit was lowered below the spent budget.
            if sum.epsilon.is_zero() || after.counted_against(sum.measure) <= limit.epsilon {
                continue;
            }
            let spent = before.counted_against(sum.measure);
            return Err(ErrorKind::OverLimit {
                scope: scope.clone(),
                measure: sum.measure,
                spent,
                asked: sum.epsilon,
                left: left(limit.epsilon, spent),
                limit: limit.epsilon,
            }
            .into());
        }
    }
    Ok(())
}
