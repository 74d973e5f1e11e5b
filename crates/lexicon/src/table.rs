//! The directions of a vocabulary's entries.

use std::fmt;

use rayon::prelude::*;

use crate::raw_table::RawTable;
use crate::{Centring, Error};
use inkveil_nn::linear::dot;

/// A direction for each entry of a vocabulary: rows of `f32` of length 1.
///
/// Rows are computed in `f64` and rounded once, so their length is 1 up to 10⁻⁷. A row that is zero
/// or not finite (before or after centring) has no direction.
///
/// ```
/// use inkveil_lexicon::UnitTable;
///
/// let table = UnitTable::from_rows(&[3.0, 4.0, 0.0, 0.0], 2)?;
/// assert_eq!(table.row(0), Some([0.6, 0.8].as_slice()));
/// assert_eq!(table.length(0), Some(5.0));
/// assert_eq!(table.row(1), None);
/// assert_eq!(table.directionless(), [1]);
/// # Ok::<(), inkveil_lexicon::Error>(())
/// ```
pub struct UnitTable {
    /// Rows without a direction are zero.
    values: Vec<f32>,
    /// The length of each row before normalisation; zero if it has no direction.
    lengths: Vec<f32>,
    dimension: usize,
    directionless: Vec<u32>,
}

impl UnitTable {
    /// Normalises rows of `dimension` numbers each.
    pub fn from_rows(rows: &[f32], dimension: usize) -> Result<Self, Error> {
        Ok(Self::build(&RawTable::floats(rows, dimension)?, None))
    }

    /// Normalises the rows of a table, after centring if a centring is given.
    pub(crate) fn build(raw: &RawTable<'_>, centring: Option<&Centring>) -> Self {
        let dimension = raw.dimension();
        let mut values = vec![0.0_f32; raw.rows() * dimension];
        let fill = |wide: &mut Vec<f64>, (id, row): (usize, &mut [f32])| {
            raw.widen(id, wide);
            if let Some(centring) = centring {
                centring.apply(wide);
            }
            write_direction(wide, row)
        };
        let lengths: Vec<f32> = values
            .par_chunks_mut(dimension)
            .with_min_len(256)
            .enumerate()
            .map_init(|| vec![0.0; dimension], fill)
            .collect();
        let directionless =
            (0..).zip(&lengths).filter(|(_, length)| **length == 0.0).map(|(id, _)| id).collect();
        Self { values, lengths, dimension, directionless }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.values.len() / self.dimension
    }

    /// Returns the number of columns.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns the direction of an entry, or `None` if the entry does not exist or has none.
    pub fn row(&self, id: u32) -> Option<&[f32]> {
        let start = (id as usize).checked_mul(self.dimension)?;
        let row = self.values.get(start..start.checked_add(self.dimension)?)?;
        self.directionless.binary_search(&id).is_err().then_some(row)
    }

    /// Returns the length of an entry's row after centring and before normalisation, or `None` if
    /// the entry does not exist or has no direction.
    pub fn length(&self, id: u32) -> Option<f32> {
        self.lengths.get(id as usize).copied().filter(|length| *length > 0.0)
    }

    /// Returns all rows, one after the other. Rows without a direction are zero.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Returns the entries without a direction, in ascending order.
    pub fn directionless(&self) -> &[u32] {
        &self.directionless
    }
}

impl AsRef<[f32]> for UnitTable {
    fn as_ref(&self) -> &[f32] {
        &self.values
    }
}

impl fmt::Debug for UnitTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UnitTable({}×{})", self.rows(), self.dimension)
    }
}

/// Writes the direction of a row and returns its length, or writes zeros and returns 0 if it has
/// none.
fn write_direction(wide: &[f64], row: &mut [f32]) -> f32 {
    // The numbers come from `f32`, so their squares neither overflow nor underflow in `f64`.
    let length = dot(wide, wide).sqrt();
    let has_direction = length.is_normal();
    let factor = 1.0 / length;
    for (out, x) in row.iter_mut().zip(wide) {
        *out = if has_direction { (x * factor) as f32 } else { 0.0 };
    }
    // A length below the smallest normal `f32` is still positive.
    if has_direction { (length as f32).max(f32::MIN_POSITIVE) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_length_one() {
        let rows: Vec<f32> = (0..4000).map(|i| ((i * 37 % 101) as f32 - 50.0) * 1e-3).collect();
        let table = UnitTable::from_rows(&rows, 40).unwrap();
        assert_eq!((table.rows(), table.dimension()), (100, 40));
        for row in table.values().chunks(40) {
            let square: f64 = row.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
            assert!((square.sqrt() - 1.0).abs() < 1e-7);
        }
    }

    #[test]
    fn rows_without_a_direction_are_marked() {
        let rows = [1.0, 0.0, 0.0, 0.0, f32::NAN, 1.0, f32::INFINITY, 1.0, f32::MAX, f32::MAX, 1e-40, 0.0];
        let table = UnitTable::from_rows(&rows, 2).unwrap();
        assert_eq!(table.directionless(), [1, 2, 3]);
        assert_eq!(table.row(3), None);
        assert_eq!(table.row(4).unwrap()[0], (0.5_f64).sqrt() as f32);
        assert_eq!(table.row(5), Some([1.0, 0.0].as_slice()));
        assert_eq!(table.row(6), None);
        assert!(table.values().iter().all(|x| x.is_finite()));
    }

    #[test]
    fn shapes_are_checked() {
        for (count, dimension) in [(3, 2), (2, 0), (2, 1)] {
            assert!(UnitTable::from_rows(&vec![1.0; count], dimension).is_err());
        }
    }
}
