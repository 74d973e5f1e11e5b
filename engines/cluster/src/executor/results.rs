//! Serves the rows of finished tasks, and what the tasks have released.

use std::path::{Path, PathBuf};
use std::pin::Pin;

use arrow_flight::flight_service_server::FlightService;
use arrow_flight::{
    Action, ActionType, Criteria, Empty, FlightData, FlightDescriptor, FlightInfo, HandshakeRequest,
    HandshakeResponse, PollInfo, PutResult, Result as ActionResult, SchemaResult, Ticket,
};
use ballista_core::serde::decode_protobuf;
use ballista_core::serde::scheduler::Action as RowAction;
use ballista_executor::flight_service::BallistaFlightService;
use futures::{Stream, StreamExt as _};
use serde::{Deserialize, Serialize};
use tonic::{Request, Response, Status, Streaming};

use super::guard::is_job;

/// The name of the request for what a task has released.
pub(crate) const TALLY: &str = "inkveil tally";

/// Names a task.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TaskName {
    pub(crate) job: String,
    pub(crate) stage: usize,
    pub(crate) task: u64,
}

/// Where a task keeps what it has released.
pub(crate) fn tally_path(work: &Path, job: &str, stage: usize, task: u64) -> PathBuf {
    work.join(job).join(stage.to_string()).join(format!("tally-{task}.json"))
}

/// The service.
pub(crate) struct Results {
    rows: BallistaFlightService,
    work: PathBuf,
}

impl Results {
    pub(crate) fn new(work: &Path) -> Self {
        let rows = BallistaFlightService::new(work.to_string_lossy().into_owned());
        Self { rows, work: work.to_owned() }
    }
}

type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send + 'static>>;

#[tonic::async_trait]
impl FlightService for Results {
    type DoActionStream = Answers<ActionResult>;
    type DoExchangeStream = Answers<FlightData>;
    type DoGetStream = Answers<FlightData>;
    type DoPutStream = Answers<PutResult>;
    type HandshakeStream = Answers<HandshakeResponse>;
    type ListActionsStream = Answers<ActionType>;
    type ListFlightsStream = Answers<FlightInfo>;

    async fn do_get(&self, request: Request<Ticket>) -> Result<Response<Self::DoGetStream>, Status> {
        let Ok(RowAction::FetchPartition { job_id, .. }) = decode_protobuf(&request.get_ref().ticket) else {
            return Err(Status::invalid_argument("this is no request for rows"));
        };
        // The name becomes a part of a path.
        if !is_job(job_id.as_str()) {
            return Err(Status::invalid_argument("this is not the name of a job"));
        }
        self.rows.do_get(request).await.map_err(|_| Status::not_found("the rows of this task are not here"))
    }

    async fn do_action(&self, request: Request<Action>) -> Result<Response<Self::DoActionStream>, Status> {
        let action = request.into_inner();
        if action.r#type != TALLY {
            return refused();
        }
        let name: TaskName = serde_json::from_slice(&action.body)
            .map_err(|_| Status::invalid_argument("this names no task"))?;
        if !is_job(&name.job) {
            return Err(Status::invalid_argument("this is not the name of a job"));
        }
        let path = tally_path(&self.work, &name.job, name.stage, name.task);
        let tally = tokio::task::spawn_blocking(move || std::fs::read(path)).await;
        let tally =
            tally.ok().and_then(Result::ok).ok_or_else(|| Status::not_found("there is no such task"))?;
        let answer = ActionResult { body: tally.into() };
        Ok(Response::new(futures::stream::once(async { Ok(answer) }).boxed()))
    }

    async fn handshake(
        &self,
        _: Request<Streaming<HandshakeRequest>>,
    ) -> Result<Response<Self::HandshakeStream>, Status> {
        refused()
    }

    async fn list_flights(&self, _: Request<Criteria>) -> Result<Response<Self::ListFlightsStream>, Status> {
        refused()
    }

    async fn get_flight_info(&self, _: Request<FlightDescriptor>) -> Result<Response<FlightInfo>, Status> {
        refused()
    }

    async fn poll_flight_info(&self, _: Request<FlightDescriptor>) -> Result<Response<PollInfo>, Status> {
        refused()
    }

    async fn get_schema(&self, _: Request<FlightDescriptor>) -> Result<Response<SchemaResult>, Status> {
        refused()
    }

    async fn do_put(&self, _: Request<Streaming<FlightData>>) -> Result<Response<Self::DoPutStream>, Status> {
        refused()
    }

    async fn do_exchange(
        &self,
        _: Request<Streaming<FlightData>>,
    ) -> Result<Response<Self::DoExchangeStream>, Status> {
        refused()
    }

    async fn list_actions(&self, _: Request<Empty>) -> Result<Response<Self::ListActionsStream>, Status> {
        refused()
    }
}

fn refused<T>() -> Result<T, Status> {
    Err(Status::unimplemented("executors serve rows of finished tasks only"))
}
