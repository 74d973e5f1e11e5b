//! Products of 8-bit integers on processors that multiply four of them per lane (AVX-512 VNNI) and have no tiles.
//!
//! The instruction multiplies unsigned with signed integers, so the matrix is stored 128 higher, and 128 times the sum of a left row
//! comes off its products. Sums wrap around on the way and come back: the result fits.

use std::arch::x86_64::*;

use crate::Error;

/// Rows of the matrix that one register holds side by side, four columns of each.
const LANES: usize = 16;

/// Columns of a row that lie together.
const WORD: usize = 4;

/// Registers of the matrix that share what was loaded of a left row.
const WIDE: usize = 2;

/// Rows of the matrix per panel.
const PANEL: usize = LANES * WIDE;

/// Left rows that share what was loaded of the matrix: their sums fill the registers.
const TOGETHER: usize = 12;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Register([u8; LANES * WORD]);

/// A matrix in panels of [`PANEL`] rows; in each, the words of its columns one after the other.
pub(super) struct WordMatrix {
    registers: Vec<Register>,
    rows: usize,
    columns: usize,
}

impl WordMatrix {
    /// Whether this processor has the instruction.
    pub(super) fn is_possible() -> bool {
        std::is_x86_feature_detected!("avx512vnni") && std::is_x86_feature_detected!("avx512bw")
    }

    /// Packs rows of `columns` integers each. Only where it [is possible](Self::is_possible).
    pub(super) fn pack(values: &[i8], columns: usize) -> Result<Self, Error> {
        assert!(Self::is_possible(), "this processor has no VNNI");
        let rows = super::row_count(values.len(), columns)?;
        let words = columns.div_ceil(WORD);
        // Padding meets zeros on the left, or is never stored.
        let mut registers = vec![Register([0; LANES * WORD]); rows.div_ceil(PANEL) * words * WIDE];
        for (row, values) in values.chunks_exact(columns.max(1)).enumerate() {
            let (panel, half, lane) = (row / PANEL, row % PANEL / LANES, row % LANES);
            for (word, four) in values.chunks(WORD).enumerate() {
                let register = &mut registers[(panel * words + word) * WIDE + half];
                for (place, &value) in register.0[lane * WORD..].iter_mut().zip(four) {
                    *place = value.cast_unsigned() ^ 0x80;
                }
            }
        }
        Ok(Self { registers, rows, columns })
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// `out` becomes `left`·selfᵀ.
    pub(super) fn multiply(&self, left: &[i8], out: &mut [i32]) -> Result<(), Error> {
        let height = super::row_count(left.len(), self.columns)?;
        super::check_out(out.len(), height, self.rows)?;
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
            let place = Place { first, count: PANEL.min(self.rows - first), stride: self.rows };
            let mut row = 0;
            while row < height {
                let rest = height - row;
                let left = (&left_words[row * words..], &excess[row..]);
                let out = &mut out[row * self.rows..];
                // SAFETY: a matrix is packed only where the processor has these instructions; `left` begins with as many rows as the
                // tile takes, each of `words` words, `registers` has WIDE for each word, and `out` begins with as many rows.
                row += unsafe {
                    match rest {
                        TOGETHER.. => tile::<TOGETHER>(registers, words, left, out, place),
                        4.. => tile::<4>(registers, words, left, out, place),
                        _ => tile::<1>(registers, words, left, out, place),
                    }
                };
            }
        }
        Ok(())
    }
}

/// Where the products of a panel go in each row.
#[derive(Clone, Copy)]
struct Place {
    first: usize,
    count: usize,
    stride: usize,
}

/// The products of a panel with `R` left rows; gives back `R`.
///
/// # Safety
/// The processor has the instructions, `registers` has `WIDE` for each word, `left` has `R` rows of `words` words and of what is too
/// much, and `out` has `R` rows.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[allow(clippy::needless_range_loop)]
unsafe fn tile<const R: usize>(
    registers: &[Register],
    words: usize,
    (left, excess): (&[i32], &[i32]),
    out: &mut [i32],
    place: Place,
) -> usize {
    assert!(registers.len() == words * WIDE && left.len() >= R * words && excess.len() >= R);
    let mut sums = [[_mm512_setzero_si512(); WIDE]; R];
    for word in 0..words {
        let mut loaded = [_mm512_setzero_si512(); WIDE];
        for half in 0..WIDE {
            // SAFETY: the register is within bounds, as asserted, and as large and as aligned as what is loaded.
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
        let row = &mut out[r * place.stride + place.first..][..place.count];
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
            if WordMatrix::is_possible() {
                let dot = |a: &[i8], b: &[i8]| -> i32 { a.iter().zip(b).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum() };
                let wanted: Vec<i32> = left.chunks(k).flat_map(|a| right.chunks(k).map(move |b| dot(a, b))).collect();
                let mut found = vec![0; wanted.len()];
                WordMatrix::pack(&right, k).unwrap().multiply(&left, &mut found).unwrap();
                prop_assert_eq!(found, wanted);
            }
        }
    }

    #[test]
    fn the_longest_rows_wrap_around_and_come_back() {
        if WordMatrix::is_possible() {
            let k = super::super::Int8Matrix::MAX_COLUMNS;
            for (a, b) in [(-128_i8, -128_i8), (127, 127), (-128, 127)] {
                let mut out = [0];
                WordMatrix::pack(&vec![b; k], k).unwrap().multiply(&vec![a; k], &mut out).unwrap();
                assert_eq!(i64::from(out[0]), i64::from(a) * i64::from(b) * k as i64);
            }
        }
    }
}
