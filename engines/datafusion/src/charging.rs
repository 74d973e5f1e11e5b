//! Plans what a query with noise costs, and charges it once.

use std::sync::{Arc, Mutex};

use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use futures::StreamExt as _;
use inkveil::release::{Account, MemoryRelease, Silent, Ticket};
use inkveil::{NoiseKey, TextTally, TextVeil};

use crate::calls::{Calls, bind};
use crate::engine::Engine;
use crate::error::{Error, refused};
use crate::functions::Kind;
use crate::models::vector_builder;
use crate::remote::{Job, Tallies};
use crate::settings::{VeilOptions, library};
use crate::vector_release::{VectorCount, VectorPlan, VectorRelease, VectorVeiling};
use crate::work::{Tools, Veiling, Work, lock};

/// The dataset that is charged: the table that the released texts come from. Other tables, aliases and names in WITH do
/// not count, because a query could name a dataset that has no limit.
pub(crate) fn dataset(calls: &Calls, options: &VeilOptions) -> Result<String, Error> {
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

/// What a query releases with noise, before it is charged.
pub(crate) struct Planned {
    texts: Option<TextPlan>,
    vectors: Option<VectorPlan>,
    /// The number of vectors, if a ledger is charged.
    counted: Option<VectorCount>,
}

/// The texts of a query.
struct TextPlan {
    veil: Arc<TextVeil>,
    key: NoiseKey,
    release: Arc<MemoryRelease>,
    /// The cost, if a ledger is charged.
    cost: Option<TextTally>,
}

/// The texts of a query that was charged.
pub(crate) struct ChargedTexts {
    pub(crate) release: Arc<MemoryRelease>,
    pub(crate) veil: Arc<TextVeil>,
    pub(crate) key: NoiseKey,
    pub(crate) cost: Option<TextTally>,
    /// What workers need.
    pub(crate) ticket: Ticket,
}

impl Planned {
    /// Opens what the query releases through. If a ledger is charged, its texts and vectors are read once.
    pub(crate) async fn of(
        engine: &Engine,
        options: &VeilOptions,
        calls: &Calls,
        dataset: &str,
        tools: &Tools,
        job: Option<&Job>,
    ) -> Result<Self, Error> {
        let account = options.account();
        let is_kept = account.is_kept();
        let mut planned = Self { texts: None, vectors: None, counted: None };
        if calls.has(Kind::Veil) {
            let (veil, key) = (engine.models.veil(options)?, options.key()?);
            let release = MemoryRelease::open(veil.clone(), key.clone(), &account, dataset)?;
            planned.texts = Some(TextPlan { veil, key, release: Arc::new(release), cost: None });
        }
        if calls.has(Kind::VeilVector) {
            let builder = vector_builder(options, calls.other_vectors == 0)?;
            let (key, dataset) = (options.key()?, dataset.to_owned());
            planned.vectors = Some(VectorPlan { builder, key, account, dataset });
        }
        // Without a ledger, nothing is charged and the cost need not be known in advance.
        if is_kept && !calls.veiled.is_empty() {
            planned.read(engine, calls, tools, job).await?;
        }
        Ok(planned)
    }

    async fn read(
        &mut self,
        engine: &Engine,
        calls: &Calls,
        tools: &Tools,
        job: Option<&Job>,
    ) -> Result<(), Error> {
        let mut work = Work::new(&engine.cancel, &Arc::default(), tools.clone());
        work.veil = self.texts.as_ref().map(|texts| Veiling::Planned(texts.release.clone()));
        work.vectors = self.vectors.is_some().then(|| VectorVeiling::Planned(Mutex::default()));
        work.job = job.map(|job| self.counted_by(job)).transpose()?;
        let (state, work) = (engine.state(), Arc::new(work));
        for plan in &calls.veiled {
            let plan = bind(plan.clone(), &work).map_err(|error| Error::of_run(&error))?;
            let mut costs = stream(engine, &state, &plan, &work, None).await?;
            while let Some(batch) = costs.next().await {
                batch.map_err(|error| Error::of_run(&error))?;
            }
        }
        if let Some(texts) = &mut self.texts {
            texts.cost = Some(work.tally());
        }
        if let Some(VectorVeiling::Planned(count)) = &work.vectors {
            self.counted = Some(*lock(count));
        }
        Ok(())
    }

    /// What workers need that count the cost. Their key is used for nothing.
    fn counted_by(&self, job: &Job) -> Result<Job, Error> {
        let ticket = match &self.texts {
            Some(texts) => {
                let key = NoiseKey::fresh().map_err(library)?;
                let release = MemoryRelease::open(texts.veil.clone(), key, &Account::none(), "")?;
                Some(release.charge_job(&TextTally::default(), &Silent)?)
            }
            None => None,
        };
        Ok(job.clone().counting(ticket.as_ref()))
    }

    /// Charges the query once: its texts and its vectors, or nothing if a limit would be passed.
    pub(crate) fn charge(self) -> Result<(Option<ChargedTexts>, Option<VectorRelease>), Error> {
        Ok(match (self.texts, self.vectors) {
            (Some(texts), Some(vectors)) => {
                let (texts, vectors) = texts.charge_with(vectors, self.counted)?;
                (Some(texts), Some(vectors))
            }
            (texts, vectors) => (
                texts.map(TextPlan::charge).transpose()?,
                vectors.map(|vectors| vectors.charge(self.counted)).transpose()?,
            ),
        })
    }
}

impl TextPlan {
    fn charge(self) -> Result<ChargedTexts, Error> {
        let nothing = TextTally::default();
        let ticket = self.release.charge_job(self.cost.as_ref().unwrap_or(&nothing), &Silent)?;
        self.charged(ticket)
    }

    /// Charges texts and vectors in one step.
    fn charge_with(
        self,
        vectors: VectorPlan,
        counted: Option<VectorCount>,
    ) -> Result<(ChargedTexts, VectorRelease), Error> {
        match (&self.cost, counted.and_then(VectorCount::found)) {
            (Some(cost), Some((dim, count))) => {
                let (veil, key) = (vectors.builder.clone().build(dim)?, vectors.key.clone());
                let (ticket, open) = self.release.charge_job_with_vectors(cost, veil, key, count, &Silent)?;
                let vectors = VectorRelease::of_charged(vectors, count, open);
                Ok((self.charged(ticket)?, vectors))
            }
            // Without vectors there is nothing more to charge.
            _ => {
                let vectors = vectors.charge(counted)?;
                Ok((self.charge()?, vectors))
            }
        }
    }

    fn charged(self, ticket: Ticket) -> Result<ChargedTexts, Error> {
        let Self { veil, key, cost, .. } = self;
        let release = match &cost {
            Some(cost) => MemoryRelease::of_whole_job(veil.clone(), &ticket, cost.clone())?,
            None => MemoryRelease::of_job(veil.clone(), &ticket)?,
        };
        Ok(ChargedTexts { release: Arc::new(release), veil, key, cost, ticket })
    }
}

/// Runs a plan that is optimised already and has the work of its query, here or on other machines. `charged` is what was
/// charged, if a ledger is.
pub(crate) async fn stream(
    engine: &Engine,
    state: &SessionState,
    plan: &LogicalPlan,
    work: &Arc<Work>,
    charged: Option<TextTally>,
) -> Result<SendableRecordBatchStream, Error> {
    let mut plan = physical(state, plan).await?;
    if let Some(placement) = &engine.placement {
        plan = placement.place(plan, Tallies::new(work.clone(), charged))?;
    }
    execute_stream(plan, state.task_ctx()).map_err(|error| Error::of_run(&error))
}

/// The physical plan of a plan that is optimised already.
pub(crate) async fn physical(
    state: &SessionState,
    plan: &LogicalPlan,
) -> Result<Arc<dyn ExecutionPlan>, Error> {
    state.query_planner().create_physical_plan(plan, state).await.map_err(|error| Error::of_run(&error))
}
