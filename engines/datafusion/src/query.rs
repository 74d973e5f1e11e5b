//! A query: planned, charged once, and run.

use std::sync::{Arc, Mutex};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::logical_expr::LogicalPlan;
use futures::StreamExt as _;
use inkveil::release::{MaskRelease, Silent};
use inkveil::{NoiseKey, Receipt, TextTally, TextVeil};

use crate::calls::{Calls, bind};
use crate::charging::{Planned, dataset, physical, stream};
use crate::engine::Engine;
use crate::error::{Error, refused};
use crate::functions::Kind;
use crate::models::restorer;
use crate::remote::Job;
use crate::settings::library;
use crate::vector_release::{VectorRelease, VectorVeiling};
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

    /// Whether its rows hold restored originals, or vectors without noise, which tell most of what the texts say.
    pub fn is_private(&self) -> bool {
        self.calls.has(Kind::Restore) || self.calls.clear_vectors > 0
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
    /// What the query reads, for messages.
    read: String,
}

impl Running {
    pub(crate) async fn start(engine: &Engine, query: Query) -> Result<Self, Error> {
        let read = engine.files_of(&query.plan);
        Self::start_reading(engine, query, read.clone()).await.map_err(|error| error.reading(&read))
    }

    async fn start_reading(engine: &Engine, query: Query, read: String) -> Result<Self, Error> {
        let (state, options) = (engine.state(), engine.options());
        let Query { plan, calls } = query;
        let account = options.account();
        let is_noisy = calls.kinds.iter().any(|kind| kind.is_noisy());
        if is_noisy && engine.has_policy() && !account.is_kept() && !options.keeps_key() {
            return Err(refused(
                "the policy veils with fresh noise for each query, so the mean of many queries would show the originals; name \
                 a key_file or a ledger in its table [settings], or with the settings of the session",
            ));
        }
        if calls.by_chance && account.is_kept() {
            return Err(refused(
                "a function of chance, such as random(), stands below veil() or veil_vector(), so the rows that are charged \
                 and those that are veiled would differ; use it in an outer query",
            ));
        }
        let dataset = dataset(&calls, &options)?;
        let mut tools = Tools { hides_names: engine.hides_names(), ..Tools::default() };
        if calls.kinds.iter().any(|kind| kind.detects()) {
            tools.detector = Some(engine.models.detector(&options)?);
        }
        if calls.has(Kind::StyleRisk) {
            tools.style = Some(engine.models.style(&options)?);
        }
        if calls.has(Kind::Restore) {
            tools.restorer = Some(restorer(&options)?);
        }
        if calls.has(Kind::Embed) {
            tools.encoder = Some(engine.models.encoder(&options)?);
        }
        // A query that the engine cannot run is not charged.
        let checked = physical(&state, &plan).await?;
        let mut job = None;
        if let Some(placement) = &engine.placement {
            placement.check(&checked)?;
            job = Some(Job::of(&options, &calls, engine.hides_names())?);
        }
        let planned = Planned::of(engine, &options, &calls, &dataset, &tools, job.as_ref()).await?;
        let mut work = Work::new(&engine.cancel, &engine.done, tools);
        // A mask is charged first: a limit refuses it always or never, so nothing else is charged in vain.
        let masks = calls.has(Kind::Mask);
        if masks {
            work.mask = Mutex::new(Some(MaskRelease::open(&account, &dataset, &Silent)?));
        }
        let (mut veil, mut charged, mut ticket) = (None, None, None);
        let (texts, vectors) = planned.charge()?;
        if let Some(texts) = texts {
            work.veil = Some(Veiling::Charged(texts.release));
            charged = texts.cost;
            ticket = Some(texts.ticket);
            veil = Some((texts.veil, texts.key));
        }
        work.job = job.map(|job| job.with_keys(ticket.as_ref(), vectors.as_ref().map(VectorRelease::key)));
        work.vectors = vectors.map(|vectors| VectorVeiling::Charged(Box::new(vectors)));
        let work = Arc::new(work);
        let plan = bind(plan, &work).map_err(|error| Error::of_run(&error))?;
        let stream = stream(engine, &state, &plan, &work, charged.clone()).await?;
        Ok(Self { stream, work, masks, veil, charged, read })
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
        self.stream.next().await.transpose().map_err(|error| Error::of_run(&error).reading(&self.read))
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
        if let Some(VectorVeiling::Charged(vectors)) = &self.work.vectors {
            receipts.extend(vectors.receipt(sha256.as_deref())?);
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
