//! Training: of the style encoder, and of the language model that rewrites.

mod encoder;
mod rewriter;

pub use encoder::*;
pub use rewriter::*;
