//! A part of a query on the cluster: sent to the scheduler, awaited, and fetched from executors.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_flight::decode::FlightRecordBatchStream;
use arrow_flight::flight_service_client::FlightServiceClient;
use arrow_flight::{Action, Ticket};
use ballista_core::serde::protobuf::execute_query_params::Query;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{
    self, CancelJobParams, CleanJobDataParams, ExecuteQueryParams, GetJobStatusParams, KeyValuePair,
    PartitionLocation, RemoveSessionParams, execute_query_result, job_status,
};
use ballista_core::serde::scheduler::{Action as RowAction, ShuffleFileKind, ShuffleLayout};
use ballista_core::version::insert_version_header;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::AsExecutionPlan as _;
use datafusion_proto::protobuf::PhysicalPlanNode;
use futures::{StreamExt as _, TryStreamExt as _};
use inkveil_datafusion::remote::Tallies;
use prost::Message as _;
use tonic::transport::Channel;

use crate::certificates::Role;
use crate::client::Cluster;
use crate::executor::{TALLY, TaskName};
use crate::seal::unique_name;
use crate::told::{Error, refused, shown};
use crate::transport::{Address, LARGEST_MESSAGE, Transport};

/// How long the client waits before it asks again.
const PAUSE: Duration = Duration::from_millis(100);
/// How long a scheduler may not know a job that it has accepted.
const NEW: Duration = Duration::from_secs(20);

type Scheduler = SchedulerGrpcClient<Channel>;

/// A job that has ended well. Its rows lie on executors.
pub(crate) struct Finished {
    /// Where the rows of each partition are.
    partitions: Vec<Place>,
    executors: BTreeMap<(String, u16), FlightServiceClient<Channel>>,
}

/// Where the rows of a partition are.
#[derive(Clone)]
struct Place {
    executor: (String, u16),
    job: String,
    stage: usize,
    partition: usize,
    task: u64,
    rows: u64,
}

/// Sends a part and waits until its rows are there. What its tasks have released is added to `tallies`, so rows that cost
/// more than was charged are never handed out.
pub(crate) async fn run(
    cluster: &Cluster,
    part: &Arc<dyn ExecutionPlan>,
    batch_size: usize,
    tallies: &Tallies,
) -> Result<Finished, Error> {
    let mut scheduler = connected(cluster).await?;
    let job = submit(cluster, &mut scheduler, part, batch_size).await?;
    let locations = ended(&mut scheduler, &job).await?;
    let count = part.properties().output_partitioning().partition_count();
    let partitions = places(locations, &job, count)?;
    let mut executors = BTreeMap::new();
    for place in &partitions {
        if !executors.contains_key(&place.executor) {
            let address = Address::new(&place.executor.0, place.executor.1);
            let channel = cluster.transport.connect(&address, Role::Executor).await?;
            let client = FlightServiceClient::new(channel)
                .max_decoding_message_size(LARGEST_MESSAGE)
                .max_encoding_message_size(LARGEST_MESSAGE);
            executors.insert(place.executor.clone(), client);
        }
    }
    let finished = Finished { partitions, executors };
    tallies.add(&finished.tallies().await?)?;
    Ok(finished)
}

async fn connected(cluster: &Cluster) -> Result<Scheduler, Error> {
    let channel = cluster.transport.connect(&cluster.scheduler, Role::Scheduler).await?;
    Ok(SchedulerGrpcClient::new(channel)
        .max_decoding_message_size(LARGEST_MESSAGE)
        .max_encoding_message_size(LARGEST_MESSAGE))
}

/// Checks that the scheduler answers. A certificate is refused after the connection.
pub(crate) async fn check(transport: &Transport, address: &Address) -> Result<Channel, Error> {
    let channel = transport.connect(address, Role::Scheduler).await?;
    let asked = GetJobStatusParams { job_id: "none".to_owned() };
    match SchedulerGrpcClient::new(channel.clone()).get_job_status(asked).await {
        Ok(_) => Ok(channel),
        Err(_) => Err(refused(format!(
            "cannot connect to the scheduler at {address}; it does not answer, or it has certificates of another cluster"
        ))),
    }
}

