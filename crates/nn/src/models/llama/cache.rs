//! What a language model remembers of the tokens it has read.

use crate::{DType, Device, Error, Tensor};

/// Keys and values of the tokens read so far, for a batch of texts.
///
/// Texts of different lengths are padded on the left, so that all of them end, and go on, at the same place.
#[derive(Debug)]
pub struct Cache {
    /// Of each layer, of shape (batch, heads, length or room, width).
    pub(super) layers: Vec<Option<(Tensor, Tensor)>>,
    /// How many of the first positions of each text are padding.
    pub(super) padding: Vec<usize>,
    /// How many positions there are, padding included.
    pub(super) length: usize,
    /// How many there is room for, if that was said.
    room: Option<usize>,
}

impl Cache {
    /// An empty cache for texts that begin with so many positions of padding.
    pub(super) fn new(layers: usize, padding: Vec<usize>) -> Self {
        Cache { layers: vec![None; layers], padding, length: 0, room: None }
    }

    /// Makes room for so many positions, before anything is read. Then all that is computed has the same shape for every further token: a GPU takes
    /// new memory for each new one.
    pub fn with_room(mut self, positions: usize) -> Self {
        self.room = Some(positions);
        self
    }

    /// How many positions a token looks at, once so many more are read; what is hidden of them the mask says.
    pub(super) fn keys(&self, more: usize) -> Result<usize, Error> {
        let needed = self.length + more;
        match self.room {
            Some(room) if room < needed => {
                Err(Error::argument(format!("there is room for {room} positions, and {needed} are read")))
            }
            room => Ok(room.unwrap_or(needed)),
        }
    }

    /// How many positions there are, padding included.
    pub fn length(&self) -> usize {
        self.length
    }

    /// How many texts there are.
    pub fn batch(&self) -> usize {
        self.padding.len()
    }

    /// Keeps the texts with these numbers, in this order; a number may occur several times.
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

/// The position of each new token of each text, row after row. Padding is at 0, like the first token after it.
pub(super) fn positions(past: usize, length: usize, padding: &[usize]) -> Vec<u32> {
    let row = |&padding: &usize| (past..past + length).map(move |i| i.saturating_sub(padding) as u32);
    padding.iter().flat_map(row).collect()
}

/// Adds keys or values of new tokens to those of the tokens before, and gives all; there are `keys` of them, of which the last may be yet to come.
pub(super) fn join(past: Option<Tensor>, new: &Tensor, at: usize, keys: usize) -> Result<Tensor, Error> {
    // What is kept must not hold on to how it was computed: with adapters that train, that would be every step so far.
    let new = new.detach();
    let (batch, heads, length, width) = new.dims4()?;
    if at + length == keys {
        return Ok(match past {
            Some(past) => Tensor::cat(&[&past.narrow(2, 0, at)?, &new], 2)?,
            None => new,
        });
    }
    let all = match past {
        Some(past) => past,
        None => Tensor::zeros((batch, heads, keys, width), new.dtype(), new.device())?,
    };
    all.slice_set(&new.contiguous()?, 2, at)?;
    Ok(all)
}

/// The additive mask for `length` new tokens after `past`, of shape (batch, 1, length, keys): a token sees itself and
/// what is before it, but no padding. None if it would hide nothing.
pub(super) fn mask(
    past: usize,
    length: usize,
    keys: usize,
    padding: &[usize],
    dtype: DType,
    device: &Device,
) -> Result<Option<Tensor>, Error> {
    let causal = || crate::layers::causal_mask_of(length, past, keys, dtype, device);
    let hides = length > 1 || keys > past + length;
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
    fn padding_has_no_position_and_is_hidden() {
        assert_eq!(positions(0, 3, &[0, 2]), [0, 1, 2, 0, 0, 0]);
        assert_eq!(positions(3, 1, &[0, 2]), [3, 1]);
        let hidden = |past, length, padding: &[usize]| {
            let mask = mask(past, length, past + length, padding, DType::F32, &Device::Cpu).unwrap()?;
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
        let mut cache = Cache {
            layers: vec![Some((keys.clone(), keys)), None],
            length: 1,
            ..Cache::new(2, vec![0, 1, 2])
        };
        cache.select(&[2, 0, 2]).unwrap();
        let (keys, _) = cache.layers[0].as_ref().unwrap();
        assert_eq!(keys.flatten_all().unwrap().to_vec1::<f32>().unwrap(), [2.0, 0.0, 2.0]);
        assert_eq!(cache.padding, [2, 0, 2]);
        assert!(cache.select(&[3]).is_err());
    }
}
