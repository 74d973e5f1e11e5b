//! Rows with mostly zeros.

use crate::Error;

/// Rows of `dim` numbers, stored without zeros (compressed sparse rows).
///
/// ```
/// use inkveil_eval::attack::SparseRows;
///
/// let mut rows = SparseRows::new(4);
/// rows.push(&[(0, 3.0), (3, 4.0)])?;
/// rows.push(&[(3, 2.0)])?;
/// assert_eq!((rows.len(), rows.dim()), (2, 4));
/// assert_eq!(rows.row(0).cosine(rows.row(1)), 0.8);
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct SparseRows {
    dim: usize,
    /// The end of each row.
    ends: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

impl SparseRows {
    /// No rows yet.
    pub fn new(dim: usize) -> Self {
        Self { dim, ends: Vec::new(), columns: Vec::new(), values: Vec::new() }
    }

    /// Reads dense rows of `dim` numbers, one after the other.
    ///
    /// # Errors
    /// If the numbers are not a whole number of rows.
    pub fn from_dense(dim: usize, rows: &[f32]) -> Result<Self, Error> {
        if dim == 0 || u32::try_from(dim).is_err() || !rows.len().is_multiple_of(dim) {
            return Err(Error::argument(format!(
                "{} numbers are not a whole number of rows of {dim}",
                rows.len()
            )));
        }
        let mut all = Self::new(dim);
        for row in rows.chunks_exact(dim) {
            for (column, &value) in (0_u32..).zip(row).filter(|(_, value)| **value != 0.0) {
                all.columns.push(column);
                all.values.push(value);
            }
            all.ends.push(all.columns.len());
        }
        Ok(all)
    }

    /// Adds a row: columns in ascending order, each with its value.
    ///
    /// # Errors
    /// If the columns are not ascending, or one is not below the dimension.
    pub fn push(&mut self, row: &[(u32, f32)]) -> Result<(), Error> {
        let ascending = row.windows(2).all(|pair| pair[0].0 < pair[1].0);
        if !ascending || row.last().is_some_and(|last| last.0 as usize >= self.dim) {
            return Err(Error::argument(format!(
                "the columns of a row must be ascending and below {}",
                self.dim
            )));
        }
        self.append(row);
        Ok(())
    }

    /// Adds a row that is known to be valid.
    pub(super) fn append(&mut self, row: &[(u32, f32)]) {
        self.columns.extend(row.iter().map(|entry| entry.0));
        self.values.extend(row.iter().map(|entry| entry.1));
        self.ends.push(self.columns.len());
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of columns, with zeros.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Returns a row. A row that does not exist is all zeros.
    pub fn row(&self, index: usize) -> SparseRow<'_> {
        let end = self.ends.get(index).copied().unwrap_or(0);
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before).copied()).unwrap_or(0);
        let range = start.min(end)..end;
        SparseRow { columns: &self.columns[range.clone()], values: &self.values[range] }
    }

    /// All rows in order.
    pub fn iter(&self) -> impl Iterator<Item = SparseRow<'_>> {
        (0..self.len()).map(|index| self.row(index))
    }

    /// Appends the columns of other rows to these rows.
    ///
    /// # Errors
    /// If the numbers of rows differ, or there are too many columns.
    pub fn beside(&self, other: &Self) -> Result<Self, Error> {
        let dim = self.dim.checked_add(other.dim).filter(|&dim| u32::try_from(dim).is_ok());
        let (Some(dim), true) = (dim, self.len() == other.len()) else {
            return Err(Error::argument(format!(
                "{} rows of {} and {} rows of {} cannot be joined",
                self.len(),
                self.dim,
                other.len(),
                other.dim
            )));
        };
        let mut all = Self::new(dim);
        for (left, right) in self.iter().zip(other.iter()) {
            all.columns.extend_from_slice(left.columns);
            // Below `dim`, which fits into 32 bits.
            all.columns.extend(right.columns.iter().map(|column| column + self.dim as u32));
            all.values.extend_from_slice(left.values);
            all.values.extend_from_slice(right.values);
            all.ends.push(all.columns.len());
        }
        Ok(all)
    }

    /// Whether every number is finite.
    pub(super) fn is_finite(&self) -> bool {
        self.values.iter().all(|value| value.is_finite())
    }
}

