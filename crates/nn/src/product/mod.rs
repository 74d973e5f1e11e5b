//! Fast products C = A·Bᵀ. This is the only module that calls product kernels.
//!
//! B is packed once and multiplied many times. Every product runs on the calling thread, so that
//! callers can distribute the work. Kernels are chosen at run time: tiles (AMX) if the processor has
//! them, then VNNI for integers, then plain code. Floats of 32 bits use the crate `gemm`.
#![allow(unsafe_code)] // The kernels take pointers; every call checks the lengths first.

mod activations;
mod blocks;
mod format;
mod lengths;
mod panel;
mod plain;
mod rounding;
mod scaled;
#[cfg(target_arch = "x86_64")]
mod tiles;
#[cfg(target_arch = "x86_64")]
mod vnni;

use half::bf16;

pub(crate) use self::activations::Activations;
pub(crate) use self::blocks::{BlockMatrix, PanelRows};
pub(crate) use self::format::PANEL;
use self::lengths::{check_out, row_count};
use self::plain::{PlainMatrix, WideMatrix};
pub(crate) use self::rounding::narrow;
pub(crate) use self::scaled::{
    BLOCK as ROUNDED_BLOCK, RoundedBlock, ScaledMatrix, TOGETHER as ROUNDED_TOGETHER,
};
use crate::Error;

