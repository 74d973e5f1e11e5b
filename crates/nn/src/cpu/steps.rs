//! The single steps of a packed network, for small networks that other crates assemble.
//!
//! All of them run on the calling thread and take rows of `f32`, one per word or token.

use half::bf16;
use pulp::{Arch, Simd, WithSimd};

use super::Precision;
use super::linear::LinearWeights;
use super::norm::Norm;
use super::operand::Operand;
use super::pointwise::{Gelu, Pointwise};
use super::stored::StoredMatrix;
use crate::product::RoundedBlock;
use crate::{Error, Weights};

/// A table of vectors, read directly from its file.
///
/// ```
/// # use std::path::Path;
/// use inkveil_nn::Weights;
/// use inkveil_nn::cpu::PackedTable;
///
/// let weights = Weights::open(Path::new("tests/fixtures/bert"))?;
/// let name = "embeddings.word_embeddings.weight";
/// let [rows, columns] = *weights.shape(name).unwrap() else { unreachable!() };
/// let table = PackedTable::open(&weights, name, [rows, columns])?;
/// let mut sums = vec![0.0; 2 * columns];
/// table.sums(&[1, 2, 2, 1], 2, &mut sums)?; // two sums of two rows each
/// assert_eq!(sums[..columns], sums[columns..]);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub struct PackedTable(StoredMatrix);

impl PackedTable {
    /// Opens the table with this name and shape.
    pub fn open(weights: &Weights, name: &str, shape: [usize; 2]) -> Result<Self, Error> {
        StoredMatrix::table(weights, name, shape).map(Self)
    }

    /// Writes to each row of `out` the sum of the next `each` rows of the table.
    pub fn sums(&self, ids: &[u32], each: usize, out: &mut [f32]) -> Result<(), Error> {
        let (height, columns) = (self.0.height(), self.0.columns());
        let fits = each > 0 && ids.len().is_multiple_of(each) && ids.len() / each * columns == out.len();
        if !fits || ids.iter().any(|&id| id as usize >= height) {
            return Err(Error::argument(format!(
                "{} ids below {height} in groups of {each} were expected to fill {} numbers",
                ids.len(),
                out.len()
            )));
        }
        let table = self.0.rows()?;
        Arch::new().dispatch(|| {
            for (ids, out) in ids.chunks_exact(each).zip(out.chunks_exact_mut(columns)) {
                out.fill(0.0);
                ids.iter().for_each(|&id| table.add(id as usize, out));
            }
        });
        Ok(())
    }
}

/// `x ↦ x·Wᵀ + b` for many rows.
///
/// ```
/// # use std::path::Path;
/// use inkveil_nn::Weights;
/// use inkveil_nn::cpu::{PackedLinear, Precision};
///
/// let weights = Weights::open(Path::new("tests/fixtures/bert"))?;
/// let name = "encoder.layer.0.attention.self.query";
/// let [outputs, inputs] = *weights.shape(&format!("{name}.weight")).unwrap() else { unreachable!() };
/// let linear = PackedLinear::open(&weights, name, [outputs, inputs], Precision::fastest())?;
/// let mut out = vec![0.0; 3 * outputs];
/// linear.forward(&vec![0.0; 3 * inputs], &mut out)?;
/// assert_eq!(out[..outputs], *weights.values(&format!("{name}.bias"), &[outputs])?);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub struct PackedLinear {
    linear: PrecisionLinear,
    inputs: usize,
}

enum PrecisionLinear {
    Bf16(LinearWeights<bf16>),
    Int8(LinearWeights<RoundedBlock>),
    F32(LinearWeights<f32>),
}

impl PackedLinear {
    /// Opens the map with the tensors `name.weight` (outputs × inputs) and `name.bias`.
    pub fn open(
        weights: &Weights,
        name: &str,
        shape: [usize; 2],
        precision: Precision,
    ) -> Result<Self, Error> {
        let linear = match precision {
            Precision::Bf16 => PrecisionLinear::Bf16(LinearWeights::open(weights, name, shape)?),
            Precision::Int8 => PrecisionLinear::Int8(LinearWeights::open(weights, name, shape)?),
            Precision::F32 => PrecisionLinear::F32(LinearWeights::open(weights, name, shape)?),
        };
        Ok(Self { linear, inputs: shape[1] })
    }

    /// Maps every row. The other rows do not affect a row's result in 8 or 16 bits, and affect only
    /// the order of sums in 32 bits.
    pub fn forward(&self, rows: &[f32], out: &mut [f32]) -> Result<(), Error> {
        match &self.linear {
            PrecisionLinear::Bf16(linear) => self.forward_rounded(linear, rows, out),
            PrecisionLinear::Int8(linear) => self.forward_rounded(linear, rows, out),
            PrecisionLinear::F32(linear) => {
                linear.product(rows, out)?;
                finish(linear, out);
                Ok(())
            }
        }
    }

