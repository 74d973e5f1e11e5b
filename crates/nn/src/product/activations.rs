//! The left factors of products with block matrices: rows of 8-bit integers with a scale for every
//! 32 of them.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::format::{BLOCK, WORD};

/// Rows rounded to 8 bits, block by block. Each row is rounded independently of the others.
pub(crate) struct Activations {
    /// The integers, four per word; the last block of a row is padded with zeros.
    words: Vec<i32>,
    /// The scale of each block.
    scales: Vec<f32>,
    /// The sum of each block, including its scale.
    sums: Vec<f32>,
    blocks: usize,
}

/// One row of [`Activations`].
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) words: &'a [i32],
    pub(super) scales: &'a [f32],
    pub(super) sums: &'a [f32],
}

impl Activations {
    /// Rounds rows of `columns` numbers each.
    pub(crate) fn round(rows: &[f32], columns: usize) -> Self {
        let (blocks, count) = (columns.div_ceil(BLOCK), rows.len() / columns.max(1));
        let mut new = Activations {
            words: vec![0; count * blocks * BLOCK / WORD],
            scales: vec![0.0; count * blocks],
            sums: vec![0.0; count * blocks],
            blocks,
        };
        if blocks == 0 {
            return new;
        }
        let words = new.words.par_chunks_exact_mut(blocks * BLOCK / WORD);
        let factors = new.scales.par_chunks_exact_mut(blocks).zip(new.sums.par_chunks_exact_mut(blocks));
        // One row takes less than a microsecond, which is less than waking a thread.
        let rows = rows.par_chunks_exact(columns).with_min_len(8);
        rows.zip(words).zip(factors).for_each(|((values, words), (scales, sums))| {
            let integers = bytemuck::cast_slice_mut(words);
            Arch::new().dispatch(Round { values, integers, scales, sums });
        });
        new
    }

    /// Returns the number of rows.
    pub(super) fn count(&self) -> usize {
        self.scales.len().checked_div(self.blocks).unwrap_or(0)
    }

    /// Returns the number of blocks of a row.
    pub(super) fn blocks(&self) -> usize {
        self.blocks
    }

    pub(super) fn row(&self, row: usize) -> Row<'_> {
        let (words, blocks) = (self.blocks * BLOCK / WORD, self.blocks);
        Row {
            words: &self.words[row * words..][..words],
            scales: &self.scales[row * blocks..][..blocks],
            sums: &self.sums[row * blocks..][..blocks],
        }
    }
}

struct Round<'a> {
    values: &'a [f32],
    integers: &'a mut [i8],
    scales: &'a mut [f32],
    sums: &'a mut [f32],
}

impl WithSimd for Round<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { values, integers, scales, sums } = self;
        let (whole, rest) = values.as_chunks::<BLOCK>();
        let (integers, _) = integers.as_chunks_mut::<BLOCK>();
        for (((values, integers), scale), sum) in
            whole.iter().zip(&mut *integers).zip(&mut *scales).zip(&mut *sums)
        {
            (*scale, *sum) = round_block(values, integers);
        }
        if let (false, Some(integers), Some(scale), Some(sum)) =
            (rest.is_empty(), integers.last_mut(), scales.last_mut(), sums.last_mut())
        {
            let mut filled = [0.0; BLOCK];
            filled[..rest.len()].copy_from_slice(rest);
            (*scale, *sum) = round_block(&filled, integers);
        }
    }
}

/// Rounds a block. Returns its scale and the sum of the rounded numbers.
#[inline(always)]
fn round_block(values: &[f32; BLOCK], integers: &mut [i8; BLOCK]) -> (f32, f32) {
    /// Adding this constant leaves the nearest integer in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    // Absolute values are ordered like their bits, and the maximum of integers does not depend on
    // the order.
    let largest = values.iter().fold(0, |most, x| most.max(x.to_bits() & 0x7fff_ffff));
    let largest = f32::from_bits(largest);
    let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
    let mut sum = 0_i32;
    for (integer, x) in integers.iter_mut().zip(values) {
        // Numbers that are not finite may wrap around. Their scale is not finite either.
        let rounded = (x * inverse + ROUND).to_bits().wrapping_sub(ROUND.to_bits());
        *integer = rounded as i8;
        sum += i32::from(*integer);
    }
    let scale = largest / 127.0;
    (scale, scale * sum as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_errors_are_at_most_half_a_step() {
        for columns in [1, 31, 32, 40, 96] {
            let rows: Vec<f32> = (0..2 * columns).map(|i| ((i * 37) % 101) as f32 - 50.0).collect();
            let rounded = Activations::round(&rows, columns);
            assert_eq!((rounded.count(), rounded.blocks()), (2, columns.div_ceil(32)));
            for (at, values) in rows.chunks(columns).enumerate() {
                let row = rounded.row(at);
                let integers: &[i8] = bytemuck::cast_slice(row.words);
                for (block, values) in values.chunks(BLOCK).enumerate() {
                    let found =
                        integers[block * BLOCK..][..BLOCK].iter().map(|&x| f32::from(x) * row.scales[block]);
                    let found: Vec<f32> = found.collect();
                    let off = found.iter().zip(values).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                    assert!(off <= row.scales[block] * 0.501, "{off}");
                    assert!((found.iter().sum::<f32>() - row.sums[block]).abs() < 1e-3);
                }
            }
        }
        assert_eq!(Activations::round(&[0.0; 32], 32).row(0).scales, [0.0]);
    }
}
