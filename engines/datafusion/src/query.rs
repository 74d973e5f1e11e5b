//! A query: planned, charged once, and run.

use std::sync::Arc;

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
use crate::error::Error;
use crate::functions::Kind;
use crate::models::restorer;
use crate::settings::{VeilOptions, library};
use crate::work::{Veiling, Work};

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

    /// Whether its rows hold restored originals.
    pub fn restores(&self) -> bool {
        self.calls.has(Kind::Restore)
    }
}

/// A query that runs. It was charged.
pub struct Running {
    stream: SendableRecordBatchStream,
    work: Arc<Work>,
    veil: Option<(Arc<TextVeil>, NoiseKey)>,
    /// What was charged, if a ledger is kept.
    charged: Option<TextTally>,
}

impl Running {
    pub(crate) async fn start(engine: &Engine, query: Query) -> Result<Self, Error> {
        let (state, options) = (engine.state(), engine.options());
        let Query { plan, calls } = query;
        let mut work = Work::new(&engine.cancel, &engine.done);
        if calls.kinds.iter().any(|kind| kind.detects()) {
            work.detector = Some(engine.models.detector(&options)?);
        }
        if calls.has(Kind::StyleRisk) {
            work.style = Some(engine.models.style(&options)?);
        }
        if calls.has(Kind::Restore) {
            work.restorer = Some(restorer(&options)?);
        }
        let dataset = calls.tables.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        let dataset = if dataset.is_empty() { "query" } else { &dataset };
        let mut driver = None;
        if calls.has(Kind::Veil) {
            driver = Some(Driver::plan(engine, &state, &options, &calls, dataset).await?);
        }
        // A mask is charged first: a limit refuses it always or never, so nothing else is charged in vain.
        if calls.has(Kind::Mask) {
            work.mask = Some(MaskRelease::open(&options.account(), dataset, &Silent)?);
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
        Ok(Self { stream, work, veil, charged })
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
        // The functions in the plan hold the work, too.
        drop(self.stream);
        if let Some((veil, key)) = &self.veil {
            let tally = self.charged.unwrap_or_else(|| self.work.tally());
            receipts.push(veil.receipt(&tally, sha256.clone(), key).map_err(library)?);
        }
        if self.work.mask.is_some() {
            receipts.push(MaskRelease::receipt(self.work.masked(), sha256)?);
        }
        if let Some(mask) = Arc::into_inner(self.work).and_then(|work| work.mask) {
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
        state: &SessionState,
        options: &VeilOptions,
        calls: &Calls,
        dataset: &str,
    ) -> Result<Self, Error> {
        let (veil, key) = (engine.models.veil(options)?, options.key()?);
        let release = Arc::new(MemoryRelease::open(veil.clone(), key.clone(), &options.account(), dataset)?);
        let mut planned = None;
        // Without a ledger, nothing is charged and the cost need not be known in advance.
        if release.is_charged() {
            let mut work = Work::new(&engine.cancel, &Arc::default());
            work.veil = Some(Veiling::Planned(release.clone()));
            let work = Arc::new(work);
            for plan in &calls.veiled {
                let plan = bind(plan.clone(), &work).map_err(|error| Error::of_run(&error))?;
                let mut costs = stream(state, &plan).await?;
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
