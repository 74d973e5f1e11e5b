//! Matrices that are read from the mapped file as they lie there, so that opening a model does not touch them.

use std::borrow::Cow;

use crate::{Error, Rows8, Weights};

/// A matrix of a model that stays in its file where the format allows it.
pub(super) struct StoredMatrix {
    weights: Weights,
    name: String,
    shape: [usize; 2],
    /// The numbers, where the file has them in a form that had to be widened.
    widened: Option<Vec<f32>>,
}

impl StoredMatrix {
    /// A matrix that will be asked for [all](Self::all) its numbers.
    pub(super) fn floats(weights: &Weights, name: &str, shape: [usize; 2]) -> Result<Self, Error> {
        let widened = match weights.values(name, &shape)? {
            Cow::Borrowed(_) => None,
            Cow::Owned(values) => Some(values),
        };
        Ok(Self { weights: weights.clone(), name: name.to_owned(), shape, widened })
    }

    /// A matrix that will be asked for some [rows](Self::rows): 8-bit integers stay as they are.
    pub(super) fn table(weights: &Weights, name: &str, shape: [usize; 2]) -> Result<Self, Error> {
        match weights.rows8(name, &shape)? {
            Some(_) => Ok(Self { weights: weights.clone(), name: name.to_owned(), shape, widened: None }),
            None => Self::floats(weights, name, shape),
        }
    }

    /// How many numbers a row has.
    pub(super) fn columns(&self) -> usize {
        self.shape[1]
    }

    /// How many rows there are.
    pub(super) fn height(&self) -> usize {
        self.shape[0]
    }

    /// All numbers, row after row.
    pub(super) fn all(&self) -> Result<Cow<'_, [f32]>, Error> {
        match &self.widened {
            Some(values) => Ok(Cow::Borrowed(values)),
            None => self.weights.values(&self.name, &self.shape),
        }
    }

    /// Its rows, to be read one by one.
    pub(super) fn rows(&self) -> Result<Rows<'_>, Error> {
        let numbers = match self.weights.rows8(&self.name, &self.shape)? {
            Some(rows) if self.widened.is_none() => Numbers::Int8(rows),
            _ => Numbers::Floats(self.all()?),
        };
        Ok(Rows { numbers, columns: self.columns() })
    }
}

/// The rows of a [`StoredMatrix`].
pub(super) struct Rows<'a> {
    numbers: Numbers<'a>,
    columns: usize,
}

enum Numbers<'a> {
    Floats(Cow<'a, [f32]>),
    Int8(Rows8<'a>),
}

impl Rows<'_> {
    /// Adds row `index` to `out`. The caller has checked that there is such a row.
    #[inline(always)]
    pub(super) fn add(&self, index: usize, out: &mut [f32]) {
        let range = index * self.columns..(index + 1) * self.columns;
        match &self.numbers {
            Numbers::Floats(values) => {
                out.iter_mut().zip(&values[range]).for_each(|(out, value)| *out += value);
            }
            Numbers::Int8(rows) => {
                let scale = rows.scales[index];
                for (out, &value) in out.iter_mut().zip(&rows.values[range]) {
                    *out += scale * f32::from(value);
                }
            }
        }
    }

    /// `out` becomes row `index` plus `other`. The caller has checked that there is such a row.
    pub(super) fn sum(&self, index: usize, other: &[f32], out: &mut [f32]) {
        let range = index * self.columns..(index + 1) * self.columns;
        match &self.numbers {
            Numbers::Floats(values) => {
                for ((out, value), other) in out.iter_mut().zip(&values[range]).zip(other) {
                    *out = value + other;
                }
            }
            Numbers::Int8(rows) => {
                let scale = rows.scales[index];
                for ((out, &value), other) in out.iter_mut().zip(&rows.values[range]).zip(other) {
                    *out = scale * f32::from(value) + other;
                }
            }
        }
    }
}
