//! Matrices with the same inputs, multiplied together.

use half::bf16;
use pulp::Arch;
use rayon::prelude::*;

use super::adapted::AdaptedMatrix;
use super::adapter::{self, AddLift, Lift};
use crate::product::{Activations, Bf16Matrix, BlockMatrix, PANEL, narrow};
use crate::{Error, product};

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
    /// The matrices, and then the one that reduces the inputs for all adapters, if there are any.
    parts: Vec<BlockMatrix>,
    /// For each matrix.
    lifts: Vec<Lift>,
    inputs: usize,
    outputs: usize,
    panels: usize,
}

impl MatrixStack {
    /// Stacks matrices with rows of the same length.
    pub(super) fn new(matrices: Vec<AdaptedMatrix>) -> Result<Self, Error> {
        let inputs = matrices.first().map_or(0, |part| part.matrix.columns());
        let outputs = matrices.iter().map(|part| part.matrix.rows()).sum();
        let (mut parts, mut adapters) = (Vec::new(), Vec::new());
        for AdaptedMatrix { matrix, adapter } in matrices {
            adapters.push((adapter, matrix.rows()));
            parts.push(matrix);
        }
        let (lifts, down) = adapter::stack(&adapters, inputs)?;
        parts.extend(down);
        let panels = parts.iter().map(BlockMatrix::panels).sum();
        Ok(MatrixStack { parts, lifts, inputs, outputs, panels })
    }

    /// Returns the number of outputs.
    pub(super) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Returns the number of outputs and of what adapters lift.
    fn all_outputs(&self) -> usize {
        self.outputs + self.lifts.iter().map(Lift::rank).sum::<usize>()
    }

