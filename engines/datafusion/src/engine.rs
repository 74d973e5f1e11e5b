//! A session: tables, settings, and the statements that it accepts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{DataFusionError, Result as DataFusionResult};
use datafusion::execution::context::SQLOptions;
use datafusion::execution::session_state::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::{LogicalPlan, Statement as PlannedStatement};
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion::sql::parser::{DFParser, Statement};
use inkveil::looks_like_name;

use crate::attack::Attack;
use crate::calls::Calls;
use crate::error::{Error, refused};
use crate::fill_id::FillId;
use crate::models::Models;
use crate::name_columns::{has_own_calls, name_columns};
use crate::origins::Origins;
use crate::policy::{Policy, view};
use crate::query::{Query, Running};
use crate::remote::Placement;
use crate::settings::{VeilOptions, undone};
use crate::tables::TableFile;
use crate::work::lock;

/// Rules of the engine that move an expression to where more rows are read, or copy it. The cost of a query is that of the
/// rows that its plan reads, so `veil` is computed where the plan says.
const MOVES_CALLS: [&str; 2] = ["ProjectionPushdown", "FilterPushdown"];

/// Settings of the engine that a statement may change. Others could switch off what a policy relies on.
/// Each has a greatest value, because the engine takes memory for it in advance.
const OF_ENGINE: [(&str, usize); 2] = [
    ("datafusion.execution.target_partitions", MOST_PARTITIONS),
    ("datafusion.execution.batch_size", MOST_ROWS),
];
const MOST_PARTITIONS: usize = 1024;
const MOST_ROWS: usize = 1 << 20;

/// How many rows and partitions are worked on at once.
#[derive(Debug, Clone, Copy, Default)]
pub struct EngineOptions {
    /// Partitions of a query. One for each core by default.
    pub partitions: Option<usize>,
    /// Rows of a batch. 8192 by default.
    pub batch_size: Option<usize>,
}

/// A session of the query engine with the functions of inkveil.
///
/// ```
/// use inkveil_datafusion::{Engine, EngineOptions};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let engine = Engine::new(EngineOptions::default())?;
/// let query = engine.prepare_one("SELECT veil('I am Ana Lima from Porto.', 1) AS text").await?;
/// let mut running = engine.start(query).await?;
/// let rows = running.next().await?.map_or(0, |batch| batch.num_rows());
/// assert_eq!(rows, 1);
/// assert_eq!(running.finish(None)?.len(), 1); // one receipt
/// # Ok::<(), inkveil_datafusion::Error>(())
/// # }).unwrap();
/// ```
pub struct Engine {
    pub(crate) context: SessionContext,
    pub(crate) models: Models,
    /// The settings that the policy decides, if there is a policy.
    decided: Option<BTreeSet<String>>,
    /// Whether a name of a column may be data, as in a file without a header.
    odd_names: Mutex<bool>,
    /// The files and folders of the tables.
    files: BTreeMap<String, PathBuf>,
    /// Where parts of queries run, if not here.
    pub(crate) placement: Option<Arc<dyn Placement>>,
    pub(crate) cancel: Arc<AtomicBool>,
    pub(crate) done: Arc<AtomicU64>,
}

impl Engine {
    /// A session without tables.
    ///
    /// # Errors
    /// If the engine cannot be set up.
    pub fn new(options: EngineOptions) -> Result<Self, Error> {
        let mut config = SessionConfig::new().with_information_schema(true);
        if let Some(partitions) = options.partitions {
            config = config.with_target_partitions(partitions.clamp(1, MOST_PARTITIONS));
        }
        if let Some(rows) = options.batch_size {
            config = config.with_batch_size(rows.clamp(1, MOST_ROWS));
        }
        config.options_mut().extensions.insert(VeilOptions::default());
        let mut rules = PhysicalOptimizer::new().rules;
        // The engine has two rules of the name FilterPushdown, with an addition in brackets.
        rules.retain(|rule| !MOVES_CALLS.iter().any(|name| rule.name().starts_with(name)));
        let state = SessionStateBuilder::new()
            .with_config(config)
            .with_default_features()
            .with_analyzer_rule(Arc::new(FillId))
            .with_physical_optimizer_rules(rules)
            .build();
        let context = SessionContext::new_with_state(state);
        crate::functions::all().for_each(|function| context.register_udf(function));
        let cancel = Arc::<AtomicBool>::default();
        context.register_udtf("attack", Arc::new(Attack { cancel: cancel.clone(), has_policy: false }));
        Ok(Self {
            context,
            models: Models::default(),
            decided: None,
            odd_names: Mutex::new(false),
            files: BTreeMap::new(),
            placement: None,
            cancel,
            done: Arc::default(),
        })
    }

