//! `inkveil eval` as it is typed.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use super::DeviceName;

/// Measure what veils protect and what they cost, on data you choose
///
/// An experiment is a file that says which texts are veiled how, who attacks them and what is measured. Some are known by name. What was
/// measured is kept: a run that was stopped goes on where it was.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil eval list
  inkveil eval data --data DATA
  inkveil eval run stamp-mechanisms --data DATA -o results
  inkveil eval run stamp-frontier --data DATA -o results --quick    # a first look, in minutes
  inkveil eval show stamp-frontier > mine.toml                      # change it, and run mine.toml
  inkveil eval report results/*.json -o report.html")]
pub(crate) struct EvalArgs {
    #[command(subcommand)]
    pub(crate) command: EvalCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    /// List the experiments that are known by name
    List,
    Show(ShowExperimentArgs),
    Data(DataArgs),
    Run(RunArgs),
    Report(ReportArgs),
}

/// Print an experiment, to change it
#[derive(Debug, Parser)]
pub(crate) struct ShowExperimentArgs {
    /// Its name
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

/// Look which test sets are there, and whether they are complete
#[derive(Debug, Parser)]
pub(crate) struct DataArgs {
    /// The directory of test sets, a folder for each
    #[arg(long, value_name = "FOLDER")]
    pub(crate) data: PathBuf,
}

/// Run experiments, and write what they found
///
/// For each experiment NAME.json (every cell), NAME.md, NAME.tex and its pictures, and one page for all, report.html.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil eval run stamp-mechanisms stamp-frontier --data DATA -o results
  inkveil eval run mine.toml --data DATA -o results --quick")]
pub(crate) struct RunArgs {
    /// Experiments: names of known ones, or files
    #[arg(value_name = "EXPERIMENT", required = true)]
    pub(crate) experiments: Vec<String>,

    /// The directory of test sets, a folder for each
    #[arg(long, value_name = "FOLDER")]
    pub(crate) data: PathBuf,

    /// The folder that results are written to
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,

    /// The pack whose words are noised, or whose encoder makes vectors, instead of the experiment's
    #[arg(long, value_name = "NAME")]
    pub(crate) pack: Option<String>,

    /// The model that answers questions, instead of the experiment's: one that was pulled, a file, or URL#MODEL
    #[arg(long, value_name = "MODEL")]
    pub(crate) reader: Option<String>,

    /// Where that model computes; cuda needs a binary built with that feature
    #[arg(long, value_enum, default_value_t = DeviceName::Cpu)]
    pub(crate) device: DeviceName,

    /// One seed, few texts and few budgets: to see that it works
    #[arg(long)]
    pub(crate) quick: bool,

    /// Other seeds than the experiment's, such as 1,2,3: fewer for less time, more for narrower intervals
    #[arg(long, value_name = "SEEDS", value_delimiter = ',')]
    pub(crate) seeds: Vec<u64>,

    /// What the results name as the commit they come from
    #[arg(long, value_name = "COMMIT", default_value = concat!("version ", env!("CARGO_PKG_VERSION")))]
    pub(crate) commit: String,

    /// Do not show the progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Make one page of results
#[derive(Debug, Parser)]
pub(crate) struct ReportArgs {
    /// Results that `eval run` wrote
    #[arg(value_name = "RESULTS", required = true)]
    pub(crate) results: Vec<PathBuf>,

    /// The page
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    pub(crate) output: PathBuf,

    /// Replace a page that is there
    #[arg(short, long)]
    pub(crate) force: bool,
}
