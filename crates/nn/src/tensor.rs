//! The tensor types of this crate's interface.

pub use candle_core::{DType, Device, Tensor, Var};
