//! Where the matrices of a packed language model come from: weights, and adapters that are added as they are read.

use std::ops::Range;

use crate::product::{BlockMatrix, Panel, f32_product_plain};
use crate::weights::Nibbles;
use crate::{Error, ErrorKind, Weights};

/// Weights, with low-rank adapters if there are any. Adapters are folded in a few rows at a time, so that the model is never in
/// memory in 32 bits.
pub(super) struct Source<'a> {
    weights: Weights,
    adapters: Option<&'a Weights>,
}

/// The two matrices of an adapter: what is added to a weight matrix is `up`·`down`.
struct Adapter {
    down: Vec<f32>,
    up: Vec<f32>,
    rank: usize,
}

impl<'a> Source<'a> {
    /// Other tensors of the adapters' file take the place of those of the same name, as in
    /// [`with_adapters`](crate::with_adapters).
    pub(super) fn new(weights: &Weights, adapters: Option<&'a Weights>) -> Self {
        let weights = adapters.map_or_else(|| weights.clone(), |adapters| weights.with(adapters));
        Source { weights, adapters }
    }

    /// An error if an adapter changes a matrix that the model does not have.
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

    /// The numbers of a vector.
    pub(super) fn vector(&self, name: &str, length: usize) -> Result<Vec<f32>, Error> {
        self.weights.values(name, &[length]).map(|values| values.into_owned())
    }

    /// The matrix `layer.weight`, outputs × inputs: in 4 bits where the file has it so and nothing is added, else in 8.
    pub(super) fn matrix(&self, layer: &str, shape: [usize; 2]) -> Result<BlockMatrix, Error> {
        let name = format!("{layer}.weight");
        let adapter = self.adapter(layer, shape)?;
        let four = adapter.is_none() && self.weights.has_nibbles(&name, &shape)?;
        BlockMatrix::pack(shape, four, |rows| {
            if four
                && let Some(Nibbles { codes, factors }) = self.weights.nibbles(&name, &shape, rows.clone())?
            {
                return Ok(Panel::Codes { codes, factors });
            }
            let mut values = self.weights.some_rows(&name, &shape, rows.clone())?.into_owned();
            if let Some(adapter) = &adapter {
                adapter.add(rows, &mut values)?;
            }
            Ok(Panel::Floats(values))
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
    /// Adds what the adapter changes in some rows.
    fn add(&self, rows: Range<usize>, values: &mut [f32]) -> Result<(), Error> {
        if self.rank == 0 {
            return Ok(());
        }
        let mut change = vec![0.0; values.len()];
        f32_product_plain(
            &self.up[rows.start * self.rank..rows.end * self.rank],
            &self.down,
            self.rank,
            &mut change,
        )?;
        values.iter_mut().zip(change).for_each(|(value, change)| *value += change);
        Ok(())
    }
}
