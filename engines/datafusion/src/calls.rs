//! Finds the calls of our functions in a plan, checks where they stand, and gives them the work of their query.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Expr, LogicalPlan, Projection};

use crate::error::{Error, refused};
use crate::functions::{Kind, bound, called};
use crate::stable_id::is_stable;
use crate::work::Work;

/// The calls of a query.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// The functions that it calls.
    pub(crate) kinds: BTreeSet<Kind>,
    /// The tables that it reads.
    pub(crate) tables: BTreeSet<String>,
    /// What each call of `veil` reads: a plan that computes the arguments of all calls of one node.
    pub(crate) veiled: Vec<LogicalPlan>,
}

impl Calls {
    /// Finds the calls in an optimised plan.
    pub(crate) fn of(plan: &LogicalPlan) -> Result<Self> {
        let mut calls = Self::default();
        plan.apply_with_subqueries(|node| {
            calls.read(node)?;
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(calls)
    }

    pub(crate) fn has(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }

    /// Whether it releases something.
    pub(crate) fn releases(&self) -> bool {
        self.kinds.iter().any(|kind| kind.releases())
    }

    fn read(&mut self, node: &LogicalPlan) -> Result<()> {
        if let LogicalPlan::TableScan(scan) = node {
            self.tables.insert(scan.table_name.table().to_owned());
        }
        let found = in_node(node)?;
        self.kinds.extend(found.iter().filter_map(|call| called(call).map(|(kind, _)| kind)));
        let releasing: Vec<&Expr> = found.iter().filter(|call| is_release(call)).collect();
        if releasing.is_empty() {
            return Ok(());
        }
        let input = input_of(node)?;
        check(&releasing, input)?;
        let veiled: Vec<Expr> = releasing
            .into_iter()
            .filter(|call| matches!(called(call), Some((Kind::Veil, _))))
            .enumerate()
            .map(|(index, call)| call.clone().alias(format!("cost {index}")))
            .collect();
        if !veiled.is_empty() {
            let plan = Projection::try_new(veiled, Arc::new(input.clone()))?;
            self.veiled.push(LogicalPlan::Projection(plan));
        }
        Ok(())
    }
}

/// The calls in the expressions of one node.
fn in_node(node: &LogicalPlan) -> Result<Vec<Expr>> {
    let mut found = Vec::new();
    node.apply_expressions(|expr| {
        expr.apply(|expr| {
            if called(expr).is_some() {
                found.push(expr.clone());
            }
            Ok(TreeNodeRecursion::Continue)
        })
    })?;
    Ok(found)
}

fn is_release(expr: &Expr) -> bool {
    called(expr).is_some_and(|(kind, _)| kind.releases())
}

/// The input of a node that may release. The engine computes the expressions of other nodes more than once, or where
/// their cost cannot be planned.
fn input_of(node: &LogicalPlan) -> Result<&LogicalPlan, Error> {
    match node {
        LogicalPlan::Projection(node) => Ok(&node.input),
        LogicalPlan::Filter(node) => Ok(&node.input),
        LogicalPlan::Aggregate(node) => Ok(&node.input),
        _ => Err(refused(
            "veil() and mask() stand in a SELECT list, in WHERE or in GROUP BY; compute them there, and use their result \
             in an outer query",
        )),
    }
}

fn check(releasing: &[&Expr], input: &LogicalPlan) -> Result<()> {
    let nested = || refused("a text that is veiled or masked is released once; do not veil or mask it again");
    let mut below = false;
    input.apply_with_subqueries(|node| {
        below |= in_node(node)?.iter().any(is_release);
        Ok(if below { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    if below {
        return Err(nested().into());
    }
    for call in releasing {
        let Some((kind, args)) = called(call) else { continue };
        for arg in args {
            if arg.exists(|expr| Ok(is_release(expr)))? {
                return Err(nested().into());
            }
        }
        if let (Kind::Veil, Some(id)) = (kind, args.get(1))
            && !is_stable(id, input)?
        {
            return Err(refused(
                "the id of a row depends on chance or on the order of rows, so its noise could not be repeated; give a \
                 stable row id: veil(text, id) with a column of the table",
            )
            .into());
        }
    }
    Ok(())
}

/// Gives all calls in a plan the work of their query.
pub(crate) fn bind(plan: LogicalPlan, work: &Arc<Work>) -> Result<LogicalPlan> {
    let with_work = |expr: Expr| {
        expr.transform_up(|expr| {
            let Some((kind, args)) = called(&expr) else { return Ok(Transformed::no(expr)) };
            let call = ScalarFunction::new_udf(bound(kind, work), args.to_vec());
            Ok(Transformed::yes(Expr::ScalarFunction(call)))
        })
    };
    Ok(plan.transform_up_with_subqueries(|node| node.map_expressions(with_work))?.data)
}
