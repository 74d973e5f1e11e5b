//! y = x·Wᵀ + b, with low-rank adapters.

use super::dropout::Dropout;
use crate::params::WeightMatrix;
use crate::{Error, Init, Scope, Tensor, Var};

/// A linear map with an optional bias and an optional low-rank adapter.
///
/// Over a frozen scope with a GGUF file, the matrix stays quantised. Gradients still pass through
/// it to the input, so that adapters below it can be trained.
///
/// ```
/// use inkveil_nn::layers::{Linear, Lora};
/// use inkveil_nn::{DType, Device, Scope, Tensor};
///
/// let scope = Scope::trainable(None, &Device::Cpu, 7);
/// let mut linear = Linear::new(&scope.freeze().enter("q"), 8, 8, true)?;
/// let x = Tensor::ones((2, 3, 8), DType::F32, &Device::Cpu)?;
/// let before = linear.forward(&x)?;
/// linear.add_lora(&scope.enter("q"), &Lora { rank: 2, alpha: 4.0, dropout: 0.0 })?;
/// assert_eq!(linear.forward(&x)?.to_vec3::<f32>()?, before.to_vec3::<f32>()?); // an adapter has no effect at first
/// assert_eq!(scope.variables().len(), 2); // only the adapter is trained
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Linear {
    weight: WeightMatrix,
    bias: Option<Tensor>,
    adapter: Option<Adapter>,
    inputs: usize,
    outputs: usize,
}

/// The rank and strength of a low-rank adapter: W + (alpha / rank)·B·A.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lora {
    /// The rank of the product B·A.
    pub rank: usize,
    /// The strength; the product is scaled by `alpha / rank`.
    pub alpha: f64,
    /// The dropout rate of the adapter's input in training.
    pub dropout: f64,
}

struct Adapter {
    down: Tensor,
    up: Tensor,
    scale: f64,
    /// `None` in a copy for inference.
    dropout: Option<Dropout>,
}

impl Linear {
    /// Takes `weight`, of shape (outputs, inputs), and `bias` if requested.
    pub fn new(scope: &Scope, inputs: usize, outputs: usize, bias: bool) -> Result<Self, Error> {
        let init = Init::Uniform { bound: 1.0 / (inputs.max(1) as f64).sqrt() };
        let weight = scope.matrix("weight", &[outputs, inputs], init)?;
        let bias = if bias { Some(scope.get("bias", &[outputs], Init::Zeros)?) } else { None };
        Ok(Linear { weight, bias, adapter: None, inputs, outputs })
    }

