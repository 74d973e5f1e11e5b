//! Privacy mechanisms, each with a proof of its guarantee beside the code.
//!
//! This crate is the core of inkveil. It uses no models, files or networks. It contains
//! - budgets and guarantees: [`Epsilon`], [`Metric`], [`Unit`], [`Neighbours`], [`Guarantee`],
//!   [`Calibration`];
//! - keyed randomness: [`NoiseKey`] and [`NoiseStream`]. Keys come from the operating system unless
//!   a function name says *insecure*;
//! - mechanisms on the sphere ([`Vmf`], [`Purkayastha`]), in ℝⁿ ([`LaplaceL1`], [`LaplaceL2`],
//!   [`Mahalanobis`], [`ErasedLaplace`], [`Gaussian`], [`PolarRadial`]) and on finite sets ([`Exponential`],
//!   [`TruncatedExponential`], [`RandomizedResponse`], [`Uniform`]);
//! - a [`Grid`] for releasing floating-point numbers;
//! - a [`Receipt`] that states the guarantee of a release;
//! - [`accounting`]: what several releases reveal together;
//! - an [`audit`] that tries to refute the guarantees by sampling.
//!
//! ```
//! use inkveil_privacy::{Calibration, Epsilon, NoiseAddress, NoiseKey, Vmf, release_rows};
//!
//! // Three embeddings, rotated by von Mises–Fisher noise at ε = 100 per unit of chordal distance.
//! let mechanism = Vmf::calibrated(4, Epsilon::new(100.0)?, Calibration::Paper, 2.0)?;
//! let mut rows: [f32; 12] = [1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5, 0.0, 0.0, 0.6, 0.8];
//! release_rows(&mechanism, &mut rows, NoiseAddress::record(0), &NoiseKey::fresh()?)?;
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
//! - `random.rs`: `NoiseKey` and the ChaCha20 stream of each address and input. A retry draws the
//!   same noise, other data gets fresh noise. `noise_address.rs`, `noise_input.rs`: the encodings.
//! - `exact.rs`: samplers on integers. `slack.rs`: what floating-point samplers add to a guarantee.
//! - `faults.rs`: faults that a test can put back.
//! - `mechanism/`: one file per mechanism: density, guarantee, proof, sampler. `turn.rs` turns a
//!   direction, `log_concave.rs` samples by rejection, `erasure.rs` maps vectors before noise, `rows.rs`
//!   works on batches.
//! - `grid.rs`: released floats on a power-of-two grid, with the proof. `grid_rows.rs`: the type of
//!   released rows.
//! - `accounting/`: zCDP and privacy-loss distributions. `rounding.rs`: arithmetic that rounds up.
//! - `bessel.rs`, `matrix.rs`, `unit_vector.rs`: numerics.
//! - `receipt/`: building, checking and printing receipts. The golden files fix the format.
//! - `audit/`: loss checks (Clopper–Pearson on worst pairs) and distribution checks. The
//!   statistical tests run the same checks with all samples.
//! - `proofs.rs`: the page that links every proof.
#![forbid(unsafe_code)]

pub mod accounting;
pub mod audit;
mod bessel;
mod calibration;
mod epsilon;
mod error;
pub mod exact;
#[cfg_attr(not(feature = "faults"), doc(hidden))]
pub mod faults;
mod grid;
mod grid_rows;
mod guarantee;
mod matrix;
mod mechanism;
mod metric;
mod neighbours;
mod noise_address;
mod noise_input;
pub mod proofs;
mod random;
mod receipt;
mod rounding;
mod secret;
mod slack;
mod unit_vector;

pub use bessel::{log_normaliser, mean_cosine};
pub use calibration::{Calibration, Kappa};
pub use epsilon::Epsilon;
pub use error::{Error, ErrorKind};
pub use grid::Grid;
pub use grid_rows::GridRows;
pub use guarantee::Guarantee;
pub use mechanism::{
    Choice, ErasedGuarantee, ErasedLaplace, Erasure, Exponential, Gaussian, LaplaceL1, LaplaceL2,
    Mahalanobis, OutputUse, PolarRadial, Purkayastha, RandomizedResponse, Real, RowInput, TruncatedChoice,
    TruncatedExponential, Uniform, VectorMechanism, Vmf, perturb_rows, perturb_rows_by, release_rows,
};
pub use metric::{Metric, Unit};
pub use neighbours::Neighbours;
pub use noise_address::{NoiseAddress, Purpose};
pub use noise_input::NoiseInput;
pub use random::{NoiseKey, NoiseStream};
pub use receipt::{Alternative, Certainty, GroupBudget, Receipt, ReceiptBuilder, ReceiptGroup, ReleaseKind};
pub use secret::Secret;
pub use slack::Slack;
pub use unit_vector::UnitVector;
