//! Products of a matrix of 8-bit integers with rows that are rounded to 8 bits block by block, for
//! encoders on processors with AVX-512 VNNI and without tiles.
//!
//! Every block of either factor has its own scale, so one large number costs only its neighbours
//! precision.
//! The instruction multiplies unsigned with signed integers. So rows are stored with 128 added, and
//! the sums of a block start at −128 times the sum of its weights.

use super::lengths::{check_out, row_count};
use crate::Error;

/// The number of columns that share a scale.
pub(crate) const BLOCK: usize = 64;

/// The number of adjacent columns that one instruction multiplies.
const WORD: usize = 4;

const WORDS: usize = BLOCK / WORD;

/// The number of matrix rows in one register.
const LANES: usize = 16;

/// The number of matrix registers that are multiplied with each word of a left row.
const WIDE: usize = 2;

/// The number of matrix rows per panel.
const PANEL: usize = LANES * WIDE;

/// The number of left rows that are multiplied together: their sums and totals fill the registers.
pub(crate) const TOGETHER: usize = 6;

/// What is added to rounded numbers.
const OFFSET: i32 = 128;

/// [`BLOCK`] neighbouring numbers of a row, rounded to 8 bits.
#[derive(Clone, Copy)]
pub(crate) struct RoundedBlock {
    /// The rounded numbers plus [`OFFSET`], one per byte.
    words: [i32; WORDS],
    scale: f32,
}

impl Default for RoundedBlock {
    fn default() -> Self {
        Self { words: [0; WORDS], scale: 0.0 }
    }
}

impl RoundedBlock {
    /// Rounds rows of `columns` numbers each. Every row fills whole blocks.
    #[inline(always)]
    pub(crate) fn round(rows: &[f32], columns: usize, out: &mut [Self]) {
        let blocks = columns.div_ceil(BLOCK).max(1);
        for (row, out) in rows.chunks_exact(columns.max(1)).zip(out.chunks_exact_mut(blocks)) {
            let (whole, rest) = row.as_chunks::<BLOCK>();
            for (values, out) in whole.iter().zip(&mut *out) {
                out.set(values);
            }
            if let (false, Some(out)) = (rest.is_empty(), out.last_mut()) {
                let mut filled = [0.0; BLOCK];
                filled[..rest.len()].copy_from_slice(rest);
                out.set(&filled);
            }
        }
    }

    #[inline(always)]
    fn set(&mut self, values: &[f32; BLOCK]) {
        /// Adding this constant leaves the nearest integer in the lowest bits.
        const ROUND: f32 = 12_582_912.0;
        // Absolute values are ordered like their bits, and the maximum of integers does not depend
        // on the order.
        let largest = values.iter().fold(0, |most, x| most.max(x.to_bits() & 0x7fff_ffff));
        let largest = f32::from_bits(largest);
        let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.words);
        for (byte, x) in bytes.iter_mut().zip(values) {
            // Numbers that are not finite may wrap around. Their scale is not finite either.
            let rounded = (x * inverse + ROUND).to_bits().wrapping_sub(ROUND.to_bits());
            *byte = rounded.wrapping_add(OFFSET.cast_unsigned()) as u8;
        }
        self.scale = largest / 127.0;
    }
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Register([u8; LANES * WORD]);

/// The numbers of one block of the rows of a panel.
#[derive(Clone, Copy)]
struct BlockHead {
    /// Where the sums start.
    starts: [i32; PANEL],
    scales: [f32; PANEL],
}

/// A matrix in panels of [`PANEL`] rows. Each panel stores the words of its columns one after the
/// other.
pub(crate) struct ScaledMatrix {
    registers: Vec<[Register; WIDE]>,
    /// For each block of each panel.
    heads: Vec<BlockHead>,
    rows: usize,
    columns: usize,
}

impl ScaledMatrix {
    /// Packs rows of `columns` integers, with a scale for each row.
    pub(crate) fn pack_integers(values: &[i8], scales: &[f32], columns: usize) -> Result<Self, Error> {
        let mut matrix = Self::zeros(values.len(), columns)?;
        check_out(scales.len(), matrix.rows, 1)?;
        for (row, (values, &scale)) in values.chunks_exact(columns).zip(scales).enumerate() {
            for (block, values) in values.chunks(BLOCK).enumerate() {
                matrix.set(row, block, values, scale);
            }
        }
        Ok(matrix)
    }

