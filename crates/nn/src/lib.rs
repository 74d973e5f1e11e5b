//! Neural network layers, encoders and language models, for training and inference. This is the
//! only crate that uses candle.

mod adapters;
mod casing;
pub mod cpu;
mod device;
mod encoder;
mod error;
pub mod generate;
pub mod layers;
mod mlp;
pub mod models;
mod params;
pub mod product;
mod quantise;
mod tensor;
mod tokenizer;
pub mod train;
mod weights;

pub use adapters::{open_adapters, save_adapters, with_adapters};
pub use casing::{CASING_TABLE, CASINGS, casing, with_casings};
pub use device::gpu;
pub use encoder::*;
pub use error::{Error, ErrorKind};
pub use mlp::{Adam, Mlp, MlpTraining};
pub use params::*;
pub use quantise::*;
pub use tensor::*;
pub use tokenizer::*;
pub use weights::*;
