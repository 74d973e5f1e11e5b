//! Matrices with the same inputs, multiplied together.

use half::bf16;
use pulp::Arch;
use rayon::prelude::*;

use crate::product::{Activations, Bf16Matrix, BlockMatrix, narrow};
use crate::{Error, product};

/// The number of rows of a panel of a block matrix.
const PANEL: usize = 16;
/// The number of panels that are widened and multiplied together: their products stay in the
/// first-level cache.
const SLAB: usize = 4;
/// The number of slabs that are kept widened at a time, which limits the memory for them.
const SECTION: usize = 128;
/// Products of tiles are fastest for a multiple of this many rows.
const TILE_ROWS: usize = 32;

/// The method of computing products.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProductMethod {
    /// For few rows: reading the matrix dominates, so it is read in its packed form, and the left
    /// factor is rounded to 8 bits.
    Quantised,
    /// For many rows: arithmetic dominates, so the matrix is widened to 16 bits for the processor's
    /// tiles.
    Tiles,
}

impl ProductMethod {
    /// Widening a matrix costs about as much as multiplying this many rows.
    const FEWEST: usize = 16;

    /// Returns the method for a text with this many new tokens. It does not depend on other texts,
    /// so they do not affect the result.
    pub(super) fn of(tokens: usize) -> Self {
        if tokens >= Self::FEWEST && product::has_tiles() {
            ProductMethod::Tiles
        } else {
            ProductMethod::Quantised
        }
    }
}

/// Matrices stacked on top of each other: a row of the product consists of the outputs of all of
/// them.
pub(super) struct MatrixStack {
    parts: Vec<BlockMatrix>,
    inputs: usize,
    outputs: usize,
    panels: usize,
}

impl MatrixStack {
    /// Stacks matrices with rows of the same length.
    pub(super) fn new(parts: Vec<BlockMatrix>) -> Self {
        let inputs = parts.first().map_or(0, BlockMatrix::columns);
        let outputs = parts.iter().map(BlockMatrix::rows).sum();
        let panels = parts.iter().map(BlockMatrix::panels).sum();
        MatrixStack { parts, inputs, outputs, panels }
    }

    /// Returns the number of outputs.
    pub(super) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Reads one row of the first matrix.
    pub(super) fn row(&self, row: usize, out: &mut [f32]) {
        if let Some(part) = self.parts.first() {
            part.row(row, out);
        }
    }

    /// Computes `left`·selfᵀ into `out`, row by row. `spare` is a reusable buffer.
    pub(super) fn product(
        &self,
        method: ProductMethod,
        left: &[f32],
        out: &mut Vec<f32>,
        spare: &mut Vec<f32>,
    ) -> Result<(), Error> {
        let count = left.len().checked_div(self.inputs).unwrap_or(0);
        // All old numbers are overwritten.
        out.resize(count * self.outputs, 0.0);
        match method {
            ProductMethod::Quantised => {
                self.product_quantised(left, count, out, spare);
                Ok(())
            }
            ProductMethod::Tiles => self.product_with_tiles(left, count, out),
        }
    }

    fn product_quantised(&self, left: &[f32], count: usize, out: &mut [f32], spare: &mut Vec<f32>) {
        let left = Activations::round(left, self.inputs);
        if count == 1 && self.panels * PANEL == self.outputs {
            return self.product_by_panels(&left, count, out);
        }
        spare.resize(self.panels * PANEL * count, 0.0);
        self.product_by_panels(&left, count, spare);
        let by_panel = spare.as_slice();
        out.par_chunks_mut(self.outputs.max(1)).enumerate().for_each(|(row, out)| {
            let (mut first, mut rest) = (0, out);
            for part in &self.parts {
                let (out, others) = rest.split_at_mut(part.rows());
                for (panel, out) in out.chunks_mut(PANEL).enumerate() {
                    let at = ((first + panel) * count + row) * PANEL;
                    out.copy_from_slice(&by_panel[at..at + out.len()]);
                }
                (first, rest) = (first + part.panels(), others);
            }
        });
    }

    /// Computes the product panel by panel, and row by row in each.
    fn product_by_panels(&self, left: &Activations, count: usize, out: &mut [f32]) {
        // Two shares per thread, in case another program slows one thread down.
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

    fn product_with_tiles(&self, left: &[f32], count: usize, out: &mut [f32]) -> Result<(), Error> {
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
    /// The index of its first output.
    output: usize,
    /// Its number of outputs.
    height: usize,
}
