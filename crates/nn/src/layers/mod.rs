//! Layers that train and infer with the same code.
//!
//! Every layer is written from operations whose gradients the tensor library knows; its fused norms, softmax, rotary
//! embeddings and quantised products silently give none. The tests compare each layer with finite differences.

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

/// `x` as a matrix: all dimensions but the last become one.
fn rows(x: &Tensor) -> Result<Tensor, Error> {
    match x.dims() {
        [] => Err(Error::argument("a layer needs at least one dimension, but was given a single number")),
        [_, _] => Ok(x.clone()),
        [.., last] => Ok(x.reshape((x.elem_count() / (*last).max(1), *last))?),
    }
}

/// The type in which sums over many values are taken: half precision is not enough for them.
fn wide(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        other => other,
    }
}
