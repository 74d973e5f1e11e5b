//! The number formats of products, and the matrices of each.

use half::bf16;

use super::stored::StoredMatrix;
use crate::product::{
    Bf16Matrix, ROUNDED_BLOCK, ROUNDED_TOGETHER, RoundedBlock, ScaledMatrix, f32_product, narrow,
};
use crate::{Error, Weights};

/// An element of the left factors of products: 16-bit floats if the processor multiplies tiles of
/// them, blocks of 8-bit integers if it multiplies these fast, otherwise 32-bit floats.
pub(super) trait Operand: Copy + Default + Send + Sync + 'static {
    /// A weight matrix, prepared for products.
    type Matrix: Send + Sync;

    /// Products are fastest for a multiple of this many rows.
    const ROWS: usize;

    /// The number of rows of the wide product in a layer that are computed together: few if they
    /// can stay in the cache until they are activated, and many if every product packs its matrix
    /// again.
    const BLOCK: usize;

    /// The least number of shares of the work, or `None` for the number of threads. If neighbouring
    /// rows may change the order of a row's sums, the number of threads must not determine the
    /// neighbours.
    const SHARES: Option<usize>;

    /// Prepares a matrix and returns the factors of its output columns, or `None` if all are 1.
    fn pack(
        weights: &Weights,
        name: &str,
        shape: [usize; 2],
    ) -> Result<(Self::Matrix, Option<Vec<f32>>), Error>;

    /// Computes `left`·matrixᵀ into `out`, without the factors.
    fn multiply(matrix: &Self::Matrix, left: &[Self], out: &mut [f32]) -> Result<(), Error>;

    /// Returns the number of elements that a row of `columns` numbers takes.
    fn elements(columns: usize) -> usize {
        columns
    }

    /// Rounds rows of `columns` numbers to this format.
    fn round(rows: &[f32], columns: usize, out: &mut [Self]);
}

impl Operand for bf16 {
    type Matrix = Bf16Matrix;

    const ROWS: usize = 32;

    const BLOCK: usize = 32;

    const SHARES: Option<usize> = None;

    /// 8-bit integers are exact in 16-bit floats, so their scales are kept as factors.
    fn pack(
        weights: &Weights,
        name: &str,
        shape: [usize; 2],
    ) -> Result<(Bf16Matrix, Option<Vec<f32>>), Error> {
        let zeros = |count| vec![bf16::ZERO; count];
        let (rounded, scales) = match weights.int8_rows(name, &shape)? {
            Some(rows) => {
                let mut rounded = zeros(rows.values.len());
                pulp::Arch::new().dispatch(|| {
                    for (out, &value) in rounded.iter_mut().zip(rows.values) {
                        // An integer of 8 bits needs only the upper half of a float.
                        *out = bf16::from_bits((f32::from(value).to_bits() >> 16) as u16);
                    }
                });
                (rounded, Some(rows.scales.into_owned()))
            }
            None => {
                let values = weights.values(name, &shape)?;
                let mut rounded = zeros(values.len());
                pulp::Arch::new().dispatch(|| narrow(&values, &mut rounded));
                (rounded, None)
            }
        };
        Ok((Bf16Matrix::pack(&rounded, shape[1])?, scales))
    }

    fn multiply(matrix: &Bf16Matrix, left: &[bf16], out: &mut [f32]) -> Result<(), Error> {
        matrix.multiply(left, out)
    }

    #[inline(always)]
    fn round(rows: &[f32], _: usize, out: &mut [bf16]) {
        narrow(rows, out);
    }
}

impl Operand for f32 {
    type Matrix = StoredMatrix;

    const ROWS: usize = 1;

    const BLOCK: usize = 512;

    const SHARES: Option<usize> = Some(8);

    fn pack(
        weights: &Weights,
        name: &str,
        shape: [usize; 2],
    ) -> Result<(StoredMatrix, Option<Vec<f32>>), Error> {
        Ok((StoredMatrix::floats(weights, name, shape)?, None))
    }

    fn multiply(matrix: &StoredMatrix, left: &[f32], out: &mut [f32]) -> Result<(), Error> {
        f32_product(left, &matrix.all()?, matrix.columns(), out)
    }

    #[inline(always)]
    fn round(rows: &[f32], _: usize, out: &mut [f32]) {
        out.copy_from_slice(rows);
    }
}

impl Operand for RoundedBlock {
    type Matrix = ScaledMatrix;

    const ROWS: usize = ROUNDED_TOGETHER;

    const BLOCK: usize = 8 * ROUNDED_TOGETHER;

    const SHARES: Option<usize> = None;

    /// 8-bit integers are kept. Other numbers are rounded to 8 bits, block by block.
    fn pack(
        weights: &Weights,
        name: &str,
        shape: [usize; 2],
    ) -> Result<(ScaledMatrix, Option<Vec<f32>>), Error> {
        let columns = shape[1];
        let matrix = match weights.int8_rows(name, &shape)? {
            Some(rows) => ScaledMatrix::pack_integers(rows.values, &rows.scales, columns)?,
            None => ScaledMatrix::pack_floats(&weights.values(name, &shape)?, columns)?,
        };
        Ok((matrix, None))
    }

    fn multiply(matrix: &ScaledMatrix, left: &[RoundedBlock], out: &mut [f32]) -> Result<(), Error> {
        matrix.multiply(left, out)
    }

    fn elements(columns: usize) -> usize {
        columns.div_ceil(ROUNDED_BLOCK)
    }

    #[inline(always)]
    fn round(rows: &[f32], columns: usize, out: &mut [RoundedBlock]) {
        RoundedBlock::round(rows, columns, out);
    }
}
