//! Products of 8-bit integers on processors with AVX-512 VNNI (four products per lane) and without
//! tiles.
//!
//! The instruction multiplies unsigned with signed integers. So the matrix is stored with 128
//! added, and 128 times the sum of a left row is subtracted from its products. Sums may wrap around
//! in between; the final result fits.

use std::arch::x86_64::*;

use super::lengths::{check_out, row_count};
use crate::Error;

/// The number of matrix rows in one register, with four columns of each.
const LANES: usize = 16;

/// The number of adjacent columns of a row.
const WORD: usize = 4;

/// The number of matrix registers that are multiplied with each loaded word of a left row.
const WIDE: usize = 2;

/// The number of matrix rows per panel.
const PANEL: usize = LANES * WIDE;

/// The number of left rows that are multiplied together: their sums fill the registers.
const TOGETHER: usize = 12;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Register([u8; LANES * WORD]);

/// A matrix in panels of [`PANEL`] rows. Each panel stores the words of its columns one after the
/// other.
pub(super) struct VnniMatrix {
    registers: Vec<Register>,
    rows: usize,
    columns: usize,
}

impl VnniMatrix {
    /// Returns whether this processor has the instruction.
    pub(super) fn is_supported() -> bool {
        std::is_x86_feature_detected!("avx512vnni") && std::is_x86_feature_detected!("avx512bw")
    }

