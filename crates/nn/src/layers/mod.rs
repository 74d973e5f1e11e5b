//! Layers for training and inference with the same code.
//!
//! Every layer consists of operations whose gradients the tensor library knows. The library's fused
//! norms, softmax, rotary embeddings and quantised products silently give no gradient. The tests
//! compare each layer with finite differences.

mod activation;
mod attention;
mod dropout;
mod embedding;
mod linear;
mod norm;
mod product;
mod rope;
mod softmax;

pub use activation::Activation;
pub use attention::{attention, causal_mask, merge_heads, padding_mask, split_heads};
pub(crate) use attention::{attention_weights, causal_mask_of};
pub use dropout::Dropout;
pub use embedding::Embedding;
pub use linear::{Linear, Lora};
pub use norm::{LayerNorm, RmsNorm};
pub use rope::{Angles, Rope, RopeStyle};
pub use softmax::{log_softmax, softmax};

use crate::{DType, Error, Tensor};

/// Reshapes `x` to a matrix: all dimensions but the last are joined.
fn rows(x: &Tensor) -> Result<Tensor, Error> {
    match x.dims() {
        [] => Err(Error::argument("a layer needs at least one dimension, but was given a single number")),
        [_, _] => Ok(x.clone()),
        [.., last] => Ok(x.reshape((x.elem_count() / (*last).max(1), *last))?),
    }
}

/// Returns the type for sums over many values, for which half precision is not enough.
fn wide(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        other => other,
    }
}