async fn submit(
    cluster: &Cluster,
    scheduler: &mut Scheduler,
    part: &Arc<dyn ExecutionPlan>,
    batch_size: usize,
) -> Result<String, Error> {
    let wrong = |error: datafusion::common::DataFusionError| {
        refused(shown(&format!("{error:?}")).unwrap_or_else(|| {
            "the query cannot be sent to a cluster: an expression has no form that can be sent".to_owned()
        }))
    };
    let node = PhysicalPlanNode::try_from_physical_plan(part.clone(), &cluster.codec).map_err(wrong)?;
    let mut plan = Vec::new();
    node.try_encode(&mut plan).map_err(wrong)?;
    let session = unique_name()?;
    // Settings of inkveil travel with the functions, encrypted. A receiver would drop one that it does not know.
    let batch_size = KeyValuePair {
        key: "datafusion.execution.batch_size".to_owned(),
        value: Some(batch_size.to_string()),
    };
    let mut request = tonic::Request::new(ExecuteQueryParams {
        session_id: session.clone(),
        settings: vec![batch_size],
        operation_id: session.clone(),
        query: Some(Query::PhysicalPlan(plan)),
    });
    insert_version_header(request.metadata_mut());
    let answer = scheduler.execute_query(request).await.map_err(|error| lost(&error))?.into_inner();
    match answer.result {
        Some(execute_query_result::Result::Success(accepted)) => {
            cluster.began(&accepted.job_id, &session);
            Ok(accepted.job_id)
        }
        Some(execute_query_result::Result::Failure(failure)) => {
            Err(refused(shown(&format!("{failure:?}")).unwrap_or_else(|| {
                "the scheduler cannot read the query; give the client and the scheduler the same version of inkveil".to_owned()
            })))
        }
        None => Err(refused("the scheduler gave no answer")),
    }
}

