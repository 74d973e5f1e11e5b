//! The adapters of stacked matrices, which are multiplied beside them.
//!
//! A matrix in 4 bits with its adapter merged would need 8 bits, and products with few rows wait for
//! reading matrices from memory. So adapters stay apart: they are a hundredth of the numbers.

use half::bf16;
use pulp::{Simd, WithSimd};

use super::adapted::Adapter;
use crate::Error;
use crate::product::{BlockMatrix, PANEL, PanelRows};

/// The second matrix of an adapter. It lifts as many numbers as the rank to the outputs of its matrix.
pub(super) struct Lift {
    /// Panel by panel: for each number of the rank, sixteen outputs.
    up: Vec<bf16>,
    rank: usize,
}

impl Lift {
    fn new(adapter: &Adapter, outputs: usize) -> Self {
        let Adapter { up, rank, .. } = adapter;
        let mut panels = vec![bf16::ZERO; outputs.next_multiple_of(PANEL) * rank];
        for (output, row) in up.chunks_exact((*rank).max(1)).enumerate() {
            for (number, &x) in row.iter().enumerate() {
                panels[(output / PANEL * rank + number) * PANEL + output % PANEL] = bf16::from_f32(x);
            }
        }
        Lift { up: panels, rank: *rank }
    }

    /// Returns the number of numbers that are lifted.
    pub(super) fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the numbers that lead to one output.
    pub(super) fn row(&self, output: usize) -> impl Iterator<Item = f32> {
        let first = output / PANEL * self.rank * PANEL + output % PANEL;
        self.up.iter().skip(first).step_by(PANEL).take(self.rank).map(|x| x.to_f32())
    }
}

/// Returns the lifts of matrices, and the matrix of all rows that reduce their inputs. Returns no
/// matrix if there are no adapters.
pub(super) fn stack(
    adapters: &[(Option<Adapter>, usize)],
    inputs: usize,
) -> Result<(Vec<Lift>, Option<BlockMatrix>), Error> {
    let none = Adapter { down: Vec::new(), up: Vec::new(), rank: 0 };
    let lift = |(adapter, outputs): &(Option<Adapter>, usize)| {
        Lift::new(adapter.as_ref().unwrap_or(&none), *outputs)
    };
    let lifts: Vec<Lift> = adapters.iter().map(lift).collect();
    let down: Vec<&[f32]> =
        adapters.iter().flat_map(|(adapter, _)| adapter).map(|adapter| adapter.down.as_slice()).collect();
    let down = down.concat();
    let rank = lifts.iter().map(Lift::rank).sum();
    if rank == 0 {
        return Ok((lifts, None));
    }
    let down = BlockMatrix::pack([rank, inputs], false, |rows| {
        Ok(PanelRows::Floats(down[rows.start * inputs..rows.end * inputs].to_vec()))
    })?;
    Ok((lifts, Some(down)))
}

/// Adds what a lift makes of `reduced` to the outputs of a matrix, and writes the sums to `out`.
/// `panel` returns the numbers of a panel of the matrix.
pub(super) struct AddLift<'a, F> {
    pub(super) lift: &'a Lift,
    pub(super) reduced: &'a [f32],
    pub(super) panel: F,
    pub(super) out: &'a mut [f32],
}

impl<'a, F: Fn(usize) -> &'a [f32]> WithSimd for AddLift<'a, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { lift, reduced, panel, out } = self;
        for (index, out) in out.chunks_mut(PANEL).enumerate() {
            let up = &lift.up[index * lift.rank * PANEL..][..lift.rank * PANEL];
            let lifted = lifted(up.as_chunks().0, reduced);
            for ((out, x), lifted) in out.iter_mut().zip(panel(index)).zip(lifted) {
                *out = x + lifted;
            }
        }
    }
}

/// Returns sixteen sums. They stay in registers, because nothing of unknown length touches them, and
/// four products are added before them, so that they are not waited for as often.
#[inline(always)]
#[allow(clippy::needless_range_loop)]
fn lifted(up: &[[bf16; PANEL]], reduced: &[f32]) -> [f32; PANEL] {
    let wide = |x: bf16| f32::from_bits(u32::from(x.to_bits()) << 16);
    let mut sums = [0.0; PANEL];
    let ((fours, rest), (numbers, others)) = (up.as_chunks::<4>(), reduced.as_chunks::<4>());
    for ([a, b, c, d], x) in fours.iter().zip(numbers) {
        for i in 0..PANEL {
            sums[i] += (x[0] * wide(a[i]) + x[1] * wide(b[i])) + (x[2] * wide(c[i]) + x[3] * wide(d[i]));
        }
    }
    for (up, x) in rest.iter().zip(others) {
        for i in 0..PANEL {
            sums[i] += x * wide(up[i]);
        }
    }
    sums
}
