//! Checks that the id of a row does not depend on the order of rows or on chance.

use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Expr, LogicalPlan};

/// Whether an expression over the rows of `input` has the same value each time a row is read. The number that a window
/// function gives to a row depends on how rows are divided and ordered.
pub(crate) fn is_stable(expr: &Expr, input: &LogicalPlan) -> Result<bool> {
    if expr.is_volatile() {
        return Ok(false);
    }
    for column in expr.column_refs() {
        if !is_stable_column(column, input)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_stable_column(column: &Column, plan: &LogicalPlan) -> Result<bool> {
    let Some(at) = plan.schema().maybe_index_of_column(column) else {
        // A column of an outer query, which is checked there.
        return Ok(true);
    };
    match plan {
        LogicalPlan::Projection(node) => is_stable(&node.expr[at], &node.input),
        LogicalPlan::SubqueryAlias(node) => {
            is_stable_column(&Column::from(node.input.schema().qualified_field(at)), &node.input)
        }
        LogicalPlan::Window(node) => match at < node.input.schema().fields().len() {
            true => is_stable_column(column, &node.input),
            false => Ok(false),
        },
        LogicalPlan::Aggregate(node) => match node.group_expr.get(at) {
            Some(group) => is_stable(group, &node.input),
            None => Ok(true),
        },
        LogicalPlan::Join(node) => {
            let side = match node.left.schema().maybe_index_of_column(column) {
                Some(_) => &node.left,
                None => &node.right,
            };
            is_stable_column(column, side)
        }
        LogicalPlan::Union(node) => {
            for input in &node.inputs {
                let column = Column::from(input.schema().qualified_field(at));
                if !is_stable_column(&column, input)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        LogicalPlan::Filter(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::Distinct(_)
        | LogicalPlan::Repartition(_) => match plan.inputs().first() {
            Some(input) => is_stable_column(column, input),
            None => Ok(true),
        },
        _ => Ok(true),
    }
}
