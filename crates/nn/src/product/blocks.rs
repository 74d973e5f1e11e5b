//! Matrices of 4 or 8 bits for products with few rows, whose speed is limited by reading the matrix
//! from memory.
//!
//! Every 32 numbers of a row are `scale·code + minimum` with codes from 0 up. GGUF's 4-bit formats
//! have this form, so they are kept unchanged. Sixteen rows form a panel: the codes of four columns
//! of sixteen rows fill a register of 64 bytes, and the sums of sixteen rows are accumulated in
//! parallel lanes.

use half::{bf16, f16};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::activations::Activations;
use super::format::{BLOCK, Bits, HEADER, PANEL, REGISTER, WORD, code, code_position, factors};
use super::panel::multiply;
use super::rounding::narrow;
use crate::Error;

/// The numbers of up to sixteen rows, as input of packing.
pub(crate) enum PanelRows {
    /// Codes below 16, row by row, and the scale and minimum of every block.
    Codes {
        /// One code per byte.
        codes: Vec<u8>,
        /// By row and block.
        factors: Vec<[f32; 2]>,
    },
    /// Any numbers, row by row; they are rounded to 8 bits.
    Floats(Vec<f32>),
}

/// A matrix in blocks.
pub(crate) struct BlockMatrix {
    bytes: Vec<u8>,
    bits: Bits,
    rows: usize,
    columns: usize,
}

impl BlockMatrix {
    /// Packs a matrix. `panel` returns the rows of a range of up to sixteen rows; `four` says
    /// whether they are given as codes.
    pub(crate) fn pack(
        [rows, columns]: [usize; 2],
        four: bool,
        panel: impl Fn(std::ops::Range<usize>) -> Result<PanelRows, Error> + Sync,
    ) -> Result<Self, Error> {
        let bits = if four { Bits::Four } else { Bits::Eight };
        let blocks = columns.div_ceil(BLOCK);
        let panel_bytes = blocks * bits.block_bytes();
        let mut bytes = vec![0; rows.div_ceil(PANEL) * panel_bytes];
        if panel_bytes > 0 {
            bytes.par_chunks_exact_mut(panel_bytes).enumerate().try_for_each(|(index, out)| {
                let range = index * PANEL..rows.min((index + 1) * PANEL);
                let height = range.len();
                match (panel(range)?, bits) {
                    (PanelRows::Codes { codes, factors }, Bits::Four)
                        if codes.len() == height * columns && factors.len() == height * blocks =>
                    {
                        write_codes(&codes, &factors, columns, out);
                        Ok(())
                    }
                    (PanelRows::Floats(values), Bits::Eight) if values.len() == height * columns => {
                        write_floats(&values, columns, out);
                        Ok(())
                    }
                    _ => Err(Error::argument("the rows of a matrix do not match its shape or bits")),
                }
            })?;
        }
        Ok(Self { bytes, bits, rows, columns })
    }

    /// Returns the number of rows, which are the outputs of a product.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of panels.
    pub(crate) fn panels(&self) -> usize {
        self.rows.div_ceil(PANEL)
    }

    /// Returns the number of columns.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Multiplies all rows of `left` with one panel: `out` has sixteen numbers for each row of
    /// `left`.
    pub(crate) fn multiply_panel(&self, panel: usize, left: &Activations, out: &mut [f32]) {
        debug_assert!(left.blocks() == self.columns.div_ceil(BLOCK) && out.len() == left.count() * PANEL);
        multiply(self.panel(panel), self.bits, left, out);
    }

    /// Dequantises one row.
    pub(crate) fn row(&self, row: usize, out: &mut [f32]) {
        let panel = self.panel(row / PANEL);
        let blocks = panel.chunks_exact(self.bits.block_bytes()).zip(out[..self.columns].chunks_mut(BLOCK));
        for (block, out) in blocks {
            let [scale, least] = factors(block, row % PANEL);
            for (column, out) in out.iter_mut().enumerate() {
                *out = scale * f32::from(code(block, self.bits, row % PANEL, column)) + least;
            }
        }
    }

    /// Dequantises the rows of one panel to 16 bits, each `columns` long; `out` has space for the
    /// existing rows.
    pub(crate) fn widen_panel(&self, panel: usize, out: &mut [bf16]) {
        let (panel, bits, columns) = (self.panel(panel), self.bits, self.columns);
        Arch::new().dispatch(Widen { panel, bits, columns, out });
    }

    fn panel(&self, panel: usize) -> &[u8] {
        let bytes = self.columns.div_ceil(BLOCK) * self.bits.block_bytes();
        &self.bytes[panel * bytes..][..bytes]
    }
}

