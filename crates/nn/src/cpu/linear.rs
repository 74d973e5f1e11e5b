//! A weight matrix with its bias, packed for products.

use super::norm::ScaledSum;
use super::operand::Operand;
use crate::{Error, Weights};

/// `x ↦ x·Wᵀ + b`, where W is kept as whatever multiplies fastest and factors of the output columns.
pub(super) struct Linear<T: Operand> {
    matrix: T::Matrix,
    pub(super) factors: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

impl<T: Operand> Linear<T> {
    /// The layer whose tensors are `name.weight` (outputs × inputs) and `name.bias`.
    pub(super) fn open(weights: &Weights, name: &str, [outputs, inputs]: [usize; 2]) -> Result<Self, Error> {
        let (matrix, factors) = T::pack(weights, &format!("{name}.weight"), [outputs, inputs])?;
        let bias = weights.values(&format!("{name}.bias"), &[outputs])?.into_owned();
        Ok(Self { matrix, factors: factors.unwrap_or_else(|| vec![1.0; outputs]), bias })
    }

    /// `out` becomes `left`·Wᵀ, still without factors and bias.
    pub(super) fn product(&self, left: &[T], out: &mut [f32]) -> Result<(), Error> {
        T::multiply(&self.matrix, left, out)
    }

    /// A product of this layer with what it still needs.
    pub(super) fn complete<'a>(&'a self, product: &'a [f32]) -> ScaledSum<'a> {
        ScaledSum { product, factors: &self.factors, bias: &self.bias }
    }
}