/// Returns whether the processor multiplies tiles of 8- and 16-bit numbers in hardware (AMX), which
/// is much faster than floats.
///
/// ```
/// let fast = inkveil_nn::product::has_tiles();
/// assert_eq!(fast, inkveil_nn::product::has_tiles());
/// ```
pub fn has_tiles() -> bool {
    #[cfg(target_arch = "x86_64")]
    return tiles::are_supported();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Returns whether the processor multiplies four 8-bit integers per lane (AVX-512 VNNI).
pub(crate) fn has_vnni() -> bool {
    #[cfg(target_arch = "x86_64")]
    return vnni::VnniMatrix::is_supported();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Returns whether products of 8-bit integers are faster than those of floats on this processor.
///
/// ```
/// use inkveil_nn::product::{has_fast_int8, has_tiles};
/// assert!(has_fast_int8() || !has_tiles());
/// ```
pub fn has_fast_int8() -> bool {
    has_tiles() || has_vnni()
}

/// A packed matrix of 8-bit integers. Products are exact.
///
/// ```
/// use inkveil_nn::product::Int8Matrix;
///
/// let b = Int8Matrix::pack(&[1, 2, 3, -4], 2)?; // two rows of two
/// let mut c = [0; 2];
/// b.multiply(&[10, 1], &mut c)?;
/// assert_eq!(c, [12, 26]);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub struct Int8Matrix(Integers);

enum Integers {
    #[cfg(target_arch = "x86_64")]
    Tiles(tiles::TileMatrix<i8>),
    #[cfg(target_arch = "x86_64")]
    Vnni(vnni::VnniMatrix),
    Plain(PlainMatrix),
}

impl Int8Matrix {
    /// The longest row whose products cannot overflow 32 bits.
    pub const MAX_COLUMNS: usize = (i32::MAX / (128 * 128)) as usize;

    /// Packs rows of `columns` integers each.
    pub fn pack(rows: &[i8], columns: usize) -> Result<Self, Error> {
        if columns > Self::MAX_COLUMNS {
            return Err(Error::argument(format!("rows of {columns} 8-bit integers may overflow; use bf16")));
        }
        #[cfg(target_arch = "x86_64")]
        if has_tiles() {
            return tiles::TileMatrix::pack(rows, columns).map(|matrix| Self(Integers::Tiles(matrix)));
        } else if vnni::VnniMatrix::is_supported() {
            return vnni::VnniMatrix::pack(rows, columns).map(|matrix| Self(Integers::Vnni(matrix)));
        }
        PlainMatrix::pack(rows, columns).map(|matrix| Self(Integers::Plain(matrix)))
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        match &self.0 {
            #[cfg(target_arch = "x86_64")]
            Integers::Tiles(matrix) => matrix.rows(),
            #[cfg(target_arch = "x86_64")]
            Integers::Vnni(matrix) => matrix.rows(),
            Integers::Plain(matrix) => matrix.rows(),
        }
    }

    /// Computes `left`·selfᵀ into `out`, row by row. The rows of `left` are as long as the packed
    /// ones.
    pub fn multiply(&self, left: &[i8], out: &mut [i32]) -> Result<(), Error> {
        match &self.0 {
            #[cfg(target_arch = "x86_64")]
            Integers::Tiles(matrix) => matrix.multiply(left, out),
            #[cfg(target_arch = "x86_64")]
            Integers::Vnni(matrix) => matrix.multiply(left, out),
            Integers::Plain(matrix) => matrix.multiply(left, out),
        }
    }
}

/// A packed matrix of 16-bit brain floats. Products of two entries are exact; sums are in `f32` in
/// any order.
///
/// ```
/// use half::bf16;
/// use inkveil_nn::product::Bf16Matrix;
///
/// let b = Bf16Matrix::pack(&[1.0, 2.0, 3.0, -4.0].map(bf16::from_f32), 2)?;
/// let mut c = [0.0; 2];
/// b.multiply(&[10.0, 1.0].map(bf16::from_f32), &mut c)?;
/// assert_eq!(c, [12.0, 26.0]);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub struct Bf16Matrix(BrainFloats);

enum BrainFloats {
    #[cfg(target_arch = "x86_64")]
    Tiles(tiles::TileMatrix<bf16>),
    Wide(WideMatrix),
}

impl Bf16Matrix {
    /// Packs rows of `columns` numbers each.
    pub fn pack(rows: &[bf16], columns: usize) -> Result<Self, Error> {
        #[cfg(target_arch = "x86_64")]
        if has_tiles() {
            return tiles::TileMatrix::pack(rows, columns).map(|matrix| Self(BrainFloats::Tiles(matrix)));
        }
        WideMatrix::pack(rows, columns).map(|matrix| Self(BrainFloats::Wide(matrix)))
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        match &self.0 {
            #[cfg(target_arch = "x86_64")]
            BrainFloats::Tiles(matrix) => matrix.rows(),
            BrainFloats::Wide(matrix) => matrix.rows(),
        }
    }

    /// Computes `left`·selfᵀ into `out`, row by row. The rows of `left` are as long as the packed
    /// ones.
    pub fn multiply(&self, left: &[bf16], out: &mut [f32]) -> Result<(), Error> {
        match &self.0 {
            #[cfg(target_arch = "x86_64")]
            BrainFloats::Tiles(matrix) => matrix.multiply(left, out),
            BrainFloats::Wide(matrix) => matrix.multiply(left, out),
        }
    }
}

/// Computes `left`·`right`ᵀ into `out` in `f32`, on the calling thread. Both factors have rows of
/// `columns` numbers.
///
/// ```
/// let mut c = [0.0; 2];
/// inkveil_nn::product::f32_product(&[10.0, 1.0], &[1.0, 2.0, 3.0, -4.0], 2, &mut c)?;
/// assert_eq!(c, [12.0, 26.0]);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub fn f32_product(left: &[f32], right: &[f32], columns: usize, out: &mut [f32]) -> Result<(), Error> {
    let (m, n) = (row_count(left.len(), columns)?, row_count(right.len(), columns)?);
    f32_strided((m, n, columns), (left, [columns, 1]), (right, [1, columns]), out)
}

/// Computes `left`·`right` into `out` in `f32`, without transposing: `left` has rows of `inner`
/// numbers, `right` has `inner` rows.
///
/// ```
/// let mut c = [0.0; 2];
/// inkveil_nn::product::f32_product_untransposed(&[10.0, 1.0], &[1.0, 2.0, 3.0, -4.0], 2, &mut c)?;
/// assert_eq!(c, [13.0, 16.0]);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub fn f32_product_untransposed(
    left: &[f32],
    right: &[f32],
    inner: usize,
    out: &mut [f32],
) -> Result<(), Error> {
    let m = row_count(left.len(), inner)?;
    let n = row_count(right.len(), inner)?;
    f32_strided((m, n, inner), (left, [inner, 1]), (right, [n, 1]), out)
}

/// Computes `left`ᵀ·`right` into `out` in `f32`: both factors have `inner` rows.
///
/// ```
/// let mut c = [0.0; 4];
/// inkveil_nn::product::f32_product_left_transposed(&[10.0, 1.0], &[2.0, 3.0], 1, &mut c)?; // one row each
/// assert_eq!(c, [20.0, 30.0, 2.0, 3.0]);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub fn f32_product_left_transposed(
    left: &[f32],
    right: &[f32],
    inner: usize,
    out: &mut [f32],
) -> Result<(), Error> {
    let (m, n) = (row_count(left.len(), inner)?, row_count(right.len(), inner)?);
    f32_strided((m, n, inner), (left, [1, m]), (right, [n, 1]), out)
}

