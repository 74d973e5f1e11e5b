//! Keeps the noise of columns apart. The record of a row follows from its id, so two columns of a row would share it.

use std::collections::BTreeSet;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, LogicalPlan};

use crate::calls::{in_node, input_of};
use crate::functions::{Kind, called, is_unnamed_noise, unbound};
use crate::origins::TextName;

/// Names the columns in the calls of `veil` and of `veil_vector` that a query has written, if it veils several. As in
/// `BatchRelease`, one column alone has no name. Calls of a policy have their names already.
pub(crate) fn name_columns(plan: LogicalPlan) -> Result<LogicalPlan> {
    let named = name_columns_of(plan, Kind::Veil)?;
    // Vectors do not share the noise of texts, because their noise follows from another key.
    name_columns_of(named, Kind::VeilVector)
}

fn name_columns_of(plan: LogicalPlan, kind: Kind) -> Result<LogicalPlan> {
    let mut columns = BTreeSet::new();
    plan.apply_with_subqueries(|node| {
        for call in unnamed(node)? {
            columns.extend(column_of(&call, kind, input_of(node)?)?);
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    if columns.len() < 2 {
        return Ok(plan);
    }
    let tables: BTreeSet<&str> = columns.iter().filter_map(TextName::table).collect();
    let several_tables = tables.len() > 1;
    let named = plan.transform_up_with_subqueries(|node| {
        if unnamed(&node)?.is_empty() {
            return Ok(Transformed::no(node));
        }
        let input = input_of(&node)?.clone();
        node.map_expressions(|expr| {
            expr.transform_up(|expr| match column_of(&expr, kind, &input)? {
                Some(column) => {
                    let args = called(&expr).map(|(_, args)| args.to_vec()).unwrap_or_default();
                    Ok(Transformed::yes(unbound(kind, Some(&column.name(several_tables)), args)))
                }
                None => Ok(Transformed::no(expr)),
            })
        })
    })?;
    Ok(named.data)
}

/// Whether the query has calls with noise of its own.
pub(crate) fn has_own_calls(plan: &LogicalPlan) -> Result<bool> {
    let mut any = false;
    plan.apply_with_subqueries(|node| {
        any |= !unnamed(node)?.is_empty();
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(any)
}

fn unnamed(node: &LogicalPlan) -> Result<Vec<Expr>> {
    Ok(in_node(node)?.into_iter().filter(is_unnamed_noise).collect())
}

fn column_of(call: &Expr, kind: Kind, input: &LogicalPlan) -> Result<Option<TextName>> {
    match called(call) {
        Some((of, [first, ..])) if of == kind && is_unnamed_noise(call) => {
            TextName::of(first, input).map(Some)
        }
        _ => Ok(None),
    }
}
