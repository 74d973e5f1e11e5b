//! The weights of a packed language model, with adapters merged while they are read.

use std::ops::Range;

use crate::product::{BlockMatrix, PanelRows, f32_product_untransposed};
use crate::weights::Nibbles;
use crate::{Error, ErrorKind, Weights};

/// Weights, with low-rank adapters if given. Adapters are merged a few rows at a time, so that the
/// model is never in memory in 32 bits.
pub(super) struct AdaptedWeights<'a> {
    weights: Weights,
    adapters: Option<&'a Weights>,
}

/// The two matrices of an adapter: `up`·`down` is added to a weight matrix.
struct Adapter {
    down: Vec<f32>,
    up: Vec<f32>,
    rank: usize,
}

impl<'a> AdaptedWeights<'a> {
    /// Combines weights and adapters. Other tensors in the adapters' file replace those of the same
    /// name, as in [`with_adapters`](crate::with_adapters).
    pub(super) fn new(weights: &Weights, adapters: Option<&'a Weights>) -> Self {
        let weights = adapters.map_or_else(|| weights.clone(), |adapters| weights.with(adapters));
        AdaptedWeights { weights, adapters }
    }

    /// Fails if an adapter changes a matrix that the model does not have.
    pub(super) fn check(&self) -> Result<(), Error> {
        let changed = self
            .adapters
            .into_iter()
            .flat_map(Weights::names)
            .filter_map(|name| name.strip_suffix(".lora_A.weight"));
        for layer in changed {
            let name = format!("{layer}.weight");
            if self.weights.shape(&name).is_none() {
                return Err(ErrorKind::MissingTensor { name }.into());
            }
        }
        Ok(())
    }

    /// Returns the numbers of a vector.
    pub(super) fn vector(&self, name: &str, length: usize) -> Result<Vec<f32>, Error> {
        self.weights.values(name, &[length]).map(|values| values.into_owned())
    }

    /// Packs the matrix `layer.weight`, outputs × inputs: in 4 bits if the file stores it so and it
    /// has no adapter, otherwise in 8.
    pub(super) fn matrix(&self, layer: &str, shape: [usize; 2]) -> Result<BlockMatrix, Error> {
        let name = format!("{layer}.weight");
        let adapter = self.adapter(layer, shape)?;
        let four = adapter.is_none() && self.weights.has_nibbles(&name, &shape)?;
        BlockMatrix::pack(shape, four, |rows| {
            if four
                && let Some(Nibbles { codes, factors }) = self.weights.nibbles(&name, &shape, rows.clone())?
            {
                return Ok(PanelRows::Codes { codes, factors });
            }
            let mut values = self.weights.row_range(&name, &shape, rows.clone())?.into_owned();
            if let Some(adapter) = &adapter {
                adapter.add(rows, &mut values)?;
            }
            Ok(PanelRows::Floats(values))
        })
    }

    fn adapter(&self, layer: &str, [outputs, inputs]: [usize; 2]) -> Result<Option<Adapter>, Error> {
        let (down, up) = (format!("{layer}.lora_A.weight"), format!("{layer}.lora_B.weight"));
        let Some(adapters) = self.adapters.filter(|adapters| adapters.shape(&down).is_some()) else {
            return Ok(None);
        };
        let rank = adapters.shape(&down).and_then(|shape| shape.first().copied()).unwrap_or(0);
        Ok(Some(Adapter {
            down: adapters.values(&down, &[rank, inputs])?.into_owned(),
            up: adapters.values(&up, &[outputs, rank])?.into_owned(),
            rank,
        }))
    }
}

impl Adapter {
    /// Adds the adapter's change to some rows.
    fn add(&self, rows: Range<usize>, values: &mut [f32]) -> Result<(), Error> {
        if self.rank == 0 {
            return Ok(());
        }
        let mut change = vec![0.0; values.len()];
        f32_product_untransposed(
            &self.up[rows.start * self.rank..rows.end * self.rank],
            &self.down,
            self.rank,
            &mut change,
        )?;
        values.iter_mut().zip(change).for_each(|(value, change)| *value += change);
        Ok(())
    }
}
