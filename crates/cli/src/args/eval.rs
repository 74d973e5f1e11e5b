//! The arguments of `inkveil eval`.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use super::DeviceName;

/// Measure what veils protect and what they cost, on data you choose
///
/// An experiment is a file that describes texts, veils, attackers and measures. Some experiments
/// are known by name. Measurements are stored, so an interrupted run resumes with the same command.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil eval list
  inkveil eval data --data DATA
  inkveil eval run stamp-mechanisms --data DATA -o results
  inkveil eval run stamp-frontier --data DATA -o results --quick    # a test in minutes
  inkveil eval show stamp-frontier > mine.toml                      # edit it, then run mine.toml
  inkveil eval report results/*.json -o report.html")]
pub(crate) struct EvalArgs {
    #[command(subcommand)]
    pub(crate) command: EvalCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    /// List the known experiments
    List,
    Show(ShowExperimentArgs),
    Data(DataArgs),
    Run(RunArgs),
    Report(ReportArgs),
}

/// Print the file of a known experiment
#[derive(Debug, Parser)]
pub(crate) struct ShowExperimentArgs {
    /// The name of the experiment
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

/// Check which test sets are present and complete
#[derive(Debug, Parser)]
pub(crate) struct DataArgs {
    /// The folder of test sets, one folder for each
    #[arg(long, value_name = "FOLDER")]
    pub(crate) data: PathBuf,
}

/// Run experiments and write their results
///
/// Writes NAME.json (all results), NAME.md, NAME.tex and drawings for each experiment, and
/// report.html for all.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil eval run stamp-mechanisms stamp-frontier --data DATA -o results
  inkveil eval run mine.toml --data DATA -o results --quick")]
pub(crate) struct RunArgs {
    /// Known experiments by name, or files
    #[arg(value_name = "EXPERIMENT", required = true)]
    pub(crate) experiments: Vec<String>,

    /// The folder of test sets, one folder for each
    #[arg(long, value_name = "FOLDER")]
    pub(crate) data: PathBuf,

    /// The folder of the results
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,

    /// The model pack, instead of the experiment's
    #[arg(long, value_name = "NAME|FOLDER")]
    pub(crate) pack: Option<String>,

    /// The language model that answers questions, instead of the experiment's: an installed model,
    /// a file, or URL#MODEL
    #[arg(long, value_name = "MODEL")]
    pub(crate) reader: Option<String>,

    /// The device that computes; cuda needs a binary built with that feature
    #[arg(long, value_enum, default_value_t = DeviceName::Cpu)]
    pub(crate) device: DeviceName,

    /// Use one seed, few texts and few budgets, to check that the experiment works
    #[arg(long)]
    pub(crate) quick: bool,

    /// Seeds, such as 1,2,3, instead of the experiment's
    #[arg(long, value_name = "SEEDS", value_delimiter = ',')]
    pub(crate) seeds: Vec<u64>,

    /// The commit that the results name
    #[arg(long, value_name = "COMMIT", default_value = concat!("version ", env!("CARGO_PKG_VERSION")))]
    pub(crate) commit: String,

    /// Do not show progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Combine results into one page
#[derive(Debug, Parser)]
pub(crate) struct ReportArgs {
    /// JSON files of `eval run`
    #[arg(value_name = "RESULTS", required = true)]
    pub(crate) results: Vec<PathBuf>,

    /// The HTML file
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    pub(crate) output: PathBuf,

    /// Replace an existing file
    #[arg(short, long)]
    pub(crate) force: bool,
}
