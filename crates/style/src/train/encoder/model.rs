//! The network in training, and its loss.

use inkveil_nn::layers::{Activation, Dropout, Linear, Lora, log_softmax};
use inkveil_nn::models::{Bert, BertConfig, TextModel, TokenBatch};
use inkveil_nn::{CASING_TABLE, DType, Device, Scope, Tensor};

use crate::Error;
use crate::network::{HIDDEN, HIDDEN_LAYER, OUT_LAYER, RANK, STYLE};
use crate::surface;

/// The input of the network for one text.
pub(super) struct Input {
    pub(super) ids: Vec<u32>,
    pub(super) casings: Vec<u32>,
    pub(super) surface: Vec<f32>,
}

pub(super) struct Model {
    trunk: TextModel,
    forget: Dropout,
    hidden: Linear,
    out: Linear,
    parts: Parts,
    width: usize,
}

/// Which inputs the network uses; the others are zero. For experiments on the value of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parts {
    /// Both.
    Both,
    /// The states of the pack's encoder.
    Trunk,
    /// The patterns of characters and words, and the features.
    Surface,
}

impl Model {
    pub(super) fn new(scope: &Scope, config: &BertConfig, parts: Parts) -> Result<Self, Error> {
        // Besides the adapters, casings, norms and biases are trained, because they are small.
        let small =
            scope.only(|name| name == CASING_TABLE || name.contains("LayerNorm") || name.ends_with(".bias"));
        let trained = parts != Parts::Surface;
        let base = if trained { small } else { scope.freeze() };
        let mut trunk = TextModel::Bert(Bert::new(&base, config)?);
        if trained {
            trunk.add_lora(scope, &Lora { rank: RANK, alpha: RANK as f64, dropout: 0.0 }, |_| true)?;
        }
        Ok(Model {
            trunk,
            forget: Dropout::new(&scope.enter("style.forget"), 0.3)?,
            hidden: Linear::new(&scope.enter(HIDDEN_LAYER), config.width + surface::width(), HIDDEN, true)?,
            out: Linear::new(&scope.enter(OUT_LAYER), HIDDEN, STYLE, true)?,
            parts,
            width: config.width,
        })
    }

    /// Returns the style vectors of texts, of length 1.
    pub(super) fn forward(&self, inputs: &[&Input], device: &Device) -> Result<Tensor, Error> {
        let rows = inputs.len();
        let states = match self.parts {
            Parts::Surface => {
                Tensor::zeros((rows, self.width), DType::F32, device).map_err(inkveil_nn::Error::from)?
            }
            _ => self.states(inputs, device)?,
        };
        Ok(self.map(&states, inputs, device)?)
    }

    fn states(&self, inputs: &[&Input], device: &Device) -> Result<Tensor, inkveil_nn::Error> {
        let ids: Vec<&[u32]> = inputs.iter().map(|input| input.ids.as_slice()).collect();
        let casings: Vec<&[u32]> = inputs.iter().map(|input| input.casings.as_slice()).collect();
        let batch = TokenBatch::new(&ids, 0)?.with_types(&casings)?;
        let states = self.trunk.hidden_states(&batch)?;
        let keep = batch.keep_tensor(device)?.to_dtype(DType::F32)?;
        let sums = states.broadcast_mul(&keep.unsqueeze(2)?)?.sum(1)?;
        Ok(sums.broadcast_div(&keep.sum_keepdim(1)?)?)
    }

    fn map(&self, states: &Tensor, inputs: &[&Input], device: &Device) -> Result<Tensor, inkveil_nn::Error> {
        let surface = match self.parts {
            Parts::Trunk => vec![0.0; inputs.len() * surface::width()],
            _ => inputs.iter().flat_map(|input| input.surface.iter().copied()).collect(),
        };
        let surface = Tensor::from_vec(surface, (inputs.len(), surface::width()), device)?;
        let joined = Tensor::cat(&[states, &self.forget.forward(&surface)?], 1)?;
        let hidden = Activation::Gelu.forward(&self.hidden.forward(&joined)?)?;
        let out = self.out.forward(&hidden)?;
        let length = (out.sqr()?.sum_keepdim(1)? + 1e-12)?.sqrt()?;
        Ok(out.broadcast_div(&length)?)
    }
}

