//! Runs tasks. A task is checked again, since a plan passes through the scheduler. Its files must be those that were
//! counted. What it has released is written beside its rows, and its errors lose what may quote a row.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ballista_core::JobId;
use ballista_core::error::BallistaError;
use ballista_core::execution_plans::ShuffleWriterExec;
use ballista_core::serde::protobuf::ShuffleWritePartition;
use ballista_executor::execution_engine::{DefaultExecutionEngine, ExecutionEngine, QueryStageExecutor};
use datafusion::arrow::error::ArrowError;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::object_store::ObjectStoreExt as _;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::prelude::SessionConfig;
use futures::FutureExt as _;
use inkveil::files::write_private;
use inkveil_datafusion::remote::{cancel, tally_of, told};

use super::results::tally_path;
use crate::shape::{check, files_of};
use crate::told::marked;

/// The plans of the tasks that run, by their jobs.
#[derive(Default)]
pub(crate) struct Running(Mutex<HashMap<String, Vec<Arc<dyn ExecutionPlan>>>>);

impl Running {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<Arc<dyn ExecutionPlan>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, job: &str, plan: &Arc<dyn ExecutionPlan>) {
        self.lock().entry(job.to_owned()).or_default().push(plan.clone());
    }

    fn end(&self, job: &str, plan: &Arc<dyn ExecutionPlan>) {
        let mut jobs = self.lock();
        if let Some(plans) = jobs.get_mut(job) {
            plans.retain(|known| !Arc::ptr_eq(known, plan));
            if plans.is_empty() {
                jobs.remove(job);
            }
        }
    }

    /// The jobs that have running tasks.
    pub(crate) fn jobs(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    /// Stops the tasks of a job. They fail soon.
    pub(crate) fn cancel(&self, job: &str) {
        self.lock().get(job).into_iter().flatten().for_each(cancel);
    }

    /// Stops all tasks.
    pub(crate) fn cancel_all(&self) {
        self.lock().values().flatten().for_each(cancel);
    }
}

/// Creates guarded tasks.
pub(crate) struct Guard {
    engine: DefaultExecutionEngine,
    running: Arc<Running>,
}

impl Guard {
    pub(crate) fn new(running: Arc<Running>) -> Self {
        Self { engine: DefaultExecutionEngine::new(), running }
    }
}

impl ExecutionEngine for Guard {
    fn create_query_stage_exec(
        &self,
        job_id: JobId,
        stage_id: usize,
        task_id: usize,
        partitions: Vec<usize>,
        plan: Arc<dyn ExecutionPlan>,
        work_dir: &str,
        config: &SessionConfig,
    ) -> Result<Arc<dyn QueryStageExecutor>> {
        let job = job_id.as_str().to_owned();
        if !is_job(&job) {
            return Err(marked("a task has the name of no job"));
        }
        let Some(writer) = plan.downcast_ref::<ShuffleWriterExec>() else {
            return Err(marked(
                "a task would divide its rows between others; executors run tasks of one stage only",
            ));
        };
        let Some(part) = writer.children().first().map(|part| Arc::clone(part)) else {
            return Err(marked("a task has no plan"));
        };
        check(&part).map_err(|error| marked(&error.to_string()))?;
        let inner = self
            .engine
            .create_query_stage_exec(job_id, stage_id, task_id, partitions, plan, work_dir, config)
            .map_err(|error| marked(&told(&error).to_string()))?;
        let (running, work) = (self.running.clone(), PathBuf::from(work_dir));
        Ok(Arc::new(Task { inner, part, job, stage: stage_id, work, running }))
    }
}

/// Whether a text can be the name of a job, and so of a folder.
pub(crate) fn is_job(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 64
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
}

/// A task.
struct Task {
    inner: Arc<dyn QueryStageExecutor>,
    part: Arc<dyn ExecutionPlan>,
    job: String,
    stage: usize,
    work: PathBuf,
    running: Arc<Running>,
}

