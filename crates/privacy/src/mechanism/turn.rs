//! Rotates a direction by an angle, in a uniformly random tangent direction.

use super::vector_mechanism::OutputUse;
use crate::faults::{self, Fault};
use crate::unit_vector::{dot, norm, normalise};
use crate::{Epsilon, Error, Grid, NoiseStream};

/// The grids of a mechanism on the sphere.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grids {
    /// Of the input: fine, because it adds to distances.
    pub(super) input: Grid,
    /// Of the output: coarser, because the sphere may barely touch a cell.
    pub(super) output: Grid,
}

impl Grids {
    /// Returns the grids for noise of about `scale` in each coordinate.
    pub(super) fn new(epsilon: Epsilon, dim: usize, scale: f64) -> Result<Self, Error> {
        if epsilon.is_infinite() {
            return Ok(Self { input: Grid::WITHOUT_NOISE, output: Grid::WITHOUT_NOISE });
        }
        Ok(Self { input: Grid::for_noise(scale)?, output: Grid::for_directions(dim, scale)? })
    }

    /// Returns the grids to round to.
    pub(super) fn used(self, output: OutputUse) -> Option<Self> {
        (output == OutputUse::Released).then_some(self)
    }
}

/// Leaves a direction without noise, on the grid if it is released.
pub(super) fn keep_direction(row: &mut [f64], grids: Grids, output: OutputUse) -> Result<(), Error> {
    normalise(row)?;
    if faults::is(Fault::OffGrid) { Ok(()) } else { output.keep(row, grids.output) }
}

/// Replaces `row` by a uniform direction: the draw at ε = 0. The row is checked and not used
/// otherwise, so that rounding errors cannot depend on it.
pub(super) fn any_direction(
    row: &mut [f64],
    grids: Grids,
    output: OutputUse,
    stream: &mut NoiseStream,
) -> Result<(), Error> {
    normalise(row)?;
    stream.fill_normal(row);
    // A vector of zeros is practically impossible, and then an error.
    normalise(row)?;
    output.keep(row, grids.output)
}

/// Replaces `row` by a direction at the drawn angle (cosine, sine) from its own. The tangent is
/// uniform on the sphere of directions orthogonal to `row`. Input and output are snapped if there
/// are grids for them.
///
/// A standard normal vector minus its component along μ is a standard normal vector of the tangent
/// space, so its direction is uniform there.
pub(super) fn turn(
    row: &mut [f64],
    grids: Option<Grids>,
    stream: &mut NoiseStream,
    angle: impl FnOnce(&mut NoiseStream) -> (f64, f64),
) -> Result<(), Error> {
    normalise(row)?;
    if let Some(grids) = grids {
        grids.input.snap_row(row)?;
        normalise(row)?;
    }
    let (cos, sin) = angle(stream);
    stream.with_scratch(row.len(), |stream, tangent| {
        loop {
            stream.fill_normal(tangent);
            let before = norm(tangent);
            let mut along = dot(tangent, row);
            tangent.iter_mut().zip(row.iter()).for_each(|(t, m)| *t -= along * m);
            let mut length = norm(tangent);
            // If the subtraction removed most of the vector (only in few dimensions), the rest has
            // lost digits. A second subtraction makes it orthogonal again.
            if length < 0.5 * before {
                along = dot(tangent, row);
                tangent.iter_mut().zip(row.iter()).for_each(|(t, m)| *t -= along * m);
                length = norm(tangent);
            }
            if length > 1e-8 * before {
                let sin = sin / length;
                row.iter_mut().zip(tangent.iter()).for_each(|(m, t)| *m = cos * *m + sin * t);
                return;
            }
        }
    });
    grids.map_or(Ok(()), |grids| grids.output.snap_row(row))
}
