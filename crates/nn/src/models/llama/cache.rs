//! The cache of a language model: keys and values of the tokens read so far.

use crate::{DType, Device, Error, Tensor};

/// Keys and values of the tokens read so far, for a batch of texts.
///
/// Texts of different lengths are padded on the left, so that all of them end at the same position.
#[derive(Debug)]
pub struct LlamaCache {
    /// The keys and values of each layer, of shape (batch, heads, length, width).
    pub(super) layers: Vec<Option<(Tensor, Tensor)>>,
    /// The number of padding positions at the start of each text.
    pub(super) padding: Vec<usize>,
    /// The number of positions, including padding.
    pub(super) length: usize,
}

impl LlamaCache {
    /// Creates an empty cache for texts with these numbers of padding positions.
    pub(super) fn new(layers: usize, padding: Vec<usize>) -> Self {
        LlamaCache { layers: vec![None; layers], padding, length: 0 }
    }

    /// Returns the number of positions, including padding.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Returns the number of texts.
    pub fn batch(&self) -> usize {
        self.padding.len()
    }

    /// Keeps the texts with these indices, in this order. An index may occur several times.
    pub fn select(&mut self, rows: &[usize]) -> Result<(), Error> {
        if let Some(row) = rows.iter().find(|&&row| row >= self.batch()) {
            return Err(Error::argument(format!("there is no text {row} in a batch of {}", self.batch())));
        }
        let ids: Vec<u32> = rows.iter().map(|&row| row as u32).collect();
        for (keys, values) in self.layers.iter_mut().flatten() {
            let ids = Tensor::new(ids.as_slice(), keys.device())?;
            *keys = keys.index_select(&ids, 0)?;
            *values = values.index_select(&ids, 0)?;
        }
        self.padding = rows.iter().map(|&row| self.padding[row]).collect();
        Ok(())
    }
}

/// Returns the position of each new token of each text, row by row. Padding is at 0, like the first
/// token after it.
pub(super) fn positions(past: usize, length: usize, padding: &[usize]) -> Vec<u32> {
    let row = |&padding: &usize| (past..past + length).map(move |i| i.saturating_sub(padding) as u32);
    padding.iter().flat_map(row).collect()
}

/// Appends keys or values of new tokens to those of earlier tokens.
pub(super) fn join(past: Option<Tensor>, new: &Tensor) -> Result<Tensor, Error> {
    // The cached tensors must not keep their computation graph: with trained adapters it would
    // contain every step so far.
    let new = new.detach();
    Ok(match past {
        Some(past) => Tensor::cat(&[&past, &new], 2)?,
        None => new,
    })
}

/// Returns the additive mask for `length` new tokens after `past`, of shape (batch, 1, length,
/// past + length): a token sees itself and what is before it, but no padding. Returns `None` if it
/// would hide nothing.
pub(super) fn mask(
    past: usize,
    length: usize,
    padding: &[usize],
    dtype: DType,
    device: &Device,
) -> Result<Option<Tensor>, Error> {
    let causal = || crate::layers::causal_mask(length, past, dtype, device);
    let (hides, keys) = (length > 1, past + length);
    if padding.iter().all(|&padding| padding == 0) {
        return match hides {
            false => Ok(None),
            true => causal().map(Some),
        };
    }
    let keep: Vec<u8> =
        padding.iter().flat_map(|&padding| (0..keys).map(move |key| u8::from(key >= padding))).collect();
    let keep = Tensor::from_vec(keep, (padding.len(), keys), device)?;
    let hidden = crate::layers::padding_mask(&keep, dtype)?;
    match hides {
        false => Ok(Some(hidden)),
        true => Ok(Some(hidden.broadcast_add(&causal()?)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_hidden() {
        assert_eq!(positions(0, 3, &[0, 2]), [0, 1, 2, 0, 0, 0]);
        assert_eq!(positions(3, 1, &[0, 2]), [3, 1]);
        let hidden = |past, length, padding: &[usize]| {
            let mask = mask(past, length, padding, DType::F32, &Device::Cpu).unwrap()?;
            let mask: Vec<f32> = mask.flatten_all().unwrap().to_vec1().unwrap();
            Some(mask.iter().map(|&x| x < -1e20).collect::<Vec<bool>>())
        };
        assert_eq!(hidden(5, 1, &[0, 0]), None);
        assert_eq!(hidden(1, 1, &[0, 1]), Some(vec![false, false, true, false]));
        assert_eq!(hidden(0, 2, &[1]), Some(vec![true, true, true, false]));
        assert_eq!(hidden(0, 2, &[0]), Some(vec![false, true, false, false]));
    }

    #[test]
    fn rows_are_selected() {
        let keys = Tensor::arange(0f32, 3.0, &Device::Cpu).unwrap().reshape((3, 1, 1, 1)).unwrap();
        let mut cache = LlamaCache {
            layers: vec![Some((keys.clone(), keys)), None],
            length: 1,
            ..LlamaCache::new(2, vec![0, 1, 2])
        };
        cache.select(&[2, 0, 2]).unwrap();
        let (keys, _) = cache.layers[0].as_ref().unwrap();
        assert_eq!(keys.flatten_all().unwrap().to_vec1::<f32>().unwrap(), [2.0, 0.0, 2.0]);
        assert_eq!(cache.padding, [2, 0, 2]);
        assert!(cache.select(&[3]).is_err());
    }
}
