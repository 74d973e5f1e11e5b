//! Setting limits, and holding releases against them.

use inkveil_privacy::Epsilon;
use rusqlite::{Connection, TransactionBehavior, params};

use crate::charge::Charge;
use crate::error::{Error, ErrorKind, sql};
use crate::ledger::Ledger;
use crate::limit::{Counted, Limit, Scope, effective, left};
use crate::measure::Measure;
use crate::moment::Moment;
use crate::seal::Seal;
use crate::totals::Sums;

impl Ledger {
    /// Sets a limit, in place of one on the same. What was spent stays: a limit below it refuses whatever costs more.
    ///
    /// # Errors
    /// If the name cannot be one, or the ledger cannot be written.
    pub fn set_limit(&mut self, limit: &Limit) -> Result<(), Error> {
        let set = limit.check().and_then(|()| set(&mut self.connection, limit, Moment::now()));
        self.named(set)
    }

    /// Removes a limit; false if there was none.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    pub fn remove_limit(&mut self, scope: &Scope, counted: Counted) -> Result<bool, Error> {
        let removed = remove(&mut self.connection, scope, counted);
        self.named(removed)
    }

    /// All limits.
    ///
    /// # Errors
    /// If the ledger cannot be read or is damaged.
    pub fn limits(&self) -> Result<Vec<Limit>, Error> {
        self.named(all(&self.connection))
    }
}

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

fn set(connection: &mut Connection, limit: &Limit, now: Moment) -> Result<(), Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
    let (kind, name) = limit.scope.columns();
    let query = "INSERT INTO limits (scope, name, counted, epsilon, at, seal) VALUES (?, ?, ?, ?, ?, ?) \
                 ON CONFLICT DO UPDATE SET epsilon = excluded.epsilon, at = excluded.at, seal = excluded.seal";
    let at = now.seconds();
    let row = params![kind, name, limit.counted.to_string(), limit.epsilon.get(), at, seal(limit, at)];
    transaction.execute(query, row).map_err(sql)?;
    transaction.commit().map_err(sql)
}

fn remove(connection: &mut Connection, scope: &Scope, counted: Counted) -> Result<bool, Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
    let (kind, name) = scope.columns();
    let query = "DELETE FROM limits WHERE scope = ? AND name = ? AND counted = ?";
    let removed = transaction.execute(query, params![kind, name, counted.to_string()]).map_err(sql)?;
    transaction.commit().map_err(sql)?;
    Ok(removed > 0)
}

/// All limits. One that was changed is an error: it is not known any more what may be spent.
pub(crate) fn all(connection: &Connection) -> Result<Vec<Limit>, Error> {
    let query = "SELECT scope, name, counted, epsilon, at, seal FROM limits ORDER BY scope, name, counted";
    let mut statement = connection.prepare(query).map_err(sql)?;
    let mut rows = statement.query([]).map_err(sql)?;
    let mut limits = Vec::new();
    while let Some(row) = rows.next().map_err(sql)? {
        let changed = || Error::corrupt("a limit was changed");
        let text = |column| row.get::<_, String>(column).map_err(sql);
        let limit = Limit {
            scope: Scope::from_columns(&text(0)?, text(1)?).ok_or_else(changed)?,
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

/// Whether a limit counts a measure. What is released without a promise counts against every limit.
pub(crate) fn counts(counted: Counted, measure: Measure) -> bool {
    match (counted, measure) {
        (Counted::WorstCase, measure) => measure == Measure::WorstCase,
        (_, Measure::WorstCase) => false,
        (_, Measure::NoPromise) | (Counted::EachMetric, _) => true,
        (Counted::Metric(limited), Measure::Metric { metric, .. }) => limited == metric,
    }
}

/// Whether sums may grow from `before` to `after`.
pub(crate) fn hold(
    limits: &[Limit],
    scope: &Scope,
    charges: &[&Charge],
    before: &Sums,
    after: &Sums,
) -> Result<(), Error> {
    let mut asked = Sums::default();
    asked.add(charges);
    for limit in effective(limits, scope) {
        for sum in asked.iter().filter(|sum| counts(limit.counted, sum.measure)) {
            // What costs nothing passes, also where a limit was lowered below what was spent.
            if sum.epsilon.is_zero() || after.against(sum.measure) <= limit.epsilon {
                continue;
            }
            let spent = before.against(sum.measure);
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
