//! A packed weight matrix with its bias.

use super::norm::ScaledSum;
use super::operand::Operand;
use crate::{Error, Weights};

/// `x ↦ x·Wᵀ + b`, where W is stored as a fast matrix and factors of the output columns.
pub(super) struct LinearWeights<T: Operand> {
    matrix: T::Matrix,
    pub(super) factors: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

impl<T: Operand> LinearWeights<T> {
    /// Opens the layer with the tensors `name.weight` (outputs × inputs) and `name.bias`.
    pub(super) fn open(weights: &Weights, name: &str, [outputs, inputs]: [usize; 2]) -> Result<Self, Error> {
        let (matrix, factors) = T::pack(weights, &format!("{name}.weight"), [outputs, inputs])?;
        let bias = weights.values(&format!("{name}.bias"), &[outputs])?.into_owned();
        Ok(Self { matrix, factors: factors.unwrap_or_else(|| vec![1.0; outputs]), bias })
    }

    /// Computes `left`·Wᵀ into `out`, without factors and bias.
    pub(super) fn product(&self, left: &[T], out: &mut [f32]) -> Result<(), Error> {
        T::multiply(&self.matrix, left, out)
    }

    /// Combines a product of this layer with its factors and bias.
    pub(super) fn complete<'a>(&'a self, product: &'a [f32]) -> ScaledSum<'a> {
        ScaledSum { product, factors: &self.factors, bias: &self.bias }
    }
}