    /// Maps the last dimension of `x`.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor, Error> {
        let flat = rows(x)?;
        let mut y = self.weight.product(&flat)?;
        if let Some(adapter) = &self.adapter {
            y = (y + adapter.forward(&flat)?)?;
        }
        if let Some(bias) = &self.bias {
            y = y.broadcast_add(bias)?;
        }
        let mut shape = x.dims().to_vec();
        if let Some(last) = shape.last_mut() {
            *last = self.outputs;
        }
        Ok(y.reshape(shape)?)
    }

    /// Adds a low-rank adapter: `lora_A.weight` and `lora_B.weight` in `scope`. It has no effect at
    /// first, because B is 0.
    pub fn add_lora(&mut self, scope: &Scope, lora: &Lora) -> Result<(), Error> {
        if self.adapter.is_some() {
            return Err(Error::argument("this layer already has an adapter; merge it first"));
        }
        let most = self.inputs.min(self.outputs);
        let sensible = (1..=most).contains(&lora.rank) && lora.alpha.is_finite() && lora.alpha > 0.0;
        if !sensible {
            return Err(Error::argument(format!(
                "an adapter of rank {} and strength {} is invalid here; use a rank from 1 to {most} and a strength above 0",
                lora.rank, lora.alpha
            )));
        }
        let init = Init::Uniform { bound: 1.0 / (self.inputs as f64).sqrt() };
        self.adapter = Some(Adapter {
            down: scope.enter("lora_A").get("weight", &[lora.rank, self.inputs], init)?,
            up: scope.enter("lora_B").get("weight", &[self.outputs, lora.rank], Init::Zeros)?,
            scale: lora.alpha / lora.rank as f64,
            dropout: Some(Dropout::new(&scope.enter("lora_dropout"), lora.dropout)?),
        });
        Ok(())
    }

    /// Merges the adapter into the matrix, which gives the same results with less work. A quantised
    /// matrix is dequantised. Without an adapter this does nothing.
    pub fn merge_lora(&mut self) -> Result<(), Error> {
        let Some(adapter) = self.adapter.take() else { return Ok(()) };
        let change = (adapter.up.detach().matmul(&adapter.down.detach())? * adapter.scale)?;
        let weight = self.weight.dense()?;
        let merged = (weight.detach() + change.to_dtype(weight.dtype())?)?;
        if weight.is_variable() {
            Var::from_tensor(&weight)?.set(&merged)?;
        } else {
            self.weight = WeightMatrix::Plain(merged);
        }
        Ok(())
    }

    /// Returns a copy for inference, without gradients. An adapter is merged into the matrix. A
    /// quantised matrix keeps its adapter beside it, because merging would dequantise it.
    pub(crate) fn for_inference(&self) -> Result<Linear, Error> {
        let (weight, adapter) = match (&self.weight, &self.adapter) {
            (WeightMatrix::Plain(weight), Some(adapter)) => {
                let change = (adapter.up.detach().matmul(&adapter.down.detach())? * adapter.scale)?;
                // A sum in 16 bits would round the small change before it is added.
                let merged = (weight.detach().to_dtype(change.dtype())? + change)?;
                (WeightMatrix::Plain(merged.to_dtype(weight.dtype())?), None)
            }
            (WeightMatrix::Plain(weight), None) => (WeightMatrix::Plain(weight.detach()), None),
            (quantised, adapter) => (quantised.clone(), adapter.as_ref().map(Adapter::for_inference)),
        };
        let bias = self.bias.as_ref().map(Tensor::detach);
        Ok(Linear { weight, bias, adapter, inputs: self.inputs, outputs: self.outputs })
    }

    /// Returns the matrix including the adapter, of shape (outputs, inputs).
    pub fn weight(&self) -> Result<Tensor, Error> {
        let weight = self.weight.dense()?;
        match &self.adapter {
            Some(adapter) => {
                let change = (adapter.up.matmul(&adapter.down)? * adapter.scale)?;
                Ok((&weight + change.to_dtype(weight.dtype())?)?)
            }
            None => Ok(weight),
        }
    }
}

