//! Rotates a direction by an angle, in a uniformly random tangent direction.

use crate::unit_vector::{dot, norm, normalise};
use crate::{Error, Grid, NoiseStream};

/// Replaces `row` by a direction at the drawn angle (cosine, sine) from its own. The tangent is
/// uniform on the sphere of directions orthogonal to `row`. The output is snapped if there is a
/// grid.
///
/// A standard normal vector minus its component along μ is a standard normal vector of the tangent
/// space, so its direction is uniform there.
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
    grid.map_or(Ok(()), |grid| grid.snap_row(row))
}