    /// Reads one row of the first matrix.
    pub(super) fn row(&self, row: usize, out: &mut [f32]) {
        let (Some(part), Some(lift)) = (self.parts.first(), self.lifts.first()) else { return };
        part.row(row, out);
        if lift.rank() > 0
            && let Some(down) = self.parts.last()
        {
            let mut numbers = vec![0.0; out.len()];
            for (index, factor) in lift.row(row).enumerate() {
                down.row(index, &mut numbers);
                out.iter_mut().zip(&numbers).for_each(|(out, x)| *out += factor * x);
            }
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
        if count == 0 {
            return Ok(());
        }
        let all = self.all_outputs();
        match method {
            ProductMethod::Quantised => {
                let left = Activations::round(left, self.inputs);
                if count == 1 && self.panels * PANEL == self.outputs {
                    self.product_by_panels(&left, count, out);
                    return Ok(());
                }
                spare.resize(self.panels * PANEL * count, 0.0);
                self.product_by_panels(&left, count, spare);
                self.add_lifts(spare, |panel, _, row| (panel * count + row) * PANEL, out);
                Ok(())
            }
            ProductMethod::Tiles if all == self.outputs => self.product_with_tiles(left, count, out),
            ProductMethod::Tiles => {
                spare.resize(all * count, 0.0);
                self.product_with_tiles(left, count, spare)?;
                self.add_lifts(spare, |_, output, row| row * all + output, out);
                Ok(())
            }
        }
    }

    /// Writes the rows of a product with their adapters to `out`. `place` says where a panel of a row
    /// begins in `product`, given the panel, its first output and the row.
    fn add_lifts(
        &self,
        product: &[f32],
        place: impl Fn(usize, usize, usize) -> usize + Sync,
        out: &mut [f32],
    ) {
        out.par_chunks_mut(self.outputs.max(1)).enumerate().for_each(|(row, out)| {
            let mut reduced = Vec::new();
            let (whole, all) = (self.outputs, self.all_outputs());
            if all > whole {
                let first = self.panels - self.parts.last().map_or(0, BlockMatrix::panels);
                for at in (0..all - whole).step_by(PANEL) {
                    let from = place(first + at / PANEL, whole + at, row);
                    reduced.extend_from_slice(&product[from..from + PANEL.min(all - whole - at)]);
                }
            }
            let (mut first, mut output) = (0, 0);
            let (mut rest, mut reduced) = (out, reduced.as_slice());
            for (part, lift) in self.parts.iter().zip(&self.lifts) {
                let (out, others) = rest.split_at_mut(part.rows());
                let (own, others_reduced) = reduced.split_at(lift.rank());
                let height = part.rows();
                let panel = |index: usize| {
                    let done = index * PANEL;
                    let from = place(first + index, output + done, row);
                    &product[from..from + PANEL.min(height - done)]
                };
                Arch::new().dispatch(AddLift { lift, reduced: own, panel, out });
                (first, output) = (first + part.panels(), output + height);
                (rest, reduced) = (others, others_reduced);
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
        let (share, outputs) =
            (count.div_ceil(rayon::current_num_threads()).next_multiple_of(TILE_ROWS), self.all_outputs());
        let mut rounded = vec![bf16::ZERO; left.len()];
        let (shares_in, shares_out) = (share * self.inputs, share * outputs);
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
                        for (out, product) in out.chunks_mut(outputs).zip(product.chunks(slab.height)) {
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

#[cfg(test)]
mod tests {
    use super::super::adapted::Adapter;
    use super::*;
    use crate::product::PanelRows;

    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        (0..count).map(|i| (((i + seed) * 7919 % 1013) as f32 / 506.5 - 1.0).powi(3)).collect()
    }

    fn adapted(outputs: usize, inputs: usize, rank: usize, four: bool) -> AdaptedMatrix {
        let panel = |rows: std::ops::Range<usize>| {
            Ok(match four {
                true => PanelRows::Codes {
                    codes: rows.clone().flat_map(|row| (0..inputs).map(move |at| code(row, at))).collect(),
                    factors: rows
                        .flat_map(|row| (0..inputs.div_ceil(32)).map(move |_| factors(row)))
                        .collect(),
                },
                false => {
                    let values = weights(outputs, inputs, false);
                    PanelRows::Floats(values[rows.start * inputs..rows.end * inputs].to_vec())
                }
            })
        };
        let adapter = || Adapter { down: numbers(rank * inputs, 1), up: numbers(outputs * rank, 2), rank };
        AdaptedMatrix {
            matrix: BlockMatrix::pack([outputs, inputs], four, panel).unwrap(),
            adapter: (rank > 0).then(adapter),
        }
    }

    fn code(row: usize, column: usize) -> u8 {
        ((row * 31 + column * 7) % 16) as u8
    }

    /// The scale and the minimum of the blocks of a row in 4 bits.
    fn factors(row: usize) -> [f32; 2] {
        [(1 + row % 8) as f32 / 64.0, -0.5]
    }

    /// The numbers of a matrix.
    fn weights(outputs: usize, inputs: usize, four: bool) -> Vec<f32> {
        if !four {
            return numbers(outputs * inputs, outputs);
        }
        let value = |at: usize| {
            let (row, column) = (at / inputs, at % inputs);
            let [scale, least] = factors(row);
            f32::from(code(row, column)) * scale + least
        };
        (0..outputs * inputs).map(value).collect()
    }

    /// The product without rounding. Matrices are outputs, rank and whether they have 4 bits.
    fn wanted(left: &[f32], matrices: &[(usize, usize, bool)], inputs: usize) -> Vec<f32> {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let row = |x: &[f32]| {
            let outputs = matrices.iter().flat_map(|&(outputs, rank, four)| {
                let (weights, down) = (weights(outputs, inputs, four), numbers(rank * inputs, 1));
                let up = numbers(outputs * rank, 2);
                let reduced: Vec<f32> = down.chunks_exact(inputs).map(|down| dot(down, x)).collect();
                let output = |at: usize| {
                    dot(&weights[at * inputs..][..inputs], x) + dot(&up[at * rank..][..rank], &reduced)
                };
                (0..outputs).map(output).collect::<Vec<f32>>()
            });
            outputs.collect::<Vec<f32>>()
        };
        left.chunks_exact(inputs).flat_map(row).collect()
    }

    fn stack(matrices: &[(usize, usize, bool)], inputs: usize) -> MatrixStack {
        let parts = matrices.iter().map(|&(outputs, rank, four)| adapted(outputs, inputs, rank, four));
        MatrixStack::new(parts.collect()).unwrap()
    }

    #[test]
    fn adapters_are_added_to_products() {
        let inputs = 70;
        for matrices in [
            vec![(32, 0, false)],
            vec![(32, 3, false)],
            vec![(40, 8, false), (16, 0, false), (7, 20, false)],
            vec![(32, 5, true)],
            vec![(40, 8, true), (16, 4, false), (7, 20, true)],
        ] {
            let stack = stack(&matrices, inputs);
            for count in [1, 3, 33] {
                let left = numbers(count * inputs, 3);
                let wanted = wanted(&left, &matrices, inputs);
                let most = wanted.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
                for method in [ProductMethod::Quantised, ProductMethod::Tiles] {
                    let (mut out, mut spare) = (vec![9.0; 5], vec![9.0; 5]);
                    stack.product(method, &left, &mut out, &mut spare).unwrap();
                    assert_eq!(out.len(), wanted.len());
                    let off = out.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                    assert!(off < 0.01 * most, "{matrices:?}, {count} rows, {method:?}: {off} of {most}");
                }
            }
        }
    }

    #[test]
    fn no_rows_have_an_empty_product() {
        for rank in [0, 3] {
            let stack = stack(&[(40, rank, false)], 70);
            for method in [ProductMethod::Quantised, ProductMethod::Tiles] {
                let (mut out, mut spare) = (vec![9.0; 5], vec![9.0; 5]);
                stack.product(method, &[], &mut out, &mut spare).unwrap();
                assert!(out.is_empty());
            }
        }
    }

    #[test]
    fn rows_contain_their_adapters() {
        let (inputs, rank) = (70, 5);
        let (down, up) = (numbers(rank * inputs, 1), numbers(40 * rank, 2));
        for four in [false, true] {
            let (stack, weights) = (stack(&[(40, rank, four)], inputs), weights(40, inputs, four));
            for row in [0, 17, 39] {
                let mut out = vec![0.0; inputs];
                stack.row(row, &mut out);
                for (column, found) in out.iter().enumerate() {
                    let change: f32 = (0..rank).map(|r| up[row * rank + r] * down[r * inputs + column]).sum();
                    assert!((found - weights[row * inputs + column] - change).abs() < 0.03);
                }
            }
        }
    }
}
