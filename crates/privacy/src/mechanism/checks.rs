//! Checks of rows and parameters that several mechanisms share.

use crate::unit_vector::check_finite;
use crate::{Epsilon, Error, ErrorKind};

/// Checks that a row has the right dimension and finite values.
pub(super) fn check_row(row: &[f64], dim: usize) -> Result<(), Error> {
    if row.len() != dim {
        return Err(ErrorKind::Dimension { expected: dim, found: row.len() }.into());
    }
    check_finite(row)
}

/// Checks a sensitivity: far enough from the limits of floating point that no product underflows.
pub(super) fn check_sensitivity(sensitivity: f64) -> Result<(), Error> {
    if (1e-100..=1e100).contains(&sensitivity) {
        Ok(())
    } else {
        Err(Error::parameter("the sensitivity", "between 1e-100 and 1e100", sensitivity))
    }
}

/// Checks the dimension of a mechanism.
pub(super) fn check_dim(dim: usize, least: usize) -> Result<(), Error> {
    if (least..=MAX_DIM).contains(&dim) {
        Ok(())
    } else {
        Err(Error::parameter("the dimension", if least < 2 { "1 to 2^24" } else { "2 to 2^24" }, dim))
    }
}

/// The largest dimension. No embedding is larger, and products of dimensions cannot overflow.
pub(crate) const MAX_DIM: usize = 1 << 24;

/// Checks the budget of additive noise in ℝⁿ. It must be positive, since at ε = 0 the noise would
/// be infinite.
pub(super) fn check_additive(epsilon: Epsilon) -> Result<(), Error> {
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
