//! The scheduler. It distributes tasks, and has neither a key nor a ledger. It connects to nobody: executors ask it for
//! work, so that no executor needs a server for tasks.

use std::io::Write as _;
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpcServer;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::create_scheduler;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};

use crate::certificates::RoleFiles;
use crate::codec::Codec;
use crate::executor::terminated;
use crate::told::{Error, refused};
use crate::transport::{Address, LARGEST_MESSAGE};

/// How long executors keep the rows of a job that has ended. A client asks for their removal when it has them, or fails. A
/// client that was killed does not, and one that writes a large file needs hours.
pub(crate) const KEPT_SECONDS: u64 = 24 * 3600;

/// What a scheduler needs.
#[derive(Debug)]
pub struct SchedulerOptions {
    /// Where it listens.
    pub bind: Address,
    /// After this number of seconds without a sign of life, an executor is lost and others get its tasks.
    pub lost_after: u64,
}

/// Runs a scheduler until it is stopped.
///
/// # Errors
/// If it cannot listen.
pub async fn run_scheduler(files: RoleFiles, options: SchedulerOptions) -> Result<(), Error> {
    let (incoming, bound) = files.transport.listen(&options.bind).await?;
    let failed = |_| refused("the scheduler cannot be set up");
    let largest = u32::try_from(LARGEST_MESSAGE).unwrap_or(u32::MAX);
    let config = SchedulerConfig {
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        external_host: bound.ip().to_string(),
        bind_host: bound.ip().to_string(),
        bind_port: bound.port(),
        executor_timeout_seconds: options.lost_after,
        expire_dead_executor_interval_seconds: (options.lost_after / 4).max(1),
        no_executors_grace_period_seconds: options.lost_after,
        finished_job_data_clean_up_interval_seconds: KEPT_SECONDS,
        grpc_server_max_decoding_message_size: largest,
        grpc_server_max_encoding_message_size: largest,
        override_physical_codec: Some(Arc::new(Codec::of_scheduler())),
        // Executors have no server for tasks. Nothing is sent to another program that listens there.
        override_create_grpc_client_endpoint: Some(Arc::new(|_| {
            Err("the scheduler connects to nobody".into())
        })),
        ..SchedulerConfig::default()
    };
    let cluster = BallistaCluster::new_from_config(&config).await.map_err(failed)?;
    let scheduler = create_scheduler::<LogicalPlanNode, PhysicalPlanNode>(cluster, Arc::new(config));
    let scheduler = scheduler.await.map_err(failed)?;
    let service = SchedulerGrpcServer::new(scheduler)
        .max_decoding_message_size(LARGEST_MESSAGE)
        .max_encoding_message_size(LARGEST_MESSAGE);
    let server = files.transport.server()?.add_service(service);
    say(&format!("scheduler: listens at {bound}"));
    // Executors stay connected, so nothing waits for them.
    tokio::select! {
        _ = server.serve_with_incoming(incoming) => Err(refused("the scheduler stopped listening")),
        () = terminated() => Ok(()),
    }
}

/// Writes a line to standard error. If that is closed, there is no place to say so.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
