//! An executor. It asks the scheduler for tasks, and serves the rows of finished tasks to clients.

mod guard;
mod janitor;
mod results;
mod work_folder;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use arrow_flight::flight_service_server::FlightServiceServer;
use ballista_core::BALLISTA_PROTOCOL_VERSION;
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_core::serde::protobuf::executor_resource::Resource;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{
    ExecutorOperatingSystemSpecification, ExecutorRegistration, ExecutorResource, ExecutorSpecification,
};
use ballista_core::serde::{BallistaCodec, BallistaLogicalExtensionCodec};
use ballista_core::utils::default_config_producer;
use ballista_executor::execution_loop::poll_loop;
use ballista_executor::executor::Executor;
use ballista_executor::health::ExecutorHealth;
use ballista_executor::metrics::LoggingMetricsCollector;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use inkveil_datafusion::remote::Worker;
use tonic::transport::Channel;

use crate::certificates::RoleFiles;
use crate::codec::Codec;
use crate::scheduler::say;
use crate::seal::unique_name;
use crate::told::{Error, refused};
use crate::transport::{Address, LARGEST_MESSAGE, Transport};
use guard::{Guard, Running};
use results::Results;
pub(crate) use results::{TALLY, TaskName};
use work_folder::WorkFolder;

/// How long an executor waits for its scheduler to start.
const WAIT_FOR_SCHEDULER: Duration = Duration::from_secs(60);

/// How long a stopped executor waits for its tasks.
const WAIT_FOR_TASKS: Duration = Duration::from_secs(10);

/// What an executor needs.
#[derive(Debug)]
pub struct ExecutorOptions {
    /// The scheduler.
    pub scheduler: Address,
    /// Where it listens.
    pub bind: Address,
    /// The host that clients connect to, if it is another one.
    pub advertise: Option<String>,
    /// Tasks that run at once, and threads that veil texts.
    pub slots: usize,
    /// Where this machine has the pack of the texts.
    pub pack: Option<String>,
    /// Where this machine has the pack with the encoder.
    pub encoder: Option<String>,
    /// The folder for the rows of finished tasks.
    pub work: Option<PathBuf>,
}

/// Runs an executor until it is stopped.
///
/// # Errors
/// If it cannot listen, use its work folder, or reach the scheduler.
pub async fn run_executor(files: RoleFiles, options: ExecutorOptions) -> Result<(), Error> {
    let (transport, key) = files.with_key()?;
    let (incoming, bound) = transport.listen(&options.bind).await?;
    let host = options.advertise.unwrap_or_else(|| bound.ip().to_string());
    if bound.ip().is_unspecified() && host == bound.ip().to_string() {
        return Err(refused(format!(
            "clients cannot connect to {host}; name this machine with --advertise HOST"
        )));
    }
    let slots = options.slots.max(1);
    // The work on texts would use all cores.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(slots).build_global();
    pool.map_err(|_| refused("the system refuses to start threads"))?;
    let work = WorkFolder::open(options.work, bound.port())?;
    let path = work.path().to_string_lossy().into_owned();
    let channel = connected(&transport, &options.scheduler).await?;
    let scheduler = SchedulerGrpcClient::new(channel)
        .max_decoding_message_size(LARGEST_MESSAGE)
        .max_encoding_message_size(LARGEST_MESSAGE);

    let running = Arc::new(Running::default());
    let spill = work.spill();
    let executor = Executor::new(
        registration(unique_name()?, host, bound.port(), slots),
        &path,
        Arc::new(move |_| RuntimeEnvBuilder::new().with_temp_file_path(&spill).build_arc()),
        Arc::new(default_config_producer),
        Arc::new(BallistaFunctionRegistry::default()),
        Arc::new(LoggingMetricsCollector::default()),
        slots,
        Arc::new(Guard::new(running.clone())),
    );
    let worker = Arc::new(Worker::new(options.pack, options.encoder));
    let codec = BallistaCodec::<LogicalPlanNode, PhysicalPlanNode>::new(
        Arc::new(BallistaLogicalExtensionCodec::default()),
        Arc::new(Codec::of_executor(Arc::new(key), worker)),
    );
    let service = FlightServiceServer::new(Results::new(work.path()))
        .max_decoding_message_size(LARGEST_MESSAGE)
        .max_encoding_message_size(LARGEST_MESSAGE);
    let server = tokio::spawn(transport.server()?.add_service(service).serve_with_incoming(incoming));
    let mut tasks = tokio::spawn(poll_loop(
        scheduler.clone(),
        Arc::new(executor),
        codec,
        None,
        None,
        ExecutorHealth::new(),
    ));
    let janitor = tokio::spawn(janitor::run(work.path().to_owned(), scheduler, running.clone()));
    say(&format!("executor: listens at {bound}"));
    let ended = tokio::select! {
        () = terminated() => Ok(()),
        _ = server => Err(refused("the executor stopped listening")),
        _ = &mut tasks => Err(refused("the executor stopped asking for tasks")),
    };
    tasks.abort();
    janitor.abort();
    let begun = tokio::time::Instant::now();
    while !running.jobs().is_empty() && begun.elapsed() < WAIT_FOR_TASKS {
        running.cancel_all();
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    work.clean()?;
    ended
}

fn registration(id: String, host: String, port: u16, slots: usize) -> ExecutorRegistration {
    let resource = Some(Resource::Vcores(u32::try_from(slots).unwrap_or(u32::MAX)));
    ExecutorRegistration {
        id,
        host: Some(host),
        port: u32::from(port),
        // There is no server for tasks.
        grpc_port: 0,
        specification: Some(ExecutorSpecification { resources: vec![ExecutorResource { resource }] }),
        // The scheduler need not know the machine.
        os_info: Some(ExecutorOperatingSystemSpecification::default()),
        ballista_protocol_version: BALLISTA_PROTOCOL_VERSION,
    }
}

async fn connected(transport: &Transport, scheduler: &Address) -> Result<Channel, Error> {
    let begun = tokio::time::Instant::now();
    loop {
        match crate::job::check(transport, scheduler).await {
            Err(error) if begun.elapsed() > WAIT_FOR_SCHEDULER => return Err(error),
            Err(_) => tokio::time::sleep(Duration::from_millis(300)).await,
            connected => return connected,
        }
    }
}

/// Waits until the program is asked to stop.
pub(crate) async fn terminated() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