/// Ends the entry of a task, however it ends.
struct Entry<'t>(&'t Task);

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.0.running.end(&self.0.job, &self.0.part);
    }
}

#[async_trait::async_trait]
impl QueryStageExecutor for Task {
    async fn execute_query_stage(
        &self,
        task_id: usize,
        context: Arc<TaskContext>,
    ) -> Result<Vec<ShuffleWritePartition>> {
        self.running.begin(&self.job, &self.part);
        let _entry = Entry(self);
        self.check_files(&context).await?;
        let run = AssertUnwindSafe(self.inner.execute_query_stage(task_id, context.clone())).catch_unwind();
        let written = match run.await {
            Ok(Ok(written)) => written,
            Ok(Err(error)) => return Err(marked(&in_words(&error))),
            Err(_) => return Err(marked("a task of the engine stopped")),
        };
        // A file that changes while it is read may have given other rows than those that were counted.
        self.check_files(&context).await?;
        let path = tally_path(&self.work, &self.job, self.stage, task_id as u64);
        let tally = tally_of(&self.part).map_err(|error| marked(&error.to_string()))?;
        keep(&path, &tally)?;
        Ok(written)
    }

    fn collect_plan_metrics(&self) -> Vec<MetricsSet> {
        self.inner.collect_plan_metrics()
    }
}

impl Task {
    /// Checks that the files are those that the client has seen.
    async fn check_files(&self, context: &TaskContext) -> Result<()> {
        for (url, file) in files_of(&self.part) {
            let store = context.runtime_env().object_store(&url);
            let store = store.map_err(|_| marked("this executor cannot read the storage of a table"))?;
            let location = &file.object_meta.location;
            let found = store.head(location).await.map_err(|_| {
                marked(&format!(
                    "an executor cannot read /{location}; clients and executors need the files of tables at the same path"
                ))
            })?;
            let known = &file.object_meta;
            // Files of a Delta table have no time here, because they never change.
            let has_time = known.last_modified.timestamp_nanos_opt() != Some(0);
            if found.size != known.size || has_time && found.last_modified != known.last_modified {
                return Err(marked(&format!(
                    "/{location} has changed since the query was planned, or an executor has another file there"
                )));
            }
        }
        Ok(())
    }
}

/// What failed, without what may quote a row. Ballista wraps errors in its own.
fn in_words(error: &DataFusionError) -> String {
    let inner = match error {
        DataFusionError::Shared(inner) => return in_words(inner),
        DataFusionError::Context(_, inner) => return in_words(inner),
        DataFusionError::External(inner) => inner,
        _ => return told(error).to_string(),
    };
    match inner.downcast_ref::<BallistaError>() {
        Some(BallistaError::DataFusionError(inner)) => in_words(inner),
        Some(BallistaError::ArrowError(inner)) => {
            told(&DataFusionError::ArrowError(Box::new(without_text(inner)), None)).to_string()
        }
        Some(BallistaError::IoError(_)) => {
            "an executor cannot write to its work folder; the disk may be full".to_owned()
        }
        _ => told(error).to_string(),
    }
}

/// An error of the same kind that quotes nothing.
fn without_text(error: &ArrowError) -> ArrowError {
    let nothing = String::new();
    match error {
        ArrowError::CastError(_) => ArrowError::CastError(nothing),
        ArrowError::ParseError(_) => ArrowError::ParseError(nothing),
        ArrowError::CsvError(_) => ArrowError::CsvError(nothing),
        ArrowError::JsonError(_) => ArrowError::JsonError(nothing),
        ArrowError::OffsetOverflowError(_) => ArrowError::OffsetOverflowError(0),
        ArrowError::DivideByZero => ArrowError::DivideByZero,
        _ => ArrowError::ComputeError(nothing),
    }
}

fn keep(path: &Path, tally: &[u8]) -> Result<()> {
    write_private(path, tally, true)
        .map_err(|_| marked("an executor cannot write to its work folder; the disk may be full"))
}

impl std::fmt::Debug for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Task")
    }
}

impl std::fmt::Display for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Task")
    }
}
