//! Checks of matrix sizes.

use crate::Error;

/// Returns the number of rows of `columns` numbers, or an error if the last row is incomplete.
pub(super) fn row_count(length: usize, columns: usize) -> Result<usize, Error> {
    match length.checked_rem(columns) {
        Some(0) => Ok(length / columns),
        _ => Err(Error::argument(format!("{length} numbers do not form whole rows of {columns}"))),
    }
}

/// Checks that an output has the size of a product.
pub(super) fn check_out(length: usize, rows: usize, columns: usize) -> Result<(), Error> {
    match rows.checked_mul(columns) == Some(length) {
        true => Ok(()),
        false => Err(Error::argument(format!(
            "the product has {rows}×{columns} numbers, but the output has space for {length}"
        ))),
    }
}