/// Waits for the end of a job.
async fn ended(scheduler: &mut Scheduler, job: &str) -> Result<Vec<PartitionLocation>, Error> {
    let mut begun = Some(Instant::now());
    loop {
        let asked = scheduler.get_job_status(GetJobStatusParams { job_id: job.to_owned() }).await;
        let status = asked.map_err(|error| lost(&error))?.into_inner().status;
        let Some(status) = status else {
            // A new job is not there at once.
            if begun.is_some_and(|begun| begun.elapsed() < NEW) {
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            return Err(refused(
                "the scheduler does not know the query any more; it was restarted. Run the query again: with the same key it \
                 gives the same bytes",
            ));
        };
        begun = None;
        match status.status {
            Some(job_status::Status::Successful(done)) => return Ok(done.partition_location),
            Some(job_status::Status::Failed(failed)) => {
                return Err(refused(shown(&failed.error).unwrap_or_else(|| told(&failed.error))));
            }
            _ => tokio::time::sleep(PAUSE).await,
        }
    }
}

/// What an unmarked error is about. Its text may quote a row.
fn told(error: &str) -> String {
    match error.contains("all executors were lost") {
        true => "all executors were lost; start executors and run the query again".to_owned(),
        false => {
            "the query failed on the cluster; the engine's message is withheld, because it may quote a row"
                .to_owned()
        }
    }
}

fn lost(status: &tonic::Status) -> Error {
    match status.code() {
        tonic::Code::FailedPrecondition => refused(
            "the scheduler has another version; give the client and the scheduler the same version of inkveil",
        ),
        _ => refused(
            "the scheduler does not answer any more; the query has ended and wrote nothing. A ledger keeps what it was charged: \
             run the query again with the same key to get the same bytes",
        ),
    }
}

/// Orders the places of the rows. Each partition must be there once.
fn places(locations: Vec<PartitionLocation>, job: &str, count: usize) -> Result<Vec<Place>, Error> {
    let wrong =
        || refused("the cluster did not return every part of the query once, so its rows are not used");
    let mut found: BTreeMap<usize, Place> = BTreeMap::new();
    for location in locations {
        let (Some(id), Some(executor), Some(task), Some(stats)) =
            (location.partition_id, location.executor_meta, location.file_id, location.partition_stats)
        else {
            return Err(wrong());
        };
        let place = Place {
            executor: (executor.host, u16::try_from(executor.port).map_err(|_| wrong())?),
            job: id.job_id,
            stage: id.stage_id as usize,
            partition: id.partition_id as usize,
            task,
            rows: u64::try_from(stats.num_rows).map_err(|_| wrong())?,
        };
        if place.job != job || found.insert(place.partition, place).is_some() {
            return Err(wrong());
        }
    }
    match found.len() == count && found.keys().copied().eq(0..count) {
        true => Ok(found.into_values().collect()),
        false => Err(wrong()),
    }
}

impl Finished {
    /// What each task has released.
    async fn tallies(&self) -> Result<Vec<Vec<u8>>, Error> {
        let failed = || refused("a task did not say what it has released; its rows are not used");
        let mut tasks: Vec<&Place> = self.partitions.iter().collect();
        tasks.sort_by_key(|place| (&place.executor, place.stage, place.task));
        tasks.dedup_by_key(|place| (&place.executor, place.stage, place.task));
        let mut tallies = Vec::with_capacity(tasks.len());
        for place in tasks {
            let name = TaskName { job: place.job.clone(), stage: place.stage, task: place.task };
            let body = serde_json::to_vec(&name).map_err(|_| failed())?;
            let mut executor = self.executor(place)?;
            let answer = executor.do_action(Action { r#type: TALLY.to_owned(), body: body.into() }).await;
            let mut answers = answer.map_err(|_| executor_lost())?.into_inner();
            let tally = answers.message().await.map_err(|_| executor_lost())?.ok_or_else(failed)?;
            tallies.push(tally.body.to_vec());
        }
        Ok(tallies)
    }

    fn executor(&self, place: &Place) -> Result<FlightServiceClient<Channel>, Error> {
        self.executors.get(&place.executor).cloned().ok_or_else(executor_lost)
    }

    /// The rows of a partition, and their number.
    pub(crate) async fn rows(&self, partition: usize) -> Result<(FlightRecordBatchStream, u64), Error> {
        let place = self.partitions.get(partition).ok_or_else(executor_lost)?;
        let action = RowAction::FetchPartition {
            job_id: place.job.clone().into(),
            stage_id: place.stage,
            partition_id: place.partition,
            host: place.executor.0.clone(),
            port: place.executor.1,
            file_id: Some(place.task),
            layout: ShuffleLayout::Passthrough,
            file_kind: ShuffleFileKind::Data,
            byte_ranges: Vec::new(),
        };
        let action: protobuf::Action = action.try_into().map_err(|_| executor_lost())?;
        let mut executor = self.executor(place)?;
        let ticket = Ticket { ticket: action.encode_to_vec().into() };
        let rows = executor.do_get(ticket).await.map_err(|_| executor_lost())?.into_inner();
        let rows = rows.map_err(|status| arrow_flight::error::FlightError::Tonic(Box::new(status)));
        Ok((FlightRecordBatchStream::new_from_flight_data(rows.boxed()), place.rows))
    }
}

/// An executor died after the job had ended and before its rows were fetched.
pub(crate) fn executor_lost() -> Error {
    refused(
        "an executor was lost before its rows were fetched; nothing was written. Run the query again: with the same key it \
         gives the same bytes",
    )
}

/// Ends jobs: what runs is cancelled, and executors remove their rows.
pub(crate) async fn end(cluster: &Cluster, jobs: Vec<(String, String)>) {
    if jobs.is_empty() {
        return;
    }
    // Executors remove the rows of lost jobs by themselves, later.
    let Ok(mut scheduler) = connected(cluster).await else { return };
    for (job_id, session_id) in jobs {
        let status = scheduler.get_job_status(GetJobStatusParams { job_id: job_id.clone() }).await;
        let status = status.ok().and_then(|found| found.into_inner().status).and_then(|found| found.status);
        let has_ended =
            matches!(status, Some(job_status::Status::Successful(_) | job_status::Status::Failed(_)) | None);
        if !has_ended {
            let _ = scheduler.cancel_job(CancelJobParams { job_id: job_id.clone() }).await;
        }
        let _ = scheduler.clean_job_data(CleanJobDataParams { job_id, remove_stage_ids: Vec::new() }).await;
        let _ = scheduler.remove_session(RemoveSessionParams { session_id }).await;
    }
}