    /// A session with these tables. Under a policy, each of them must be in it, and queries see what it leaves of them.
    ///
    /// # Errors
    /// If a table cannot be opened, or the policy does not fit the tables.
    pub async fn with_tables(
        options: EngineOptions,
        tables: &[TableFile],
        policy: Option<&Policy>,
    ) -> Result<Self, Error> {
        let mut engine = Self::new(options)?;
        if let Some(policy) = policy {
            fits(policy, tables)?;
            for (name, value) in &policy.settings {
                engine.set(name, value)?;
            }
            engine.decided = Some(policy.settings.keys().cloned().collect());
            let attack = Attack { cancel: engine.cancel.clone(), has_policy: true };
            engine.context.register_udtf("attack", Arc::new(attack));
            // The physical plan has the paths of files, which hold the values of partitions.
            let state = engine.context.state_ref();
            state.write().config_mut().options_mut().explain.logical_plan_only = true;
        }
        let mut opened = Vec::new();
        for table in tables {
            let raw = table.open(&engine.context).await?;
            let odd = raw.schema().fields().iter().any(has_odd_name);
            *lock(&engine.odd_names) |= odd;
            let seen = match policy.and_then(|policy| policy.tables.get(&table.name)) {
                Some(policy) => view(&table.name, raw, policy)?,
                None => raw,
            };
            opened.push((&table.name, seen));
            engine.files.insert(table.name.clone(), table.path.clone());
        }
        // Nothing is registered before everything was checked.
        for (name, table) in opened {
            let registered = engine.context.register_table(name.as_str(), table);
            if !matches!(registered, Ok(None)) {
                return Err(refused(format!("two tables are named {name}")));
            }
        }
        Ok(engine)
    }

    /// Changes a setting of inkveil, such as `preset`.
    ///
    /// # Errors
    /// If there is no such setting, the value is not one of its values, or the policy decides it.
    pub fn set(&self, name: &str, value: &str) -> Result<(), Error> {
        if let Some(sets) = self.decided.as_ref().and_then(|decided| undone(name, decided)) {
            let why = if sets == name { String::new() } else { format!(", because it sets {sets}") };
            return Err(refused(format!(
                "the policy decides the setting {name}{why}; change it in its file, in the table [settings]"
            )));
        }
        let state = self.context.state_ref();
        let mut state = state.write();
        match state.config_mut().options_mut().extensions.get_mut::<VeilOptions>() {
            Some(options) => options.change(name, value),
            None => Err(refused("the session has no settings of inkveil")),
        }
    }

    /// Gives parts of queries to other machines. Each partition of a file is then a part of its own, however small.
    pub fn place_with(&mut self, placement: Arc<dyn Placement>) {
        let state = self.context.state_ref();
        let mut state = state.write();
        let options = &mut state.config_mut().options_mut().optimizer;
        options.enable_round_robin_repartition = false;
        options.repartition_file_scans = true;
        options.repartition_file_min_size = 0;
        self.placement = Some(placement);
    }

    /// Stops running work when it is set.
    pub fn cancel(&self) -> &Arc<AtomicBool> {
        &self.cancel
    }

    /// The number of texts that the functions have finished.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// The counter behind [`done`](Self::done), for a thread that shows it.
    pub fn counter(&self) -> Arc<AtomicU64> {
        self.done.clone()
    }

