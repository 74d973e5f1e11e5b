//! Decodes many continuations at once, for drawing them on a GPU.
//!
//! One token of a batch takes a GPU about as long as reading the weights once. Launching its
//! operations takes longer, so this decoder uses as few as possible: adapters are merged into the
//! matrices, norms, rotations and softmax are one operation each, and keys and values are written
//! into memory that is reserved once.

use super::{Llama, cache};
use crate::device::keeping_shapes;
use crate::layers::{Angles, hidden_score};
use crate::{Error, Tensor};

/// Attention reads a multiple of this many positions. Then the shapes of the operations rarely
/// change, and products have aligned rows.
const ALIGNMENT: usize = 32;

/// A batch of texts that grow by one token at a time.
pub(crate) struct BatchDecoder {
    /// A copy of the model with merged adapters.
    model: Llama,
    /// The keys and values of each layer, of shape (texts, key heads, capacity, width).
    memory: Vec<(Tensor, Tensor)>,
    /// The additive mask of one query, of shape (texts, key heads, sharing, capacity): padding and
    /// positions that are not filled are hidden.
    mask: Tensor,
    /// The angles of all positions.
    angles: Angles,
    /// The number of padding positions at the start of each text.
    padding: Vec<usize>,
    /// The number of positions that are filled, including padding.
    length: usize,
}

impl BatchDecoder {
    /// Reads rows of shape (prompts, length, width), each of which begins with some padding, and
    /// prepares `copies` texts for each, with space for `more` tokens.
    ///
    /// Returns the last layer's vectors at the last position of each text, of shape (texts, width).
    pub(crate) fn begin(
        model: &Llama,
        rows: &Tensor,
        padding: &[usize],
        copies: usize,
        more: usize,
    ) -> Result<(Self, Tensor), Error> {
        let (prompts, length, _) = rows.dims3()?;
        model.check_length(rows, length)?;
        let model = model.for_inference()?;
        let (device, dtype) = (model.device.clone(), model.dtype);
        let needed = length.saturating_add(more).min(model.config.context);
        let capacity = needed.next_multiple_of(ALIGNMENT);

        let angles = model.rope.angles(&cache::positions(0, length, padding), dtype)?;
        let mask = cache::mask(0, length, padding, dtype, &device)?;
        let index: Vec<u32> = (0..prompts as u32).flat_map(|row| std::iter::repeat_n(row, copies)).collect();
        let texts = index.len();
        let index = Tensor::from_vec(index, texts, &device)?;
        let mut memory = Vec::with_capacity(model.layers.len());
        let mut x = rows.detach().to_dtype(dtype)?;
        for layer in &model.layers {
            x = layer.forward_fused(&x, &angles, mask.as_ref(), |keys, values| {
                let reserve = |new: &Tensor| -> Result<Tensor, Error> {
                    let (_, heads, _, width) = new.dims4()?;
                    let all = Tensor::zeros((texts, heads, capacity, width), dtype, &device)?;
                    all.slice_set(&new.index_select(&index, 0)?, 2, 0)?;
                    Ok(all)
                };
                memory.push((reserve(&keys)?, reserve(&values)?));
                Ok((keys, values))
            })?;
        }
        let last = model.norm.forward_fused(&x.narrow(1, length - 1, 1)?.squeeze(1)?)?;

        let positions: Vec<u32> = (0..capacity as u32).collect();
        let angles = model.rope.angles(&positions, dtype)?;
        let padding: Vec<usize> =
            padding.iter().flat_map(|&count| std::iter::repeat_n(count, copies)).collect();
        let sharing = model.config.heads / model.config.key_heads;
        let mask = {
            let hidden = hidden_score(dtype) as f32;
            let row = |&padding: &usize| {
                (0..capacity).map(move |key| if (padding..length).contains(&key) { 0.0 } else { hidden })
            };
            let mask: Vec<f32> = padding.iter().flat_map(row).collect();
            Tensor::from_vec(mask, (texts, 1, 1, capacity), &device)?
                .to_dtype(dtype)?
                .broadcast_as((texts, model.config.key_heads, sharing, capacity))?
                .contiguous()?
        };
        let decoder = BatchDecoder { model, memory, mask, angles, padding, length };
        let last = last.index_select(&index, 0)?;
        Ok((decoder, last))
    }

    /// Returns whether the model's context has no space for another token.
    pub(crate) fn is_full(&self) -> bool {
        self.length >= self.model.config.context
    }

    /// Reads one more token of each text. Returns the last layer's vectors, of shape (texts,
    /// width).
    pub(crate) fn step(&mut self, ids: &[u32]) -> Result<Tensor, Error> {
        let (texts, at) = (self.padding.len(), self.length);
        let capacity = self.mask.dim(3)?;
        if ids.len() != texts || at >= capacity || self.is_full() {
            return Err(Error::argument(format!(
                "{} tokens at position {at} do not fit into {texts} texts of {capacity} positions",
                ids.len()
            )));
        }
        let device = &self.model.device;
        let positions: Vec<u32> = self.padding.iter().map(|&padding| (at - padding) as u32).collect();
        let positions = Tensor::from_vec(positions, texts, device)?;
        let ids = Tensor::from_slice(ids, (texts, 1), device)?;

        let hidden = keeping_shapes(device, || self.read(&ids, &positions))?;
        self.length += 1;
        Ok(hidden)
    }

    /// Reads one more token of each text, given as (texts, 1) ids and their positions. It copies
    /// nothing from the host.
    fn read(&self, ids: &Tensor, positions: &Tensor) -> Result<Tensor, Error> {
        let (texts, at, device) = (self.padding.len(), self.length, &self.model.device);
        let capacity = self.mask.dim(3)?;
        let angles = self.angles.select(positions)?;
        let seen = Tensor::zeros((texts, self.mask.dim(1)?, self.mask.dim(2)?, 1), self.model.dtype, device)?;
        self.mask.slice_set(&seen, 3, at)?;
        let keys = (at + 1).next_multiple_of(ALIGNMENT).min(capacity);
        let mask = self.mask.narrow(3, 0, keys)?.contiguous()?;
        let mut x = self.model.embed(ids)?.detach().to_dtype(self.model.dtype)?;
        for (layer, (all_keys, all_values)) in self.model.layers.iter().zip(&self.memory) {
            x = layer.forward_fused(&x, &angles, Some(&mask), |new_keys, new_values| {
                all_keys.slice_set(&new_keys.contiguous()?, 2, at)?;
                all_values.slice_set(&new_values.contiguous()?, 2, at)?;
                Ok((all_keys.narrow(2, 0, keys)?, all_values.narrow(2, 0, keys)?))
            })?;
        }
        self.model.norm.forward_fused(&x.squeeze(1)?)
    }

    /// Returns the scores of all tokens as the next one.
    pub(crate) fn logits(&self, hidden: &Tensor) -> Result<Tensor, Error> {
        Ok(self.model.logits(hidden)?.detach())
    }

    /// Keeps the texts with these indices, in this order.
    pub(crate) fn keep(&mut self, texts: &[usize]) -> Result<(), Error> {
        let index: Vec<u32> = texts.iter().map(|&text| text as u32).collect();
        let index = Tensor::from_vec(index, texts.len(), &self.model.device)?;
        for (keys, values) in &mut self.memory {
            *keys = keys.index_select(&index, 0)?;
            *values = values.index_select(&index, 0)?;
        }
        self.mask = self.mask.index_select(&index, 0)?;
        self.padding = texts.iter().map(|&text| self.padding[text]).collect();
        Ok(())
    }
}
