//! The left factors of products with block matrices: rows of 8-bit integers with a scale for every
//! 32 of them.
//!
//! Kernels multiply several rows together. What they need of these rows at the same time is
//! adjacent, so that they read their left factor in order.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::format::{BLOCK, WORD};

/// The number of words of a block.
pub(super) const WORDS: usize = BLOCK / WORD;

/// The most rows that are multiplied together: their sums fill the registers.
const TOGETHER: usize = 12;

/// Rows rounded to 8 bits, block by block. Each row is rounded independently of the others.
pub(crate) struct Activations {
    /// By group of rows, block, word and row: four integers per word. The last block of a row is
    /// padded with zeros.
    words: Vec<i32>,
    /// By group of rows, block and row: the scale of a block.
    scales: Vec<f32>,
    /// The sum of a block, including its scale.
    sums: Vec<f32>,
    blocks: usize,
}

/// `R` rows of [`Activations`], by block.
#[derive(Clone, Copy)]
pub(super) struct Group<'a, const R: usize> {
    pub(super) words: &'a [[[i32; R]; WORDS]],
    pub(super) scales: &'a [[f32; R]],
    pub(super) sums: &'a [[f32; R]],
}

/// Returns how many of the rows that are left form the next group.
pub(super) fn group_size(left: usize) -> usize {
    match left {
        TOGETHER.. => TOGETHER,
        8.. => 8,
        4.. => 4,
        _ => left,
    }
}

impl Activations {
    /// Rounds rows of `columns` numbers each.
    pub(crate) fn round(rows: &[f32], columns: usize) -> Self {
        let (blocks, count) = (columns.div_ceil(BLOCK), rows.len() / columns.max(1));
        let mut new = Activations {
            words: vec![0; count * blocks * WORDS],
            scales: vec![0.0; count * blocks],
            sums: vec![0.0; count * blocks],
            blocks,
        };
        if blocks == 0 {
            return new;
        }
        let most = TOGETHER * blocks;
        let words = new.words.par_chunks_mut(most * WORDS);
        let factors = new.scales.par_chunks_mut(most).zip(new.sums.par_chunks_mut(most));
        let groups = rows.par_chunks(TOGETHER * columns).zip(words).zip(factors);
        groups.for_each(|((mut rows, mut words), (mut scales, mut sums))| {
            let mut left = rows.len() / columns;
            while left > 0 {
                let size = group_size(left);
                left -= size;
                let (group, (group_scales, group_sums));
                (group, words) = words.split_at_mut(size * blocks * WORDS);
                (group_scales, scales) = scales.split_at_mut(size * blocks);
                (group_sums, sums) = sums.split_at_mut(size * blocks);
                for row in 0..size {
                    let values;
                    (values, rows) = rows.split_at(columns);
                    let (words, scales, sums) = (&mut *group, &mut *group_scales, &mut *group_sums);
                    Arch::new().dispatch(Round { values, size, row, words, scales, sums });
                }
            }
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

    /// Returns the group of `R` rows that begins with this row.
    pub(super) fn group<const R: usize>(&self, first: usize) -> Group<'_, R> {
        let (first, count) = (first * self.blocks, R * self.blocks);
        Group {
            words: self.words[first * WORDS..][..count * WORDS].as_chunks::<R>().0.as_chunks().0,
            scales: self.scales[first..][..count].as_chunks().0,
            sums: self.sums[first..][..count].as_chunks().0,
        }
    }
}

/// Rounds one row of a group of `size` rows.
struct Round<'a> {
    values: &'a [f32],
    size: usize,
    row: usize,
    words: &'a mut [i32],
    scales: &'a mut [f32],
    sums: &'a mut [f32],
}

impl WithSimd for Round<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { values, size, row, words, scales, sums } = self;
        let mut put = |block: usize, values: &[f32; BLOCK]| {
            let mut rounded = [0_i32; WORDS];
            let (scale, sum) = round_block(values, bytemuck::cast_mut(&mut rounded));
            (scales[block * size + row], sums[block * size + row]) = (scale, sum);
            for (word, rounded) in rounded.into_iter().enumerate() {
                words[(block * WORDS + word) * size + row] = rounded;
            }
        };
        let (whole, rest) = values.as_chunks::<BLOCK>();
        for (block, values) in whole.iter().enumerate() {
            put(block, values);
        }
        if !rest.is_empty() {
            let mut filled = [0.0; BLOCK];
            filled[..rest.len()].copy_from_slice(rest);
            put(whole.len(), &filled);
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
impl Activations {
    /// Returns the integers and the scales of a row.
    pub(super) fn row(&self, row: usize) -> (Vec<i8>, Vec<f32>) {
        let (mut first, mut size) = (0, group_size(self.count()));
        while row >= first + size {
            first += size;
            size = group_size(self.count() - first);
        }
        let blocks = first * self.blocks..(first + size) * self.blocks;
        let words = &self.words[blocks.start * WORDS..blocks.end * WORDS];
        let own = |all: &[f32]| all.iter().skip(row - first).step_by(size).copied().collect();
        let words = words.iter().skip(row - first).step_by(size);
        (words.flat_map(|word| word.to_ne_bytes().map(u8::cast_signed)).collect(), own(&self.scales[blocks]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_errors_are_at_most_half_a_step() {
        for (count, columns) in [(1, 1), (2, 31), (3, 32), (7, 40), (30, 96)] {
            let rows: Vec<f32> = (0..count * columns).map(|i| ((i * 37) % 101) as f32 - 50.0).collect();
            let rounded = Activations::round(&rows, columns);
            assert_eq!((rounded.count(), rounded.blocks()), (count, columns.div_ceil(32)));
            for (at, values) in rows.chunks(columns).enumerate() {
                let (integers, scales) = rounded.row(at);
                for (block, values) in values.chunks(BLOCK).enumerate() {
                    let found =
                        integers[block * BLOCK..][..BLOCK].iter().map(|&x| f32::from(x) * scales[block]);
                    let found: Vec<f32> = found.collect();
                    let off = found.iter().zip(values).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                    assert!(off <= scales[block] * 0.501, "{off}");
                }
            }
        }
        let group = Activations::round(&[0.0; 64], 32).group::<2>(0).scales.to_vec();
        assert_eq!(group, [[0.0; 2]]);
    }

    #[test]
    fn sums_are_those_of_the_rounded_numbers() {
        let rows: Vec<f32> = (0..2 * 96).map(|i| ((i * 37) % 101) as f32 - 20.0).collect();
        let rounded = Activations::round(&rows, 96);
        let sums = rounded.group::<2>(0).sums;
        for row in [0, 1] {
            let (integers, scales) = rounded.row(row);
            for (block, integers) in integers.chunks(BLOCK).enumerate() {
                let sum: f32 = integers.iter().map(|&x| f32::from(x) * scales[block]).sum();
                assert!((sum - sums[block][row]).abs() < 1e-3);
            }
        }
    }
}