    /// Rounds, multiplies and finishes a block of rows while it is in the cache.
    fn forward_rounded<T: Operand>(
        &self,
        linear: &LinearWeights<T>,
        rows: &[f32],
        out: &mut [f32],
    ) -> Result<(), Error> {
        let outputs = linear.bias.len();
        let count = rows.len().checked_div(self.inputs).unwrap_or(0);
        if count * self.inputs != rows.len() || count * outputs != out.len() {
            let (rows, out, inputs) = (rows.len(), out.len(), self.inputs);
            return Err(Error::argument(format!(
                "{rows} inputs in rows of {inputs} do not match {out} outputs in rows of {outputs}"
            )));
        }
        let (block_in, block_out) = (T::BLOCK * self.inputs, T::BLOCK * outputs);
        let mut rounded = vec![T::default(); T::BLOCK.min(count) * T::elements(self.inputs)];
        for (rows, out) in rows.chunks(block_in.max(1)).zip(out.chunks_mut(block_out.max(1))) {
            let rounded = &mut rounded[..rows.len() / self.inputs * T::elements(self.inputs)];
            Arch::new().dispatch(|| T::round(rows, self.inputs, rounded));
            linear.product(rounded, out)?;
            finish(linear, out);
        }
        Ok(())
    }
}

/// Applies factors and bias.
fn finish<T: Operand>(linear: &LinearWeights<T>, out: &mut [f32]) {
    Arch::new().dispatch(|| {
        for row in out.chunks_exact_mut(linear.bias.len().max(1)) {
            for ((x, factor), bias) in row.iter_mut().zip(&linear.factors).zip(&linear.bias) {
                *x = *x * factor + bias;
            }
        }
    });
}

/// A layer normalisation with a residual connection.
///
/// ```
/// # use std::path::Path;
/// use inkveil_nn::Weights;
/// use inkveil_nn::cpu::PackedNorm;
///
/// let weights = Weights::open(Path::new("tests/fixtures/bert"))?;
/// let width = weights.shape("embeddings.word_embeddings.weight").unwrap()[1];
/// let norm = PackedNorm::open(&weights, "embeddings.LayerNorm", width, 1e-12)?;
/// let (mut rows, mut changes) = (vec![1.0; width], vec![2.0; width]);
/// norm.add(&mut rows, &mut changes)?;
/// assert_eq!(rows, changes);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub struct PackedNorm {
    norm: Norm,
    width: usize,
}

impl PackedNorm {
    /// Opens the normalisation of rows of `width` numbers with the tensors `name.weight` and
    /// `name.bias`.
    pub fn open(weights: &Weights, name: &str, width: usize, epsilon: f32) -> Result<Self, Error> {
        Ok(Self { norm: Norm::open(weights, name, width, epsilon)?, width })
    }

    /// Writes norm(rows + changes) to both arguments, row by row.
    pub fn add(&self, rows: &mut [f32], changes: &mut [f32]) -> Result<(), Error> {
        if rows.len() != changes.len() || rows.len().checked_rem(self.width) != Some(0) {
            let (rows, changes, width) = (rows.len(), changes.len(), self.width);
            return Err(Error::argument(format!(
                "{rows} and {changes} numbers do not form equally many rows of {width}"
            )));
        }
        let arch = Arch::new();
        arch.dispatch(|| rows.iter_mut().zip(&*changes).for_each(|(x, change)| *x += change));
        self.norm.apply(arch, rows, changes);
        Ok(())
    }
}

/// Replaces numbers by `x·Φ(x)`, with an error of 10⁻⁶.
///
/// ```
/// let mut values = [-1.0, 0.0, 1.0];
/// inkveil_nn::cpu::gelu(&mut values);
/// assert!(values[1] == 0.0 && (values[2] - 0.841_344_7).abs() < 1e-6);
/// ```
pub fn gelu(values: &mut [f32]) {
    struct Apply<'a>(&'a mut [f32]);

    impl WithSimd for Apply<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            let (body, rest) = S::as_mut_simd_f32s(self.0);
            body.iter_mut().for_each(|x| *x = Gelu::of(simd, *x));
            rest.iter_mut().for_each(|x| *x = Gelu::of(pulp::Scalar, *x));
        }
    }

    Arch::new().dispatch(Apply(values));
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn wrong_lengths_and_ids_are_errors() {
        let weights = Weights::open(Path::new("tests/fixtures/bert")).unwrap();
        let name = "embeddings.word_embeddings.weight";
        let [rows, columns] = *weights.shape(name).unwrap() else { unreachable!() };
        let table = PackedTable::open(&weights, name, [rows, columns]).unwrap();
        let mut out = vec![0.0; columns];
        assert!(table.sums(&[1, 2], 2, &mut out).is_ok());
        assert!(table.sums(&[1, 2], 1, &mut out).is_err());
        assert!(table.sums(&[1, 2], 0, &mut out).is_err());
        assert!(table.sums(&[rows as u32], 1, &mut out).is_err());

        let name = "encoder.layer.0.attention.self.query";
        for precision in [Precision::Bf16, Precision::Int8, Precision::F32] {
            let linear = PackedLinear::open(&weights, name, [columns, columns], precision).unwrap();
            assert!(linear.forward(&[], &mut []).is_ok());
            assert!(linear.forward(&vec![0.0; columns], &mut out).is_ok());
            assert!(linear.forward(&vec![0.0; columns + 1], &mut out).is_err());
            assert!(linear.forward(&vec![0.0; 2 * columns], &mut out).is_err());
        }

        let norm = PackedNorm::open(&weights, "embeddings.LayerNorm", columns, 1e-12).unwrap();
        assert!(norm.add(&mut out, &mut vec![0.0; columns]).is_ok());
        assert!(norm.add(&mut out, &mut [0.0]).is_err());
        assert!(norm.add(&mut [0.0], &mut [0.0]).is_err());
    }
}
