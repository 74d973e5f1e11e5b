//! Privacy mechanisms, each with a proof of its guarantee beside the code.
//!
//! This crate is the core of inkveil. It uses no models, files or networks. It contains
//! - budgets and guarantees: [`Epsilon`], [`Metric`], [`Unit`], [`Neighbours`], [`Guarantee`],
//!   [`Calibration`];
//! - keyed randomness: [`NoiseKey`] and [`NoiseStream`]. Keys come from the operating system unless
//!   a function name says *insecure*;
//! - mechanisms on the sphere ([`Vmf`], [`Purkayastha`]), in ℝⁿ ([`LaplaceL1`], [`LaplaceL2`],
//!   [`Mahalanobis`], [`Gaussian`], [`PolarRadial`]) and on finite sets ([`Exponential`],
//!   [`TruncatedExponential`], [`RandomizedResponse`], [`Uniform`]);
//! - a [`Grid`] for releasing floating-point numbers;
//! - a [`Receipt`] that states the guarantee of a release;
//! - an [`audit`] that tries to refute the guarantees by sampling.
//!
//! ```
//! use inkveil_privacy::{Calibration, Epsilon, NoiseAddress, NoiseKey, OutputUse, Vmf, perturb_rows};
//!
//! // Three embeddings, rotated by von Mises–Fisher noise at ε = 100 per unit of chordal distance.
//! let mechanism = Vmf::calibrated(4, Epsilon::new(100.0)?, Calibration::Paper, 2.0)?;
//! let mut rows: [f32; 12] = [1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5, 0.0, 0.0, 0.6, 0.8];
//! perturb_rows(&mechanism, &mut rows, NoiseAddress::record(0), OutputUse::Released, &NoiseKey::fresh()?)?;
//! # Ok::<(), inkveil_privacy::Error>(())
//! ```
//!
//! The [`proofs`] page lists every guarantee with its proof.
//!
//! # Files
//!
//! - `epsilon.rs`, `metric.rs`, `neighbours.rs`, `calibration.rs`, `guarantee.rs`: budgets and
//!   guarantees. A guarantee always has a metric, a unit and the inputs it compares. Sums round
//!   up.
//! - `random.rs`: `NoiseKey` and the ChaCha20 stream of each (record, position, purpose). A retry
//!   draws the same noise.
//! - `mechanism/`: one file per mechanism: density, guarantee, proof, sampler. `turn.rs` turns a
//!   direction, `log_concave.rs` samples by rejection, `rows.rs` works on batches.
//! - `grid.rs`: released floats on a power-of-two grid, with the proof.
//! - `bessel.rs`, `matrix.rs`, `unit_vector.rs`: numerics.
//! - `receipt/`: building, checking and printing receipts. The golden files fix the format.
//! - `audit/`: loss checks (Clopper–Pearson on worst pairs) and distribution checks. The
//!   statistical tests run the same checks with all samples.
//! - `proofs.rs`: the page that links every proof.
#![forbid(unsafe_code)]

pub mod audit;
mod bessel;
mod calibration;
mod epsilon;
mod error;
mod grid;
mod guarantee;
mod matrix;
mod mechanism;
mod metric;
mod neighbours;
pub mod proofs;
mod random;
mod receipt;
mod secret;
mod unit_vector;

pub use bessel::{log_normaliser, mean_cosine};
pub use calibration::{Calibration, Kappa};
pub use epsilon::Epsilon;
pub use error::{Error, ErrorKind};
pub use grid::Grid;
pub use guarantee::Guarantee;
pub use mechanism::{
    Choice, Exponential, Gaussian, LaplaceL1, LaplaceL2, Mahalanobis, NoiseAddress, OutputUse, PolarRadial,
    Purkayastha, RandomizedResponse, Real, TruncatedChoice, TruncatedExponential, Uniform, VectorMechanism,
    Vmf, perturb_rows, perturb_rows_by,
};
pub use metric::{Metric, Unit};
pub use neighbours::Neighbours;
pub use random::{NoiseKey, NoiseStream, Purpose};
pub use receipt::{Alternative, Certainty, GroupBudget, Receipt, ReceiptBuilder, ReceiptGroup, ReleaseKind};
pub use secret::Secret;
pub use unit_vector::UnitVector;
