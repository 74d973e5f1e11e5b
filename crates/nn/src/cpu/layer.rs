//! One layer of an encoder: attention and a two-step network, each added to what came in and normalised.

use pulp::{Arch, Scalar, Simd, WithSimd};

use super::attention::{Columns, DistanceBias, Heads, Projections};
use super::linear::Linear;
use super::norm::Norm;
use super::operand::Operand;
use super::plan::LayerNames;
use super::pointwise::{Gelu, GeluTanh, Identity, Pointwise, Relu, Silu, Tanh};
use super::workspace::Workspace;
use crate::layers::Activation;
use crate::{Error, Weights};

/// The sizes that all layers of a model share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Numbers per token.
    pub(super) width: usize,
    /// Numbers per token between the two steps of the network.
    pub(super) inner: usize,
    pub(super) heads: usize,
    pub(super) epsilon: f32,
    pub(super) activation: Activation,
}

pub(super) struct Layer<T: Operand> {
    query: Linear<T>,
    key: Linear<T>,
    value: Linear<T>,
    heads: Heads,
    output: Linear<T>,
    output_norm: Norm,
    up: Linear<T>,
    activation: Activation,
    down: Linear<T>,
    down_norm: Norm,
}

impl<T: Operand> Layer<T> {
    pub(super) fn open(weights: &Weights, names: &LayerNames, sizes: Sizes) -> Result<Self, Error> {
        let Sizes { width, inner, heads, epsilon, activation } = sizes;
        let linear = |name: &str, shape| Linear::<T>::open(weights, name, shape);
        let (query, key) = (linear(&names.query, [width, width])?, linear(&names.key, [width, width])?);
        let value = linear(&names.value, [width, width])?;
        let mut output = linear(&names.output, [width, width])?;
        add_value_bias(weights, names, &value.bias, &mut output.bias)?;
        let columns = Columns { factors: query.factors.clone(), bias: query.bias.clone() };
        Ok(Self {
            heads: Heads::new(heads, columns, &key.factors, value.factors.clone()),
            query,
            key,
            value,
            output,
            output_norm: Norm::open(weights, &names.output_norm, width, epsilon)?,
            up: linear(&names.up, [inner, width])?,
            activation,
            down: linear(&names.down, [width, inner])?,
            down_norm: Norm::open(weights, &names.down_norm, width, epsilon)?,
        })
    }

    /// Takes the hidden states in the workspace through this layer. `lengths` are those of the sequences in it.
    pub(super) fn apply(
        &self,
        arch: Arch,
        lengths: &[usize],
        distances: Option<&DistanceBias>,
        space: &mut Workspace<T>,
    ) -> Result<(), Error> {
        let width = self.query.bias.len();
        self.query.product(&space.rounded, &mut space.queries)?;
        self.key.product(&space.rounded, &mut space.keys)?;
        self.value.product(&space.rounded, &mut space.values)?;
        let mut start = 0;
        for length in lengths {
            let rows = start * width..(start + length) * width;
            let sequence = Projections {
                queries: &mut space.queries[rows.clone()],
                keys: &space.keys[rows.clone()],
                values: &space.values[rows],
            };
            self.heads.attend(arch, sequence, distances, &mut space.scratch);
            start += length;
        }
        arch.dispatch(|| T::round(&space.queries, &mut space.rounded));
        self.output.product(&space.rounded, &mut space.keys)?;
        let sum = self.output.complete(&space.keys);
        self.output_norm.apply_to_sum(arch, sum, &mut space.hidden, &mut space.rounded);

        // A block of the wide product is activated and rounded while it is still in the cache.
        let inner = self.up.bias.len();
        let (block_in, block_out) = (T::BLOCK * width, T::BLOCK * inner);
        for (rows, activated) in space.rounded.chunks(block_in).zip(space.inner.chunks_mut(block_out)) {
            let wide = &mut space.wide[..activated.len()];
            self.up.product(rows, wide)?;
            let columns = (self.up.factors.as_slice(), self.up.bias.as_slice());
            arch.dispatch(Activate {
                activation: self.activation,
                columns,
                values: wide,
                rounded: activated,
            });
        }
        self.down.product(&space.inner, &mut space.keys)?;
        let sum = self.down.complete(&space.keys);
        self.down_norm.apply_to_sum(arch, sum, &mut space.hidden, &mut space.rounded);
        Ok(())
    }
}

/// Weights of attention sum to 1, so a bias of the values is a bias of their sums, and W·b is one of the next layer.
fn add_value_bias(
    weights: &Weights,
    names: &LayerNames,
    value: &[f32],
    output: &mut [f32],
) -> Result<(), Error> {
    let matrix = weights.values(&format!("{}.weight", names.output), &[output.len(), value.len()])?;
    for (bias, row) in output.iter_mut().zip(matrix.chunks_exact(value.len())) {
        *bias +=
            row.iter().zip(value).map(|(&weight, &value)| f64::from(weight) * f64::from(value)).sum::<f64>()
                as f32;
    }
    Ok(())
}

/// Factors, bias and activation, row by row, and rounding for the next product.
struct Activate<'a, T> {
    activation: Activation,
    /// Factors and bias.
    columns: (&'a [f32], &'a [f32]),
    values: &'a mut [f32],
    rounded: &'a mut [T],
}

impl<T: Operand> WithSimd for Activate<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match self.activation {
            Activation::Gelu => self.rows::<S, Gelu>(simd),
            Activation::GeluTanh => self.rows::<S, GeluTanh>(simd),
            Activation::Silu => self.rows::<S, Silu>(simd),
            Activation::Relu => self.rows::<S, Relu>(simd),
            Activation::Tanh => self.rows::<S, Tanh>(simd),
            Activation::Identity => self.rows::<S, Identity>(simd),
        }
    }
}

impl<T: Operand> Activate<'_, T> {
    #[inline(always)]
    fn rows<S: Simd, F: Pointwise>(self, simd: S) {
        let (factors, bias) = self.columns;
        let width = bias.len();
        let ((factors, factors_rest), (bias, bias_rest)) = (S::as_simd_f32s(factors), S::as_simd_f32s(bias));
        for (row, rounded) in self.values.chunks_exact_mut(width).zip(self.rounded.chunks_exact_mut(width)) {
            let (body, rest) = S::as_mut_simd_f32s(row);
            activate::<S, F>(simd, body, factors, bias);
            activate::<Scalar, F>(Scalar, rest, factors_rest, bias_rest);
            T::round(row, rounded);
        }
    }
}

#[inline(always)]
fn activate<S: Simd, F: Pointwise>(simd: S, row: &mut [S::f32s], factors: &[S::f32s], bias: &[S::f32s]) {
    for ((x, &factor), &bias) in row.iter_mut().zip(factors).zip(bias) {
        *x = F::of(simd, simd.mul_add_e_f32s(*x, factor, bias));
    }
}
