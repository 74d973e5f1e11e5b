//! Fast encoders and language models for CPUs: packed weights, fused steps, no padding, all cores.
//!
//! This module does not train and does not use candle. [`PackedEncoder`] takes the same weights as
//! [`models::bert`](crate::models) and gives the same numbers many times faster; [`PackedLlama`]
//! does the same for [`Llama`](crate::models::Llama).

mod attention;
mod decoder;
mod encoder;
mod layer;
mod layout;
mod linear;
mod norm;
mod operand;
mod pointwise;
mod sequence;
mod steps;
mod stored;
mod workspace;

use std::fmt;
use std::path::Path;

use half::bf16;

pub use self::decoder::{PackedCache, PackedLlama};
use self::encoder::EncoderModel;
use self::layout::EncoderLayout;
pub(crate) use self::pointwise::exponentials;
pub use self::sequence::Sequence;
pub use self::steps::{PackedLinear, PackedNorm, PackedTable, gelu};
use crate::models::BertConfig;
use crate::product::{RoundedBlock, has_tiles, has_vnni};
use crate::{Error, Weights};

/// The number format of products.
///
/// ```
/// use inkveil_nn::cpu::Precision;
/// use inkveil_nn::product::has_tiles;
///
/// assert_eq!(Precision::fastest() == Precision::Bf16, has_tiles());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// 16-bit brain floats, summed in `f32`. 8-bit weights are exact; other numbers have 8
    /// significant bits.
    Bf16,
    /// 8-bit integers with a scale for every 64 numbers of a row. 8-bit weights are exact; other
    /// numbers have an error of at most 1/254 of the largest number of their block.
    Int8,
    /// `f32` throughout.
    F32,
}

impl Precision {
    /// Returns the fastest precision on this machine: 16 bits if the processor multiplies tiles of
    /// them, 8 bits if it has AVX-512 VNNI, otherwise `f32`.
    pub fn fastest() -> Self {
        match () {
            () if has_tiles() => Self::Bf16,
            () if has_vnni() => Self::Int8,
            () => Self::F32,
        }
    }

    /// Returns the fastest precision on this machine for vectors that are compared or stored: not
    /// [`Int8`](Self::Int8), which turns the vectors of sentences by about 2 degrees.
    pub fn fastest_for_vectors() -> Self {
        if has_tiles() { Self::Bf16 } else { Self::F32 }
    }
}

/// An encoder of the BERT family (BERT, RoBERTa, MPNet), packed for this processor.
///
/// Sequences are distributed over the threads of rayon's current pool, whose number does not affect
/// the result. The other sequences of a batch do not affect the result in 8 or 16 bits, and affect
/// only the order of sums in 32 bits.
///
/// ```
/// use std::path::Path;
///
/// use inkveil_nn::cpu::{PackedEncoder, Precision};
///
/// let encoder = PackedEncoder::open(Path::new("tests/fixtures/bert"), Precision::fastest())?;
/// let states = encoder.hidden_states(&[&[5, 17, 3], &[8]])?;
/// assert_eq!(states[0].len(), 3 * encoder.width()); // one row per token
/// assert_eq!(states[1].len(), encoder.width());
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub struct PackedEncoder(PrecisionModel);

enum PrecisionModel {
    Bf16(EncoderModel<bf16>),
    Int8(EncoderModel<RoundedBlock>),
    F32(EncoderModel<f32>),
}

impl PackedEncoder {
    /// Opens a folder with weights and `config.json`.
    pub fn open(folder: &Path, precision: Precision) -> Result<Self, Error> {
        let config = BertConfig::open(folder)?;
        Self::new(&Weights::open(folder)?, &config, precision).map_err(|e| e.in_file(folder))
    }

    /// Packs the weights of a model.
    pub fn new(weights: &Weights, config: &BertConfig, precision: Precision) -> Result<Self, Error> {
        let layout = EncoderLayout::new(weights, config)?;
        Ok(Self(match precision {
            Precision::Bf16 => PrecisionModel::Bf16(EncoderModel::open(weights, layout)?),
            Precision::Int8 => PrecisionModel::Int8(EncoderModel::open(weights, layout)?),
            Precision::F32 => PrecisionModel::F32(EncoderModel::open(weights, layout)?),
        }))
    }

    /// Returns the dimension of a token's state.
    pub fn width(&self) -> usize {
        self.layout().sizes.width
    }

    /// Returns the largest number of tokens of a sequence.
    pub fn max_tokens(&self) -> usize {
        self.layout().max_tokens()
    }

    /// Returns the final states of every sequence, one row per token. Sequences of different
    /// lengths cost no padding.
    pub fn hidden_states(&self, sequences: &[&[u32]]) -> Result<Vec<Vec<f32>>, Error> {
        self.map(sequences, |_, states| states.to_vec())
    }

    /// Calls `visit` with the index and the final states of every sequence, on the thread that
    /// computed them. Returns the results in the order of the sequences.
    ///
    /// ```
    /// # use std::path::Path;
    /// # use inkveil_nn::cpu::{PackedEncoder, Precision};
    /// # let encoder = PackedEncoder::open(Path::new("tests/fixtures/bert"), Precision::F32)?;
    /// let first = encoder.map(&[&[5, 17, 3], &[8]], |_, states| states[0])?; // only the first numbers are kept
    /// assert_eq!(first.len(), 2);
    /// # Ok::<(), inkveil_nn::Error>(())
    /// ```
    pub fn map<R: Send>(
        &self,
        sequences: &[&[u32]],
        visit: impl Fn(usize, &[f32]) -> R + Sync,
    ) -> Result<Vec<R>, Error> {
        let sequences: Vec<Sequence> = sequences.iter().map(|&ids| Sequence { ids, types: &[] }).collect();
        self.map_typed(&sequences, visit)
    }

    /// Like [`map`](Self::map), but for tokens with types.
    pub fn map_typed<R: Send>(
        &self,
        sequences: &[Sequence<'_>],
        visit: impl Fn(usize, &[f32]) -> R + Sync,
    ) -> Result<Vec<R>, Error> {
        match &self.0 {
            PrecisionModel::Bf16(model) => model.map(sequences, &visit),
            PrecisionModel::Int8(model) => model.map(sequences, &visit),
            PrecisionModel::F32(model) => model.map(sequences, &visit),
        }
    }

    fn layout(&self) -> &EncoderLayout {
        match &self.0 {
            PrecisionModel::Bf16(model) => model.layout(),
            PrecisionModel::Int8(model) => model.layout(),
            PrecisionModel::F32(model) => model.layout(),
        }
    }
}

impl fmt::Debug for PackedEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PackedEncoder(width {}, up to {} tokens)", self.width(), self.max_tokens())
    }
}
