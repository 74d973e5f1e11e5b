//! The weights of a packed language model, with adapters.

use crate::product::{BlockMatrix, PanelRows};
use crate::weights::Nibbles;
use crate::{Error, ErrorKind, Weights};

/// Weights, with low-rank adapters if given.
pub(super) struct AdaptedWeights<'a> {
    weights: Weights,
    adapters: Option<&'a Weights>,
}

/// A packed matrix and its adapter.
pub(super) struct AdaptedMatrix {
    pub(super) matrix: BlockMatrix,
    pub(super) adapter: Option<Adapter>,
}

/// The two matrices of an adapter: `up`·`down` is added to a weight matrix.
pub(super) struct Adapter {
    /// Rank × inputs.
    pub(super) down: Vec<f32>,
    /// Outputs × rank.
    pub(super) up: Vec<f32>,
    pub(super) rank: usize,
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

    /// Packs the matrix `layer.weight`, outputs × inputs: in 4 bits if the file stores it so, otherwise
    /// in 8. Its adapter stays apart, because the sum of both has no form of 4 bits.
    pub(super) fn matrix(&self, layer: &str, shape: [usize; 2]) -> Result<AdaptedMatrix, Error> {
        let name = format!("{layer}.weight");
        let four = self.weights.has_nibbles(&name, &shape)?;
        let matrix = BlockMatrix::pack(shape, four, |rows| {
            if four
                && let Some(Nibbles { codes, factors }) = self.weights.nibbles(&name, &shape, rows.clone())?
            {
                return Ok(PanelRows::Codes { codes, factors });
            }
            Ok(PanelRows::Floats(self.weights.row_range(&name, &shape, rows)?.into_owned()))
        })?;
        Ok(AdaptedMatrix { matrix, adapter: self.adapter(layer, shape)? })
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