    /// Packs rows of `columns` numbers, rounded to 8 bits block by block.
    pub(crate) fn pack_floats(values: &[f32], columns: usize) -> Result<Self, Error> {
        let mut matrix = Self::zeros(values.len(), columns)?;
        let mut rounded = vec![RoundedBlock::default(); columns.div_ceil(BLOCK)];
        for (row, values) in values.chunks_exact(columns).enumerate() {
            pulp::Arch::new().dispatch(|| RoundedBlock::round(values, columns, &mut rounded));
            for (block, RoundedBlock { words, scale }) in rounded.iter().enumerate() {
                let bytes: &[u8] = bytemuck::cast_slice(words);
                let integers: [i8; BLOCK] = std::array::from_fn(|i| (i32::from(bytes[i]) - OFFSET) as i8);
                matrix.set(row, block, &integers, *scale);
            }
        }
        Ok(matrix)
    }

    /// Returns a matrix of zeros with rows of `columns` numbers.
    fn zeros(numbers: usize, columns: usize) -> Result<Self, Error> {
        let rows = row_count(numbers, columns)?;
        let blocks = rows.div_ceil(PANEL) * columns.div_ceil(BLOCK);
        let head = BlockHead { starts: [0; PANEL], scales: [0.0; PANEL] };
        let registers = vec![[Register([0; LANES * WORD]); WIDE]; blocks * WORDS];
        Ok(Self { registers, heads: vec![head; blocks], rows, columns })
    }

    /// Sets one block of a row.
    fn set(&mut self, row: usize, block: usize, values: &[i8], scale: f32) {
        let (panel, half, lane) = (row / PANEL, row % PANEL / LANES, row % LANES);
        let block = panel * self.columns.div_ceil(BLOCK) + block;
        let head = &mut self.heads[block];
        head.starts[row % PANEL] = -OFFSET * values.iter().map(|&x| i32::from(x)).sum::<i32>();
        head.scales[row % PANEL] = scale;
        for (four, registers) in values.chunks(WORD).zip(&mut self.registers[block * WORDS..]) {
            for (byte, &value) in registers[half].0[lane * WORD..].iter_mut().zip(four) {
                *byte = value.cast_unsigned();
            }
        }
    }

    /// Computes `left`·selfᵀ into `out`, row by row. Each row's result is independent of the other
    /// rows.
    pub(crate) fn multiply(&self, left: &[RoundedBlock], out: &mut [f32]) -> Result<(), Error> {
        #[cfg(target_arch = "x86_64")]
        if super::has_vnni() {
            // SAFETY: the processor has these features, and AVX-512F, which all other AVX-512
            // features require.
            return self.panels(left, out, |panel, left, out| unsafe { vnni::tile(panel, left, out) });
        }
        self.panels(left, out, plain)
    }

    /// Calls `tile` for each panel with every group of up to [`TOGETHER`] rows.
    fn panels(
        &self,
        left: &[RoundedBlock],
        out: &mut [f32],
        tile: impl Fn(Panel<'_>, &[RoundedBlock], OutputRows<'_>),
    ) -> Result<(), Error> {
        let blocks = self.columns.div_ceil(BLOCK);
        let height = row_count(left.len(), blocks)?;
        check_out(out.len(), height, self.rows)?;
        let panels = self.registers.chunks_exact(blocks * WORDS).zip(self.heads.chunks_exact(blocks));
        for (index, (registers, heads)) in panels.enumerate() {
            let first = index * PANEL;
            let count = PANEL.min(self.rows - first);
            let groups = left.chunks(TOGETHER * blocks).zip(out.chunks_mut(TOGETHER * self.rows));
            for (left, rows) in groups {
                tile(Panel { registers, heads }, left, OutputRows { rows, stride: self.rows, first, count });
            }
        }
        Ok(())
    }
}

/// A panel of a matrix.
#[derive(Clone, Copy)]
struct Panel<'a> {
    registers: &'a [[Register; WIDE]],
    heads: &'a [BlockHead],
}

/// The columns of a few output rows that a panel fills.
struct OutputRows<'a> {
    rows: &'a mut [f32],
    stride: usize,
    first: usize,
    count: usize,
}

impl OutputRows<'_> {
    fn set(&mut self, row: usize, values: &[f32; PANEL]) {
        let out = &mut self.rows[row * self.stride + self.first..][..self.count];
        match out.first_chunk_mut() {
            // The size is known when this is compiled, so nothing is called.
            Some(out) => *out = *values,
            None => out.copy_from_slice(&values[..self.count]),
        }
    }
}

/// The same numbers for any processor.
fn plain(panel: Panel<'_>, left: &[RoundedBlock], mut out: OutputRows<'_>) {
    for (row, left) in left.chunks_exact(panel.heads.len()).enumerate() {
        let mut totals = [0.0_f32; PANEL];
        for ((block, head), registers) in
            left.iter().zip(panel.heads).zip(panel.registers.as_chunks::<WORDS>().0)
        {
            let mut sums = head.starts;
            let (codes, _) = bytemuck::cast_slice::<i32, u8>(&block.words).as_chunks::<WORD>();
            for (codes, registers) in codes.iter().zip(registers) {
                let weights = registers.iter().flat_map(|register| register.0.as_chunks::<WORD>().0);
                for (sum, weights) in sums.iter_mut().zip(weights) {
                    for (&code, &weight) in codes.iter().zip(weights) {
                        *sum += i32::from(code) * i32::from(weight.cast_signed());
                    }
                }
            }
            for ((total, sum), scale) in totals.iter_mut().zip(sums).zip(head.scales) {
                *total = (sum as f32).mul_add(scale * block.scale, *total);
            }
        }
        out.set(row, &totals);
    }
}