impl Parts {
    /// Sets the weights of unused inputs to zero, so that inference can always compute both.
    pub(super) fn keep_only(self, scope: &Scope, width: usize) -> Result<(), inkveil_nn::Error> {
        let seen = match self {
            Parts::Both => return Ok(()),
            Parts::Trunk => |column: usize, width: usize| column < width,
            Parts::Surface => |column: usize, width: usize| column >= width,
        };
        let seen: Vec<f32> =
            (0..width + surface::width()).map(|column| f32::from(u8::from(seen(column, width)))).collect();
        let name = format!("{HIDDEN_LAYER}.weight");
        for (_, variable) in scope.variables().into_iter().filter(|(found, _)| *found == name) {
            let seen = Tensor::new(seen.as_slice(), variable.device())?;
            variable.set(&variable.as_tensor().broadcast_mul(&seen)?.detach())?;
        }
        Ok(())
    }
}

/// Returns the supervised contrastive loss: how badly texts find those by the same writer among the
/// others.
pub(super) fn contrast(
    vectors: &Tensor,
    writers: &[u32],
    temperature: f64,
) -> Result<Tensor, inkveil_nn::Error> {
    let n = writers.len();
    let device = vectors.device();
    let cosines = (vectors.matmul(&vectors.t()?)? / temperature)?;
    // A text is not its own neighbour.
    let mut itself = vec![0f32; n * n];
    let mut wanted = vec![0f32; n * n];
    let mut pairs = 0f64;
    for (row, writer) in writers.iter().enumerate() {
        itself[row * n + row] = -1e9;
        let partners: Vec<usize> =
            (0..n).filter(|&other| other != row && writers[other] == *writer).collect();
        for other in &partners {
            wanted[row * n + other] = 1.0 / partners.len() as f32;
        }
        pairs += f64::from(u8::from(!partners.is_empty()));
    }
    let itself = Tensor::from_vec(itself, (n, n), device)?;
    let wanted = Tensor::from_vec(wanted, (n, n), device)?;
    let likely = log_softmax(&(cosines + itself)?)?;
    Ok(((likely * wanted)?.sum_all()? * (-1.0 / pairs.max(1.0)))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_follows_its_definition() {
        let rows = [[1f32, 0.0], [0.6, 0.8], [0.0, 1.0], [-1.0, 0.0]];
        let writers = [0, 0, 1, 1];
        let vectors = Tensor::new(&rows, &Device::Cpu).unwrap();
        let found = contrast(&vectors, &writers, 0.5).unwrap().to_scalar::<f32>().unwrap();
        let cosine = |a: usize, b: usize| f64::from(rows[a][0] * rows[b][0] + rows[a][1] * rows[b][1]) / 0.5;
        let mut expected = 0.0;
        for (row, partner) in [(0, 1), (1, 0), (2, 3), (3, 2)] {
            let sum: f64 = (0..4).filter(|&other| other != row).map(|other| cosine(row, other).exp()).sum();
            expected -= (cosine(row, partner).exp() / sum).ln() / 4.0;
        }
        assert!((f64::from(found) - expected).abs() < 1e-5, "{found} {expected}");
    }

    #[test]
    fn near_pairs_have_a_smaller_loss() {
        let loss = |rows: &[[f32; 2]; 4]| {
            let vectors = Tensor::new(rows, &Device::Cpu).unwrap();
            contrast(&vectors, &[0, 0, 1, 1], 0.1).unwrap().to_scalar::<f32>().unwrap()
        };
        let good = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]];
        let bad = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
        assert!(loss(&good) < 0.01 && loss(&bad) > 1.0);
    }
}
