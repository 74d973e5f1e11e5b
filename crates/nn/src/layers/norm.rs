//! Norms over the last dimension.

use candle_core::D;

use crate::tensor::summation_type;
use crate::{Error, Init, Scope, Tensor};

/// (x − mean) / √(variance + eps)·weight + bias.
///
/// ```
/// use inkveil_nn::layers::LayerNorm;
/// use inkveil_nn::{Device, Scope, Tensor};
///
/// let norm = LayerNorm::new(&Scope::trainable(None, &Device::Cpu, 0), 2, 0.0)?;
/// let y = norm.forward(&Tensor::new(&[[3f32, 5.0]], &Device::Cpu)?)?;
/// assert_eq!(y.to_vec2::<f32>()?, [[-1.0, 1.0]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LayerNorm {
    weight: Tensor,
    bias: Tensor,
    eps: f64,
}

impl LayerNorm {
    /// Takes `weight` and `bias`, of `dim` numbers each; old files name them `gamma` and `beta`.
    pub fn new(scope: &Scope, dim: usize, eps: f64) -> Result<Self, Error> {
        let old = scope.has("gamma") && !scope.has("weight");
        let (weight, bias) = if old { ("gamma", "beta") } else { ("weight", "bias") };
        let weight = scope.get(weight, &[dim], Init::Ones)?;
        let bias = scope.get(bias, &[dim], Init::Zeros)?;
        Ok(LayerNorm { weight, bias, eps })
    }

    /// Normalises the last dimension of `x`.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor, Error> {
        let centred = x.to_dtype(summation_type(x.dtype()))?;
        let centred = centred.broadcast_sub(&centred.mean_keepdim(D::Minus1)?)?;
        let y = scaled(&centred, self.eps)?.to_dtype(x.dtype())?;
        Ok(y.broadcast_mul(&self.weight)?.broadcast_add(&self.bias)?)
    }
}

/// x / √(mean of x² + eps)·weight.
///
/// ```
/// use inkveil_nn::layers::RmsNorm;
/// use inkveil_nn::{Device, Scope, Tensor};
///
/// let norm = RmsNorm::new(&Scope::trainable(None, &Device::Cpu, 0), 2, 0.0)?;
/// let y = norm.forward(&Tensor::new(&[[5f32, -5.0]], &Device::Cpu)?)?;
/// assert_eq!(y.to_vec2::<f32>()?, [[1.0, -1.0]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct RmsNorm {
    weight: Tensor,
    eps: f64,
}

impl RmsNorm {
    /// Takes `weight`, of `dim` numbers.
    pub fn new(scope: &Scope, dim: usize, eps: f64) -> Result<Self, Error> {
        Ok(RmsNorm { weight: scope.get("weight", &[dim], Init::Ones)?, eps })
    }

    /// Normalises the last dimension of `x`.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor, Error> {
        let y = scaled(&x.to_dtype(summation_type(x.dtype()))?, self.eps)?.to_dtype(x.dtype())?;
        Ok(y.broadcast_mul(&self.weight)?)
    }

    /// Like [`forward`](Self::forward) in one operation, without gradients.
    pub(crate) fn forward_fused(&self, x: &Tensor) -> Result<Tensor, Error> {
        Ok(candle_nn::ops::rms_norm(&x.contiguous()?, &self.weight, self.eps as f32)?)
    }
}

fn scaled(x: &Tensor, eps: f64) -> Result<Tensor, Error> {
    let size = (x.sqr()?.mean_keepdim(D::Minus1)? + eps)?.sqrt()?;
    Ok(x.broadcast_div(&size)?)
}
