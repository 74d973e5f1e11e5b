//! One layer of an encoder: attention and a feed-forward network, each with a residual connection
//! and a norm.

use pulp::{Arch, Scalar, Simd, WithSimd};

use super::attention::{ColumnScaling, DistanceBias, Heads, Projections};
use super::layout::{LayerNames, LayerSizes};
use super::linear::LinearWeights;
use super::norm::Norm;
use super::operand::Operand;
use super::pointwise::{Gelu, GeluTanh, Identity, Pointwise, Relu, Silu, Tanh};
use super::workspace::Workspace;
use crate::layers::Activation;
use crate::{Error, Weights};

pub(super) struct EncoderLayer<T: Operand> {
    query: LinearWeights<T>,
    key: LinearWeights<T>,
    value: LinearWeights<T>,
    heads: Heads,
    output: LinearWeights<T>,
    output_norm: Norm,
    up: LinearWeights<T>,
    activation: Activation,
    down: LinearWeights<T>,
    down_norm: Norm,
}

impl<T: Operand> EncoderLayer<T> {
    pub(super) fn open(weights: &Weights, names: &LayerNames, sizes: LayerSizes) -> Result<Self, Error> {
        let LayerSizes { width, inner, heads, epsilon, activation } = sizes;
        let linear = |name: &str, shape| LinearWeights::<T>::open(weights, name, shape);
        let (query, key) = (linear(&names.query, [width, width])?, linear(&names.key, [width, width])?);
        let value = linear(&names.value, [width, width])?;
        let mut output = linear(&names.output, [width, width])?;
        add_value_bias(weights, names, &value.bias, &mut output.bias)?;
        let columns = ColumnScaling { factors: query.factors.clone(), bias: query.bias.clone() };
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

    /// Applies this layer to the states in the workspace. `lengths` are the lengths of its
    /// sequences.
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
        arch.dispatch(|| T::round(&space.queries, width, &mut space.rounded));
        self.output.product(&space.rounded, &mut space.keys)?;
        let sum = self.output.complete(&space.keys);
        self.output_norm.apply_to_sum(arch, sum, &mut space.hidden, &mut space.rounded);

        // A block of the wide product is activated and rounded while it is in the cache.
        let inner = self.up.bias.len();
        let (block_in, block_out) = (T::BLOCK * T::elements(width), T::BLOCK * T::elements(inner));
        for (rows, activated) in space.rounded.chunks(block_in).zip(space.inner.chunks_mut(block_out)) {
            let wide = &mut space.wide[..activated.len() / T::elements(inner) * inner];
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

/// Moves the bias of the values to the next matrix: attention weights sum to 1, so b becomes a bias
/// W·b of the output.
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

/// Applies factors, bias and activation row by row, and rounds for the next product.
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
        let elements = T::elements(width);
        for (row, rounded) in self.values.chunks_exact_mut(width).zip(self.rounded.chunks_exact_mut(elements))
        {
            let (body, rest) = S::as_mut_simd_f32s(row);
            activate::<S, F>(simd, body, factors, bias);
            activate::<Scalar, F>(Scalar, rest, factors_rest, bias_rest);
            T::round(row, width, rounded);
        }
    }
}

#[inline(always)]
fn activate<S: Simd, F: Pointwise>(simd: S, row: &mut [S::f32s], factors: &[S::f32s], bias: &[S::f32s]) {
    for ((x, &factor), &bias) in row.iter_mut().zip(factors).zip(bias) {
        *x = F::of(simd, simd.mul_add_e_f32s(*x, factor, bias));
    }
}
