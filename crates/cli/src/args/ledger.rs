//! The arguments of `inkveil ledger`.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use inkveil::Epsilon;
use inkveil::ledger::{BudgetScope, Counted};

/// Show what was spent, set limits, export or check the ledger
///
/// A ledger is one file that records what each release cost, per subject and dataset, and the limits.
/// Releases are charged before they leave. A release that would pass a limit is refused.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil ledger show --ledger budget.ledger
  inkveil ledger limit --every-subject --epsilon 500 --metric chordal
  inkveil ledger export --format csv > releases.csv
  inkveil ledger verify --receipt veiled.txt.receipt.json

The ledger is the file of --ledger, or of the variable INKVEIL_LEDGER. If the variable is set, every
command that releases something charges that ledger.")]
pub(crate) struct LedgerArgs {
    #[command(subcommand)]
    pub(crate) command: LedgerCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LedgerCommand {
    Show(ShowArgs),
    Limit(LimitArgs),
    Export(ExportArgs),
    Verify(VerifyArgs),
}

/// Which ledger.
#[derive(Debug, clap::Args)]
pub(crate) struct LedgerFileArgs {
    /// The ledger. Default: the file named by INKVEIL_LEDGER
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
}

/// Show what was spent on each subject and in each dataset, and what is left
///
/// Budgets in different metrics, lexicons and encoders are not added up and have lines of their own;
/// worst-case is Σ ε·D over all metrics. ε and δ are plain sums. `composed` is the ε that holds with the
/// same δ if Gaussian noise is composed, where that is less. In a pipe, fields are separated by tabs:
/// scope, name, measure, ε, δ, composed, limit, left, units, releases; with --releases: place, time, state, id, part, dataset, subject, mechanism, measure, ε,
/// receipt. A line without a subject charges the dataset alone.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil ledger show
  inkveil ledger show --subject 'patient 7'
  inkveil ledger show --releases --dataset letters
  inkveil ledger show --json | jq '.totals[] | select(.scope == \"subject\")'")]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(crate) file: LedgerFileArgs,

    /// Only this subject
    #[arg(long, value_name = "NAME")]
    pub(crate) subject: Option<String>,

    /// Only this dataset
    #[arg(long, value_name = "NAME")]
    pub(crate) dataset: Option<String>,

    /// List releases instead of sums
    #[arg(long)]
    pub(crate) releases: bool,

    /// Print JSON; with --releases, one line per release
    #[arg(long)]
    pub(crate) json: bool,
}

/// Set, remove or list limits
///
/// A release that would pass a limit is refused before it leaves. Without a metric, a limit holds in each
/// metric separately. Budgets of all lexicons and encoders count together. If a limit names a metric, a
/// release in another metric is refused, unless another limit counts it. The limit of one subject or
/// dataset overrides the limit for all of them.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil ledger limit
  inkveil ledger limit --every-subject --epsilon 500 --metric chordal
  inkveil ledger limit --subject 'patient 7' --epsilon 100
  inkveil ledger limit --every-subject --epsilon 10 --delta 1e-5 --metric euclidean --within 2
  inkveil ledger limit --dataset letters --epsilon 2000 --worst-case
  inkveil ledger limit --subject 'patient 7' --remove")]
pub(crate) struct LimitArgs {
    #[command(flatten)]
    pub(crate) file: LedgerFileArgs,

    #[command(flatten)]
    pub(crate) scope: ScopeArgs,

    /// The limit: a number, or `inf`
    #[arg(short, long, value_name = "ε", conflicts_with = "remove", allow_negative_numbers = true)]
    pub(crate) epsilon: Option<Epsilon>,

    /// The largest sum of failure probabilities δ. Default: 0, which refuses releases that have a δ
    #[arg(long, value_name = "δ", requires = "epsilon")]
    pub(crate) delta: Option<f64>,

    /// Count ε between inputs that are this far apart. Default: 1. A guarantee that does not reach as far
    /// counts as infinite
    #[arg(long, value_name = "DISTANCE", requires = "epsilon", conflicts_with = "worst_case")]
    pub(crate) within: Option<f64>,

    /// The metric of ε. Default: each metric separately
    #[arg(long, value_name = "NAME", conflicts_with = "worst_case",
          value_parser = ["chordal", "angular", "euclidean", "manhattan", "mahalanobis", "radial", "discrete"])]
    pub(crate) metric: Option<String>,

    /// Limit Σ ε·D over all metrics: the pure budget if everything may change at once
    #[arg(long)]
    pub(crate) worst_case: bool,

    /// Remove the limit
    #[arg(long)]
    pub(crate) remove: bool,

    /// Print the list as JSON
    #[arg(long, conflicts_with_all = ["epsilon", "remove"])]
    pub(crate) json: bool,
}

/// What a limit applies to.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
pub(crate) struct ScopeArgs {
    /// The limit of one subject
    #[arg(long, value_name = "NAME")]
    subject: Option<String>,

    /// The limit of one dataset
    #[arg(long, value_name = "NAME")]
    dataset: Option<String>,

    /// The limit of every subject without its own
    #[arg(long)]
    every_subject: bool,

    /// The limit of every dataset without its own
    #[arg(long)]
    every_dataset: bool,
}

impl LimitArgs {
    /// What the limit applies to, if it was given.
    pub(crate) fn scope(&self) -> Option<BudgetScope> {
        match &self.scope {
            ScopeArgs { subject: Some(name), .. } => Some(BudgetScope::Subject(name.clone())),
            ScopeArgs { dataset: Some(name), .. } => Some(BudgetScope::Dataset(name.clone())),
            ScopeArgs { every_subject: true, .. } => Some(BudgetScope::EverySubject),
            ScopeArgs { every_dataset: true, .. } => Some(BudgetScope::EveryDataset),
            _ => None,
        }
    }

    /// What it limits.
    pub(crate) fn counted(&self) -> Result<Counted, inkveil::ledger::Error> {
        match &self.metric {
            Some(metric) => metric.parse(),
            None if self.worst_case => Ok(Counted::WorstCase),
            None => Ok(Counted::EachMetric),
        }
    }
}

/// Write all releases to standard output, with everything the ledger records about them
///
/// Contents appear as keyed hashes. The key stays in the ledger.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil ledger export > releases.jsonl
  inkveil ledger export --format csv --dataset letters > letters.csv")]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) file: LedgerFileArgs,

    /// JSON lines with one line per release, or CSV with one line per charge
    #[arg(long, value_enum, value_name = "NAME", default_value_t = ExportFormat::Jsonl)]
    pub(crate) format: ExportFormat,

    /// Only releases that charge this subject
    #[arg(long, value_name = "NAME")]
    pub(crate) subject: Option<String>,

    /// Only releases of this dataset
    #[arg(long, value_name = "NAME")]
    pub(crate) dataset: Option<String>,
}

/// The formats of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// JSON lines
    Jsonl,
    /// Comma-separated values
    Csv,
}

/// Check that a ledger is undamaged and consistent, and that it records a receipt
///
/// Reads the whole file: its pages, the chain of hashes over all releases, and all sums. Exits with 1 if a
/// check fails.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil ledger verify --ledger budget.ledger
  inkveil ledger verify --receipt veiled.txt.receipt.json")]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) file: LedgerFileArgs,

    /// A receipt that must be recorded; `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) receipt: Option<PathBuf>,
}
