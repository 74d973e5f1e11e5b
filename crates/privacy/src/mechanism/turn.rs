//! Turning a direction by an angle, toward a uniformly random side.

use crate::unit_vector::{dot, norm, normalise};
use crate::{Error, Grid, NoiseStream};

/// Replaces the vector `row` by a direction at the drawn (cosine, sine) from its own, the tangent being
/// uniform on the sphere of directions orthogonal to it; the output is snapped if there is a grid.
///
/// A standard normal vector without its component along μ is a standard normal vector of the tangent space,
/// and so points to a uniform direction of it.
pub(super) fn turn(
    row: &mut [f64],
    grid: Option<Grid>,
    stream: &mut NoiseStream,
    angle: impl FnOnce(&mut NoiseStream) -> (f64, f64),
) -> Result<(), Error> {
    normalise(row)?;
    if let Some(grid) = grid {
        grid.snap_row(row)?;
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
            // Where nearly everything was subtracted (only in few dimensions), what is left has lost digits
            // and a second subtraction makes it orthogonal again.
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
    grid.map_or(Ok(()), |grid| grid.snap_row(row))
}
