//! The tensor type of this crate's interface, and where tensors live.

pub use candle_core::{DType, Device, Tensor, Var};
