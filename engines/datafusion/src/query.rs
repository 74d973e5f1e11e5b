//! A query: planned, charged once, and run.

use std::sync::{Arc, Mutex};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::execute_stream;
use futures::StreamExt as _;
use inkveil::release::{MaskRelease, MemoryRelease, Silent};
use inkveil::{NoiseKey, Receipt, TextTally, TextVeil};

use crate::calls::{Calls, bind};
use crate::engine::Engine;
use crate::error::{Error, refused};
use crate::functions::Kind;
use crate::models::restorer;
use crate::settings::{VeilOptions, library};
use crate::work::{Tools, Veiling, Work, lock};

/// A query that was checked. It has read nothing.
#[derive(Debug)]
pub struct Query {
    pub(crate) plan: LogicalPlan,
    pub(crate) calls: Calls,
}

impl Query {
    /// Whether it releases something, so that it is charged and has a receipt.
    pub fn releases(&self) -> bool {
        self.calls.releases()
    }

    /// The columns of its rows.
    pub fn schema(&self) -> SchemaRef {
        self.plan.schema().inner().clone()
    }

    /// Whether its rows hold restored originals.
    pub fn restores(&self) -> bool {
        self.calls.has(Kind::Restore)
    }
}

/// A query that runs. It was charged.
pub struct Running {
    stream: SendableRecordBatchStream,
    work: Arc<Work>,
    masks: bool,
    veil: Option<(Arc<TextVeil>, NoiseKey)>,
    /// What was charged, if a ledger is kept.
    charged: Option<TextTally>,
}

impl Running {
    pub(crate) async fn start(engine: &Engine, query: Query) -> Result<Self, Error> {
        let (state, options) = (engine.state(), engine.options());
        let Query { plan, calls } = query;
        let account = options.account();
        if calls.has(Kind::Veil) && engine.has_policy() && !account.is_kept() && !options.keeps_key() {
            return Err(refused(
                "the policy veils with fresh noise for each query, so the mean of many queries would show the texts; name \
                 a key_file or a ledger in its table [settings], or with the settings of the session",
            ));
        }
        if calls.by_chance && account.is_kept() {
            return Err(refused(
                "a function of chance, such as random(), stands below veil(), so the rows that are charged and those that \
                 are veiled would differ; use it in an outer query",
            ));
        }
        let dataset = dataset(&calls, &options)?;
        let mut tools = Tools::default();
        if calls.kinds.iter().any(|kind| kind.detects()) {
            tools.detector = Some(engine.models.detector(&options)?);
        }
        if calls.has(Kind::StyleRisk) {
            tools.style = Some(engine.models.style(&options)?);
        }
        if calls.has(Kind::Restore) {
            tools.restorer = Some(restorer(&options)?);
        }
        let mut driver = None;
        if calls.has(Kind::Veil) {
            driver = Some(Driver::plan(engine, &options, &calls, &dataset, &tools).await?);
        }
        let mut work = Work::new(&engine.cancel, &engine.done, tools);
        // A mask is charged first: a limit refuses it always or never, so nothing else is charged in vain.
        let masks = calls.has(Kind::Mask);
        if masks {
            work.mask = Mutex::new(Some(MaskRelease::open(&account, &dataset, &Silent)?));
        }
        let (mut veil, mut charged) = (None, None);
        if let Some(driver) = driver {
            work.veil = Some(Veiling::Charged(Arc::new(driver.charge()?)));
            charged = driver.planned;
            veil = Some((driver.veil, driver.key));
        }
        let work = Arc::new(work);
        let plan = bind(plan, &work).map_err(|error| Error::of_run(&error))?;
        let stream = stream(&state, &plan).await?;
        Ok(Self { stream, work, masks, veil, charged })
    }

    /// The columns of the rows.
    pub fn schema(&self) -> SchemaRef {
        self.stream.schema()
    }

    /// The next rows.
    ///
    /// # Errors
    /// If the query fails or is cancelled.
    pub async fn next(&mut self) -> Result<Option<RecordBatch>, Error> {
        self.stream.next().await.transpose().map_err(|error| Error::of_run(&error))
    }

