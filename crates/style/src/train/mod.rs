//! Training of the style encoder and of the language model that rewrites.

mod checkpoint;
mod encoder;
mod examples;
mod rewriter;
mod values;

pub use checkpoint::checkpoint_of;
pub use encoder::*;
pub use rewriter::*;
