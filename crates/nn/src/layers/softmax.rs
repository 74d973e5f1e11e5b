//! Softmax over the last dimension.

use candle_core::D;

use crate::tensor::summation_type;
use crate::{Error, Tensor};

/// exp(x) / Σ exp(x) over the last dimension.
///
/// ```
/// use inkveil_nn::layers::softmax;
/// use inkveil_nn::{Device, Tensor};
///
/// let x = Tensor::new(&[1000f32, 1000.0], &Device::Cpu)?;
/// assert_eq!(softmax(&x)?.to_vec1::<f32>()?, [0.5, 0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn softmax(x: &Tensor) -> Result<Tensor, Error> {
    let exponentials = shifted(x)?.exp()?;
    let sums = exponentials.sum_keepdim(D::Minus1)?;
    Ok(exponentials.broadcast_div(&sums)?.to_dtype(x.dtype())?)
}

/// The logarithm of [`softmax`], accurate for small values.
///
/// ```
/// use inkveil_nn::layers::log_softmax;
/// use inkveil_nn::{Device, Tensor};
///
/// let x = Tensor::new(&[0f32, -200.0], &Device::Cpu)?;
/// assert_eq!(log_softmax(&x)?.to_vec1::<f32>()?, [0.0, -200.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn log_softmax(x: &Tensor) -> Result<Tensor, Error> {
    let shifted = shifted(x)?;
    let logarithm = shifted.exp()?.sum_keepdim(D::Minus1)?.log()?;
    Ok(shifted.broadcast_sub(&logarithm)?.to_dtype(x.dtype())?)
}

/// Subtracts the maximum. Softmax does not depend on it, so no gradient passes through the maximum.
fn shifted(x: &Tensor) -> Result<Tensor, Error> {
    let x = x.to_dtype(summation_type(x.dtype()))?;
    let maximum = x.detach().max_keepdim(D::Minus1)?;
    Ok(x.broadcast_sub(&maximum)?)
}
