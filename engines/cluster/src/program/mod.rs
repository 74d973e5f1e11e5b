//! The command line.

mod args;
mod sql;

use std::io::Write as _;

use anyhow::Context as _;
use clap::Parser as _;
use inkveil_cluster::{
    ExecutorOptions, Role, RoleFiles, SchedulerOptions, make_certificates, run_executor, run_scheduler,
};

use args::{Args, Command, ExecutorArgs, SchedulerArgs};

const FAILURE: u8 = 1;
const INTERRUPTED: u8 = 130;

/// Runs the program and returns its exit code.
pub(crate) fn run() -> u8 {
    // A panic of a parser may quote a row.
    inkveil::files::hide_panic_messages();
    let args = Args::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let result = match runtime {
        Ok(runtime) => {
            let result = runtime.block_on(run_async(args));
            // Work that was cancelled may still hold a thread for a moment.
            runtime.shutdown_timeout(std::time::Duration::from_secs(2));
            result
        }
        Err(_) => Err(anyhow::anyhow!("the system refuses to start threads")),
    };
    let Err(error) = result else { return 0 };
    if error.is::<sql::Interrupted>() {
        say("interrupted: no file was written");
        return INTERRUPTED;
    }
    say(&format!("error: {error:#}"));
    FAILURE
}

async fn run_async(args: Args) -> anyhow::Result<()> {
    match args.command {
        Command::Certificates { folder } => Ok(make_certificates(&folder)?),
        Command::Scheduler(args) => scheduler(args).await,
        Command::Executor(args) => executor(args).await,
        Command::Sql(args) => sql::run(&args).await,
    }
}

async fn scheduler(args: SchedulerArgs) -> anyhow::Result<()> {
    let files = RoleFiles::open(args.cluster.as_deref(), None, Role::Scheduler)?;
    Ok(run_scheduler(files, SchedulerOptions { bind: args.bind, lost_after: args.lost_after }).await?)
}

async fn executor(args: ExecutorArgs) -> anyhow::Result<()> {
    let ExecutorArgs { scheduler, bind, advertise, files, slots, pack, encoder, work } = args;
    let files = RoleFiles::open(files.cluster.as_deref(), files.key.as_deref(), Role::Executor)?;
    let options = ExecutorOptions { scheduler, bind, advertise, slots, pack, encoder, work };
    run_executor(files, options).await.context("the executor has ended")
}

/// Writes a line to standard error. If that is closed, there is no place to say so.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
