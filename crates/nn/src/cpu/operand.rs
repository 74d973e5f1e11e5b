//! The two kinds of numbers products are made of, and the matrices that belong to each.

use half::bf16;

use super::pointwise;
use super::stored::StoredMatrix;
use crate::product::{Bf16Matrix, f32_product};
use crate::{Error, Weights};

/// What a product takes: 16-bit floats where the processor multiplies tiles of them, 32-bit floats elsewhere.
pub(super) trait Operand: Copy + Default + Send + Sync + 'static {
    /// A weight matrix, ready to be multiplied with.
    type Matrix: Send + Sync;

    /// Products are fastest for a multiple of this many rows.
    const ROWS: usize;

    /// Rows of the wide product in the middle of a layer that are computed together: few, where they can stay in the cache until
    /// they are activated, and many where every product packs its matrix anew.
    const BLOCK: usize;

    /// Into how many shares work is cut at least, or none to leave that to the number of threads. Where the rows beside a row
    /// may change the order of its sums, the number of threads must not decide which rows these are.
    const SHARES: Option<usize>;

    /// Prepares a matrix, and gives the factors of its output columns (none: all are 1).
    fn pack(
        weights: &Weights,
        name: &str,
        shape: [usize; 2],
    ) -> Result<(Self::Matrix, Option<Vec<f32>>), Error>;

    /// `out` becomes `left`·matrixᵀ, without the factors.
    fn multiply(matrix: &Self::Matrix, left: &[Self], out: &mut [f32]) -> Result<(), Error>;

    /// Rounds numbers to this kind.
    fn round(values: &[f32], out: &mut [Self]);
}

impl Operand for bf16 {
    type Matrix = Bf16Matrix;

    const ROWS: usize = 32;

    const BLOCK: usize = 32;

    const SHARES: Option<usize> = None;

    /// 8-bit integers are 16-bit floats too, without loss, so their scales stay outside.
    fn pack(
        weights: &Weights,
        name: &str,
        shape: [usize; 2],
    ) -> Result<(Bf16Matrix, Option<Vec<f32>>), Error> {
        let room = |count| vec![bf16::ZERO; count];
        let (narrow, scales) = match weights.rows8(name, &shape)? {
            Some(rows) => {
                let mut narrow = room(rows.values.len());
                pulp::Arch::new().dispatch(|| {
                    for (out, &value) in narrow.iter_mut().zip(rows.values) {
                        // An integer of 8 bits needs only the upper half of a float.
                        *out = bf16::from_bits((f32::from(value).to_bits() >> 16) as u16);
                    }
                });
                (narrow, Some(rows.scales.into_owned()))
            }
            None => {
                let values = weights.values(name, &shape)?;
                let mut narrow = room(values.len());
                pulp::Arch::new().dispatch(|| pointwise::narrow(&values, &mut narrow));
                (narrow, None)
            }
        };
        Ok((Bf16Matrix::pack(&narrow, shape[1])?, scales))
    }

    fn multiply(matrix: &Bf16Matrix, left: &[bf16], out: &mut [f32]) -> Result<(), Error> {
        matrix.multiply(left, out)
    }

    #[inline(always)]
    fn round(values: &[f32], out: &mut [bf16]) {
        pointwise::narrow(values, out);
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
    fn round(values: &[f32], out: &mut [f32]) {
        out.copy_from_slice(values);
    }
}
