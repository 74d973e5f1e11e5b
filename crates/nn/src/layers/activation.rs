//! Activation functions.

use crate::{Error, ErrorKind, Tensor};

/// A function applied to every number.
///
/// ```
/// use inkveil_nn::layers::Activation;
/// use inkveil_nn::{Device, Tensor};
///
/// let x = Tensor::new(&[-1f32, 0.0, 2.0], &Device::Cpu)?;
/// assert_eq!(Activation::Relu.forward(&x)?.to_vec1::<f32>()?, [0.0, 0.0, 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// x·Φ(x) with the exact normal distribution function.
    Gelu,
    /// The approximation of [`Gelu`](Activation::Gelu) with a hyperbolic tangent.
    GeluTanh,
    /// x·σ(x).
    Silu,
    /// max(x, 0).
    Relu,
    /// The hyperbolic tangent.
    Tanh,
    /// x itself.
    Identity,
}

impl Activation {
    /// Returns the function with this name in a model's config.
    pub(crate) fn from_config(field: &'static str, name: &str) -> Result<Self, Error> {
        match name {
            "gelu" => Ok(Activation::Gelu),
            "gelu_new" | "gelu_pytorch_tanh" => Ok(Activation::GeluTanh),
            "silu" | "swish" => Ok(Activation::Silu),
            "relu" => Ok(Activation::Relu),
            "tanh" => Ok(Activation::Tanh),
            "identity" => Ok(Activation::Identity),
            _ => {
                let what = "must be gelu, gelu_new, gelu_pytorch_tanh, silu, swish, relu, tanh or identity";
                Err(ErrorKind::Config { field, what: what.to_owned() }.into())
            }
        }
    }

    /// Applies the function.
    pub fn forward(self, x: &Tensor) -> Result<Tensor, Error> {
        Ok(match self {
            Activation::Gelu => x.gelu_erf()?,
            Activation::GeluTanh => x.gelu()?,
            Activation::Silu => x.silu()?,
            Activation::Relu => x.relu()?,
            Activation::Tanh => x.tanh()?,
            Activation::Identity => x.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;

    #[test]
    fn values_match_the_definitions() {
        let x = Tensor::new(&[-3f64, -0.5, 0.0, 1.0, 4.0], &Device::Cpu).unwrap();
        let check = |activation: Activation, expected: [f64; 5]| {
            let found = activation.forward(&x).unwrap().to_vec1::<f64>().unwrap();
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-9, "{activation:?}: {found} for {expected}");
            }
        };
        // Computed with 30 digits.
        check(Activation::Gelu, [-0.004049694095, -0.154268769363, 0.0, 0.841344746069, 3.999873315033]);
        check(Activation::GeluTanh, [-0.003637392082, -0.154285990175, 0.0, 0.841191990608, 3.999929754052]);
        check(Activation::Silu, [-0.142277619533, -0.188770334399, 0.0, 0.731058578630, 3.928055160152]);
        check(Activation::Relu, [0.0, 0.0, 0.0, 1.0, 4.0]);
    }

    #[test]
    fn an_unknown_name_is_an_error() {
        let error = Activation::from_config("hidden_act", "magic").unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Config { field: "hidden_act", .. }), "{error}");
        assert_eq!(Activation::from_config("hidden_act", "gelu_new").unwrap(), Activation::GeluTanh);
    }
}
