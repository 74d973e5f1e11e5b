//! A cluster, as a client sees it: a place for parts of queries.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use datafusion::physical_plan::ExecutionPlan;
use inkveil_datafusion::remote::{Placement, Tallies};

use crate::certificates::RoleFiles;
use crate::codec::Codec;
use crate::job;
use crate::remote_rows::RemoteRows;
use crate::shape::divided;
use crate::told::Error;
use crate::transport::{Address, Transport};

/// A cluster. Parts of queries that read files and veil run there.
pub struct Cluster {
    pub(crate) scheduler: Address,
    pub(crate) transport: Transport,
    pub(crate) codec: Codec,
    /// The jobs that began, and their sessions.
    jobs: Mutex<Vec<(String, String)>>,
    this: Weak<Self>,
}

impl Cluster {
    /// Connects to a scheduler.
    ///
    /// # Errors
    /// If it cannot be reached, or there is no shared key.
    pub async fn connect(files: RoleFiles, scheduler: Address) -> Result<Arc<Self>, Error> {
        let (transport, key) = files.with_key()?;
        job::check(&transport, &scheduler).await?;
        let codec = Codec::of_client(Arc::new(key));
        let jobs = Mutex::default();
        Ok(Arc::new_cyclic(|this| Self { scheduler, transport, codec, jobs, this: this.clone() }))
    }

    /// Ends all jobs of this client. Executors remove their rows.
    pub async fn end(&self) {
        let jobs = std::mem::take(&mut *self.jobs.lock().unwrap_or_else(PoisonError::into_inner));
        job::end(self, jobs).await;
    }

    pub(crate) fn began(&self, job: &str, session: &str) {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.push((job.to_owned(), session.to_owned()));
    }
}

impl Placement for Cluster {
    fn check(&self, plan: &Arc<dyn ExecutionPlan>) -> Result<(), inkveil_datafusion::Error> {
        let mut parts = 0;
        divided(plan, &mut |part| {
            parts += 1;
            Ok(part)
        })
        .map_err(as_query_error)?;
        match parts {
            0 => Err(inkveil_datafusion::Error::Refused(
                "the query veils and masks nothing, so a cluster would do nothing; run it with inkveil-sql"
                    .to_owned(),
            )),
            _ => Ok(()),
        }
    }

    fn place(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        tallies: Tallies,
    ) -> Result<Arc<dyn ExecutionPlan>, inkveil_datafusion::Error> {
        let Some(this) = self.this.upgrade() else { return Err(inkveil_datafusion::Error::Cancelled) };
        let mut send = |part| {
            let rows: Arc<dyn ExecutionPlan> = Arc::new(RemoteRows::new(this.clone(), part, tallies.clone()));
            Ok(rows)
        };
        divided(&plan, &mut send).map_err(as_query_error)
    }
}

fn as_query_error(error: Error) -> inkveil_datafusion::Error {
    match error {
        Error::Query(error) => error,
        error => inkveil_datafusion::Error::Refused(error.to_string()),
    }
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Cluster({})", self.scheduler)
    }
}
