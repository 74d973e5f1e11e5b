//! Stores limits and checks releases against them.

use inkveil_privacy::{Epsilon, Metric};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::charge::Charge;
use crate::counted::{CountedSum, LimitLine};
use crate::error::{Error, ErrorKind, sql};
use crate::limit::{Counted, Limit, effective};
use crate::moment::Moment;
use crate::rounding::left;
use crate::row_sets::{Change, RowSet};
use crate::scope::BudgetScope;
use crate::seal::Seal;
use crate::sums::{Sum, Sums};

fn seal(limit: &Limit, at: i64) -> [u8; 32] {
    let (kind, name) = limit.scope.columns();
    Seal::of("limit")
        .text(kind)
        .text(name)
        .text(&limit.counted.to_string())
        .real(limit.epsilon.get())
        .real(limit.delta)
        .real(limit.within)
        .number(at as u64)
        .close()
}

pub(crate) fn set(connection: &mut Connection, limit: &Limit, now: Moment) -> Result<(), Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
    let (kind, name) = limit.scope.columns();
    let query = "INSERT INTO limits (scope, name, counted, epsilon, delta, within, at, seal) VALUES (?, ?, ?, ?, ?, ?, ?, ?) \
                 ON CONFLICT DO UPDATE SET epsilon = excluded.epsilon, delta = excluded.delta, \
                 within = excluded.within, at = excluded.at, seal = excluded.seal";
    let at = now.seconds();
    let counted = limit.counted.to_string();
    let row =
        params![kind, name, counted, limit.epsilon.get(), limit.delta, limit.within, at, seal(limit, at)];
    let before = sealed(&transaction, &limit.scope, limit.counted)?;
    transaction.execute(query, row).map_err(sql)?;
    RowSet::Limits.change(&transaction, &[Change { before, after: Some(seal(limit, at)) }])?;
    transaction.commit().map_err(sql)
}

/// The seal of a limit, if there is one.
fn sealed(connection: &Connection, scope: &BudgetScope, counted: Counted) -> Result<Option<[u8; 32]>, Error> {
    let (kind, name) = scope.columns();
    let query = "SELECT seal FROM limits WHERE scope = ? AND name = ? AND counted = ?";
    let row = params![kind, name, counted.to_string()];
    connection.query_row(query, row, |row| row.get(0)).optional().map_err(sql)
}

pub(crate) fn remove(
    connection: &mut Connection,
    scope: &BudgetScope,
    counted: Counted,
) -> Result<bool, Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
    let (kind, name) = scope.columns();
    let before = sealed(&transaction, scope, counted)?;
    let query = "DELETE FROM limits WHERE scope = ? AND name = ? AND counted = ?";
    let removed = transaction.execute(query, params![kind, name, counted.to_string()]).map_err(sql)?;
    RowSet::Limits.change(&transaction, &[Change { before, after: None }])?;
    transaction.commit().map_err(sql)?;
    Ok(removed > 0)
}

/// Returns all limits. A changed row is an error, since the allowed budget is then unknown.
pub(crate) fn all(connection: &Connection) -> Result<Vec<Limit>, Error> {
    let query = "SELECT scope, name, counted, epsilon, delta, within, at, seal FROM limits ORDER BY scope, name, counted";
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
            delta: row.get(4).map_err(sql)?,
            within: row.get(5).map_err(sql)?,
        };
        let at: i64 = row.get(6).map_err(sql)?;
        if limit.check().is_err() || seal(&limit, at) != row.get::<_, [u8; 32]>(7).map_err(sql)? {
            return Err(changed());
        }
        limits.push(limit);
    }
    Ok(limits)
}

/// Checks that every cost has a subject if every subject has a limit. Otherwise a release that names no subject would pass
/// a limit on all of them.
pub(crate) fn check_subjects(limits: &[Limit], charges: &[Charge]) -> Result<(), Error> {
    let limited = limits.iter().any(|limit| limit.scope == BudgetScope::EverySubject);
    let costs = |charge: &Charge| {
        !charge.epsilon.is_zero() || charge.delta > 0.0 || !charge.worst_case.is_some_and(Epsilon::is_zero)
    };
    match limited && charges.iter().any(|charge| charge.subject.is_none() && costs(charge)) {
        true => Err(ErrorKind::NoSubject.into()),
        false => Ok(()),
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
    let effective: Vec<&Limit> = effective(limits, scope).collect();
    check_expressible(&effective, scope, &asked)?;
    for limit in effective {
        for line in LimitLine::of(limit.counted, &asked) {
            let [asked, before, after] =
                [&asked, before, after].map(|sums| CountedSum::of(sums, line, limit));
            // A release without cost passes even if a limit was lowered below the spent budget.
            if !asked.is_nothing() && !after.fits(limit) {
                return Err(over(scope, limit, line, &asked, &before, &after).into());
            }
        }
    }
    Ok(())
}

/// Checks that each metric of a release is counted by some limit, if there are limits at all. A
/// limit in one metric would otherwise be passed by a release in another.
fn check_expressible(limits: &[&Limit], scope: &BudgetScope, asked: &Sums) -> Result<(), Error> {
    let counts = |metric: Metric| {
        limits.iter().any(|limit| match limit.counted {
            Counted::EachMetric | Counted::WorstCase => true,
            // ε for any two inputs counts in every metric.
            Counted::Metric(limited) => limited == metric || metric == Metric::Discrete,
        })
    };
    let costs = |sum: &&Sum| !sum.epsilon.is_zero() || sum.delta > 0.0;
    let uncounted = asked.iter().filter(costs).find(|sum| sum.measure.metric().is_some_and(|m| !counts(m)));
    match (uncounted, limits.first()) {
        (Some(sum), Some(limit)) => Err(ErrorKind::OtherMetric {
            scope: scope.clone(),
            measure: sum.measure.clone(),
            limited: limit.counted,
        }
        .into()),
        _ => Ok(()),
    }
}

/// The error of a release that passes a limit.
fn over(
    scope: &BudgetScope,
    limit: &Limit,
    line: LimitLine,
    asked: &CountedSum,
    before: &CountedSum,
    after: &CountedSum,
) -> ErrorKind {
    let (scope, measure) = (scope.clone(), line.measure(limit));
    if after.tightest(limit.delta).is_none() {
        return ErrorKind::OverDelta {
            scope,
            measure,
            spent: before.delta,
            asked: asked.delta,
            limit: limit.delta,
        };
    }
    let epsilon = |sum: &CountedSum| sum.tightest(limit.delta).unwrap_or(sum.epsilon);
    let spent = epsilon(before);
    ErrorKind::OverLimit {
        scope,
        measure,
        spent,
        asked: epsilon(asked),
        left: left(limit.epsilon, spent),
        limit: limit.epsilon,
    }
}
