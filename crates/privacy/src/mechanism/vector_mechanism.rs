//! The trait of mechanisms on vectors, and the grid their outputs lie on.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::accounting::Zcdp;
use crate::{Epsilon, Error, Grid, Guarantee, Metric, NoiseStream, Slack, faults};

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
    pub(super) fn grid(self, grid: Grid) -> Option<Grid> {
        match self {
            Self::Released => Some(grid),
            Self::Decoded => None,
        }
    }

    /// Leaves a row without noise, on the grid if it is released.
    pub(super) fn keep(self, row: &mut [f64], grid: Grid) -> Result<(), Error> {
        self.grid(grid).map_or(Ok(()), |grid| grid.snap_row(row))
    }
}

/// A mechanism that replaces a vector by a noisy one.
///
/// ```
/// use inkveil_privacy::{Epsilon, LaplaceL2, NoiseAddress, NoiseKey, VectorMechanism, release_rows};
///
/// let mechanism = LaplaceL2::new(3, Epsilon::new(10.0)?)?;
/// let mut row = [0.1, 0.2, 0.3];
/// release_rows(&mechanism, &mut row, NoiseAddress::record(0), &NoiseKey::fresh()?)?;
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

    /// What rounding errors of the sampler add to the guarantees of each vector.
    fn slack(&self) -> Slack;

    /// ρ of zero-concentrated differential privacy for inputs within the range of the guarantee, if the
    /// noise is Gaussian. Its releases compose with less than the sum of their ε.
    fn zcdp(&self) -> Option<Zcdp> {
        None
    }

    /// The grid of the released output, with noise or without. It depends on the parameters alone.
    fn grid(&self) -> Grid;

    /// The SHA-256 of the name and of all parameters. It is part of what noise is drawn for, so that
    /// two mechanisms never share noise.
    fn checksum(&self) -> &[u8; 32];

    /// Returns how much snapping to the grid can add to the distance of two inputs: ε per unit of
    /// distance holds with ε·(distance + this). Returns `None` if nothing is snapped or the
    /// guarantee already includes it.
    fn added_distance(&self, metric: Metric) -> Option<f64> {
        self.grid().added_distance(metric, self.dim())
    }

    /// Replaces `row` by a draw of the mechanism, on its grid unless the vector is to be
    /// [decoded](OutputUse::Decoded). For a release, use [`release_rows`](crate::release_rows): it
    /// takes the stream that belongs to the row.
    ///
    /// # Errors
    /// If the row has the wrong dimension, contains a value that is not finite, or is the zero
    /// vector where a direction is needed. The row may then still hold the input and must not be
    /// released.
    fn perturb(&self, row: &mut [f64], output: OutputUse, stream: &mut NoiseStream) -> Result<(), Error>;
}

/// Adds `noise` to `row`, on the grid if there is one.
pub(super) fn add_noise(row: &mut [f64], noise: &mut [f64], grid: Option<Grid>) -> Result<(), Error> {
    if faults::share_of_noise() != 1.0 {
        noise.iter_mut().for_each(|z| *z *= faults::share_of_noise());
    }
    match grid {
        None => row.iter_mut().zip(noise.iter()).for_each(|(x, z)| *x += z),
        Some(grid) => grid.add_row(row, noise)?,
    }
    Ok(())
}

/// Returns the grid for noise of about `scale` in its thinnest direction. A mechanism finds its grid
/// when it is built, so that nothing is ever released without a grid.
pub(super) fn grid_for(epsilon: Epsilon, scale: f64) -> Result<Grid, Error> {
    if epsilon.is_infinite() { Ok(Grid::WITHOUT_NOISE) } else { Grid::for_noise(scale) }
}

/// Returns the slack of a sampler, which is none if there is no noise, or if the draw does not use
/// the input.
pub(super) fn slack_for(
    epsilon: Epsilon,
    slack: impl FnOnce() -> Result<Slack, Error>,
) -> Result<Slack, Error> {
    if epsilon.is_infinite() || epsilon.is_zero() { Ok(Slack::NONE) } else { slack() }
}

/// Returns the SHA-256 of the name and the parameters of a mechanism.
pub(super) fn checksum(name: &str, parameters: impl IntoIterator<Item = f64>) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update((name.len() as u64).to_le_bytes());
    hash.update(name);
    parameters.into_iter().for_each(|number| hash.update(number.to_le_bytes()));
    hash.finalize().into()
}
