//! Gives `veil(text)` and `veil_vector(vector)` the id column that the settings name.

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::optimizer::AnalyzerRule;

use crate::error::refused;
use crate::functions::{Kind, called, unbound};
use crate::settings::VeilOptions;

/// The rule.
#[derive(Debug, Default)]
pub(crate) struct FillId;

impl AnalyzerRule for FillId {
    fn analyze(&self, plan: LogicalPlan, config: &ConfigOptions) -> Result<LogicalPlan> {
        let id = config.extensions.get::<VeilOptions>().and_then(|options| options.get("id"));
        Ok(plan.transform_up_with_subqueries(|node| filled(node, id))?.data)
    }

    fn name(&self) -> &str {
        "fill_in_the_id_of_rows"
    }
}

fn filled(node: LogicalPlan, id: Option<&str>) -> Result<Transformed<LogicalPlan>> {
    let mut lacks = false;
    node.apply_expressions(|expr| {
        lacks |= expr.exists(|expr| Ok(lacks_id(expr)))?;
        Ok(datafusion::common::tree_node::TreeNodeRecursion::Continue)
    })?;
    if !lacks {
        return Ok(Transformed::no(node));
    }
    let inputs: Vec<LogicalPlan> = node.inputs().into_iter().cloned().collect();
    let names = NamePreserver::new(&node);
    let changed = node.map_expressions(|expr| {
        let name = names.save(&expr);
        let changed = expr.transform_up(|expr| {
            if !lacks_id(&expr) {
                return Ok(Transformed::no(expr));
            }
            let of_call = called(&expr).map(|(kind, args)| (kind, args.to_vec()));
            let Some((kind, mut args)) = of_call else { return Ok(Transformed::no(expr)) };
            args.push(Expr::Column(column(kind, &inputs, id, args.first())?));
            Ok(Transformed::yes(unbound(kind, None, args)))
        })?;
        Ok(changed.update_data(|expr| name.restore(expr)))
    })?;
    changed.map_data(LogicalPlan::recompute_schema)
}

fn lacks_id(expr: &Expr) -> bool {
    matches!(called(expr), Some((kind, [_])) if kind.is_noisy())
}

/// The id column in the input of a call.
fn column(kind: Kind, inputs: &[LogicalPlan], id: Option<&str>, first: Option<&Expr>) -> Result<Column> {
    let (name, usage) = (kind.name(), kind.usage());
    let advice =
        format!("give a stable row id: write {usage}, or name the column with SET inkveil.id = 'column'");
    let Some(id) = id else {
        return Err(refused(format!("{name}() has no id of its row; {advice}")).into());
    };
    let mut found: Vec<Column> =
        inputs.iter().flat_map(|input| input.schema().columns_with_unqualified_name(id)).collect();
    // Of two joined tables, the one that holds the text or vector.
    if let (2.., Some(Expr::Column(first))) = (found.len(), first) {
        found.retain(|column| column.relation == first.relation);
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(refused(format!(
            "the rows that {name}() reads have no column that inkveil.id names; {advice}"
        ))
        .into()),
        _ => {
            Err(refused(format!("several tables have the column that inkveil.id names; write {usage}"))
                .into())
        }
    }
}