    /// Packs rows of `columns` integers each. Requires [`is_supported`](Self::is_supported).
    pub(super) fn pack(values: &[i8], columns: usize) -> Result<Self, Error> {
        assert!(Self::is_supported(), "this processor has no VNNI");
        let rows = row_count(values.len(), columns)?;
        let words = columns.div_ceil(WORD);
        // Padding is multiplied with zeros, or its result is not stored.
        let mut registers = vec![Register([0; LANES * WORD]); rows.div_ceil(PANEL) * words * WIDE];
        for (row, values) in values.chunks_exact(columns.max(1)).enumerate() {
            let (panel, half, lane) = (row / PANEL, row % PANEL / LANES, row % LANES);
            for (word, four) in values.chunks(WORD).enumerate() {
                let register = &mut registers[(panel * words + word) * WIDE + half];
                for (byte, &value) in register.0[lane * WORD..].iter_mut().zip(four) {
                    *byte = value.cast_unsigned() ^ 0x80;
                }
            }
        }
        Ok(Self { registers, rows, columns })
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Computes `left`·selfᵀ into `out`.
    pub(super) fn multiply(&self, left: &[i8], out: &mut [i32]) -> Result<(), Error> {
        let height = row_count(left.len(), self.columns)?;
        check_out(out.len(), height, self.rows)?;
        if height == 0 || self.rows == 0 {
            return Ok(());
        }
        let words = self.columns.div_ceil(WORD);
        let mut left_words = Vec::with_capacity(height * words);
        let mut excess = Vec::with_capacity(height);
        for row in left.chunks_exact(self.columns) {
            left_words.extend(row.chunks(WORD).map(|four| {
                let mut bytes = [0; WORD];
                bytes.iter_mut().zip(four).for_each(|(byte, value)| *byte = value.cast_unsigned());
                i32::from_ne_bytes(bytes)
            }));
            excess.push(row.iter().map(|&value| i32::from(value)).sum::<i32>().wrapping_mul(128));
        }
        for (panel, registers) in self.registers.chunks_exact(words * WIDE).enumerate() {
            let first = panel * PANEL;
            let output_columns =
                OutputColumns { first, count: PANEL.min(self.rows - first), stride: self.rows };
            let mut row = 0;
            while row < height {
                let rest = height - row;
                let left = (&left_words[row * words..], &excess[row..]);
                let out = &mut out[row * self.rows..];
                // SAFETY: a matrix is packed only if the processor has these instructions. `left`
                // begins with as many rows as the tile takes, each of `words` words, `registers`
                // has WIDE for each word, and `out` begins with as many rows.
                row += unsafe {
                    match rest {
                        TOGETHER.. => tile::<TOGETHER>(registers, words, left, out, output_columns),
                        4.. => tile::<4>(registers, words, left, out, output_columns),
                        _ => tile::<1>(registers, words, left, out, output_columns),
                    }
                };
            }
        }
        Ok(())
    }
}

/// The columns of the output that a panel fills.
#[derive(Clone, Copy)]
struct OutputColumns {
    first: usize,
    count: usize,
    stride: usize,
}

/// Computes the products of a panel with `R` left rows. Returns `R`.
///
/// # Safety
/// The processor has the instructions, `registers` has `WIDE` for each word, `left` has `R` rows of
/// `words` words and `R` excess values, and `out` has `R` rows.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[allow(clippy::needless_range_loop)]
unsafe fn tile<const R: usize>(
    registers: &[Register],
    words: usize,
    (left, excess): (&[i32], &[i32]),
    out: &mut [i32],
    columns: OutputColumns,
) -> usize {
    assert!(registers.len() == words * WIDE && left.len() >= R * words && excess.len() >= R);
    let mut sums = [[_mm512_setzero_si512(); WIDE]; R];
    for word in 0..words {
        let mut loaded = [_mm512_setzero_si512(); WIDE];
        for half in 0..WIDE {
            // SAFETY: the register is within bounds, as asserted, and has the size and alignment of
            // the load.
            loaded[half] = unsafe { _mm512_load_si512(registers.as_ptr().add(word * WIDE + half).cast()) };
        }
        for r in 0..R {
            // SAFETY: within R rows of `words` words, as asserted.
            let four = _mm512_set1_epi32(unsafe { *left.get_unchecked(r * words + word) });
            for half in 0..WIDE {
                sums[r][half] = _mm512_dpbusd_epi32(sums[r][half], loaded[half], four);
            }
        }
    }
    for r in 0..R {
        let row = &mut out[r * columns.stride + columns.first..][..columns.count];
        let excess = _mm512_set1_epi32(excess[r]);
        for (half, part) in row.chunks_mut(LANES).enumerate() {
            let mask = u16::MAX >> (LANES - part.len());
            // SAFETY: the mask has a bit for each number of `part`, and stores need no alignment.
            unsafe {
                _mm512_mask_storeu_epi32(part.as_mut_ptr(), mask, _mm512_sub_epi32(sums[r][half], excess));
            }
        }
    }
    R
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn products_are_exact(
            (k, left, right) in (1..40_usize, 1..80_usize, 1..70_usize).prop_flat_map(|(m, n, k)| {
                let entries = |count| proptest::collection::vec(any::<i8>(), count);
                (Just(k), entries(m * k), entries(n * k))
            })
        ) {
            if VnniMatrix::is_supported() {
                let dot = |a: &[i8], b: &[i8]| -> i32 { a.iter().zip(b).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum() };
                let wanted: Vec<i32> = left.chunks(k).flat_map(|a| right.chunks(k).map(move |b| dot(a, b))).collect();
                let mut found = vec![0; wanted.len()];
                VnniMatrix::pack(&right, k).unwrap().multiply(&left, &mut found).unwrap();
                prop_assert_eq!(found, wanted);
            }
        }
    }

    #[test]
    fn sums_of_the_longest_rows_are_exact() {
        if VnniMatrix::is_supported() {
            let k = super::super::Int8Matrix::MAX_COLUMNS;
            for (a, b) in [(-128_i8, -128_i8), (127, 127), (-128, 127)] {
                let mut out = [0];
                VnniMatrix::pack(&vec![b; k], k).unwrap().multiply(&vec![a; k], &mut out).unwrap();
                assert_eq!(i64::from(out[0]), i64::from(a) * i64::from(b) * k as i64);
            }
        }
    }
}
