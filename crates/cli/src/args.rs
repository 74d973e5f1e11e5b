//! The command line as it is typed.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use inkveil_io::VectorFormat;
use inkveil_privacy::{Calibration, Epsilon};

/// Veil text before it leaves your machine.
///
/// Data goes to standard output, words go to standard error.
#[derive(Debug, Parser)]
#[command(
    name = "inkveil",
    version,
    propagate_version = true,
    max_term_width = 100,
    disable_help_subcommand = true
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Noise(NoiseArgs),
    Audit(AuditArgs),
    Receipt(ReceiptArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Add noise to vectors, with a receipt of what is promised
///
/// Reads vectors from JSON lines, .npy, Parquet or safetensors, adds noise to each, and writes them in the same format with
/// all other fields, columns and tensors kept. The output appears under its name whole or not at all. Beside it lies a receipt.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  Turn embeddings by von Mises–Fisher noise, ε = 100 per unit of chordal distance:
    inkveil noise embeddings.npy -o veiled.npy -m vmf -e 100

  The same in a pipe, as JSON lines ({\"id\": …, \"embedding\": […]}):
    cat rows.jsonl | inkveil noise -m vmf -e 100 > veiled.jsonl

  Laplace noise on a Parquet column, vectors clipped to length 1 by a public constant:
    inkveil noise rows.parquet -o veiled.parquet --column embedding -m laplace-l2 -e 20 --clip 1

  Elliptical noise, more where the diagonal in sigma.npy is larger:
    inkveil noise rows.npy -o veiled.npy -m mahalanobis -e 10 --sigma sigma.npy")]
pub(crate) struct NoiseArgs {
    /// File to read; standard input if absent or `-`
    pub(crate) input: Option<PathBuf>,

    /// File to write; standard output if absent or `-`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// How to add noise
    #[arg(short, long, value_enum)]
    pub(crate) mechanism: MechanismName,

    /// Privacy budget of each vector, in the mechanism's own metric: a number, or `inf` for no noise
    #[arg(short, long, value_name = "ε", allow_negative_numbers = true)]
    pub(crate) epsilon: Epsilon,

    /// How ε becomes noise: κ = ε (paper), ε/π (reference) or, for vmf alone, ε/D (pure) (vmf, polar-radial)
    #[arg(long, value_name = "NAME", value_parser = ["paper", "reference", "pure"])]
    pub(crate) calibration: Option<String>,

    /// Largest chordal distance between two inputs, with `--calibration pure`; 2 if absent (vmf)
    #[arg(long, value_name = "D")]
    pub(crate) diameter: Option<f64>,

    /// Budget for the length of each vector (polar-radial)
    #[arg(long, value_name = "ε")]
    pub(crate) epsilon_radius: Option<Epsilon>,

    /// Σ of the noise: a file with one row (its diagonal) or as many rows as dimensions (mahalanobis)
    #[arg(long, value_name = "FILE")]
    pub(crate) sigma: Option<PathBuf>,

    /// Failure probability (gaussian)
    #[arg(long, value_name = "δ")]
    pub(crate) delta: Option<f64>,

    /// Distance within which inputs are hidden by ε in total; twice the clip if absent (gaussian), none (laplace-l1)
    #[arg(long, value_name = "Δ")]
    pub(crate) sensitivity: Option<f64>,

    /// Shorten longer vectors to this length first: a public constant (not vmf, purkayastha)
    #[arg(long, value_name = "LENGTH", allow_negative_numbers = true)]
    pub(crate) clip: Option<f64>,

    /// Field, column or tensor that holds the vectors, if it cannot be told
    #[arg(long, value_name = "NAME")]
    pub(crate) column: Option<String>,

    /// Format, if it cannot be told from the input's name: jsonl (the default for standard input), npy (C order), parquet
    /// (a file, not a pipe) or safetensors
    #[arg(long, value_name = "NAME")]
    pub(crate) format: Option<VectorFormat>,

    /// Where the receipt goes; `OUTPUT.receipt.json` if absent, and nowhere in a pipe
    #[arg(long, value_name = "FILE")]
    pub(crate) receipt: Option<PathBuf>,

    /// Replace files that exist
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Do not print the receipt and the progress
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// INSECURE: draw noise from a fixed seed, for tests; the receipt says so
    #[arg(long, value_name = "SEED")]
    pub(crate) insecure_seed: Option<u64>,
}

impl NoiseArgs {
    /// The calibration, which clap has checked.
    pub(crate) fn calibration(&self) -> Result<Option<Calibration>, inkveil_privacy::Error> {
        self.calibration.as_deref().map(str::parse).transpose()
    }
}

/// The mechanisms on vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MechanismName {
    /// Von Mises–Fisher: turns directions; ε per unit of chordal distance
    Vmf,
    /// Purkayastha: turns directions; ε per unit of angle
    Purkayastha,
    /// Laplace in each coordinate; ε per unit of Manhattan distance
    LaplaceL1,
    /// Laplace for lengths; ε per unit of Euclidean distance
    LaplaceL2,
    /// Elliptical Laplace; ε per unit of Mahalanobis distance
    Mahalanobis,
    /// Gaussian; (ε, δ) within a Euclidean distance
    Gaussian,
    /// Direction by vMF and length by Laplace, each with its budget
    PolarRadial,
}

/// Try to refute the promise of every mechanism by sampling it
///
/// For pairs of inputs, the worst included, it bounds the ε that the samples show (Clopper–Pearson, confidence 1 − 10⁻⁶)
/// and compares samples with the defined distribution. Exits with 1 if a promise is refuted.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil audit --quick
  inkveil audit --json audit.json
  inkveil audit --quick --noise-scale 0.8   # every mechanism broken on purpose: all must be flagged")]
pub(crate) struct AuditArgs {
    /// A tenth of the samples: finds noise that is 20 % too small in under 30 seconds
    #[arg(long)]
    pub(crate) quick: bool,

    /// Audit this mechanism only; may be repeated
    #[arg(short, long, value_name = "NAME")]
    pub(crate) mechanism: Vec<String>,

    /// Also write the findings as JSON; `-` for JSON on standard output instead of the table
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Break the mechanisms: multiply their noise, but not their promise, by 0.5 to 2
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
    /// Print a receipt in words
    Show {
        /// The receipt; `-` for standard input
        file: PathBuf,
    },
    /// Check that a receipt adds up, was not changed, and belongs to a release
    Verify {
        /// The receipt; `-` for standard input
        file: PathBuf,
        /// The released file it should belong to
        #[arg(long, value_name = "FILE")]
        release: Option<PathBuf>,
    },
}

/// Print a completion script for a shell
#[derive(Debug, Parser)]
#[command(after_help = "\
Example:
  inkveil completions bash > ~/.local/share/bash-completion/completions/inkveil")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Print the manual page, or write all pages to a folder
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil man | man -l -
  inkveil man --dir ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write one page per command to this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}
