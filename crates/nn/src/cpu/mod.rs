//! Encoders and language models on a processor, as fast as it goes: packed weights, fused steps, no padding, every core.
//!
//! Nothing here trains and nothing here knows candle. [`PackedEncoder`] takes the same weights as
//! [`models::bert`](crate::models) and gives the same numbers, many times faster; [`PackedLlama`] does so for
//! [`Llama`](crate::models::Llama).

mod attention;
mod decoder;
mod layer;
mod linear;
mod model;
mod norm;
mod operand;
mod plan;
mod pointwise;
mod steps;
mod stored;
mod workspace;

use std::fmt;
use std::path::Path;

use half::bf16;

pub use self::decoder::{PackedCache, PackedLlama};
use self::model::Model;
use self::plan::Plan;
pub(crate) use self::pointwise::exponentials;
pub use self::steps::{PackedLinear, PackedNorm, PackedTable, gelu};
use crate::models::BertConfig;
use crate::product::has_tiles;
use crate::{Error, Weights};

/// What products are computed from.
///
/// ```
/// use inkveil_nn::cpu::Precision;
/// use inkveil_nn::product::has_tiles;
///
/// assert_eq!(Precision::fastest() == Precision::Bf16, has_tiles());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// 16-bit brain floats, summed in `f32`. 8-bit weights are exact in it, other numbers have 8 significant bits.
    Bf16,
    /// `f32` throughout.
    F32,
}

impl Precision {
    /// What is fastest here: 16 bits where the processor multiplies tiles of them, `f32` elsewhere.
    pub fn fastest() -> Self {
        if has_tiles() { Self::Bf16 } else { Self::F32 }
    }
}

/// An encoder of the BERT family (BERT, RoBERTa, MPNet), packed for this processor.
///
/// Sequences are shared out among the threads of rayon's current pool, whose number does not change a bit. What a sequence
/// is encoded together with changes nothing in 16 bits, and at most the order of sums in 32.
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
pub struct PackedEncoder(Kind);

/// The tokens of one text.
///
/// ```
/// use inkveil_nn::cpu::Sequence;
///
/// let pair = Sequence { ids: &[101, 2040, 102, 2033, 102], types: &[0, 0, 0, 1, 1] };
/// assert_eq!(pair.ids.len(), pair.types.len());
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Sequence<'a> {
    /// Their ids.
    pub ids: &'a [u32],
    /// Their types, for models that have them; empty if all are of the first.
    pub types: &'a [u8],
}

/// The tokens are the text, so they are not shown.
impl fmt::Debug for Sequence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sequence({} tokens)", self.ids.len())
    }
}

enum Kind {
    Bf16(Model<bf16>),
    F32(Model<f32>),
}

impl PackedEncoder {
    /// Opens a folder with weights and `config.json`.
    pub fn open(folder: &Path, precision: Precision) -> Result<Self, Error> {
        let config = BertConfig::open(folder)?;
        Self::new(&Weights::open(folder)?, &config, precision).map_err(|e| e.in_file(folder))
    }

    /// Packs the weights of a model.
    pub fn new(weights: &Weights, config: &BertConfig, precision: Precision) -> Result<Self, Error> {
        let plan = Plan::new(weights, config)?;
        Ok(Self(match precision {
            Precision::Bf16 => Kind::Bf16(Model::open(weights, plan)?),
            Precision::F32 => Kind::F32(Model::open(weights, plan)?),
        }))
    }

    /// How many numbers a token's state has.
    pub fn width(&self) -> usize {
        self.plan().sizes.width
    }

    /// How many tokens a sequence may have.
    pub fn max_tokens(&self) -> usize {
        self.plan().max_tokens()
    }

    /// The final states of every sequence, one row per token. Sequences of different lengths cost no padding.
    pub fn hidden_states(&self, sequences: &[&[u32]]) -> Result<Vec<Vec<f32>>, Error> {
        self.map(sequences, |_, states| states.to_vec())
    }

    /// Gives the final states of every sequence to `visit`, on the thread that computed them, and returns what it makes of
    /// them, in the order of the sequences. `visit` is told which sequence it is.
    ///
    /// ```
    /// # use std::path::Path;
    /// # use inkveil_nn::cpu::{PackedEncoder, Precision};
    /// # let encoder = PackedEncoder::open(Path::new("tests/fixtures/bert"), Precision::F32)?;
    /// let first = encoder.map(&[&[5, 17, 3], &[8]], |_, states| states[0])?; // nothing else is kept
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

    /// The same for tokens with types.
    pub fn map_typed<R: Send>(
        &self,
        sequences: &[Sequence<'_>],
        visit: impl Fn(usize, &[f32]) -> R + Sync,
    ) -> Result<Vec<R>, Error> {
        match &self.0 {
            Kind::Bf16(model) => model.map(sequences, &visit),
            Kind::F32(model) => model.map(sequences, &visit),
        }
    }

    fn plan(&self) -> &Plan {
        match &self.0 {
            Kind::Bf16(model) => model.plan(),
            Kind::F32(model) => model.plan(),
        }
    }
}

impl fmt::Debug for PackedEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PackedEncoder(width {}, up to {} tokens)", self.width(), self.max_tokens())
    }
}