fn write_header(block: &mut [u8], row: usize, [scale, least]: [f16; 2]) {
    block[2 * row..2 * row + 2].copy_from_slice(&scale.to_le_bytes());
    let at = 2 * (PANEL + row);
    block[at..at + 2].copy_from_slice(&least.to_le_bytes());
}

fn write_codes(codes: &[u8], factors: &[[f32; 2]], columns: usize, out: &mut [u8]) {
    let blocks = columns.div_ceil(BLOCK);
    for (row, (codes, factors)) in codes.chunks_exact(columns).zip(factors.chunks_exact(blocks)).enumerate() {
        let outs = out.chunks_exact_mut(Bits::Four.block_bytes());
        for ((codes, factors), out) in codes.chunks(BLOCK).zip(factors).zip(outs) {
            write_header(out, row, factors.map(f16::from_f32));
            for (column, &code) in codes.iter().enumerate() {
                let (at, shift) = code_position(Bits::Four, row, column);
                out[HEADER + at] |= (code & 15) << shift;
            }
        }
    }
}

fn write_floats(values: &[f32], columns: usize, out: &mut [u8]) {
    for (row, values) in values.chunks_exact(columns).enumerate() {
        let outs = out.chunks_exact_mut(Bits::Eight.block_bytes());
        for (values, out) in values.chunks(BLOCK).zip(outs) {
            let factors = span(values);
            write_header(out, row, factors);
            let [scale, least] = factors.map(f16::to_f32);
            let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
            for (column, value) in values.iter().enumerate() {
                let (at, _) = code_position(Bits::Eight, row, column);
                out[HEADER + at] = ((value - least) * inverse).round() as u8;
            }
        }
    }
}

/// Returns a scale and a minimum, both rounded outwards, such that 256 steps cover all numbers.
fn span(values: &[f32]) -> [f16; 2] {
    let (low, high) =
        values.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)));
    let mut least = f16::from_f32(low);
    if least.to_f32() > low {
        least = step_down(least);
    }
    let exact = (high - least.to_f32()) / 255.0;
    let mut scale = f16::from_f32(exact);
    if scale.to_f32() < exact {
        scale = f16::from_bits(scale.to_bits() + 1);
    }
    [scale, least]
}

/// Returns the next smaller number.
fn step_down(x: f16) -> f16 {
    let bits = x.to_bits();
    f16::from_bits(match bits {
        0 => 0x8001,
        bits if bits & 0x8000 == 0 => bits - 1,
        bits => bits + 1,
    })
}

struct Widen<'a> {
    panel: &'a [u8],
    bits: Bits,
    columns: usize,
    out: &'a mut [bf16],
}

impl WithSimd for Widen<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        match self.bits {
            Bits::Four => self.rows::<4>(),
            Bits::Eight => self.rows::<8>(),
        }
    }
}

