//! Gives `veil(text)` the id column that the settings name.

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::optimizer::AnalyzerRule;

use crate::error::refused;
use crate::functions::{Kind, called, unbound};
use crate::settings::VeilOptions;

const ADVICE: &str =
    "give a stable row id: write veil(text, id), or name the column with SET inkveil.id = 'column'";

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
            let mut args = called(&expr).map(|(_, args)| args.to_vec()).unwrap_or_default();
            args.push(Expr::Column(column(&inputs, id, args.first())?));
            Ok(Transformed::yes(unbound(Kind::Veil, None, args)))
        })?;
        Ok(changed.update_data(|expr| name.restore(expr)))
    })?;
    changed.map_data(LogicalPlan::recompute_schema)
}

fn lacks_id(expr: &Expr) -> bool {
    matches!(called(expr), Some((Kind::Veil, [_])))
}

/// The id column in the input of a call.
fn column(inputs: &[LogicalPlan], id: Option<&str>, text: Option<&Expr>) -> Result<Column> {
    let Some(id) = id else {
        return Err(refused(format!("veil(text) has no id of its row; {ADVICE}")).into());
    };
    let mut found: Vec<Column> =
        inputs.iter().flat_map(|input| input.schema().columns_with_unqualified_name(id)).collect();
    // Of two joined tables, the one that holds the text.
    if let (2.., Some(Expr::Column(text))) = (found.len(), text) {
        found.retain(|column| column.relation == text.relation);
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => {
            Err(refused(format!("the rows that veil(text) reads have no column inkveil.id names; {ADVICE}"))
                .into())
        }
        _ => {
            Err(refused("several tables have the column that inkveil.id names; write veil(text, id)").into())
        }
    }
}