/// Computes the product of an m×k and a k×n matrix, each with its strides between rows and between
/// columns.
fn f32_strided(
    (m, n, k): (usize, usize, usize),
    (left, [left_row, left_column]): (&[f32], [usize; 2]),
    (right, [right_row, right_column]): (&[f32], [usize; 2]),
    out: &mut [f32],
) -> Result<(), Error> {
    check_out(out.len(), m, n)?;
    if m == 0 || n == 0 {
        return Ok(());
    }
    debug_assert!(left.len() == m * k && right.len() == k * n);
    // SAFETY: all three matrices are dense with these strides, and their lengths were checked to be
    // m·k, k·n and m·n. Each is the length of a slice, so it fits an isize.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            out.as_mut_ptr(),
            1,
            n as isize,
            false,
            left.as_ptr(),
            left_column as isize,
            left_row as isize,
            right.as_ptr(),
            right_column as isize,
            right_row as isize,
            0.0_f32,
            1.0_f32,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Small integers, so that every format and every order of summation gives the same numbers.
    fn cases() -> impl Strategy<Value = (usize, Vec<i8>, Vec<i8>)> {
        (1..40_usize, 1..40_usize, 1..200_usize).prop_flat_map(|(m, n, k)| {
            let entries = |count| proptest::collection::vec(-127..=127_i8, count);
            (Just(k), entries(m * k), entries(n * k))
        })
    }

    fn expected(k: usize, left: &[i8], right: &[i8]) -> Vec<i32> {
        let dot = |a: &[i8], b: &[i8]| a.iter().zip(b).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum();
        left.chunks(k).flat_map(|a| right.chunks(k).map(move |b| dot(a, b))).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn all_kernels_agree((k, left, right) in cases()) {
            let wanted = expected(k, &left, &right);
            let mut int8 = vec![0; wanted.len()];
            Int8Matrix::pack(&right, k).unwrap().multiply(&left, &mut int8).unwrap();
            prop_assert_eq!(&int8, &wanted);

            let wide = |v: &[i8]| v.iter().map(|&x| bf16::from_f32(x.into())).collect::<Vec<_>>();
            let mut out = vec![0.0; wanted.len()];
            Bf16Matrix::pack(&wide(&right), k).unwrap().multiply(&wide(&left), &mut out).unwrap();
            prop_assert!(out.iter().zip(&wanted).all(|(&a, &b)| a == b as f32));

            let wide = |v: &[i8]| v.iter().map(|&x| x.into()).collect::<Vec<f32>>();
            let mut out = vec![0.0; wanted.len()];
            f32_product(&wide(&left), &wide(&right), k, &mut out).unwrap();
            prop_assert!(out.iter().zip(&wanted).all(|(&a, &b)| a == b as f32));

            // The same product with transposed factors.
            let transposed = |v: &[f32]| (0..k).flat_map(|c| v[c..].iter().step_by(k).copied()).collect::<Vec<_>>();
            let (left, right) = (wide(&left), wide(&right));
            let mut out = vec![0.0; wanted.len()];
            f32_product_untransposed(&left, &transposed(&right), k, &mut out).unwrap();
            prop_assert!(out.iter().zip(&wanted).all(|(&a, &b)| a == b as f32));
            let mut out = vec![0.0; wanted.len()];
            f32_product_left_transposed(&transposed(&left), &transposed(&right), k, &mut out).unwrap();
            prop_assert!(out.iter().zip(&wanted).all(|(&a, &b)| a == b as f32));
        }
    }

    #[test]
    fn extreme_integers_do_not_overflow() {
        let k = 4096;
        let mut out = [0; 1];
        Int8Matrix::pack(&vec![-128; k], k).unwrap().multiply(&vec![-128; k], &mut out).unwrap();
        assert_eq!(out, [128 * 128 * 4096]);
        assert!(Int8Matrix::pack(&[], Int8Matrix::MAX_COLUMNS + 1).is_err());
    }

    #[test]
    fn lengths_are_checked() {
        let b = Int8Matrix::pack(&[1, 2, 3, 4], 2).unwrap();
        assert!(b.multiply(&[1], &mut [0; 2]).is_err());
        assert!(b.multiply(&[1, 2], &mut [0; 3]).is_err());
        assert!(Int8Matrix::pack(&[1], 0).is_err());
        assert!(f32_product(&[1.0], &[1.0, 2.0], 2, &mut [0.0]).is_err());
        assert!(f32_product(&[], &[1.0, 2.0], 2, &mut []).is_ok());
    }

    #[test]
    fn every_thread_can_multiply() {
        let b = Bf16Matrix::pack(&[bf16::ONE; 64], 64).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut out = [0.0];
                    b.multiply(&[bf16::ONE; 64], &mut out).unwrap();
                    assert_eq!(out, [64.0]);
                });
            }
        });
    }
}
