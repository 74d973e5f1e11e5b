//! The mechanisms, one file each: density, guarantee with its proof, sampler, tests.

mod choice;
mod exponential;
mod gaussian;
mod laplace_l1;
mod laplace_l2;
mod log_concave;
mod mahalanobis;
mod polar_radial;
mod purkayastha;
mod randomized_response;
mod rows;
mod tem;
mod turn;
mod uniform;
mod vmf;

use std::fmt;

pub use choice::Choice;
pub use exponential::Exponential;
pub use gaussian::Gaussian;
pub use laplace_l1::LaplaceL1;
pub use laplace_l2::LaplaceL2;
pub use mahalanobis::Mahalanobis;
pub use polar_radial::PolarRadial;
pub use purkayastha::Purkayastha;
pub use randomized_response::RandomizedResponse;
pub use rows::{Place, Real, perturb_rows, perturb_rows_by};
pub use tem::{TruncatedChoice, TruncatedExponential};
pub use uniform::Uniform;
pub use vmf::Vmf;

use crate::unit_vector::check_finite;
use crate::{Epsilon, Error, ErrorKind, Grid, Guarantee, Metric, NoiseStream};

/// What becomes of a vector with noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Its numbers leave the machine, so they are put on the mechanism's grid.
    Released,
    /// It is decoded, say to its nearest token, and dropped: its last bits are never seen and stay as they are.
    Decoded,
}

impl Fate {
    /// The grid to use.
    fn on(self, grid: Option<Grid>) -> Option<Grid> {
        match self {
            Self::Released => grid,
            Self::Decoded => None,
        }
    }
}

/// A mechanism that turns one vector into a noisy one.
///
/// ```
/// use inkveil_privacy::{Epsilon, Fate, LaplaceL2, NoiseKey, Purpose, VectorMechanism};
///
/// let mechanism = LaplaceL2::new(3, Epsilon::new(10.0)?)?;
/// let mut row = [0.1, 0.2, 0.3];
/// let key = NoiseKey::fresh()?;
/// mechanism.perturb(&mut row, Fate::Released, &mut key.stream(0, 0, Purpose::NOISE))?;
/// println!("{}", mechanism.guarantees()[0]); // ε = 10 per unit of euclidean distance, for each vector
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
pub trait VectorMechanism: fmt::Debug + Send + Sync {
    /// The name used in commands and receipts.
    fn name(&self) -> &'static str;

    /// The dimension of the vectors.
    fn dim(&self) -> usize;

    /// What is promised for each vector. Where there are several, their losses add.
    fn guarantees(&self) -> Vec<Guarantee>;

    /// The grid on which this mechanism's output may be released, or `None` if it adds no noise (ε = ∞).
    /// It follows from the parameters alone.
    fn grid(&self) -> Option<Grid>;

    /// By how much snapping to the grid can lengthen the distance of two inputs: ε per unit of distance holds with
    /// ε·(distance + this). `None` if nothing is snapped, or if the promise has it in it already.
    fn added_distance(&self, metric: Metric) -> Option<f64> {
        self.grid()?.added_distance(metric, self.dim())
    }

    /// Replaces `row` by a draw of the mechanism, on its grid unless the vector is to be [decoded](Fate::Decoded).
    ///
    /// # Errors
    /// If the row has another dimension, holds a value that is not finite, or has no direction where one is
    /// needed. The row may then still hold the input and must not be released.
    fn perturb(&self, row: &mut [f64], fate: Fate, stream: &mut NoiseStream) -> Result<(), Error>;
}

/// That a row fits a mechanism.
fn check_row(row: &[f64], dim: usize) -> Result<(), Error> {
    if row.len() != dim {
        return Err(ErrorKind::Dimension { expected: dim, found: row.len() }.into());
    }
    check_finite(row)
}

/// `row += noise`, on the grid if there is one.
fn add_noise(row: &mut [f64], noise: &[f64], grid: Option<Grid>) -> Result<(), Error> {
    match grid {
        None => row.iter_mut().zip(noise).for_each(|(x, z)| *x += z),
        Some(grid) => grid.add_row(row, noise)?,
    }
    Ok(())
}

/// A distance within which inputs are hidden: far enough from the edges of floating point that no product vanishes.
fn check_sensitivity(sensitivity: f64) -> Result<(), Error> {
    if (1e-100..=1e100).contains(&sensitivity) {
        Ok(())
    } else {
        Err(Error::parameter("the sensitivity", "between 1e-100 and 1e100", sensitivity))
    }
}

/// The grid for noise of about `scale` in its thinnest direction, or none if there is no noise. It is found when a
/// mechanism is built: noise for which there is no grid must not exist, rather than be released without one.
fn grid_for(epsilon: Epsilon, scale: f64) -> Result<Option<Grid>, Error> {
    if epsilon.is_infinite() { Ok(None) } else { Grid::for_noise(scale).map(Some) }
}

/// The dimension of a mechanism in ℝⁿ.
fn check_dim(dim: usize, least: usize) -> Result<(), Error> {
    if (least..=MAX_DIM).contains(&dim) {
        Ok(())
    } else {
        Err(Error::parameter("the dimension", if least < 2 { "1 to 2^24" } else { "2 to 2^24" }, dim))
    }
}

/// No embedding is larger, and products of dimensions cannot overflow.
pub(crate) const MAX_DIM: usize = 1 << 24;

/// A budget for additive noise in ℝⁿ: positive. At ε = 0 the noise would be infinite.
fn check_additive(epsilon: Epsilon) -> Result<(), Error> {
    let value = epsilon.get();
    if value.is_infinite() || (1e-100..=1e100).contains(&value) {
        Ok(())
    } else {
        Err(Error::parameter(
            "epsilon of additive noise",
            "between 1e-100 and 1e100, or inf (at 0 release nothing instead)",
            epsilon,
        ))
    }
}
