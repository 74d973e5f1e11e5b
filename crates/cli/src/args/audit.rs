//! The arguments of `inkveil audit` and `inkveil receipt`.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// Test guarantees by sampling mechanisms or releases
///
/// For pairs of inputs, the worst ones included, it computes a lower bound on ε from samples
/// (Clopper–Pearson, confidence 1 − 10⁻⁶) and compares samples with the defined distribution. Exits with
/// 1 if a guarantee is refuted.
///
/// With --end-to-end it releases planted texts and vectors through the same pipeline as the other
/// commands, in files, pipes, tables and lists, thousands of rows at a time, and tests what the receipts
/// state against the bytes that come out.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil audit --quick
  inkveil audit --json -o audit.json
  inkveil audit --end-to-end --quick        # files, pipes, tables, lists
  inkveil audit --end-to-end -m vectors     # only the releases of vectors
  inkveil audit --quick --noise-scale 0.8   # breaks every mechanism on purpose; the audit must find all")]
pub(crate) struct AuditArgs {
    /// Use a tenth of the samples, which is enough to find noise that is 20 % too small
    #[arg(long)]
    pub(crate) quick: bool,

    /// Release planted texts and vectors, and test what comes out
    #[arg(long, conflicts_with = "noise_scale")]
    pub(crate) end_to_end: bool,

    /// Audit only this mechanism; with --end-to-end this path, such as `vectors/round` or `texts`. Repeatable
    #[arg(short, long, value_name = "NAME")]
    pub(crate) mechanism: Vec<String>,

    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,

    /// Write the JSON to this file, and print the table
    #[arg(short, long, value_name = "FILE", requires = "json")]
    pub(crate) output: Option<PathBuf>,

    /// Break the mechanisms: multiply their noise, but not their stated ε, by 0.5 to 2
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, hide_default_value = true)]
    pub(crate) noise_scale: f64,

    /// Draw the samples from a fixed seed, to repeat an audit exactly
    #[arg(long, value_name = "SEED")]
    pub(crate) insecure_seed: Option<u64>,
}

/// Read or check a receipt
#[derive(Debug, Parser)]
pub(crate) struct ReceiptArgs {
    #[command(subcommand)]
    pub(crate) command: ReceiptCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReceiptCommand {
    /// Print a receipt in plain words
    Show {
        /// The receipt; `-` for standard input
        file: PathBuf,
    },
    /// Check that a receipt is consistent, unchanged, and belongs to a release
    Verify {
        /// The receipt; `-` for standard input
        file: PathBuf,
        /// The released file it should belong to
        #[arg(long, value_name = "FILE")]
        release: Option<PathBuf>,
    },
}
