//! Matrices that are read directly from the mapped file, so that opening a model does not read
//! them.

use std::borrow::Cow;

use crate::{Error, Int8Rows, Weights};

/// A matrix that stays in its file if the format allows it.
pub(super) struct StoredMatrix {
    weights: Weights,
    name: String,
    shape: [usize; 2],
    /// The converted numbers, if the file stores them in another format.
    widened: Option<Vec<f32>>,
}

impl StoredMatrix {
    /// Opens a matrix whose numbers will be read [all](Self::all) at once.
    pub(super) fn floats(weights: &Weights, name: &str, shape: [usize; 2]) -> Result<Self, Error> {
        let widened = match weights.values(name, &shape)? {
            Cow::Borrowed(_) => None,
            Cow::Owned(values) => Some(values),
        };
        Ok(Self { weights: weights.clone(), name: name.to_owned(), shape, widened })
    }

    /// Opens a matrix of which single [rows](Self::rows) will be read: 8-bit integers are not
    /// converted.
    pub(super) fn table(weights: &Weights, name: &str, shape: [usize; 2]) -> Result<Self, Error> {
        match weights.int8_rows(name, &shape)? {
            Some(_) => Ok(Self { weights: weights.clone(), name: name.to_owned(), shape, widened: None }),
            None => Self::floats(weights, name, shape),
        }
    }

    /// Returns the number of columns.
    pub(super) fn columns(&self) -> usize {
        self.shape[1]
    }

    /// Returns the number of rows.
    pub(super) fn height(&self) -> usize {
        self.shape[0]
    }

    /// Returns all numbers, row by row.
    pub(super) fn all(&self) -> Result<Cow<'_, [f32]>, Error> {
        match &self.widened {
            Some(values) => Ok(Cow::Borrowed(values)),
            None => self.weights.values(&self.name, &self.shape),
        }
    }

    /// Returns its rows for reading one by one.
    pub(super) fn rows(&self) -> Result<MatrixRows<'_>, Error> {
        let numbers = match self.weights.int8_rows(&self.name, &self.shape)? {
            Some(rows) if self.widened.is_none() => RowFormat::Int8(rows),
            _ => RowFormat::Floats(self.all()?),
        };
        Ok(MatrixRows { numbers, columns: self.columns() })
    }
}

/// The rows of a [`StoredMatrix`].
pub(super) struct MatrixRows<'a> {
    numbers: RowFormat<'a>,
    columns: usize,
}

enum RowFormat<'a> {
    Floats(Cow<'a, [f32]>),
    Int8(Int8Rows<'a>),
}

impl MatrixRows<'_> {
    /// Adds row `index` to `out`. The row must exist.
    #[inline(always)]
    pub(super) fn add(&self, index: usize, out: &mut [f32]) {
        let range = index * self.columns..(index + 1) * self.columns;
        match &self.numbers {
            RowFormat::Floats(values) => {
                out.iter_mut().zip(&values[range]).for_each(|(out, value)| *out += value);
            }
            RowFormat::Int8(rows) => {
                let scale = rows.scales[index];
                for (out, &value) in out.iter_mut().zip(&rows.values[range]) {
                    *out += scale * f32::from(value);
                }
            }
        }
    }

    /// Computes the sum of row `index` and `other` into `out`. The row must exist.
    pub(super) fn sum(&self, index: usize, other: &[f32], out: &mut [f32]) {
        let range = index * self.columns..(index + 1) * self.columns;
        match &self.numbers {
            RowFormat::Floats(values) => {
                for ((out, value), other) in out.iter_mut().zip(&values[range]).zip(other) {
                    *out = value + other;
                }
            }
            RowFormat::Int8(rows) => {
                let scale = rows.scales[index];
                for ((out, &value), other) in out.iter_mut().zip(&rows.values[range]).zip(other) {
                    *out = scale * f32::from(value) + other;
                }
            }
        }
    }
}
