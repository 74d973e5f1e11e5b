//! The tensor types of this crate's interface.

pub use candle_core::{DType, Device, Tensor, Var};

/// Returns the type for sums over many values, for which half precision is not enough.
pub(crate) fn summation_type(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        other => other,
    }
}
