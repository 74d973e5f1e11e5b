//! The network of the fast tagger: hashed words and convolutions with growing steps.

use inkveil_nn::layers::{Activation, Dropout, Embedding, LayerNorm, Linear};
use inkveil_nn::{Device, Scope, Tensor};

use super::features::{DENSE, Features, PART_ROWS, PARTS, SHAPE_ROWS, WORD_ROWS};
use super::labels::LABELS;

pub(super) const TABLE_WIDTH: usize = 64;
pub(super) const WIDTH: usize = 128;
/// The distance that each layer reaches to both sides.
pub(super) const STEPS: [usize; 3] = [1, 2, 4];
/// The distance of all layers together. Texts are at least this far apart.
pub(super) const REACH: usize = 7;
const DROPOUT: f64 = 0.2;

pub(super) struct WordNet {
    words: Embedding,
    parts: Embedding,
    shapes: Embedding,
    input: Linear,
    layers: Vec<Layer>,
    output: Linear,
    dropout: Dropout,
    device: Device,
}

struct Layer {
    map: Linear,
    norm: LayerNorm,
    dropout: Dropout,
    step: usize,
}

impl WordNet {
    pub(super) fn new(scope: &Scope) -> Result<Self, inkveil_nn::Error> {
        let layer = |(n, &step): (usize, &usize)| {
            let scope = scope.enter("layer").enter(n);
            Ok::<_, inkveil_nn::Error>(Layer {
                map: Linear::new(&scope.enter("map"), 3 * WIDTH, WIDTH, true)?,
                norm: LayerNorm::new(&scope.enter("norm"), WIDTH, 1e-5)?,
                dropout: Dropout::new(&scope, DROPOUT)?,
                step,
            })
        };
        Ok(WordNet {
            words: Embedding::new(&scope.enter("words"), WORD_ROWS, TABLE_WIDTH)?,
            parts: Embedding::new(&scope.enter("parts"), PART_ROWS, TABLE_WIDTH)?,
            shapes: Embedding::new(&scope.enter("shapes"), SHAPE_ROWS, TABLE_WIDTH)?,
            input: Linear::new(&scope.enter("input"), 3 * TABLE_WIDTH + DENSE, WIDTH, true)?,
            layers: STEPS.iter().enumerate().map(layer).collect::<Result<_, _>>()?,
            output: Linear::new(&scope.enter("output"), WIDTH, LABELS, true)?,
            dropout: Dropout::new(&scope.enter("input"), DROPOUT)?,
            device: scope.device().clone(),
        })
    }

    /// Returns the scores of all labels with the shape (words, labels).
    pub(super) fn forward(&self, features: &Features) -> Result<Tensor, inkveil_nn::Error> {
        let (n, device) = (features.len(), &self.device);
        let ids = |ids: &[u32]| Tensor::from_slice(ids, ids.len(), device);
        let parts = self.parts.forward(&ids(&features.parts)?)?.reshape((n, PARTS, TABLE_WIDTH))?.sum(1)?;
        let dense = Tensor::from_slice(&features.dense, (n, DENSE), device)?;
        let keep = Tensor::from_slice(&features.keep, (n, 1), device)?;
        let words = self.words.forward(&ids(&features.words)?)?;
        let shapes = self.shapes.forward(&ids(&features.shapes)?)?;
        let x = self.dropout.forward(&Tensor::cat(&[words, parts, shapes, dense], 1)?)?;
        let mut x = Activation::Gelu.forward(&self.input.forward(&x)?)?.broadcast_mul(&keep)?;
        for layer in &self.layers {
            x = layer.forward(&x)?.broadcast_mul(&keep)?;
        }
        self.output.forward(&x)
    }
}

impl Layer {
    /// Combines every word with the words `step` before and after it.
    fn forward(&self, x: &Tensor) -> Result<Tensor, inkveil_nn::Error> {
        let n = x.dims2()?.0;
        let wide = x.pad_with_zeros(0, self.step, self.step)?;
        let seen = Tensor::cat(&[wide.narrow(0, 0, n)?, x.clone(), wide.narrow(0, 2 * self.step, n)?], 1)?;
        let change = self.dropout.forward(&Activation::Gelu.forward(&self.map.forward(&seen)?)?)?;
        self.norm.forward(&(x + change)?)
    }
}
