//! Which parts of a plan may run on executors: those that read files and veil in one stage. Their rows are written to a
//! file of an executor before the client fetches them, so no column may hold a text that was not released.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::FileScanConfig;
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{CastExpr, Column, Literal};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use inkveil_datafusion::remote::RemoteCall;

use crate::told::{Error, refused};

/// Where the values of a column come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trace {
    /// A call has released them.
    Released,
    /// A column of the file.
    File(usize),
    /// The query itself.
    Literal,
    /// They are computed from other columns.
    Computed,
}

/// Divides a plan. `part` gets each part that releases something and may run on executors, and returns what stands in its
/// place. Other parts stay.
pub(crate) fn divided(
    plan: &Arc<dyn ExecutionPlan>,
    part: &mut dyn FnMut(Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>, Error>,
) -> Result<Arc<dyn ExecutionPlan>, Error> {
    if !has_release(plan) {
        return Ok(plan.clone());
    }
    if is_one_stage(plan) {
        check(plan)?;
        return part(plan.clone());
    }
    if own_calls(plan).any_release() {
        return Err(refused(
            "veil(), veil_vector() and mask() stand above a join, a sort, a limit, a grouping or a union; executors would have \
             to pass unveiled texts to each other. Veil each table first, and join, sort or group in an outer query: SELECT … \
             FROM (SELECT id, veil(text, id) AS text FROM table)",
        ));
    }
    let children = plan.children().into_iter().map(|child| divided(child, part));
    let children = children.collect::<Result<Vec<_>, _>>()?;
    datafusion::physical_plan::execution_plan::replace_children_if_necessary(plan.clone(), children)
        .map_err(|error| inkveil_datafusion::remote::told(&error).into())
}

/// Checks a part that runs on executors. Executors check it again.
pub(crate) fn check(part: &Arc<dyn ExecutionPlan>) -> Result<(), Error> {
    if !is_one_stage(part) || !has_release(part) {
        return Err(refused(
            "a task does not read files and veil them in one stage; executors run no others",
        ));
    }
    let mut calls = OwnCalls::default();
    all_calls(part, &mut calls);
    if let Some(name) = calls.unknown {
        return Err(refused(format!(
            "{name}() cannot be computed on a cluster; use veil(), veil_vector() and mask() there, and {name}() with inkveil-sql"
        )));
    }
    if !files_of(part).iter().all(|(store, _)| is_local(store)) {
        return Err(refused(
            "a cluster reads files at paths that all executors have; it does not read object storage yet",
        ));
    }
    let mut ids = BTreeSet::new();
    let traces = traced(part, &mut ids);
    let schema = part.schema();
    let mut raw = Vec::new();
    for (field, trace) in schema.fields().iter().zip(traces) {
        let is_id = matches!(trace, Trace::File(column) if ids.contains(&column));
        if !is_id && !matches!(trace, Trace::Released | Trace::Literal) && !is_plain(field.data_type()) {
            raw.push(field.name().clone());
        }
    }
    match raw.is_empty() {
        true => Ok(()),
        false => Err(refused(format!(
            "columns would be written to files of executors without being veiled: {}; veil or mask them, or leave them out. \
             Only numbers, dates, times and the ids of veiled rows may stay as they are",
            inkveil::name_list(&raw)
        ))),
    }
}

/// Whether values of a type are neither texts nor vectors.
fn is_plain(of: &DataType) -> bool {
    match of {
        DataType::Dictionary(_, values) => is_plain(values),
        DataType::Null | DataType::Boolean => true,
        of => of.is_numeric() || of.is_temporal(),
    }
}

/// The nodes of one stage: files are read, rows are filtered and columns are computed.
fn is_one_stage(plan: &Arc<dyn ExecutionPlan>) -> bool {
    if let Some(scan) = plan.downcast_ref::<DataSourceExec>() {
        return scan.data_source().is::<FileScanConfig>();
    }
    let is_known = plan.is::<FilterExec>() || plan.is::<ProjectionExec>() || plan.is::<CooperativeExec>();
    is_known && matches!(plan.children().as_slice(), [child] if is_one_stage(child))
}

/// The files that a part reads, with their stores.
pub(crate) fn files_of(part: &Arc<dyn ExecutionPlan>) -> Vec<(ObjectStoreUrl, PartitionedFile)> {
    let mut found = Vec::new();
    if let Some(scan) = part.downcast_ref::<DataSourceExec>()
        && let Some(config) = scan.data_source().downcast_ref::<FileScanConfig>()
    {
        for group in &config.file_groups {
            found.extend(group.iter().map(|file| (config.object_store_url.clone(), file.clone())));
        }
    }
    for child in part.children() {
        found.extend(files_of(child));
    }
    found
}

fn is_local(store: &ObjectStoreUrl) -> bool {
    *store == ObjectStoreUrl::local_filesystem()
}

/// Where each column of a part comes from. `ids` gets the columns of the file that give the ids of released rows.
fn traced(plan: &Arc<dyn ExecutionPlan>, ids: &mut BTreeSet<usize>) -> Vec<Trace> {
    let input = match plan.children().as_slice() {
        [child] => traced(child, ids),
        _ => return (0..plan.schema().fields().len()).map(Trace::File).collect(),
    };
    let _ = plan.apply_expressions(&mut |root| {
        root.apply(|part| {
            if let Some(id) = RemoteCall::of(part).filter(|call| call.releases()).and_then(RemoteCall::id)
                && let Trace::File(column) = trace(id, &input)
            {
                ids.insert(column);
            }
            Ok(TreeNodeRecursion::Continue)
        })
    });
    if let Some(node) = plan.downcast_ref::<ProjectionExec>() {
        return node.expr().iter().map(|column| trace(&column.expr, &input)).collect();
    }
    match plan.downcast_ref::<FilterExec>().map(FilterExec::projection) {
        Some(Some(kept)) => {
            kept.iter().map(|column| input.get(*column).copied().unwrap_or(Trace::Computed)).collect()
        }
        _ => input,
    }
}

fn trace(expr: &Arc<dyn PhysicalExpr>, input: &[Trace]) -> Trace {
    if RemoteCall::of(expr).is_some_and(RemoteCall::releases) {
        return Trace::Released;
    }
    if let Some(column) = expr.downcast_ref::<Column>() {
        return input.get(column.index()).copied().unwrap_or(Trace::Computed);
    }
    if let Some(cast) = expr.downcast_ref::<CastExpr>() {
        return trace(cast.expr(), input);
    }
    if expr.is::<Literal>() {
        return Trace::Literal;
    }
    // What is computed from released texts alone tells no more than they do.
    let parts: Vec<Trace> = expr.children().into_iter().map(|part| trace(part, input)).collect();
    match !parts.is_empty() && parts.iter().all(|part| matches!(part, Trace::Released | Trace::Literal)) {
        true => Trace::Released,
        false => Trace::Computed,
    }
}

/// The calls in the expressions of one node.
#[derive(Default)]
struct OwnCalls {
    releases: usize,
    /// A function that executors cannot compute.
    unknown: Option<&'static str>,
}

impl OwnCalls {
    fn any_release(&self) -> bool {
        self.releases > 0
    }
}

fn own_calls(plan: &Arc<dyn ExecutionPlan>) -> OwnCalls {
    let mut calls = OwnCalls::default();
    let _ = plan.apply_expressions(&mut |root| {
        root.apply(|part| {
            if let Some(call) = RemoteCall::of(part) {
                calls.releases += usize::from(call.releases());
                if !call.is_for_workers() {
                    calls.unknown = Some(call.name());
                }
            }
            Ok(TreeNodeRecursion::Continue)
        })
    });
    calls
}

fn all_calls(plan: &Arc<dyn ExecutionPlan>, calls: &mut OwnCalls) {
    let own = own_calls(plan);
    calls.releases += own.releases;
    calls.unknown = calls.unknown.or(own.unknown);
    for child in plan.children() {
        all_calls(child, calls);
    }
}

fn has_release(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let mut calls = OwnCalls::default();
    all_calls(plan, &mut calls);
    calls.any_release()
}

#[cfg(test)]
pub(crate) mod tests {
    use std::path::{Path, PathBuf};
    use std::sync::Mutex;

    use inkveil_datafusion::remote::{Placement, Tallies};
    use inkveil_datafusion::{Engine, EngineOptions, Error as QueryError, TableFile};

    use super::*;

    /// Keeps the plan of a query that was charged, and the number of its parts.
    #[derive(Default)]
    struct Probe(Mutex<Option<(Arc<dyn ExecutionPlan>, usize)>>);

    impl Placement for Probe {
        fn check(&self, plan: &Arc<dyn ExecutionPlan>) -> Result<(), QueryError> {
            divided(plan, &mut Ok).map(drop).map_err(|error| QueryError::Refused(error.to_string()))
        }

        fn place(
            &self,
            plan: Arc<dyn ExecutionPlan>,
            _: Tallies,
        ) -> Result<Arc<dyn ExecutionPlan>, QueryError> {
            let mut parts = Vec::new();
            let mut keep = |part: Arc<dyn ExecutionPlan>| {
                parts.push(part.clone());
                Ok(part)
            };
            divided(&plan, &mut keep).map_err(|error| QueryError::Refused(error.to_string()))?;
            let count = parts.len();
            *self.0.lock().unwrap() = parts.into_iter().next().map(|part| (part, count));
            Ok(plan)
        }
    }

    /// A table of two mails.
    pub(crate) fn table(folder: &Path) -> PathBuf {
        let path = folder.join("mails.csv");
        std::fs::write(&path, "id,name,body,size\n1,a,I am Ana Lima.,3\n2,b,Call me.,4\n").unwrap();
        path
    }

    async fn parts(path: &Path, sql: &str) -> Result<(Arc<dyn ExecutionPlan>, usize), String> {
        let tables = [TableFile { name: "mails".into(), path: path.to_owned() }];
        let mut engine = Engine::with_tables(EngineOptions::default(), &tables, None).await.unwrap();
        let probe = Arc::new(Probe::default());
        engine.place_with(probe.clone());
        for (name, value) in
            [("insecure_seed", "5"), ("tier", "fast"), ("ledger", "none"), ("vector_epsilon", "9")]
        {
            engine.set(name, value).unwrap();
        }
        let query = engine.prepare_one(sql).await.map_err(|error| error.to_string())?;
        engine.start(query).await.map_err(|error| error.to_string())?;
        let found = probe.0.lock().unwrap().take();
        found.ok_or_else(|| "nothing runs on executors".to_owned())
    }

    /// The first part of a query, with its keys.
    pub(crate) async fn bound_plan(path: &Path, sql: &str) -> Arc<dyn ExecutionPlan> {
        parts(path, sql).await.unwrap().0
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn parts_that_read_and_veil_run_on_executors() {
        let folder = tempfile::tempdir().unwrap();
        let path = table(folder.path());
        let veiled = "(SELECT id, size, veil(body, id) AS v FROM mails)";
        for (sql, count) in [
            ("SELECT id, veil(body, id) AS v, size FROM mails".to_owned(), 1),
            ("SELECT name, veil(body, name) AS v FROM mails".to_owned(), 1),
            (
                "SELECT mask(body) AS m, 'x' AS x, length(body) AS n FROM mails WHERE body LIKE 'I%'"
                    .to_owned(),
                1,
            ),
            ("SELECT upper(veil(body, id)) || '.' AS v FROM mails".to_owned(), 1),
            ("SELECT id FROM mails WHERE veil(body, id) LIKE 'I%'".to_owned(), 1),
            (format!("SELECT size, count(*), min(v) FROM {veiled} GROUP BY size ORDER BY 1"), 1),
            (format!("SELECT v FROM {veiled} ORDER BY v LIMIT 3"), 1),
            (format!("SELECT a.v, b.v FROM {veiled} a JOIN {veiled} b ON a.id = b.id"), 2),
            (format!("SELECT v FROM {veiled} UNION ALL SELECT mask(body) FROM mails"), 2),
            // The other side of the join is read here.
            (format!("SELECT a.v, b.name FROM {veiled} a JOIN mails b ON a.id = b.id"), 1),
        ] {
            assert_eq!(parts(&path, &sql).await.map(|found| found.1), Ok(count), "{sql}");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn plans_that_would_write_raw_texts_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = table(folder.path());
        for (sql, told) in [
            ("SELECT body, veil(body, id) AS v FROM mails", "\"body\""),
            ("SELECT name, veil(body, id) AS v FROM mails", "\"name\""),
            ("SELECT body || veil(body, id) AS v FROM mails", "\"v\""),
            ("SELECT upper(name) AS n, veil(body, name) AS v FROM mails", "\"n\""),
            ("SELECT make_array(body) AS a, veil(body, id) AS v FROM mails", "\"a\""),
            ("SELECT make_array(size) AS a, veil(body, id) AS v FROM mails", "\"a\""),
            ("SELECT arrow_cast(body, 'Binary') AS b, veil(body, id) AS v FROM mails", "\"b\""),
            (
                "SELECT veil(body, id) FROM (SELECT * FROM mails ORDER BY size LIMIT 1)",
                "Veil each table first",
            ),
            ("SELECT veil(a.body, a.id) FROM mails a JOIN mails b ON a.id = b.id", "Veil each table first"),
            (
                "SELECT veil(body, id) FROM (SELECT body, id FROM mails UNION ALL SELECT name, id FROM mails)",
                "Veil each",
            ),
            ("SELECT veil(body, id), count(*) FROM mails GROUP BY 1", "Veil each table first"),
            ("SELECT veil(max(body), 1) FROM mails", ""),
            ("SELECT embed(body) AS e, mask(body) AS m FROM mails", "\"e\""),
            ("SELECT style_risk(body) AS r, veil(body, id) AS v FROM mails", "style_risk()"),
            ("SELECT detect(body) AS d, veil(body, id) AS v FROM mails", "detect()"),
        ] {
            let found = parts(&path, sql).await.map(|found| found.1);
            assert!(found.as_ref().is_err_and(|message| message.contains(told)), "{sql}: {found:?}");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_executor_refuses_a_part_without_a_release() {
        let folder = tempfile::tempdir().unwrap();
        let path = table(folder.path());
        let part = bound_plan(&path, "SELECT id, veil(body, id) AS v FROM mails").await;
        check(&part).unwrap();
        let scan = part.children()[0];
        assert!(check(scan).is_err_and(|error| error.to_string().contains("executors run no others")));
    }
}
