//! Removes the rows of jobs that have ended. The scheduler names most of them when an executor asks for work. This finds
//! the others: jobs that were cancelled while a task ran, and jobs of a scheduler that died.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{GetJobStatusParams, job_status};
use inkveil::files::entries_of;
use tonic::transport::Channel;

use super::guard::{Running, is_job};
use super::work_folder::remove;
use crate::scheduler::KEPT_SECONDS;

/// How often the work folder is looked at.
const PAUSE: Duration = Duration::from_secs(2);

/// Looks at the work folder until the executor ends.
pub(crate) async fn run(work: PathBuf, mut scheduler: SchedulerGrpcClient<Channel>, running: Arc<Running>) {
    // Jobs that the scheduler did not know the last time. A new job may not be there yet.
    let mut unknown = BTreeSet::new();
    loop {
        tokio::time::sleep(PAUSE).await;
        let mut jobs: BTreeSet<String> = running.jobs().into_iter().collect();
        let folders = entries_of(&work).unwrap_or_default();
        jobs.extend(folders.iter().filter_map(|path| path.file_name()?.to_str().map(str::to_owned)));
        jobs.retain(|job| is_job(job));
        let mut still_unknown = BTreeSet::new();
        for job in jobs {
            let asked = scheduler.get_job_status(GetJobStatusParams { job_id: job.clone() }).await;
            let Ok(answer) = asked else { continue };
            let status = answer.into_inner().status.and_then(|status| status.status);
            let has_ended = match status {
                Some(job_status::Status::Failed(_)) => true,
                Some(job_status::Status::Successful(done)) => is_old(done.ended_at),
                Some(_) => false,
                None => !still_unknown.insert(job.clone()) || unknown.contains(&job),
            };
            if has_ended {
                running.cancel(&job);
                // A task that still writes is found again.
                let _ = remove(&work.join(&job));
            }
        }
        unknown = still_unknown;
    }
}

/// Whether a client has had the time to fetch the rows of a job that ended then, in milliseconds since 1970.
fn is_old(ended: u64) -> bool {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    now.as_secs().saturating_sub(ended / 1000) > KEPT_SECONDS
}
