//! A batch of rows: vectors that can be changed, and everything beside them.

use std::fmt;

use crate::carry::Carry;
use crate::error::{Error, ErrorKind};
use crate::float::first_not_finite;
use inkveil_privacy::GridRows;

/// The most numbers in one batch. A pipeline holds about seven batches at once, so this bounds its memory (8 MiB a
/// batch) whatever the dimension.
pub(crate) const MAX_VALUES: usize = 1 << 20;

/// The largest dimension. A header may claim any number, and memory is only allocated for a plausible one.
pub(crate) const MAX_DIM: u64 = 1 << 24;

/// Returns the number of rows of a batch, at most the number asked for.
pub(crate) fn batch_rows(asked: usize, dim: usize) -> usize {
    asked.min(MAX_VALUES / dim.max(1)).max(1)
}

/// Consecutive vectors of a file, with everything beside them in their rows.
///
/// The vectors may be replaced by released ones; their number and dimension may not change. Everything else (ids, texts, other columns) is
/// passed on to the writer.
///
/// A batch of a safetensors file may have no rows. It then holds a piece of another tensor.
///
/// ```
/// use inkveil_files::Input;
/// use inkveil_privacy::GridRows;
/// use inkveil_vectors_io::{ReadOptions, VectorFormat, VectorReader};
///
/// let input = Input::from_bytes(b"{\"id\": 7, \"embedding\": [3.0, 4.0]}\n".to_vec());
/// let mut reader = VectorReader::open(input, VectorFormat::Jsonl, &ReadOptions::default())?;
/// let mut batch = reader.next_batch()?.unwrap();
/// batch.release(|values| Ok::<_, Box<dyn std::error::Error>>(GridRows::without_noise(values, 2)?))?;
/// assert_eq!(batch.values(), [3.0, 4.0]);
/// assert_eq!(format!("{batch:?}"), "VectorBatch { first_row: 0, rows: 1, dim: 2, .. }");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct VectorBatch {
    first_row: u64,
    dim: usize,
    values: Vec<f64>,
    carry: Carry,
}

impl VectorBatch {
    /// Returns a batch of finite numbers, `dim` in each row.
    pub(crate) fn new(first_row: u64, dim: usize, values: Vec<f64>, carry: Carry) -> Result<Self, Error> {
        debug_assert_eq!(values.len() % dim.max(1), 0);
        if let Some(position) = first_not_finite(&values) {
            let kind = ErrorKind::NotFinite { index: position % dim.max(1) };
            return Err(Error::from(kind).in_row(first_row + (position / dim.max(1)) as u64));
        }
        Ok(VectorBatch { first_row, dim, values, carry })
    }

    /// Returns the position of the first row in the file, from 0.
    pub fn first_row(&self) -> u64 {
        self.first_row
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.values.len() / self.dim.max(1)
    }

    /// Returns the length of each vector.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Returns all vectors, joined.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Replaces all vectors by released ones. `make` gets the vectors, joined, and returns them on a
    /// grid. Nothing else can change the vectors of a batch.
    ///
    /// # Errors
    /// Those of `make`; also if it returns other rows than all of the given ones.
    pub fn release<E: From<Error>>(
        &mut self,
        make: impl for<'r> FnOnce(&'r mut [f64]) -> Result<GridRows<'r, f64>, E>,
    ) -> Result<(), E> {
        let given = self.values.as_ptr_range();
        let returned = make(&mut self.values)?.values().as_ptr_range();
        if given == returned {
            return Ok(());
        }
        self.values.fill(0.0);
        Err(Error::from(ErrorKind::OutOfOrder).into())
    }

    pub(crate) fn into_parts(self) -> (u64, Vec<f64>, Carry) {
        (self.first_row, self.values, self.carry)
    }
}

impl fmt::Debug for VectorBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VectorBatch")
            .field("first_row", &self.first_row)
            .field("rows", &self.rows())
            .field("dim", &self.dim)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_not_finite_is_named_by_row_and_coordinate() {
        let error = VectorBatch::new(10, 2, vec![1.0, 2.0, 3.0, f64::NAN], Carry::Npy).unwrap_err();
        assert_eq!((error.row(), error.kind()), (Some(12), &ErrorKind::NotFinite { index: 1 }));
    }

    #[test]
    fn batches_are_bounded() {
        assert_eq!(batch_rows(1024, 768), 1024);
        assert_eq!(batch_rows(1024, 1 << 15), 32);
        assert_eq!(batch_rows(1024, 1 << 24), 1);
        assert_eq!(batch_rows(0, 0), 1);
    }
}
