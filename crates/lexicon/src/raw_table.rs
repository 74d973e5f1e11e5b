//! The rows of a token table as the file stores them.

use std::borrow::Cow;

use inkveil_nn::Weights;
use rayon::prelude::*;

use crate::checksum::Checksum;
use crate::{Error, ErrorKind};

/// The usual names of token tables: of encoders (with and without the model's name as a prefix),
/// GPT-2, Llama and related models, T5, and static tables.
const NAMES: &[&str] = &[
    "embeddings.word_embeddings.weight",
    "bert.embeddings.word_embeddings.weight",
    "mpnet.embeddings.word_embeddings.weight",
    "roberta.embeddings.word_embeddings.weight",
    "wte.weight",
    "transformer.wte.weight",
    "model.embed_tokens.weight",
    "embed_tokens.weight",
    "shared.weight",
    "encoder.embed_tokens.weight",
    "token_embd.weight",
    "embeddings",
    "embedding.weight",
    "words",
];

/// The largest number of columns. The covariance of more would take too long.
const MAX_DIMENSION: usize = 1 << 14;

/// A token table, borrowed from its file if possible.
pub(crate) struct RawTable<'a> {
    numbers: Numbers<'a>,
    rows: usize,
    dimension: usize,
}

enum Numbers<'a> {
    Floats(Cow<'a, [f32]>),
    /// Eight bits per number and one scale per row.
    Bytes {
        values: &'a [i8],
        scales: Cow<'a, [f32]>,
    },
}

impl<'a> RawTable<'a> {
    /// Finds the token table among a model's weights.
    pub(crate) fn find(weights: &'a Weights) -> Result<Self, Error> {
        let named = NAMES.iter().find_map(|&name| Some((name, weights.shape(name)?)));
        let (name, shape) = named.ok_or(ErrorKind::NoTable { looked_for: NAMES })?;
        let &[rows, dimension] = shape else {
            return Err(Error::corrupt(
                "table",
                format!("the tensor {name:?} has {} dimensions, not two", shape.len()),
            ));
        };
        let numbers = match weights.int8_rows(name, shape)? {
            Some(packed) => Numbers::Bytes { values: packed.values, scales: packed.scales },
            None => Numbers::Floats(weights.values(name, shape)?),
        };
        Self::new(numbers, rows, dimension)
    }

    /// Creates a table from numbers in memory.
    pub(crate) fn floats(values: &'a [f32], dimension: usize) -> Result<Self, Error> {
        match values.len().checked_rem(dimension) {
            Some(0) => Self::new(Numbers::Floats(Cow::Borrowed(values)), values.len() / dimension, dimension),
            _ => Err(Error::argument(format!(
                "{} numbers do not form whole rows of {dimension}",
                values.len()
            ))),
        }
    }

    fn new(numbers: Numbers<'a>, rows: usize, dimension: usize) -> Result<Self, Error> {
        if !(2..=MAX_DIMENSION).contains(&dimension) {
            return Err(Error::argument(format!(
                "the table has {dimension} columns; between 2 and {MAX_DIMENSION} are supported"
            )));
        }
        if u32::try_from(rows).is_err() {
            return Err(Error::argument(format!("the table has {rows} rows; the limit is 2^32")));
        }
        Ok(Self { numbers, rows, dimension })
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Converts one row to `f64`. A row that does not exist is zero.
    pub(crate) fn widen(&self, row: usize, out: &mut [f64]) {
        let range = row * self.dimension..(row + 1) * self.dimension;
        match &self.numbers {
            Numbers::Floats(values) => widen(values.get(range), out, |x| f64::from(*x)),
            Numbers::Bytes { values, scales } => {
                let scale = f64::from(scales.get(row).copied().unwrap_or(0.0));
                widen(values.get(range), out, |x| f64::from(*x) * scale);
            }
        }
    }

    /// Computes a checksum of all rows in order.
    pub(crate) fn checksum(&self) -> u64 {
        let row_sum = |row: usize| {
            let mut sum = Checksum::new();
            let range = row * self.dimension..(row + 1) * self.dimension;
            match &self.numbers {
                Numbers::Floats(values) => {
                    sum.add(bytemuck::cast_slice(values.get(range).unwrap_or_default()))
                }
                Numbers::Bytes { values, scales } => {
                    sum.add(bytemuck::cast_slice(values.get(range).unwrap_or_default()));
                    sum.add_number(scales.get(row).map_or(0, |scale| scale.to_bits()).into());
                }
            }
            sum.finish()
        };
        let sums: Vec<u64> = (0..self.rows).into_par_iter().with_min_len(512).map(row_sum).collect();
        let mut all = Checksum::new();
        all.add_number(self.dimension as u64);
        sums.into_iter().for_each(|sum| all.add_number(sum));
        all.finish()
    }
}

fn widen<T>(row: Option<&[T]>, out: &mut [f64], value: impl Fn(&T) -> f64) {
    match row {
        Some(row) => out.iter_mut().zip(row).for_each(|(out, x)| *out = value(x)),
        None => out.fill(0.0),
    }
}
