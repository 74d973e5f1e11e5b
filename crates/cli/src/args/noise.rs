//! The arguments of `inkveil noise`, and of every command that releases vectors.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use inkveil::vectors_io::VectorFormat;
use inkveil::{Calibration, Epsilon};

use super::tables::AccountArgs;

/// Add noise to vectors, with a receipt of the guarantee
///
/// Reads vectors from JSON lines, .npy, Parquet or safetensors, adds noise to each, and writes them in
/// the same format. All other fields, columns and tensors are copied. The output appears under its name
/// complete or not at all, with a receipt beside it.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  Turn embeddings by von Mises–Fisher noise, ε = 100 per unit of chordal distance:
    inkveil noise embeddings.npy -o veiled.npy -m polar -e 100

  The same in a pipe, as JSON lines ({\"id\": …, \"embedding\": […]}):
    cat rows.jsonl | inkveil noise -m polar -e 100 > veiled.jsonl

  Laplace noise on a Parquet column, with vectors clipped to length 1, a public constant:
    inkveil noise rows.parquet -o veiled.parquet --column embedding -m laplace-l2 -e 20 --clip 1

  Elliptical noise, larger where the diagonal in sigma.npy is larger:
    inkveil noise rows.npy -o veiled.npy -m mahalanobis -e 10 --sigma sigma.npy

  Charge a ledger; resume after an interruption:
    inkveil noise rows.npy -o veiled.npy -m polar -e 100 --ledger budget.ledger --subject 'patient 7'
    inkveil noise rows.npy -o veiled.npy -m polar -e 100 --ledger budget.ledger --subject 'patient 7' --resume")]
pub(crate) struct NoiseArgs {
    /// The mechanism
    #[arg(short, long, value_enum)]
    pub(crate) mechanism: MechanismName,

    /// The budget of each vector, in the mechanism's own metric: a number, or `inf` for no noise
    #[arg(short, long, value_name = "ε", allow_negative_numbers = true)]
    pub(crate) epsilon: Epsilon,

    /// How ε sets the noise of polar and polar-radial: κ = ε (paper), ε/π (reference) or, for polar
    /// alone, ε/D (pure)
    #[arg(long, value_name = "NAME", value_parser = ["paper", "reference", "pure"])]
    pub(crate) calibration: Option<String>,

    /// The largest chordal distance of two inputs, for `--calibration pure` (polar). Default: 2
    #[arg(long, value_name = "D")]
    pub(crate) diameter: Option<f64>,

    /// The budget of the length of each vector (polar-radial)
    #[arg(long, value_name = "ε")]
    pub(crate) epsilon_radius: Option<Epsilon>,

    /// The covariance Σ of the noise (mahalanobis): a file with one row (its diagonal) or one row per
    /// dimension
    #[arg(long, value_name = "FILE")]
    pub(crate) sigma: Option<PathBuf>,

    /// The failure probability (gaussian)
    #[arg(long, value_name = "δ")]
    pub(crate) delta: Option<f64>,

    /// The largest distance of two inputs that ε protects (gaussian, laplace-l1). Default for gaussian:
    /// twice the clip length
    #[arg(long, value_name = "Δ")]
    pub(crate) sensitivity: Option<f64>,

    /// Clip vectors to this length first, a public constant (not for polar and purkayastha)
    #[arg(long, value_name = "LENGTH", allow_negative_numbers = true)]
    pub(crate) clip: Option<f64>,

    #[command(flatten)]
    pub(crate) files: VectorFileArgs,
}

impl NoiseArgs {
    /// The calibration, which clap has checked.
    pub(crate) fn calibration(&self) -> Result<Option<Calibration>, inkveil::privacy::Error> {
        self.calibration.as_deref().map(str::parse).transpose()
    }
}

/// The files of a vector release.
#[derive(Debug, clap::Args)]
pub(crate) struct VectorFileArgs {
    /// The file to read. Default: standard input, also with `-`
    pub(crate) input: Option<PathBuf>,

    /// The file to write. Default: standard output, also with `-`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// The field, column or tensor of the vectors, if it cannot be recognised
    #[arg(long, value_name = "NAME")]
    pub(crate) column: Option<String>,

    /// The format, if the input's name does not tell it: jsonl (the default for standard input), npy (C
    /// order), parquet (a file, not a pipe) or safetensors
    #[arg(long, value_name = "NAME")]
    pub(crate) format: Option<VectorFormat>,

    /// The receipt's file. Default: OUTPUT.receipt.json, and none without --output
    #[arg(long, value_name = "FILE")]
    pub(crate) receipt: Option<PathBuf>,

    /// Resume an interrupted run. It draws the same noise, and nothing is charged twice
    #[arg(long, requires = "output")]
    pub(crate) resume: bool,

    #[command(flatten)]
    pub(crate) account: AccountArgs,

    /// Replace existing files
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Print neither the receipt nor the progress
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// INSECURE: draw noise from a fixed seed, for tests. The receipt says so
    #[arg(long, value_name = "SEED")]
    pub(crate) insecure_seed: Option<u64>,
}

/// The mechanisms on vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MechanismName {
    /// Von Mises–Fisher noise on directions; ε per unit of chordal distance
    Polar,
    /// Purkayastha noise on directions; ε per unit of angle
    Purkayastha,
    /// Laplace noise in each coordinate; ε per unit of Manhattan distance
    LaplaceL1,
    /// Laplace noise, the same in all directions; ε per unit of Euclidean distance
    LaplaceL2,
    /// Elliptical Laplace noise; ε per unit of Mahalanobis distance
    Mahalanobis,
    /// Gaussian noise; (ε, δ) within a Euclidean distance
    Gaussian,
    /// Von Mises–Fisher noise on directions and Laplace noise on lengths, with a budget each
    PolarRadial,
}
