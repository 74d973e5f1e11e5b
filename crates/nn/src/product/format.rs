//! The byte layout of block matrices.

use half::f16;

/// The number of integers in one word of the kernels.
pub(super) const WORD: usize = 4;

/// The number of columns that share a scale.
pub(crate) const BLOCK: usize = 32;
/// The number of rows whose blocks are stored together.
pub(crate) const PANEL: usize = 16;
/// Bytes before the codes of a block: a scale and a minimum in 16 bits for each row.
pub(super) const HEADER: usize = 4 * PANEL;
/// Bytes of one register: the codes of four columns in 8 bits, or of eight in 4.
pub(super) const REGISTER: usize = PANEL * WORD;

/// The number of bits of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bits {
    Four,
    Eight,
}

impl Bits {
    /// Returns the bytes of one block of a panel.
    pub(super) const fn block_bytes(self) -> usize {
        HEADER
            + match self {
                Bits::Four => PANEL * BLOCK / 2,
                Bits::Eight => PANEL * BLOCK,
            }
    }
}

/// Returns the scale and the minimum of a row of a block.
#[inline(always)]
pub(super) fn factors(block: &[u8], row: usize) -> [f32; 2] {
    let at = |at: usize| f16::from_le_bytes([block[at], block[at + 1]]).to_f32();
    [at(2 * row), at(2 * (PANEL + row))]
}

/// Returns the position of a column's code: its byte after the header, and its shift in the byte.
#[inline(always)]
pub(super) fn code_position(bits: Bits, row: usize, column: usize) -> (usize, u32) {
    let (word, byte) = (column / WORD, column % WORD);
    match bits {
        Bits::Eight => (word * REGISTER + row * WORD + byte, 0),
        // The upper halves of the bytes hold the second half of the columns.
        Bits::Four => {
            let half = BLOCK / WORD / 2;
            (word % half * REGISTER + row * WORD + byte, if word < half { 0 } else { 4 })
        }
    }
}

/// Returns the code of a column.
#[inline(always)]
pub(super) fn code(block: &[u8], bits: Bits, row: usize, column: usize) -> u8 {
    let (at, shift) = code_position(bits, row, column);
    let byte = block[HEADER + at] >> shift;
    if bits == Bits::Four { byte & 15 } else { byte }
}
