//! Traces expressions of a plan to the tables that they are computed from.

use std::collections::BTreeSet;

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Result, TableReference};
use datafusion::datasource::listing::ListingTable;
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan, TableScan};

use crate::delta::DeltaTable;
use crate::functions::is_release;

/// What stands behind a column.
pub(crate) enum Behind<'p> {
    /// Expressions over the rows of plans below. A union has several.
    Computed(Vec<(Expr, &'p LogicalPlan)>),
    /// A column of a table of the session.
    Table(&'p str),
    /// Constants, or a table function.
    Constant,
    /// It is computed by this plan, in a way that is not traced.
    Untraced(&'p LogicalPlan),
    /// The plan has no such column: it belongs to an outer query.
    Outer,
}

/// Finds what stands behind a column of a plan.
pub(crate) fn behind<'p>(column: &Column, plan: &'p LogicalPlan) -> Behind<'p> {
    let Some(at) = plan.schema().maybe_index_of_column(column) else { return Behind::Outer };
    let same = |input: &'p LogicalPlan| vec![(Expr::Column(column.clone()), input)];
    let at_same_place =
        |input: &'p LogicalPlan| (Expr::Column(Column::from(input.schema().qualified_field(at))), input);
    let computed = match plan {
        LogicalPlan::Projection(node) => vec![(node.expr[at].clone(), node.input.as_ref())],
        LogicalPlan::SubqueryAlias(node) => vec![at_same_place(&node.input)],
        LogicalPlan::Window(node) => match at.checked_sub(node.input.schema().fields().len()) {
            None => same(&node.input),
            Some(at) => vec![(node.window_expr[at].clone(), node.input.as_ref())],
        },
        LogicalPlan::Aggregate(node) => {
            let mut exprs = node.group_expr.iter().chain(&node.aggr_expr);
            match node.group_expr.iter().any(|expr| matches!(expr, Expr::GroupingSet(_))) {
                true => return Behind::Untraced(plan),
                false => exprs.nth(at).map(|expr| (expr.clone(), node.input.as_ref())).into_iter().collect(),
            }
        }
        LogicalPlan::Join(node) => match node.left.schema().maybe_index_of_column(column) {
            Some(_) => same(&node.left),
            None => same(&node.right),
        },
        LogicalPlan::Union(node) => node.inputs.iter().map(|input| at_same_place(input)).collect(),
        LogicalPlan::Filter(node) => same(&node.input),
        LogicalPlan::Distinct(Distinct::All(input)) => same(input),
        LogicalPlan::Sort(node) => same(&node.input),
        LogicalPlan::Limit(node) => same(&node.input),
        LogicalPlan::Repartition(node) => same(&node.input),
        LogicalPlan::TableScan(scan) if is_table(scan) => return Behind::Table(scan.table_name.table()),
        LogicalPlan::TableScan(_) | LogicalPlan::EmptyRelation(_) => return Behind::Constant,
        _ => return Behind::Untraced(plan),
    };
    Behind::Computed(computed)
}

/// What an expression is computed from.
#[derive(Debug, Default)]
pub(crate) struct Origins {
    /// Tables of the session.
    pub(crate) tables: BTreeSet<String>,
    /// Whether a text on the way was veiled or masked.
    pub(crate) is_released: bool,
    /// Whether a part of it belongs to an outer query.
    pub(crate) is_outer: bool,
}

impl Origins {
    /// Traces an expression over the rows of `input`.
    pub(crate) fn of(expr: &Expr, input: &LogicalPlan) -> Result<Self> {
        let mut origins = Self::default();
        origins.add(expr, input)?;
        Ok(origins)
    }

    fn add(&mut self, expr: &Expr, input: &LogicalPlan) -> Result<()> {
        expr.apply(|part| {
            self.is_released |= is_release(part);
            match part {
                Expr::OuterReferenceColumn(..) => self.is_outer = true,
                Expr::ScalarSubquery(query) => self.add_all(&query.subquery)?,
                Expr::Exists(node) => self.add_all(&node.subquery.subquery)?,
                Expr::InSubquery(node) => self.add_all(&node.subquery.subquery)?,
                Expr::SetComparison(node) => self.add_all(&node.subquery.subquery)?,
                _ => {}
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        for column in expr.column_refs() {
            match behind(column, input) {
                Behind::Computed(exprs) => {
                    exprs.iter().try_for_each(|(expr, input)| self.add(expr, input))?;
                }
                Behind::Table(name) => {
                    self.tables.insert(name.to_owned());
                }
                Behind::Constant => {}
                Behind::Untraced(plan) => self.add_all(plan)?,
                Behind::Outer => self.is_outer = true,
            }
        }
        Ok(())
    }

    /// Adds all tables that a plan reads.
    pub(crate) fn add_all(&mut self, plan: &LogicalPlan) -> Result<()> {
        plan.apply_with_subqueries(|node| {
            if let LogicalPlan::TableScan(scan) = node
                && is_table(scan)
            {
                self.tables.insert(scan.table_name.table().to_owned());
            }
            node.apply_expressions(|expr| {
                self.is_released |= expr.exists(|part| Ok(is_release(part)))?;
                Ok(TreeNodeRecursion::Continue)
            })
        })?;
        Ok(())
    }
}

/// The text of a call, as it follows from the columns of tables.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TextName {
    /// A column of a table.
    Column { table: String, column: String },
    /// Something that is computed.
    Computed(String),
}

impl TextName {
    /// The name of the text that an expression over the rows of `input` gives.
    pub(crate) fn of(expr: &Expr, input: &LogicalPlan) -> Result<Self> {
        let mut traced = inlined(expr, input)?;
        // A change of type keeps the text.
        while let Expr::Cast(cast) = traced {
            traced = *cast.expr;
        }
        Ok(match traced {
            Expr::Column(Column { relation: Some(table), name, .. }) => {
                Self::Column { table: table.table().to_owned(), column: name }
            }
            other => Self::Computed(other.to_string()),
        })
    }

    /// Its table.
    pub(crate) fn table(&self) -> Option<&str> {
        match self {
            Self::Column { table, .. } => Some(table),
            Self::Computed(_) => None,
        }
    }

    /// The name in words.
    pub(crate) fn name(&self, with_table: bool) -> String {
        match self {
            Self::Column { table, column } if with_table => format!("{table}.{column}"),
            Self::Column { column: name, .. } | Self::Computed(name) => name.clone(),
        }
    }
}

/// Puts in place of each column what it is computed from. What is left are columns of tables.
fn inlined(expr: &Expr, input: &LogicalPlan) -> Result<Expr> {
    let changed = expr.clone().transform_up(|part| match &part {
        Expr::Alias(alias) => Ok(Transformed::yes(alias.expr.as_ref().clone())),
        Expr::Column(column) => Ok(match behind(column, input) {
            Behind::Computed(exprs) => match exprs.as_slice() {
                [(expr, input)] => Transformed::yes(inlined(expr, input)?),
                // Rows of several queries in one column have one name, and another one than other rows.
                several => {
                    let name = |(expr, input): &(Expr, &LogicalPlan)| {
                        TextName::of(expr, input).map(|text| text.name(true))
                    };
                    let names: BTreeSet<String> = several.iter().map(name).collect::<Result<_>>()?;
                    let names: Vec<String> = names.into_iter().collect();
                    Transformed::yes(Expr::Column(Column::from_name(names.join(" or "))))
                }
            },
            // Columns of different plans may have one name.
            Behind::Untraced(plan) => {
                let name = format!("{} of {}", column.name, plan.display_indent());
                Transformed::yes(Expr::Column(Column::from_name(name)))
            }
            Behind::Table(table) => {
                Transformed::yes(Expr::Column(Column::new(Some(TableReference::bare(table)), &column.name)))
            }
            _ => Transformed::yes(Expr::Column(Column::from_name(&column.name))),
        }),
        _ => Ok(Transformed::no(part)),
    })?;
    Ok(changed.data)
}

/// Whether a scan reads files of the session. Other scans are of table functions and of what the engine says of itself.
fn is_table(scan: &TableScan) -> bool {
    source_as_provider(&scan.source).is_ok_and(|table| table.is::<ListingTable>() || table.is::<DeltaTable>())
}