impl std::fmt::Debug for SparseRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SparseRows({} of {}, {} non-zero)", self.len(), self.dim, self.values.len())
    }
}

/// One row of [`SparseRows`].
#[derive(Clone, Copy, PartialEq)]
pub struct SparseRow<'a> {
    columns: &'a [u32],
    values: &'a [f32],
}

impl<'a> SparseRow<'a> {
    /// The non-zero columns in ascending order, with their values.
    pub fn iter(self) -> impl Iterator<Item = (usize, f32)> + use<'a> {
        self.columns.iter().zip(self.values).map(|(&column, &value)| (column as usize, value))
    }

    /// The sum of squares.
    pub fn square(self) -> f32 {
        self.values.iter().map(|value| value * value).sum()
    }

    /// The product with another row.
    pub fn dot(self, other: SparseRow<'_>) -> f32 {
        let (mut sum, mut at) = (0.0, 0);
        for (&column, value) in self.columns.iter().zip(self.values) {
            while other.columns.get(at).is_some_and(|&theirs| theirs < column) {
                at += 1;
            }
            if other.columns.get(at) == Some(&column) {
                sum += value * other.values[at];
            }
        }
        sum
    }

    /// The cosine of the angle between two rows; 0 if one is all zeros.
    pub fn cosine(self, other: SparseRow<'_>) -> f32 {
        let lengths = (self.square() * other.square()).sqrt();
        if lengths > 0.0 { (self.dot(other) / lengths).clamp(-1.0, 1.0) } else { 0.0 }
    }
}

impl std::fmt::Debug for SparseRow<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SparseRow({} non-zero)", self.values.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_not_stored() {
        let rows = SparseRows::from_dense(3, &[0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0]).unwrap();
        let entries: Vec<Vec<(usize, f32)>> = rows.iter().map(|row| row.iter().collect()).collect();
        assert_eq!(entries, [vec![(1, 2.0)], vec![], vec![(0, 1.0), (2, -1.0)]]);
        assert_eq!(rows.row(9).iter().count(), 0);
        assert_eq!(rows.row(usize::MAX).iter().count(), 0);
        assert!(SparseRows::from_dense(2, &[1.0; 3]).is_err() && SparseRows::from_dense(0, &[]).is_err());
    }

    #[test]
    fn products_use_common_columns() {
        let mut rows = SparseRows::new(6);
        rows.push(&[(0, 1.0), (2, 2.0), (5, 2.0)]).unwrap();
        rows.push(&[(1, 7.0), (2, 3.0), (4, 1.0), (5, -1.0)]).unwrap();
        rows.push(&[]).unwrap();
        assert_eq!(rows.row(0).dot(rows.row(1)), 4.0);
        assert_eq!(rows.row(1).dot(rows.row(0)), 4.0);
        assert_eq!(rows.row(0).cosine(rows.row(0)), 1.0);
        assert_eq!(rows.row(0).cosine(rows.row(2)), 0.0);
    }

    #[test]
    fn rows_can_be_joined() {
        let (left, right) =
            (SparseRows::from_dense(2, &[1.0, 0.0, 0.0, 2.0]), { SparseRows::from_dense(1, &[3.0, 4.0]) });
        let both = left.unwrap().beside(&right.unwrap()).unwrap();
        assert_eq!(both, SparseRows::from_dense(3, &[1.0, 0.0, 3.0, 0.0, 2.0, 4.0]).unwrap());
        assert!(both.beside(&SparseRows::new(1)).is_err());
        assert!(SparseRows::new(u32::MAX as usize).beside(&SparseRows::new(1)).is_err());
    }

    #[test]
    fn invalid_rows_are_refused() {
        let mut rows = SparseRows::new(3);
        assert!(rows.push(&[(1, 1.0), (1, 1.0)]).is_err());
        assert!(rows.push(&[(2, 1.0), (0, 1.0)]).is_err());
        assert!(rows.push(&[(3, 1.0)]).is_err());
        assert!(rows.is_empty());
    }
}
