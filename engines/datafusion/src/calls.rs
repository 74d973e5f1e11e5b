//! Finds the calls of our functions in a plan, checks where they stand, and gives them the work of their query.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, LogicalPlan, Projection};

use crate::error::{Error, refused};
use crate::functions::{Kind, bound, called, counting, embedded, is_release};
use crate::origins::Origins;
use crate::stable_id::is_stable;
use crate::work::Work;

/// The calls of a query.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// The functions that it calls.
    pub(crate) kinds: BTreeSet<Kind>,
    /// The tables that the released texts come from.
    pub(crate) tables: BTreeSet<String>,
    /// What each call with noise reads: a plan that computes the arguments of all calls of one node.
    pub(crate) veiled: Vec<LogicalPlan>,
    /// Calls of `embed` whose vectors no call of `veil_vector` reads.
    pub(crate) clear_vectors: usize,
    /// Calls of `veil_vector` whose vectors do not come from `embed`.
    pub(crate) other_vectors: usize,
    /// Whether chance decides which texts are veiled, or what they are.
    pub(crate) by_chance: bool,
}

impl Calls {
    /// Finds the calls in an optimised plan.
    pub(crate) fn of(plan: &LogicalPlan) -> Result<Self> {
        let mut calls = Self::default();
        let mut is_outer = false;
        plan.apply_with_subqueries(|node| {
            is_outer |= calls.read(node)?;
            Ok(TreeNodeRecursion::Continue)
        })?;
        if is_outer {
            // A text of an outer query may come from every table.
            let mut all = Origins::default();
            all.add_all(plan)?;
            calls.tables = all.tables;
        }
        Ok(calls)
    }

    pub(crate) fn has(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }

    /// Whether it releases something.
    pub(crate) fn releases(&self) -> bool {
        self.kinds.iter().any(|kind| kind.releases())
    }

    /// Reads one node. Returns whether a released text belongs to an outer query.
    fn read(&mut self, node: &LogicalPlan) -> Result<bool> {
        if let LogicalPlan::RecursiveQuery(query) = node
            && any_below(&query.recursive_term, is_release)?
        {
            return Err(refused(
                "the repeated part of a recursive query would release a row many times; use veil(), veil_vector() and mask() \
                 outside it",
            )
            .into());
        }
        let found = in_node(node)?;
        self.kinds.extend(found.iter().filter_map(|call| called(call).map(|(kind, _)| kind)));
        let number =
            |wanted| found.iter().filter(|call| called(call).is_some_and(|(kind, _)| kind == wanted)).count();
        let embedded = found.iter().filter(|call| embedded(call).is_some()).count();
        self.clear_vectors += number(Kind::Embed) - embedded;
        self.other_vectors += number(Kind::VeilVector) - embedded;
        let releasing: Vec<&Expr> = found.iter().filter(|call| is_release(call)).collect();
        if releasing.is_empty() {
            return Ok(false);
        }
        if in_lambda(node)? {
            return Err(refused(
                "veil(), veil_vector() and mask() cannot stand in a lambda, because the elements of a list have no ids and their \
                 cost cannot be planned; use unnest() in a subquery",
            )
            .into());
        }
        let input = input_of(node)?;
        let is_outer = self.check(&releasing, input)?;
        let veiled: Vec<Expr> = releasing
            .into_iter()
            .filter(|call| called(call).is_some_and(|(kind, _)| kind.is_noisy()))
            .enumerate()
            .map(|(index, call)| counting(call).alias(format!("cost {index}")))
            .collect();
        if !veiled.is_empty() {
            let plan = LogicalPlan::Projection(Projection::try_new(veiled, Arc::new(input.clone()))?);
            self.by_chance |= any_below(&plan, is_by_chance)?;
            self.veiled.push(plan);
        }
        Ok(is_outer)
    }

