//! The arguments.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand};
use inkveil_cluster::Address;

/// Veil tables with SQL on several machines
///
/// A client charges a query once. Executors read the files and veil them. A scheduler distributes the work; it cannot read
/// the key of the noise.
#[derive(Debug, Parser)]
#[command(
    name = "inkveil-cluster",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  Make the files of a cluster, and copy the folder of its role to each machine:
    inkveil-cluster certificates cluster/

  Start the scheduler and an executor:
    inkveil-cluster scheduler --bind 10.0.0.5:50050 --cluster cluster/scheduler
    inkveil-cluster executor --scheduler 10.0.0.5:50050 --bind 10.0.0.6:50051 --cluster cluster/executor --slots 8

  Veil a column:
    inkveil-cluster sql --scheduler 10.0.0.5:50050 --cluster cluster/client --table mails=/lake/mails/ \\
      -c \"SELECT id, veil(body, id) AS body FROM mails\" -o veiled.parquet --receipt veiled.receipt.json"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write the certificates and the shared key of a new cluster
    Certificates {
        /// The folder to write: one folder for each role. Only its owner can read it
        folder: PathBuf,
    },
    Scheduler(SchedulerArgs),
    Executor(ExecutorArgs),
    Sql(Box<SqlArgs>),
}

/// Distribute the work of queries
#[derive(Debug, Parser)]
pub(crate) struct SchedulerArgs {
    /// The address to listen at
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050")]
    pub(crate) bind: Address,

    /// The folder with the files of the scheduler. Without it, only addresses such as 127.0.0.1 are allowed, and nothing is
    /// encrypted
    #[arg(long, value_name = "FOLDER")]
    pub(crate) cluster: Option<PathBuf>,

    /// Give the tasks of an executor to others after this number of seconds without a sign of life (default: 30)
    #[arg(long, value_name = "SECONDS", default_value_t = 30, hide_default_value = true, value_parser = clap::value_parser!(u64).range(10..=3600))]
    pub(crate) lost_after: u64,
}

/// Read files and veil them for queries
#[derive(Debug, Parser)]
pub(crate) struct ExecutorArgs {
    /// The address of the scheduler
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) scheduler: Address,

    /// The address to listen at. Clients fetch rows there
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50051")]
    pub(crate) bind: Address,

    /// The host that clients connect to (default: that of --bind)
    #[arg(long, value_name = "HOST")]
    pub(crate) advertise: Option<String>,

    #[command(flatten)]
    pub(crate) files: FileArgs,

    /// Tasks that run at once, and threads that veil texts
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) slots: usize,

    /// Where this machine has the pack of texts (default: as the settings of a query name it)
    #[arg(long, value_name = "PACK")]
    pub(crate) pack: Option<String>,

    /// Where this machine has the pack with the encoder of embed() (default: as the settings of a query name it)
    #[arg(long, value_name = "PACK")]
    pub(crate) encoder: Option<String>,

    /// The folder for veiled rows until clients fetch them. It is emptied at start and end (default: a folder for temporary
    /// files)
    #[arg(long, value_name = "FOLDER")]
    pub(crate) work: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct FileArgs {
    /// The folder with the files of this role. Without it, only addresses such as 127.0.0.1 are allowed, and nothing is
    /// encrypted but the key of the noise
    #[arg(long, value_name = "FOLDER")]
    pub(crate) cluster: Option<PathBuf>,

    /// The file with the key that clients and executors share, without --cluster
    #[arg(long, value_name = "FILE", conflicts_with = "cluster")]
    pub(crate) key: Option<PathBuf>,
}

/// Run a query on the cluster, and charge it once
#[derive(Debug, Parser)]
pub(crate) struct SqlArgs {
    /// The address of the scheduler
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) scheduler: Address,

    #[command(flatten)]
    pub(crate) files: FileArgs,

    /// A table: a file (.parquet, .csv, .jsonl, .ndjson, .json), a folder of such files, or a Delta table. Executors read the
    /// same path. Repeatable
    #[arg(long = "table", value_name = "NAME=PATH")]
    pub(crate) tables: Vec<String>,

    /// A folder of tables
    #[arg(long, value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,

    /// A policy file: what happens to the columns of each table on every read
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,

    /// A setting, such as preset=strict, ledger=FILE, key_file=FILE or tier=rules. Repeatable
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) settings: Vec<String>,

    /// Parts of a query that executors work on (default: 16)
    #[arg(long, value_name = "N", default_value_t = 16, hide_default_value = true)]
    pub(crate) partitions: usize,

    /// The statements to run. Only the last may be a query
    #[arg(short = 'c', long = "command", value_name = "SQL")]
    pub(crate) sql: String,

    /// The file to write: .parquet, .csv or .jsonl
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// The file for the receipts of what the query releases: JSON, or JSON lines if it veils and masks
    #[arg(long, value_name = "FILE")]
    pub(crate) receipt: Option<PathBuf>,

    /// Replace existing files
    #[arg(long)]
    pub(crate) force: bool,

    /// Print no summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