impl Widen<'_> {
    #[inline(always)]
    fn rows<const BITS: u32>(self) {
        let Self { panel, bits, columns, out } = self;
        for (index, block) in panel.chunks_exact(bits.block_bytes()).enumerate() {
            let width = BLOCK.min(columns - index * BLOCK);
            for (row, out) in out.chunks_exact_mut(columns).enumerate() {
                let [scale, least] = factors(block, row);
                let out = &mut out[index * BLOCK..][..width];
                let mut values = [0.0_f32; BLOCK];
                let (words, _) = values.as_chunks_mut::<WORD>();
                for (word, values) in words.iter_mut().enumerate() {
                    let (register, shift) = match BITS {
                        4 => (word % 4, if word < 4 { 0 } else { 4 }),
                        _ => (word, 0),
                    };
                    let bytes = &block[HEADER + register * REGISTER + row * WORD..][..WORD];
                    for (value, byte) in values.iter_mut().zip(bytes) {
                        let code = if BITS == 4 { (byte >> shift) & 15 } else { *byte };
                        *value = f32::from(code) * scale + least;
                    }
                }
                let mut rounded = [bf16::ZERO; BLOCK];
                narrow(&values, &mut rounded);
                out.copy_from_slice(&rounded[..width]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(rows: usize, columns: usize) -> Vec<f32> {
        (0..rows * columns)
            .map(|i| (((i * 7919) % 1013) as f32 / 1013.0 - 0.3) / (1.0 + (i % 7) as f32))
            .collect()
    }

    fn eight(rows: usize, columns: usize) -> BlockMatrix {
        let values = floats(rows, columns);
        let panel = |range: std::ops::Range<usize>| {
            Ok(PanelRows::Floats(values[range.start * columns..range.end * columns].to_vec()))
        };
        BlockMatrix::pack([rows, columns], false, panel).unwrap()
    }

    fn four(rows: usize, columns: usize) -> BlockMatrix {
        let blocks = columns.div_ceil(BLOCK);
        let panel = |range: std::ops::Range<usize>| {
            let codes = range
                .clone()
                .flat_map(|r| (0..columns).map(move |c| ((r * 31 + c * 7) % 16) as u8))
                .collect();
            let factors = range
                .flat_map(|r| (0..blocks).map(move |b| [0.25 + r as f32 / 64.0, -1.0 - b as f32]))
                .collect();
            Ok(PanelRows::Codes { codes, factors })
        };
        BlockMatrix::pack([rows, columns], true, panel).unwrap()
    }

    fn wide(matrix: &BlockMatrix) -> Vec<f32> {
        let mut out = vec![0.0; matrix.rows() * matrix.columns()];
        out.chunks_mut(matrix.columns()).enumerate().for_each(|(row, out)| matrix.row(row, out));
        out
    }

    #[test]
    fn packed_numbers_keep_their_precision() {
        for (rows, columns) in [(1, 1), (16, 32), (19, 70), (33, 96)] {
            let (matrix, values) = (eight(rows, columns), floats(rows, columns));
            for (found, values) in wide(&matrix).chunks(columns).zip(values.chunks(columns)) {
                for (found, values) in found.chunks(BLOCK).zip(values.chunks(BLOCK)) {
                    let step = span(values)[0].to_f32();
                    let off = found.iter().zip(values).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                    assert!(off <= step * 0.51, "{off} of {step}");
                }
            }
            // Codes are exact.
            let found = wide(&four(rows, columns));
            for (at, found) in found.iter().enumerate() {
                let (r, c) = (at / columns, at % columns);
                let wanted =
                    ((r * 31 + c * 7) % 16) as f32 * (0.25 + r as f32 / 64.0) - 1.0 - (c / BLOCK) as f32;
                assert_eq!(*found, wanted);
            }
        }
    }

    #[test]
    fn products_match_the_dequantised_numbers() {
        for (rows, columns, count) in [(16, 32, 1), (19, 70, 3), (33, 96, 6), (5, 160, 9), (17, 64, 27)] {
            for matrix in [eight(rows, columns), four(rows, columns)] {
                let left: Vec<f32> = (0..count * columns).map(|i| ((i * 37) % 255) as f32 - 127.0).collect();
                let rounded = Activations::round(&left, columns);
                let numbers = wide(&matrix);
                let mut narrow = vec![bf16::ZERO; rows * columns];
                for panel in 0..matrix.panels() {
                    let height = PANEL.min(rows - panel * PANEL);
                    matrix.widen_panel(panel, &mut narrow[panel * PANEL * columns..][..height * columns]);
                    let mut out = vec![0.0; count * PANEL];
                    matrix.multiply_panel(panel, &rounded, &mut out);
                    for (at, out) in out.chunks(PANEL).enumerate() {
                        let (integers, scales) = rounded.row(at);
                        for (row, out) in out[..height].iter().enumerate() {
                            let numbers = &numbers[(panel * PANEL + row) * columns..][..columns];
                            let wanted: f64 = (0..columns)
                                .map(|c| {
                                    f64::from(integers[c])
                                        * f64::from(scales[c / BLOCK])
                                        * f64::from(numbers[c])
                                })
                                .sum();
                            let size: f64 = (0..columns).map(|c| f64::from(numbers[c]).abs() * 127.0).sum();
                            // Sums of a few blocks in f32.
                            assert!((f64::from(*out) - wanted).abs() < 2e-6 * size, "{out} for {wanted}");
                        }
                    }
                }
                assert!(narrow.iter().zip(&numbers).all(|(a, &b)| *a == bf16::from_f32(b)));
            }
        }
    }

    #[test]
    fn mismatched_rows_are_refused() {
        assert!(BlockMatrix::pack([2, 4], false, |_| Ok(PanelRows::Floats(vec![0.0; 7]))).is_err());
        assert!(BlockMatrix::pack([2, 4], true, |_| Ok(PanelRows::Floats(vec![0.0; 8]))).is_err());
        assert_eq!(BlockMatrix::pack([0, 4], false, |_| Ok(PanelRows::Floats(vec![]))).unwrap().panels(), 0);
    }

    #[test]
    fn the_next_smaller_number_is_smaller() {
        for x in [0.0, 1.0, -1.0, 3e-8, -65504.0] {
            let x = f16::from_f32(x);
            assert!(step_down(x) < x);
        }
    }
}
