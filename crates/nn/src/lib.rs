//! Neural network layers, encoders and language models, for training and inference. This is the
//! only crate that uses candle.
//!
//! # Files
//!
//! - `weights/`: tensors from safetensors, shards, GGUF and 8-bit rows, mapped into memory. Every
//!   length is checked.
//! - `tokenizer/`: text to ids with byte ranges.
//! - `params/`: the parameters of a layer, frozen or trained, loaded or new. `layers/`: layers with
//!   gradients. `train/`: optimiser, schedules, clipping and checkpoints.
//! - `models/`: one file or folder per architecture, for training and inference.
//! - `generate/`: texts and scores from language models. `rollout.rs` draws many texts
//!   (`token_draws.rs` draws tokens on the device), `likelihood.rs` scores them with gradients.
//!   `adapters.rs`: files of adapters.
//! - `cpu/`: encoders and, in `cpu/decoder/`, language models packed for CPUs, without candle.
//! - `product/`: the only module that calls product kernels. `device.rs`: the GPU. `memory.rs`:
//!   checks that a model fits into memory. `quantise.rs`: weights to 8-bit rows.
//! - `linear.rs`: eigenvectors. `encoder/`: texts to vectors. `mlp.rs`: small networks without a computation graph.

mod adapters;
mod casing;
pub mod cpu;
mod device;
mod encoder;
mod error;
pub mod generate;
pub mod layers;
pub mod linear;
mod memory;
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