    /// Ends the query, and returns the receipts of what it has released. `sha256` is the checksum of the file that holds
    /// the rows.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    pub fn finish(self, sha256: Option<String>) -> Result<Vec<Receipt>, Error> {
        let mut receipts = Vec::new();
        drop(self.stream);
        if let Some((veil, key)) = &self.veil {
            let tally = self.charged.unwrap_or_else(|| self.work.tally());
            receipts.push(veil.receipt(&tally, sha256.clone(), key).map_err(library)?);
        }
        if self.masks {
            receipts.push(MaskRelease::receipt(self.work.masked(), sha256)?);
        }
        // A task that the engine stops may still hold the work. Nothing can be masked once the release is taken out.
        if let Some(mask) = lock(&self.work.mask).take() {
            mask.confirm()?;
        }
        Ok(receipts)
    }
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Running")
    }
}

/// The dataset that is charged: the table that the released texts come from. Other tables, aliases and names in WITH do
/// not count, because a query could name a dataset that has no limit.
fn dataset(calls: &Calls, options: &VeilOptions) -> Result<String, Error> {
    let mut tables = calls.tables.iter();
    match (tables.next(), tables.next()) {
        (Some(_), Some(_)) if options.account().is_kept() && options.get("dataset").is_none() => {
            Err(refused(
                "the released texts come from several tables, so the ledger does not know which dataset to charge; name it with \
             the setting dataset, or query one table at a time",
            ))
        }
        (Some(table), _) => Ok(table.clone()),
        (None, _) => Ok("query".to_owned()),
    }
}

/// Plans the cost of the calls of `veil` and charges it once.
struct Driver {
    veil: Arc<TextVeil>,
    key: NoiseKey,
    release: Arc<MemoryRelease>,
    /// The cost, if a ledger is charged.
    planned: Option<TextTally>,
}

impl Driver {
    async fn plan(
        engine: &Engine,
        options: &VeilOptions,
        calls: &Calls,
        dataset: &str,
        tools: &Tools,
    ) -> Result<Self, Error> {
        let state = engine.state();
        let (veil, key) = (engine.models.veil(options)?, options.key()?);
        let release = Arc::new(MemoryRelease::open(veil.clone(), key.clone(), &options.account(), dataset)?);
        let mut planned = None;
        // Without a ledger, nothing is charged and the cost need not be known in advance.
        if release.is_charged() {
            let mut work = Work::new(&engine.cancel, &Arc::default(), tools.clone());
            work.veil = Some(Veiling::Planned(release.clone()));
            let work = Arc::new(work);
            for plan in &calls.veiled {
                let plan = bind(plan.clone(), &work).map_err(|error| Error::of_run(&error))?;
                let mut costs = stream(&state, &plan).await?;
                while let Some(batch) = costs.next().await {
                    batch.map_err(|error| Error::of_run(&error))?;
                }
            }
            planned = Some(work.tally());
        }
        Ok(Self { veil, key, release, planned })
    }

    /// Charges the query, and returns what its tasks release through.
    fn charge(&self) -> Result<MemoryRelease, Error> {
        let nothing = TextTally::default();
        let ticket = self.release.charge_job(self.planned.as_ref().unwrap_or(&nothing), &Silent)?;
        Ok(match &self.planned {
            Some(planned) => MemoryRelease::of_whole_job(self.veil.clone(), &ticket, planned.clone())?,
            None => MemoryRelease::of_job(self.veil.clone(), &ticket)?,
        })
    }
}

/// Runs a plan that is optimised already.
async fn stream(state: &SessionState, plan: &LogicalPlan) -> Result<SendableRecordBatchStream, Error> {
    let physical = state
        .query_planner()
        .create_physical_plan(plan, state)
        .await
        .map_err(|error| Error::of_run(&error))?;
    execute_stream(physical, state.task_ctx()).map_err(|error| Error::of_run(&error))
}
