//! Self-attention of encoders.

use crate::layers::{Dropout, Linear, attention_weights, merge_heads, split_heads};
use crate::{Error, Tensor};

/// The four maps of multi-head attention.
pub(super) struct SelfAttention {
    pub(super) query: Linear,
    pub(super) key: Linear,
    pub(super) value: Linear,
    pub(super) output: Linear,
    pub(super) heads: usize,
    /// The factor of the products of queries and keys.
    pub(super) scale: f64,
    pub(super) dropout: Dropout,
}

impl SelfAttention {
    /// Applies attention to `x` of shape (batch, length, width). `mask` is added to the scores.
    pub(super) fn forward(&self, x: &Tensor, mask: &Tensor) -> Result<Tensor, Error> {
        let heads_of = |map: &Linear| split_heads(&map.forward(x)?, self.heads);
        let weights =
            attention_weights(&heads_of(&self.query)?, &heads_of(&self.key)?, Some(mask), self.scale)?;
        let seen = self.dropout.forward(&weights)?.matmul(&heads_of(&self.value)?)?;
        self.output.forward(&merge_heads(&seen)?)
    }
}
