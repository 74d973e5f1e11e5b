//! Puts a policy in front of a table. Queries see a view; no name leads to the table behind it.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::catalog::TableProvider;
use datafusion::catalog::view::ViewTable;
use datafusion::common::Column;
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::{Expr, LogicalPlanBuilder, lit};
use inkveil::name_list;
use inkveil::settings::UnknownName;

use super::{TablePolicy, Treatment};
use crate::error::{Error, refused};
use crate::functions::{Kind, unbound};
use crate::texts::text_type;
use crate::vectors::vector_type;

/// The view of a table under its policy.
///
/// # Errors
/// If the policy names a column that the table lacks, or does not name one that may hold texts.
pub(crate) fn view(
    name: &str,
    table: Arc<dyn TableProvider>,
    policy: &TablePolicy,
) -> Result<Arc<dyn TableProvider>, Error> {
    let schema = table.schema();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    for column in policy.columns.keys().chain(&policy.id) {
        if !names.contains(&column.as_str()) {
            // Names of a file without a header are data, so they are suggested only if they look like names.
            let shown = names.iter().copied().filter(|name| inkveil::looks_like_name(name));
            return Err(refused(format!(
                "the policy of the table {name}: {}",
                UnknownName::new("column", column, shown)
            )));
        }
    }
    let mut open = Vec::new();
    let mut columns = Vec::new();
    for field in schema.fields() {
        let given = policy.columns.get(field.name());
        if given.is_none() && !policy.keep_others && !is_harmless(field.data_type()) {
            open.push(field.name().clone());
        }
        let column = || Expr::Column(Column::new(Some(name), field.name()));
        let treatment = given.copied().unwrap_or(Treatment::Keep);
        let is_text = text_type(field.data_type()).is_some();
        let is_vector = !is_text && vector_type(field.data_type()).is_some();
        let is_fit = match treatment {
            Treatment::Veil => is_text || is_vector,
            Treatment::Mask | Treatment::Detect => is_text,
            Treatment::Drop | Treatment::Keep => true,
        };
        if !is_fit {
            return Err(refused(format!(
                "the policy of the table {name}: {} does not hold texts, so it can only be {}dropped or kept",
                name_list(std::slice::from_ref(field.name())),
                if is_vector { "veiled, " } else { "" }
            )));
        }
        let treated = match treatment {
            Treatment::Drop => continue,
            Treatment::Keep => column(),
            Treatment::Mask => unbound(Kind::Mask, None, vec![column()]).alias(field.name()),
            Treatment::Detect => unbound(Kind::Detect, None, vec![column()]).alias(field.name()),
            Treatment::Veil => {
                let id = policy.id.as_deref().unwrap_or_default();
                let mut args = vec![column(), Expr::Column(Column::new(Some(name), id))];
                let kind = if is_vector { Kind::VeilVector } else { Kind::Veil };
                args.extend(policy.task.as_deref().filter(|_| !is_vector).map(lit));
                // Rows of several columns and tables may share an id. The name stays the same when the policy grows.
                let records = format!("{name}.{}", field.name());
                unbound(kind, Some(&records), args).alias(field.name())
            }
        };
        columns.push(treated);
    }
    if !open.is_empty() {
        return Err(refused(format!(
            "the policy of the table {name} says nothing about {}, which may hold texts; list them, or write others = \"keep\"",
            name_list(&open)
        )));
    }
    if columns.is_empty() {
        return Err(refused(format!("the policy of the table {name} drops all its columns")));
    }
    let plan = LogicalPlanBuilder::scan(name, provider_as_source(table), None)
        .and_then(|scan| scan.project(columns))
        .and_then(LogicalPlanBuilder::build)
        .map_err(|_| refused(format!("the policy of the table {name} cannot be applied to its columns")))?;
    Ok(Arc::new(ViewTable::new(plan, Some("a table under a policy".to_owned()))))
}

/// Whether values of this type are no texts: numbers, dates and times.
pub(crate) fn is_harmless(kind: &DataType) -> bool {
    kind.is_numeric() || kind.is_temporal() || matches!(kind, DataType::Boolean | DataType::Null)
}