#[cfg(target_arch = "x86_64")]
mod vnni {
    use std::arch::x86_64::*;

    use super::{LANES, OutputRows, PANEL, Panel, Register, RoundedBlock, TOGETHER, WIDE, WORDS};

    /// Computes the products of a panel with up to [`TOGETHER`] rows.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) fn tile(panel: Panel<'_>, left: &[RoundedBlock], out: OutputRows<'_>) {
        match left.len() / panel.heads.len() {
            TOGETHER => rows::<TOGETHER>(panel, left, out),
            5 => rows::<5>(panel, left, out),
            4 => rows::<4>(panel, left, out),
            3 => rows::<3>(panel, left, out),
            2 => rows::<2>(panel, left, out),
            _ => rows::<1>(panel, left, out),
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    #[allow(clippy::needless_range_loop)]
    fn rows<const R: usize>(panel: Panel<'_>, left: &[RoundedBlock], mut out: OutputRows<'_>) {
        let blocks = panel.heads.len();
        let mut rows: [&[RoundedBlock]; R] = [&[]; R];
        for r in 0..R {
            rows[r] = &left[r * blocks..][..blocks];
        }
        let mut totals = [[_mm512_setzero_ps(); WIDE]; R];
        let (registers, _) = panel.registers.as_chunks::<WORDS>();
        for (index, (head, registers)) in panel.heads.iter().zip(registers).enumerate() {
            let (mut start, mut scales) = ([_mm512_setzero_si512(); WIDE], [_mm512_setzero_ps(); WIDE]);
            for half in 0..WIDE {
                start[half] = load(&head.starts[half * LANES..]);
                scales[half] = _mm512_castsi512_ps(load(bytemuck::cast_slice(&head.scales[half * LANES..])));
            }
            let mut sums = [start; R];
            let mut words: [&[i32; WORDS]; R] = [&[0; WORDS]; R];
            for r in 0..R {
                words[r] = &rows[r][index].words;
            }
            for word in 0..WORDS {
                let weights = [registers[word][0], registers[word][1]].map(Register::into_lanes);
                for r in 0..R {
                    let four = _mm512_set1_epi32(words[r][word]);
                    for half in 0..WIDE {
                        sums[r][half] = _mm512_dpbusd_epi32(sums[r][half], four, weights[half]);
                    }
                }
            }
            for r in 0..R {
                let scale = _mm512_set1_ps(rows[r][index].scale);
                for half in 0..WIDE {
                    let (sum, scale) =
                        (_mm512_cvtepi32_ps(sums[r][half]), _mm512_mul_ps(scales[half], scale));
                    totals[r][half] = _mm512_fmadd_ps(sum, scale, totals[r][half]);
                }
            }
        }
        for r in 0..R {
            let mut values = [0.0; PANEL];
            for half in 0..WIDE {
                // SAFETY: the array has space for both registers, and stores need no alignment.
                unsafe { _mm512_storeu_ps(values.as_mut_ptr().add(half * LANES), totals[r][half]) };
            }
            out.set(r, &values);
        }
    }

    /// Loads the first sixteen integers.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn load(integers: &[i32]) -> __m512i {
        let integers = &integers[..LANES];
        // SAFETY: the slice has the 64 bytes of a register, and loads need no alignment.
        unsafe { _mm512_loadu_si512(integers.as_ptr().cast()) }
    }

