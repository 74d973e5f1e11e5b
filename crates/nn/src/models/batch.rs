//! Batches of token ids, padded to one length.

use std::fmt;

use crate::{Device, Error, Tensor};

/// Texts as token ids, padded at the end.
///
/// ```
/// use inkveil_nn::models::TokenBatch;
///
/// let batch = TokenBatch::new(&[vec![101, 7592, 102], vec![101, 102]], 0)?;
/// assert_eq!((batch.rows(), batch.length()), (2, 3));
/// assert_eq!(batch.keep(), [1, 1, 1, 1, 1, 0]);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct TokenBatch {
    ids: Vec<u32>,
    keep: Vec<u8>,
    types: Option<Vec<u32>>,
    rows: usize,
    length: usize,
}

impl TokenBatch {
    /// Pads texts with the id `padding` to the length of the longest.
    pub fn new(texts: &[impl AsRef<[u32]>], padding: u32) -> Result<Self, Error> {
        let length = texts.iter().map(|ids| ids.as_ref().len()).max().unwrap_or(0);
        if length == 0 {
            return Err(Error::argument("a batch needs at least one token; leave empty texts out"));
        }
        let size =
            texts.len().checked_mul(length).ok_or_else(|| Error::argument("the batch is too large"))?;
        let (mut ids, mut keep) = (Vec::with_capacity(size), Vec::with_capacity(size));
        for text in texts {
            ids.extend_from_slice(text.as_ref());
            keep.resize(ids.len(), 1);
            ids.resize(keep.len() + length - text.as_ref().len(), padding);
            keep.resize(ids.len(), 0);
        }
        Ok(TokenBatch { ids, keep, types: None, rows: texts.len(), length })
    }

    /// Sets the token types, which say what part of its text each token belongs to, for models
    /// trained on pairs.
    pub fn with_types(mut self, types: &[impl AsRef<[u32]>]) -> Result<Self, Error> {
        let mut padded = Vec::with_capacity(self.ids.len());
        for row in types {
            padded.extend_from_slice(row.as_ref());
            padded.resize(padded.len() + self.length.saturating_sub(row.as_ref().len()), 0);
        }
        if padded.len() != self.ids.len() || types.iter().any(|row| row.as_ref().len() > self.length) {
            return Err(Error::argument("the token types do not match the shape of the batch"));
        }
        self.types = Some(padded);
        Ok(self)
    }

    /// Returns the number of texts.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of tokens of each text, including padding.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Returns 1 for tokens and 0 for padding, row by row.
    pub fn keep(&self) -> &[u8] {
        &self.keep
    }

    /// Returns the mask as a tensor of shape (rows, length).
    pub fn keep_tensor(&self, device: &Device) -> Result<Tensor, Error> {
        Ok(Tensor::from_slice(&self.keep, (self.rows, self.length), device)?)
    }

    /// Returns the ids, after checking that they are below `vocabulary` and that texts are not
    /// longer than `longest`.
    pub(super) fn ids(
        &self,
        vocabulary: usize,
        longest: Option<usize>,
        device: &Device,
    ) -> Result<Tensor, Error> {
        if let Some(longest) = longest.filter(|&longest| self.length > longest) {
            return Err(Error::argument(format!(
                "a text of {} tokens is too long for this model; the limit is {longest}",
                self.length
            )));
        }
        below(&self.ids, vocabulary, "token id")?;
        Ok(Tensor::from_slice(&self.ids, (self.rows, self.length), device)?)
    }

    /// Returns the token types, after checking that they are below `kinds`. All are 0 if none were
    /// given.
    pub(super) fn types(&self, kinds: usize, device: &Device) -> Result<Tensor, Error> {
        let shape = (self.rows, self.length);
        let Some(types) = &self.types else { return Ok(Tensor::zeros(shape, crate::DType::U32, device)?) };
        below(types, kinds, "token type")?;
        Ok(Tensor::from_slice(types, shape, device)?)
    }

    /// Returns positions counted from `padding + 1` over the tokens that are not padding. Padding
    /// has the position `padding`.
    pub(super) fn positions_after(&self, padding: u32, device: &Device) -> Result<Tensor, Error> {
        let mut positions = Vec::with_capacity(self.ids.len());
        for (ids, keep) in self.ids.chunks(self.length).zip(self.keep.chunks(self.length)) {
            let mut last = padding;
            for (&id, &keep) in ids.iter().zip(keep) {
                let counts = keep == 1 && id != padding;
                last += u32::from(counts);
                positions.push(if counts { last } else { padding });
            }
        }
        Ok(Tensor::from_vec(positions, (self.rows, self.length), device)?)
    }
}

fn below(numbers: &[u32], limit: usize, what: &str) -> Result<(), Error> {
    if numbers.iter().all(|&number| (number as usize) < limit) {
        return Ok(());
    }
    Err(Error::argument(format!(
        "a {what} is not below {limit}; use the tokenizer that belongs to the model"
    )))
}

impl fmt::Debug for TokenBatch {
    /// Ids reveal the text, so `Debug` prints only the size.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenBatch({} texts of {} tokens)", self.rows, self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_padded_at_the_end() {
        let batch = TokenBatch::new(&[&[7u32, 8, 9][..], &[5], &[]], 1).unwrap();
        assert_eq!(batch.ids, [7, 8, 9, 5, 1, 1, 1, 1, 1]);
        assert_eq!(batch.keep, [1, 1, 1, 1, 0, 0, 0, 0, 0]);
        let positions = batch.positions_after(1, &Device::Cpu).unwrap().to_vec2::<u32>().unwrap();
        assert_eq!(positions, [[2, 3, 4], [2, 1, 1], [1, 1, 1]]);
        assert!(!format!("{batch:?}").contains('7'));
        // As in the reference, the padding id inside a text is not counted either.
        let inside = TokenBatch::new(&[[7u32, 1, 9]], 1).unwrap().positions_after(1, &Device::Cpu).unwrap();
        assert_eq!(inside.to_vec2::<u32>().unwrap(), [[2, 1, 3]]);
    }

    #[test]
    fn mismatched_ids_and_types_are_refused() {
        let empty: [&[u32]; 1] = [&[]];
        assert!(TokenBatch::new(&empty, 0).is_err());
        let batch = TokenBatch::new(&[[3u32, 4]], 0).unwrap();
        assert!(batch.ids(5, Some(2), &Device::Cpu).is_ok());
        assert!(batch.ids(4, Some(2), &Device::Cpu).is_err());
        assert!(batch.ids(5, Some(1), &Device::Cpu).is_err());
        assert!(batch.clone().with_types(&[[0u32, 1, 1]]).is_err());
        assert!(batch.clone().with_types(&[[0u32], [1]]).is_err());
        let typed = batch.with_types(&[[0u32, 1]]).unwrap();
        assert!(typed.types(2, &Device::Cpu).is_ok() && typed.types(1, &Device::Cpu).is_err());
    }
}