    /// The statements in a text.
    ///
    /// # Errors
    /// If it is not SQL.
    pub fn statements(&self, sql: &str) -> Result<Vec<Statement>, Error> {
        let parsed = DFParser::parse_sql(sql).map_err(Error::of_plan)?;
        Ok(parsed.into_iter().collect())
    }

    /// Prepares a query. A statement that changes a setting is carried out and gives no query.
    ///
    /// # Errors
    /// If the statement is refused, or cannot be planned. No row was read then.
    pub async fn prepare(&self, statement: Statement) -> Result<Option<Query>, Error> {
        let state = self.context.state();
        let plan = state.statement_to_plan(statement).await.map_err(|error| self.plan_error(error))?;
        match &plan {
            LogicalPlan::Statement(PlannedStatement::SetVariable(set)) => {
                self.set_variable(&set.variable, &set.value)?;
                return Ok(None);
            }
            LogicalPlan::Analyze(_) => {
                return Err(refused(
                    "EXPLAIN ANALYZE runs the query and drops its rows; write EXPLAIN, or run the query",
                ));
            }
            LogicalPlan::Statement(PlannedStatement::ResetVariable(_)) => {
                return Err(refused("RESET is refused; SET inkveil.NAME = '' removes a setting of inkveil"));
            }
            LogicalPlan::Explain(shown) if shown.verbose || shown.show_statistics == Some(true) => {
                return Err(refused(
                    "EXPLAIN VERBOSE and EXPLAIN (COSTS ON) show the least and greatest values of columns; write EXPLAIN",
                ));
            }
            LogicalPlan::Copy(_) => {
                return Err(refused("COPY writes files by itself; write the rows of a query with --output"));
            }
            LogicalPlan::Ddl(_) | LogicalPlan::Dml(_) | LogicalPlan::Statement(_) => {
                return Err(refused(
                    "queries only read the tables of this session; give tables with --table",
                ));
            }
            _ => {}
        }
        let only_queries =
            SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
        only_queries.verify_plan(&plan).map_err(|_| refused("a query only reads tables"))?;
        let is_explained = matches!(plan, LogicalPlan::Explain(_) | LogicalPlan::DescribeTable(_));
        let plan = state.optimize(&plan).map_err(|error| self.plan_error(error))?;
        // A plan that is shown is checked like one that runs.
        let checked = match &plan {
            LogicalPlan::Explain(shown) => state.optimize(&shown.plan).and_then(|plan| self.checked(plan)),
            plan => self.checked(plan.clone()),
        };
        let (named, calls) = checked.map_err(|error| self.plan_error(error))?;
        Ok(Some(match is_explained {
            true => Query { plan, calls: Calls::default() },
            false => Query { plan: named, calls },
        }))
    }

    /// Finds the calls in an optimised plan and names their columns.
    fn checked(&self, plan: LogicalPlan) -> DataFusionResult<(LogicalPlan, Calls)> {
        // A call with texts and ids of the user's choice would draw the noise of the policy for them.
        if self.has_policy() && has_own_calls(&plan)? {
            return Err(refused(
                "the policy decides what is veiled; a query under it cannot call veil() or veil_vector()",
            )
            .into());
        }
        let plan = name_columns(plan)?;
        let calls = Calls::of(&plan)?;
        Ok((plan, calls))
    }

    /// Prepares a text that is one query.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare), and if it is not one query.
    pub async fn prepare_one(&self, sql: &str) -> Result<Query, Error> {
        let mut statements = self.statements(sql)?;
        match (statements.pop(), statements.is_empty()) {
            (Some(statement), true) => {
                self.prepare(statement).await?.ok_or_else(|| refused("this is not a query"))
            }
            _ => Err(refused("give one query")),
        }
    }

    /// Charges a query and starts it.
    ///
    /// # Errors
    /// If a limit would be passed, or a model cannot be opened. Nothing was released then.
    pub async fn start(&self, query: Query) -> Result<Running, Error> {
        Running::start(self, query).await
    }