    impl Register {
        /// Returns the bytes as a register of the processor.
        #[inline(always)]
        fn into_lanes(self) -> __m512i {
            // SAFETY: both types consist of 64 bytes, and every value of them is valid.
            unsafe { std::mem::transmute::<[u8; 64], __m512i>(self.0) }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rounded(rows: &[f32], columns: usize) -> Vec<RoundedBlock> {
        let blocks = columns.div_ceil(BLOCK);
        let mut out = vec![RoundedBlock::default(); rows.len() / columns * blocks];
        RoundedBlock::round(rows, columns, &mut out);
        out
    }

    /// The numbers that a row of blocks stands for.
    fn widened(blocks: &[RoundedBlock]) -> Vec<f64> {
        let number = |block: &RoundedBlock| {
            let scale = block.scale;
            let bytes: Vec<u8> = bytemuck::cast_slice(&block.words).to_vec();
            bytes.into_iter().map(move |byte| f64::from(i32::from(byte) - OFFSET) * f64::from(scale))
        };
        blocks.iter().flat_map(number).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn products_are_those_of_the_rounded_numbers(
            (k, left, right) in (1..20_usize, 1..80_usize, 1..200_usize).prop_flat_map(|(m, n, k)| {
                let left = proptest::collection::vec(-3.0..3.0_f32, m * k);
                (Just(k), left, proptest::collection::vec(any::<i8>(), n * k))
            })
        ) {
            let (rows, columns) = (left.len() / k, right.len() / k);
            let scales: Vec<f32> = (0..columns).map(|row| 0.01 * (1 + row % 5) as f32).collect();
            let matrix = ScaledMatrix::pack_integers(&right, &scales, k).unwrap();
            let left = rounded(&left, k);
            let mut found = vec![0.0; rows * columns];
            matrix.multiply(&left, &mut found).unwrap();
            let mut by_plain_code = found.clone();
            matrix.panels(&left, &mut by_plain_code, plain).unwrap();
            prop_assert_eq!(&found, &by_plain_code);
            for (left, found) in left.chunks(k.div_ceil(BLOCK)).map(widened).zip(found.chunks(columns)) {
                for ((weights, &scale), found) in right.chunks(k).zip(&scales).zip(found) {
                    let scale = f64::from(scale);
                    let wanted: f64 = left.iter().zip(weights).map(|(x, &w)| x * f64::from(w) * scale).sum();
                    let size: f64 = left.iter().zip(weights).map(|(x, &w)| (x * f64::from(w) * scale).abs()).sum();
                    prop_assert!((f64::from(*found) - wanted).abs() <= 1e-6 * size, "{found} for {wanted}");
                }
            }
        }

        #[test]
        fn rounding_errors_are_at_most_half_a_step(
            values in proptest::collection::vec(-1e3..1e3_f32, 1..200),
        ) {
            let blocks = rounded(&values, values.len());
            for (block, values) in blocks.iter().zip(values.chunks(BLOCK)) {
                for (found, value) in widened(std::slice::from_ref(block)).iter().zip(values) {
                    prop_assert!((found - f64::from(*value)).abs() <= 0.501 * f64::from(block.scale));
                }
            }
        }
    }

    /// Weights with 32 bits have the precision of their blocks.
    #[test]
    fn floats_are_rounded_to_a_hundredth() {
        let (rows, columns) = (40, 150);
        let weights: Vec<f32> =
            (0..rows * columns).map(|i| ((i * 7919 % 1009) as f32 / 504.5 - 1.0).powi(3)).collect();
        let matrix = ScaledMatrix::pack_floats(&weights, columns).unwrap();
        // Each row of the unit matrix gives a column of the weights.
        let mut units = vec![0.0; columns * columns];
        (0..columns).for_each(|i| units[i * columns + i] = 1.0);
        let mut found = vec![0.0; columns * rows];
        matrix.multiply(&rounded(&units, columns), &mut found).unwrap();
        for (column, found) in found.chunks(rows).enumerate() {
            for (row, found) in found.iter().enumerate() {
                assert!((found - weights[row * columns + column]).abs() < 0.005);
            }
        }
    }

    #[test]
    fn numbers_that_are_not_finite_are_not_hidden() {
        let matrix = ScaledMatrix::pack_integers(&[1; 65], &[1.0], 65).unwrap();
        for odd in [f32::NAN, f32::INFINITY] {
            let mut row = [1.0; 65];
            row[64] = odd;
            let mut out = [0.0];
            matrix.multiply(&rounded(&row, 65), &mut out).unwrap();
            assert!(!out[0].is_finite());
        }
    }

    #[test]
    fn lengths_are_checked() {
        let matrix = ScaledMatrix::pack_integers(&[1, 2, 3, 4], &[1.0, 1.0], 2).unwrap();
        let left = rounded(&[1.0, 2.0], 2);
        assert!(matrix.multiply(&left, &mut [0.0; 3]).is_err());
        assert!(matrix.multiply(&[], &mut []).is_ok());
        assert!(ScaledMatrix::pack_integers(&[1, 2, 3], &[1.0], 2).is_err());
        assert!(ScaledMatrix::pack_integers(&[1, 2], &[], 2).is_err());
        assert!(ScaledMatrix::pack_floats(&[1.0], 0).is_err());
    }

    #[test]
    fn rows_of_zeros_have_products_of_zero() {
        let matrix = ScaledMatrix::pack_integers(&[-128; 130], &[1.0; 2], 65).unwrap();
        let mut out = [1.0; 2];
        matrix.multiply(&rounded(&[0.0; 65], 65), &mut out).unwrap();
        assert_eq!(out, [0.0; 2]);
    }
}
