//! The trait of mechanisms on vectors, and the grid their outputs lie on.

use std::fmt;

use crate::accounting::Zcdp;
use crate::{Epsilon, Error, Grid, Guarantee, Metric, NoiseStream};

/// How the noisy output of a mechanism is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputUse {
    /// The numbers are released, so they are rounded to the mechanism's grid.
    Released,
    /// The vector is decoded, for example to its nearest token, and dropped. Its last bits are
    /// never released, so no grid is needed.
    Decoded,
}

impl OutputUse {
    /// Returns the grid to round to.
    pub(super) fn grid(self, grid: Option<Grid>) -> Option<Grid> {
        match self {
            Self::Released => grid,
            Self::Decoded => None,
        }
    }
}

/// A mechanism that replaces a vector by a noisy one.
///
/// ```
/// use inkveil_privacy::{Epsilon, LaplaceL2, NoiseKey, OutputUse, Purpose, VectorMechanism};
///
/// let mechanism = LaplaceL2::new(3, Epsilon::new(10.0)?)?;
/// let mut row = [0.1, 0.2, 0.3];
/// let key = NoiseKey::fresh()?;
/// mechanism.perturb(&mut row, OutputUse::Released, &mut key.stream(0, 0, Purpose::NOISE))?;
/// println!("{}", mechanism.guarantees()[0]); // ε = 10 per unit of euclidean distance, for each vector
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
pub trait VectorMechanism: fmt::Debug + Send + Sync {
    /// The name in commands and receipts.
    fn name(&self) -> &'static str;

    /// The dimension of the vectors.
    fn dim(&self) -> usize;

    /// The guarantees for each vector. If there are several, their losses add up.
    fn guarantees(&self) -> Vec<Guarantee>;

    /// ρ of zero-concentrated differential privacy for inputs within the range of the guarantee, if the
    /// noise is Gaussian. Its releases compose with less than the sum of their ε.
    fn zcdp(&self) -> Option<Zcdp> {
        None
    }

    /// The grid of the released output, or `None` if the mechanism adds no noise (ε = ∞). It
    /// depends on the parameters alone.
    fn grid(&self) -> Option<Grid>;

    /// Returns how much snapping to the grid can add to the distance of two inputs: ε per unit of
    /// distance holds with ε·(distance + this). Returns `None` if nothing is snapped or the
    /// guarantee already includes it.
    fn added_distance(&self, metric: Metric) -> Option<f64> {
        self.grid()?.added_distance(metric, self.dim())
    }

    /// Replaces `row` by a draw of the mechanism, on its grid unless the vector is to be
    /// [decoded](OutputUse::Decoded).
    ///
    /// # Errors
    /// If the row has the wrong dimension, contains a value that is not finite, or is the zero
    /// vector where a direction is needed. The row may then still hold the input and must not be
    /// released.
    fn perturb(&self, row: &mut [f64], output: OutputUse, stream: &mut NoiseStream) -> Result<(), Error>;
}

/// Adds `noise` to `row`, on the grid if there is one.
pub(super) fn add_noise(row: &mut [f64], noise: &[f64], grid: Option<Grid>) -> Result<(), Error> {
    match grid {
        None => row.iter_mut().zip(noise).for_each(|(x, z)| *x += z),
        Some(grid) => grid.add_row(row, noise)?,
    }
    Ok(())
}

/// Returns the grid for noise of about `scale` in its thinnest direction, or `None` if there is no
/// noise. A mechanism finds its grid when it is built, so that noise without a grid is never
/// released.
pub(super) fn grid_for(epsilon: Epsilon, scale: f64) -> Result<Option<Grid>, Error> {
    if epsilon.is_infinite() { Ok(None) } else { Grid::for_noise(scale).map(Some) }
}
