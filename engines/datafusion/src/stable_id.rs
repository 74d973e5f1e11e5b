//! Checks that the id of a row does not depend on the order of rows or on chance.

use datafusion::common::Result;
use datafusion::common::tree_node::TreeNode as _;
use datafusion::logical_expr::{Expr, LogicalPlan};

use crate::origins::{Behind, behind};

/// Whether an expression over the rows of `input` has the same value each time a row is read. The number that a window
/// function gives to a row depends on how rows are divided and ordered.
pub(crate) fn is_stable(expr: &Expr, input: &LogicalPlan) -> Result<bool> {
    if expr.is_volatile() || expr.exists(|part| Ok(matches!(part, Expr::WindowFunction(_))))? {
        return Ok(false);
    }
    for column in expr.column_refs() {
        // A column of an outer query is checked there.
        let Behind::Computed(exprs) = behind(column, input) else { continue };
        for (expr, input) in exprs {
            if !is_stable(&expr, input)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
