//! Checks that the id of a row does not depend on the order of rows or on chance.

use datafusion::common::Result;
use datafusion::common::tree_node::TreeNode as _;
use datafusion::logical_expr::{Expr, LogicalPlan};

use crate::calls::{any_below, is_by_chance};
use crate::origins::{Behind, behind};

/// Whether an expression over the rows of `input` has the same value each time a row is read. The number that a window
/// function gives to a row depends on how rows are divided and ordered.
pub(crate) fn is_stable(expr: &Expr, input: &LogicalPlan) -> Result<bool> {
    if expr.is_volatile() || expr.exists(|part| Ok(matches!(part, Expr::WindowFunction(_))))? {
        return Ok(false);
    }
    for column in expr.column_refs() {
        match behind(column, input) {
            Behind::Computed(exprs) => {
                for (expr, input) in exprs {
                    if !is_stable(&expr, input)? {
                        return Ok(false);
                    }
                }
            }
            // Any part of the plan may give the column.
            Behind::Untraced(plan) if any_below(plan, is_unstable)? => return Ok(false),
            // A column of an outer query is checked there.
            Behind::Untraced(_) | Behind::Table(_) | Behind::Constant | Behind::Outer => {}
        }
    }
    Ok(true)
}

fn is_unstable(part: &Expr) -> bool {
    is_by_chance(part) || matches!(part, Expr::WindowFunction(_))
}