impl Adapter {
    fn for_inference(&self) -> Adapter {
        Adapter { down: self.down.detach(), up: self.up.detach(), scale: self.scale, dropout: None }
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor, Error> {
        let x = match &self.dropout {
            Some(dropout) => dropout.forward(x)?,
            None => x.clone(),
        };
        // The base may be computed in 16 bits. The adapter is kept in 32 bits, so that small
        // training steps are not lost.
        let (down, up) = (self.down.to_dtype(x.dtype())?, self.up.to_dtype(x.dtype())?);
        let y = x.matmul(&down.t()?)?.matmul(&up.t()?)?;
        Ok(if self.scale == 1.0 { y } else { (y * self.scale)? })
    }
}

/// Reshapes `x` to a matrix: all dimensions but the last are joined.
fn rows(x: &Tensor) -> Result<Tensor, Error> {
    match x.dims() {
        [] => Err(Error::argument("a layer needs at least one dimension, but was given a single number")),
        [_, _] => Ok(x.clone()),
        [.., last] => Ok(x.reshape((x.elem_count() / (*last).max(1), *last))?),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use candle_core::quantized::{GgmlDType, QTensor};

    use super::*;
    use crate::Device;
    use crate::train::Gradients;

    fn normal(scope: &Scope, name: &str, shape: &[usize]) -> Tensor {
        scope.get(name, shape, Init::Normal { std: 1.0 }).unwrap()
    }

    fn quantised(weight: &Tensor) -> Linear {
        let (outputs, inputs) = weight.dims2().unwrap();
        let weight = WeightMatrix::Quantised(Arc::new(QTensor::quantize(weight, GgmlDType::Q8_0).unwrap()));
        Linear { weight, bias: None, adapter: None, inputs, outputs }
    }

    fn largest_difference(x: &Tensor, y: &Tensor) -> f32 {
        (x - y).unwrap().abs().unwrap().max_all().unwrap().to_scalar().unwrap()
    }

    #[test]
    fn gradients_pass_through_a_quantised_matrix() {
        let scope = Scope::trainable(None, &Device::Cpu, 3);
        let x = normal(&scope, "x", &[2, 3, 64]);
        let layer = quantised(&normal(&scope.freeze(), "weight", &[5, 64]));
        let y = layer.forward(&x).unwrap();
        let dense = layer.weight().unwrap();
        let expected = rows(&x).unwrap().matmul(&dense.t().unwrap()).unwrap().reshape((2, 3, 5)).unwrap();
        // The product also rounds its input to 8 bits.
        assert!(largest_difference(&y, &expected) < 0.3);
        let mut gradients = Gradients::new(scope.variables());
        gradients.add(&y.sum_all().unwrap(), 1.0).unwrap();
        let found = gradients.get("x").unwrap();
        let expected = dense.sum(0).unwrap().broadcast_as((2, 3, 64)).unwrap();
        assert!(largest_difference(found, &expected) < 1e-5);
    }

    #[test]
    fn an_adapter_on_a_quantised_matrix_trains_and_merges() {
        let scope = Scope::trainable(None, &Device::Cpu, 3);
        let x = normal(&scope.freeze(), "x", &[4, 64]);
        let mut layer = quantised(&normal(&scope.freeze(), "weight", &[5, 64]));
        layer.add_lora(&scope, &Lora { rank: 2, alpha: 4.0, dropout: 0.0 }).unwrap();
        let (_, up) = &scope.variables()[1];
        up.set(&normal(&scope.freeze(), "up", &[5, 2])).unwrap();
        let mut gradients = Gradients::new(scope.variables());
        gradients.add(&layer.forward(&x).unwrap().sum_all().unwrap(), 1.0).unwrap();
        assert!(gradients.norm().unwrap() > 0.0);
        let whole = layer.weight().unwrap();
        layer.merge_lora().unwrap();
        assert_eq!(largest_difference(&layer.weight().unwrap(), &whole), 0.0);
        let expected = x.matmul(&whole.t().unwrap()).unwrap();
        assert!(largest_difference(&layer.forward(&x).unwrap(), &expected) < 1e-4);
    }

    #[test]
    fn merging_into_a_variable_keeps_the_variable() {
        let scope = Scope::trainable(None, &Device::Cpu, 3);
        let x = normal(&scope.freeze(), "x", &[4, 6]);
        let mut layer = Linear::new(&scope.enter("layer"), 6, 5, true).unwrap();
        layer.add_lora(&scope.enter("layer"), &Lora { rank: 2, alpha: 4.0, dropout: 0.0 }).unwrap();
        for (name, variable) in scope.variables() {
            if name.contains("lora_B") {
                variable.set(&normal(&scope.freeze(), "up", &[5, 2])).unwrap();
            }
        }
        let before = layer.forward(&x).unwrap();
        layer.merge_lora().unwrap();
        assert!(largest_difference(&layer.forward(&x).unwrap(), &before) < 1e-5);
        assert!(layer.weight().unwrap().is_variable());
    }

    #[test]
    fn invalid_adapters_are_refused() {
        let scope = Scope::trainable(None, &Device::Cpu, 3);
        let mut layer = Linear::new(&scope, 6, 5, true).unwrap();
        for (rank, alpha, dropout) in
            [(0, 1.0, 0.0), (6, 1.0, 0.0), (2, f64::NAN, 0.0), (2, 0.0, 0.0), (2, 1.0, 1.0)]
        {
            assert!(layer.add_lora(&scope, &Lora { rank, alpha, dropout }).is_err());
        }
        let good = Lora { rank: 2, alpha: 1.0, dropout: 0.0 };
        layer.add_lora(&scope, &good).unwrap();
        assert!(layer.add_lora(&scope, &good).is_err());
    }
}
