//! A session: tables, settings, and the statements that it accepts.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use datafusion::common::DataFusionError;
use datafusion::execution::context::SQLOptions;
use datafusion::execution::session_state::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::{LogicalPlan, Statement as PlannedStatement};
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion::sql::parser::{DFParser, Statement};
use inkveil::looks_like_name;

use crate::calls::Calls;
use crate::error::{Error, refused};
use crate::fill_id::FillId;
use crate::models::Models;
use crate::policy::{Policy, view};
use crate::query::{Query, Running};
use crate::settings::VeilOptions;
use crate::tables::TableFile;
use crate::work::lock;

/// Settings of the engine that a statement may change. Others could switch off what a policy relies on.
const OF_ENGINE: [&str; 2] = ["datafusion.execution.target_partitions", "datafusion.execution.batch_size"];

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
    has_policy: bool,
    /// Whether a name of a column may be data, as in a file without a header.
    odd_names: Mutex<bool>,
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
            config = config.with_target_partitions(partitions.max(1));
        }
        if let Some(rows) = options.batch_size {
            config = config.with_batch_size(rows.max(1));
        }
        config.options_mut().extensions.insert(VeilOptions::default());
        let state = SessionStateBuilder::new()
            .with_config(config)
            .with_default_features()
            .with_analyzer_rule(Arc::new(FillId))
            .build();
        let context = SessionContext::new_with_state(state);
        crate::functions::all().for_each(|function| context.register_udf(function));
        Ok(Self {
            context,
            models: Models::default(),
            has_policy: false,
            odd_names: Mutex::new(false),
            cancel: Arc::default(),
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
            engine.has_policy = true;
        }
        let mut opened = Vec::new();
        for table in tables {
            let raw = table.open(&engine.context).await?;
            let odd = raw.schema().fields().iter().any(|field| !looks_like_name(field.name()));
            *lock(&engine.odd_names) |= odd;
            let seen = match policy.and_then(|policy| policy.tables.get(&table.name)) {
                Some(policy) => view(&table.name, raw, policy)?,
                None => raw,
            };
            opened.push((&table.name, seen));
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
    /// If there is no such setting, or the value is not one of its values.
    pub fn set(&self, name: &str, value: &str) -> Result<(), Error> {
        let state = self.context.state_ref();
        let mut state = state.write();
        match state.config_mut().options_mut().extensions.get_mut::<VeilOptions>() {
            Some(options) => options.change(name, value),
            None => Err(refused("the session has no settings of inkveil")),
        }
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
            LogicalPlan::Explain(shown) if shown.verbose => {
                return Err(refused(
                    "EXPLAIN VERBOSE shows the least and greatest values of columns; write EXPLAIN",
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
        let calls = match &plan {
            // A plan that is shown is checked like one that runs.
            LogicalPlan::Explain(shown) => {
                let inner = state.optimize(&shown.plan).map_err(|error| self.plan_error(error))?;
                Calls::of(&inner)
            }
            plan => Calls::of(plan),
        };
        let calls = calls.map_err(|error| self.plan_error(error))?;
        Ok(Some(Query { plan, calls: if is_explained { Calls::default() } else { calls } }))
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

    /// The settings of inkveil in this session.
    pub fn options(&self) -> VeilOptions {
        let state = self.state();
        state.config_options().extensions.get::<VeilOptions>().cloned().unwrap_or_default()
    }

    pub(crate) fn state(&self) -> SessionState {
        self.context.state()
    }

    fn set_variable(&self, name: &str, value: &str) -> Result<(), Error> {
        if let Some(name) = name.strip_prefix("inkveil.") {
            if self.has_policy {
                return Err(refused(
                    "the policy decides the settings of inkveil; change them in its file, in the table [settings]",
                ));
            }
            return self.set(name, value);
        }
        if !OF_ENGINE.contains(&name) || value.parse::<u32>().is_ok_and(|number| number == 0) {
            return Err(refused(format!(
                "only settings of inkveil and {} can be changed",
                OF_ENGINE.join(" and ")
            )));
        }
        let state = self.context.state_ref();
        let mut state = state.write();
        state
            .config_mut()
            .options_mut()
            .set(name, value)
            .map_err(|_| refused(format!("{name} is a whole number")))
    }

    /// An error of planning. The engine's message lists names of columns, so it is dropped if these may be data.
    fn plan_error(&self, error: DataFusionError) -> Error {
        match (Error::of_plan(error), *lock(&self.odd_names)) {
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
        f.debug_struct("Engine").field("has_policy", &self.has_policy).finish_non_exhaustive()
    }
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
