//! Layers for training and inference with the same code.
//!
//! Every layer consists of operations whose gradients the tensor library knows. The library's fused
//! norms, softmax, rotary embeddings and quantised products silently give no gradient. The tests
//! compare each layer with finite differences. The functions with *fused* in their names are for
//! drawing texts: they use the library's fused operations, because each operation costs a launch on
//! a GPU.

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
pub(crate) use attention::{attention_weights, fused_attention, hidden_score};
pub use dropout::Dropout;
pub use embedding::Embedding;
pub use linear::{Linear, Lora};
pub use norm::{LayerNorm, RmsNorm};
pub use rope::{Angles, Rope, RopeStyle};
pub use softmax::{log_softmax, softmax};