    /// Whether a name of a column may be data.
    pub(crate) fn hides_names(&self) -> bool {
        *lock(&self.odd_names)
    }

    /// The tables that a plan reads and their files, for messages.
    pub(crate) fn files_of(&self, plan: &LogicalPlan) -> String {
        let mut origins = Origins::default();
        // A plan that cannot be read fails elsewhere, with a better message.
        let _ = origins.add_all(plan);
        let file = |name: &String| match self.files.get(name) {
            Some(path) => format!("{name} ({})", path.display()),
            None => name.clone(),
        };
        origins.tables.iter().map(file).collect::<Vec<_>>().join(", ")
    }

    /// The settings of inkveil in this session.
    pub fn options(&self) -> VeilOptions {
        let state = self.state();
        state.config_options().extensions.get::<VeilOptions>().cloned().unwrap_or_default()
    }

    pub(crate) fn has_policy(&self) -> bool {
        self.decided.is_some()
    }

    pub(crate) fn state(&self) -> SessionState {
        self.context.state()
    }

    fn set_variable(&self, name: &str, value: &str) -> Result<(), Error> {
        if let Some(name) = name.strip_prefix("inkveil.") {
            if self.has_policy() {
                return Err(refused(
                    "the policy decides the settings of inkveil; change them in its file, in the table [settings]",
                ));
            }
            return self.set(name, value);
        }
        let Some((_, most)) = OF_ENGINE.iter().find(|(known, _)| *known == name) else {
            let names = OF_ENGINE.map(|(known, _)| known).join(" and ");
            return Err(refused(format!("only settings of inkveil and {names} can be changed")));
        };
        let wrong = || refused(format!("{name} is a whole number from 1 to {most}"));
        if !value.parse::<usize>().is_ok_and(|number| (1..=*most).contains(&number)) {
            return Err(wrong());
        }
        let state = self.context.state_ref();
        let mut state = state.write();
        state.config_mut().options_mut().set(name, value).map_err(|_| wrong())
    }

    /// An error of planning. The engine's message lists names of columns, so it is dropped if these may be data.
    fn plan_error(&self, error: DataFusionError) -> Error {
        match (Error::of_plan(error), self.hides_names()) {
            (Error::Plan(_), true) => Error::Plan(
                "the engine's message is withheld, because it lists names of columns, and one of them looks like data; give \
                 the file a header"
                    .to_owned(),
            ),
            (error, _) => error,
        }
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("has_policy", &self.has_policy()).finish_non_exhaustive()
    }
}

/// Whether the name of a column or of a field in it may be data. The keys of a JSON object are names of fields.
fn has_odd_name(field: &FieldRef) -> bool {
    let mut is_odd = !looks_like_name(field.name());
    match field.data_type() {
        DataType::Struct(fields) => is_odd |= fields.iter().any(has_odd_name),
        DataType::List(inner)
        | DataType::LargeList(inner)
        | DataType::ListView(inner)
        | DataType::LargeListView(inner)
        | DataType::FixedSizeList(inner, _)
        | DataType::Map(inner, _) => is_odd |= has_odd_name(inner),
        DataType::Union(fields, _) => is_odd |= fields.iter().any(|(_, field)| has_odd_name(field)),
        _ => {}
    }
    is_odd
}

/// Refuses a policy for other tables than those of the session.
fn fits(policy: &Policy, tables: &[TableFile]) -> Result<(), Error> {
    use inkveil::settings::UnknownName;
    let given = || tables.iter().map(|table| table.name.as_str());
    if let Some(name) = policy.tables.keys().find(|name| !given().any(|given| given == *name)) {
        return Err(refused(format!("the policy: {}", UnknownName::new("table", name, given()))));
    }
    match given().find(|name| !policy.tables.contains_key(*name)) {
        Some(name) => {
            Err(refused(format!("the policy says nothing about the table {name}; add [tables.{name}]")))
        }
        None => Ok(()),
    }
}
