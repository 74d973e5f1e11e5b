//! Matrices with the same inputs, multiplied as one.

use half::bf16;
use pulp::Arch;
use rayon::prelude::*;

use super::super::pointwise::narrow;
use crate::product::{Activations, Bf16Matrix, BlockMatrix};
use crate::{Error, product};

/// Rows of a panel of a block matrix.
const PANEL: usize = 16;
/// Panels that are widened and multiplied together: their products stay in the first cache.
const SLAB: usize = 4;
/// Slabs that are kept wide at a time, which bounds the memory for them.
const SECTION: usize = 128;
/// Products of tiles are fastest for a multiple of this many rows.
const TILE_ROWS: usize = 32;

/// How products are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// For few rows: memory is what costs, so the matrix is read as it is kept, and what it is multiplied with is rounded to 8 bits.
    Codes,
    /// For many rows: arithmetic is what costs, so the matrix is widened to 16 bits for the processor's tiles.
    Tiles,
}

impl Way {
    /// Widening a matrix costs as much as about so many rows.
    const FEWEST: usize = 16;

    /// How a text with so many new tokens is read. What stands beside it has no say, so that it changes nothing.
    pub(super) fn of(tokens: usize) -> Self {
        if tokens >= Self::FEWEST && product::has_tiles() { Way::Tiles } else { Way::Codes }
    }
}

/// Matrices on top of each other: a row of the product is the outputs of all of them.
pub(super) struct Stack {
    parts: Vec<BlockMatrix>,
    inputs: usize,
    outputs: usize,
    panels: usize,
}

impl Stack {
    /// Matrices with rows of the same length.
    pub(super) fn new(parts: Vec<BlockMatrix>) -> Self {
        let inputs = parts.first().map_or(0, BlockMatrix::columns);
        let outputs = parts.iter().map(BlockMatrix::rows).sum();
        let panels = parts.iter().map(BlockMatrix::panels).sum();
        Stack { parts, inputs, outputs, panels }
    }

    /// How many numbers a row of the product has.
    pub(super) fn outputs(&self) -> usize {
        self.outputs
    }

    /// One row of the first matrix.
    pub(super) fn row(&self, row: usize, out: &mut [f32]) {
        if let Some(part) = self.parts.first() {
            part.row(row, out);
        }
    }

    /// `out` becomes `left`·selfᵀ, row after row. `spare` is room that is kept from call to call.
    pub(super) fn product(
        &self,
        way: Way,
        left: &[f32],
        out: &mut Vec<f32>,
        spare: &mut Vec<f32>,
    ) -> Result<(), Error> {
        let count = left.len().checked_div(self.inputs).unwrap_or(0);
        // What was there is overwritten.
        out.resize(count * self.outputs, 0.0);
        match way {
            Way::Codes => {
                self.by_codes(left, count, out, spare);
                Ok(())
            }
            Way::Tiles => self.by_tiles(left, count, out),
        }
    }

    fn by_codes(&self, left: &[f32], count: usize, out: &mut [f32], spare: &mut Vec<f32>) {
        let left = Activations::round(left, self.inputs);
        if count == 1 && self.panels * PANEL == self.outputs {
            return self.by_panels(&left, count, out);
        }
        spare.resize(self.panels * PANEL * count, 0.0);
        self.by_panels(&left, count, spare);
        let turned = spare.as_slice();
        out.par_chunks_mut(self.outputs.max(1)).enumerate().for_each(|(row, out)| {
            let (mut first, mut rest) = (0, out);
            for part in &self.parts {
                let (out, others) = rest.split_at_mut(part.rows());
                for (panel, out) in out.chunks_mut(PANEL).enumerate() {
                    let at = ((first + panel) * count + row) * PANEL;
                    out.copy_from_slice(&turned[at..at + out.len()]);
                }
                (first, rest) = (first + part.panels(), others);
            }
        });
    }

    /// Panel after panel, and in each row after row.
    fn by_panels(&self, left: &Activations, count: usize, out: &mut [f32]) {
        // Two shares to a thread: another program on the machine may slow one of them down.
        let share = self.panels.div_ceil(2 * rayon::current_num_threads()).max(1);
        out.par_chunks_mut(share * count * PANEL).enumerate().for_each(|(index, out)| {
            for (offset, out) in out.chunks_mut(count * PANEL).enumerate() {
                let mut panel = index * share + offset;
                for part in &self.parts {
                    if panel < part.panels() {
                        part.multiply_panel(panel, left, out);
                        break;
                    }
                    panel -= part.panels();
                }
            }
        });
    }

    fn by_tiles(&self, left: &[f32], count: usize, out: &mut [f32]) -> Result<(), Error> {
        let share = count.div_ceil(rayon::current_num_threads()).next_multiple_of(TILE_ROWS);
        let mut rounded = vec![bf16::ZERO; left.len()];
        let (shares_in, shares_out) = (share * self.inputs, share * self.outputs);
        rounded
            .par_chunks_mut(shares_in)
            .zip(left.par_chunks(shares_in))
            .for_each(|(out, left)| Arch::new().dispatch(|| narrow(left, out)));
        let slabs = self.slabs();
        for section in slabs.chunks(SECTION) {
            let wide = section.par_iter().map(|slab| self.widen(slab)).collect::<Result<Vec<_>, Error>>()?;
            out.par_chunks_mut(shares_out).zip(rounded.par_chunks(shares_in)).try_for_each(
                |(out, left)| {
                    let mut product = vec![0.0; share * SLAB * PANEL];
                    for (slab, matrix) in section.iter().zip(&wide) {
                        let product = &mut product[..left.len() / self.inputs * slab.height];
                        matrix.multiply(left, product)?;
                        for (out, product) in out.chunks_mut(self.outputs).zip(product.chunks(slab.height)) {
                            out[slab.output..slab.output + slab.height].copy_from_slice(product);
                        }
                    }
                    Ok::<_, Error>(())
                },
            )?;
        }
        Ok(())
    }

    fn slabs(&self) -> Vec<Slab> {
        let mut slabs = Vec::new();
        let mut first = 0;
        for (part, matrix) in self.parts.iter().enumerate() {
            for panel in (0..matrix.panels()).step_by(SLAB) {
                let row = panel * PANEL;
                let height = (matrix.rows() - row).min(SLAB * PANEL);
                slabs.push(Slab { part, panel, output: first + row, height });
            }
            first += matrix.rows();
        }
        slabs
    }

    fn widen(&self, slab: &Slab) -> Result<Bf16Matrix, Error> {
        let part = &self.parts[slab.part];
        let mut wide = vec![bf16::ZERO; slab.height * self.inputs];
        for (offset, out) in wide.chunks_mut(PANEL * self.inputs).enumerate() {
            part.widen_panel(slab.panel + offset, out);
        }
        Bf16Matrix::pack(&wide, self.inputs)
    }
}

/// Some panels of one of the matrices.
struct Slab {
    part: usize,
    panel: usize,
    /// Which output is its first.
    output: usize,
    /// How many outputs it has.
    height: usize,
}
