//! The rows of a table as they are in the file.

use std::borrow::Cow;

use inkveil_nn::Weights;
use rayon::prelude::*;

use crate::checksum::Checksum;
use crate::{Error, ErrorKind};

/// The names that tables of token vectors have: of encoders (with and without the model's name in front), GPT-2, Llama
/// and its kin, T5, and static tables.
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

/// The tables have at most this many columns; a covariance of more would not fit anyone's patience.
const MAX_DIMENSION: usize = 1 << 14;

/// A matrix in a file, borrowed from it where possible.
pub(crate) struct Source<'a> {
    numbers: Numbers<'a>,
    rows: usize,
    dimension: usize,
}

enum Numbers<'a> {
    Floats(Cow<'a, [f32]>),
    /// Eight bits per number and a scale per row.
    Bytes {
        values: &'a [i8],
        scales: Cow<'a, [f32]>,
    },
}

impl<'a> Source<'a> {
    /// The table of token vectors among a model's weights.
    pub(crate) fn find(weights: &'a Weights) -> Result<Self, Error> {
        let named = NAMES.iter().find_map(|&name| Some((name, weights.shape(name)?)));
        let (name, shape) = named.ok_or(ErrorKind::NoTable { looked_for: NAMES })?;
        let &[rows, dimension] = shape else {
            return Err(Error::corrupt(
                "table",
                format!("the tensor {name:?} has {} dimensions, not two", shape.len()),
            ));
        };
        let numbers = match weights.rows8(name, shape)? {
            Some(packed) => Numbers::Bytes { values: packed.values, scales: packed.scales },
            None => Numbers::Floats(weights.values(name, shape)?),
        };
        Self::new(numbers, rows, dimension)
    }

    /// A table in memory.
    pub(crate) fn floats(values: &'a [f32], dimension: usize) -> Result<Self, Error> {
        match values.len().checked_rem(dimension) {
            Some(0) => Self::new(Numbers::Floats(Cow::Borrowed(values)), values.len() / dimension, dimension),
            _ => Err(Error::argument(format!("{} numbers are not whole rows of {dimension}", values.len()))),
        }
    }

    fn new(numbers: Numbers<'a>, rows: usize, dimension: usize) -> Result<Self, Error> {
        if !(2..=MAX_DIMENSION).contains(&dimension) {
            return Err(Error::argument(format!(
                "the table has {dimension} columns; directions need 2 to {MAX_DIMENSION}"
            )));
        }
        if u32::try_from(rows).is_err() {
            return Err(Error::argument(format!("the table has {rows} rows; ids have 32 bits")));
        }
        Ok(Self { numbers, rows, dimension })
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// One row, widened. A row that is not there is zero.
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

    /// A checksum of all rows in order.
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