    fn check(&mut self, releasing: &[&Expr], input: &LogicalPlan) -> Result<bool> {
        let mut is_outer = false;
        for call in releasing {
            let Some((kind, [input_of_call, rest @ ..])) = called(call) else { continue };
            let origins = Origins::of(input_of_call, input)?;
            let mut is_nested = origins.is_released;
            for arg in rest {
                is_nested |= arg.exists(|part| Ok(is_release(part)))?;
            }
            if is_nested {
                return Err(refused(
                    "a text or vector that is veiled or masked is released once; do not veil or mask it again",
                )
                .into());
            }
            is_outer |= origins.is_outer;
            self.tables.extend(origins.tables);
            if let (true, [id, ..]) = (kind.is_noisy(), rest) {
                check_id(kind, id, input)?;
            }
        }
        if any_below(input, is_release)? {
            return Err(refused(
                "veil(), veil_vector() or mask() reads rows that another call has chosen, as in WHERE; call it once in a \
                 subquery and use its result: SELECT v FROM (SELECT veil(text, id) AS v FROM ...) WHERE v ...",
            )
            .into());
        }
        Ok(is_outer)
    }
}

/// Refuses an id that changes, or that many rows share.
fn check_id(kind: Kind, id: &Expr, input: &LogicalPlan) -> Result<()> {
    let advice = format!("give a stable row id: {} with a column of the table", kind.usage());
    if !is_stable(id, input)? {
        return Err(refused(format!(
            "the id of a row depends on chance or on the order of rows, so its noise could not be repeated; {advice}"
        ))
        .into());
    }
    let (of_id, mut all) = (Origins::of(id, input)?, Origins::default());
    all.add_all(input)?;
    if of_id.tables.is_empty() && !of_id.is_outer && !all.tables.is_empty() {
        return Err(refused(format!(
            "the id comes from no column of a table, so rows would share it and have the same noise; {advice}"
        ))
        .into());
    }
    Ok(())
}

/// The calls in the expressions of one node.
pub(crate) fn in_node(node: &LogicalPlan) -> Result<Vec<Expr>> {
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

/// Whether a node releases something in a lambda. Its texts come from the elements of a list, which are not traced.
fn in_lambda(node: &LogicalPlan) -> Result<bool> {
    let mut any = false;
    node.apply_expressions(|expr| {
        any |= expr.exists(|part| match part {
            Expr::Lambda(lambda) => lambda.body.exists(|part| Ok(is_release(part))),
            _ => Ok(false),
        })?;
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(any)
}

/// Whether an expression of a plan or of its subqueries has a part like this.
pub(crate) fn any_below(plan: &LogicalPlan, is_wanted: impl Fn(&Expr) -> bool) -> Result<bool> {
    let mut any = false;
    plan.apply_with_subqueries(|node| {
        node.apply_expressions(|expr| {
            any |= expr.exists(|part| Ok(is_wanted(part)))?;
            Ok(if any { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
        })
    })?;
    Ok(any)
}

/// Whether this is a call whose result differs each time. Our functions are volatile for the optimiser only.
pub(crate) fn is_by_chance(expr: &Expr) -> bool {
    expr.is_volatile_node() && called(expr).is_none()
}

/// The input of a node that may release. The engine computes the expressions of other nodes more than once, or where
/// their cost cannot be planned.
pub(crate) fn input_of(node: &LogicalPlan) -> Result<&LogicalPlan, Error> {
    match node {
        LogicalPlan::Projection(node) => Ok(&node.input),
        LogicalPlan::Filter(node) => Ok(&node.input),
        LogicalPlan::Aggregate(node) => Ok(&node.input),
        _ => Err(refused(
            "veil(), veil_vector() and mask() stand in a SELECT list, in WHERE or in GROUP BY; compute them there, and use \
             their result in an outer query",
        )),
    }
}

/// Gives all calls in a plan the work of their query.
pub(crate) fn bind(plan: LogicalPlan, work: &Arc<Work>) -> Result<LogicalPlan> {
    let with_work = |expr: Expr| {
        expr.transform_up(|expr| {
            Ok(match bound(&expr, work) {
                Some(call) => Transformed::yes(call),
                None => Transformed::no(expr),
            })
        })
    };
    Ok(plan.transform_up_with_subqueries(|node| node.map_expressions(with_work))?.data)
}
