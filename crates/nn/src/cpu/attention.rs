//! Attention of one sequence, head by head, four queries at a time so that scores stay in the
//! first-level cache.

use pulp::{Arch, Simd, WithSimd};

use super::pointwise::exp;

/// The number of queries that are processed together.
const QUERIES: usize = 4;

/// Converts the raw products of a layer to queries, and the sums over values to outputs.
///
/// Keys and values are used without their factors and biases. The factor of a key is applied to the
/// query instead. The bias of the keys adds the same to all scores of a query, so it does not
/// change the weights. The factor of the values is applied after summing. (The bias of the values
/// is part of the next matrix's bias.)
pub(super) struct Heads {
    /// The number of heads.
    count: usize,
    /// The dimension of one head.
    width: usize,
    query_factors: Vec<f32>,
    query_bias: Vec<f32>,
    value_factors: Vec<f32>,
}

/// Factors and biases of the output columns of a matrix.
pub(super) struct ColumnScaling {
    pub(super) factors: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

impl Heads {
    /// Creates `count` heads. The model's width is the number of factors, a multiple of `count`.
    pub(super) fn new(
        count: usize,
        query: ColumnScaling,
        key_factors: &[f32],
        value_factors: Vec<f32>,
    ) -> Self {
        let width = value_factors.len() / count;
        let scale = 1.0 / (width as f32).sqrt();
        let fold = |values: Vec<f32>| {
            values.iter().zip(key_factors).map(|(value, key)| value * key * scale).collect()
        };
        Self { count, width, query_factors: fold(query.factors), query_bias: fold(query.bias), value_factors }
    }

    /// Computes attention for one sequence. `queries`, `keys` and `values` are the raw products,
    /// one row per token; the result replaces `queries`.
    pub(super) fn attend(
        &self,
        arch: Arch,
        sequence: Projections<'_>,
        distances: Option<&DistanceBias>,
        scratch: &mut Scratch,
    ) {
        let width = self.count * self.width;
        let length = sequence.queries.len() / width;
        if length == 0 {
            return;
        }
        scratch.fit(length, self.width);
        for head in 0..self.count {
            let at = head * self.width;
            arch.dispatch(Gather { heads: self, sequence: &sequence, at, scratch });
            let bias = distances.map(|distances| distances.of_head(head, length));
            arch.dispatch(Attend { heads: self, out: sequence.queries, at, bias, scratch });
        }
    }
}

/// The raw products of one sequence, one row per token.
pub(super) struct Projections<'a> {
    pub(super) queries: &'a mut [f32],
    pub(super) keys: &'a [f32],
    pub(super) values: &'a [f32],
}

/// The bias of scores for the distance of key and query, by head.
pub(super) struct DistanceBias {
    /// For each head, from the farthest key before the query to the farthest one after it.
    values: Vec<f32>,
    farthest: usize,
}

impl DistanceBias {
    /// Computes `bias(head, key − query)` for sequences of up to `length` tokens.
    pub(super) fn new(heads: usize, length: usize, bias: impl Fn(usize, isize) -> f32) -> Self {
        let farthest = length.saturating_sub(1);
        let distances = -(farthest as isize)..=farthest as isize;
        let bias = &bias;
        let values =
            (0..heads).flat_map(|head| distances.clone().map(move |distance| bias(head, distance))).collect();
        Self { values, farthest }
    }

    /// Returns the biases of a head. Those of query 0 are the last `length` numbers; those of each
    /// following query begin one earlier.
    fn of_head(&self, head: usize, length: usize) -> &[f32] {
        let start = head * (2 * self.farthest + 1) + self.farthest + 1 - length;
        &self.values[start..start + 2 * length - 1]
    }
}

/// Buffers for one head of one sequence, reused between calls.
#[derive(Default)]
pub(super) struct Scratch {
    length: usize,
    /// `length` and the head's width, rounded up to whole registers.
    keys_stride: usize,
    values_stride: usize,
    /// One row per query, in whole groups of [`QUERIES`].
    queries: Vec<f32>,
    /// One row per dimension, so that the scores of neighbouring keys are adjacent.
    keys: Vec<f32>,
    /// One row per token.
    values: Vec<f32>,
    /// For one group of queries.
    scores: Vec<f32>,
    sums: Vec<f32>,
}

impl Scratch {
    /// The largest number of floats in a register.
    const LANES: usize = 16;

    fn fit(&mut self, length: usize, width: usize) {
        self.length = length;
        self.keys_stride = length.next_multiple_of(Self::LANES);
        self.values_stride = width.next_multiple_of(Self::LANES);
        // Stale numbers of the last sequence are overwritten before they are read, or are not used.
        self.queries.resize(length.next_multiple_of(QUERIES) * width, 0.0);
        self.keys.resize(width * self.keys_stride, 0.0);
        self.values.resize(length * self.values_stride, 0.0);
        self.scores.resize(QUERIES * self.keys_stride, 0.0);
        self.sums.resize(QUERIES * self.values_stride, 0.0);
    }
}

/// Copies one head out of the projections: queries with factors and bias, keys transposed, values
/// unchanged.
struct Gather<'a, 'b> {
    heads: &'a Heads,
    sequence: &'a Projections<'b>,
    at: usize,
    scratch: &'a mut Scratch,
}

impl WithSimd for Gather<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { heads, sequence, at, scratch } = self;
        let (all, width) = (heads.count * heads.width, heads.width);
        let part = at..at + width;
        let (factors, bias) = (&heads.query_factors[part.clone()], &heads.query_bias[part.clone()]);
        for (row, out) in sequence.queries.chunks_exact(all).zip(scratch.queries.chunks_exact_mut(width)) {
            for (((out, value), factor), bias) in
                out.iter_mut().zip(&row[part.clone()]).zip(factors).zip(bias)
            {
                *out = value * factor + bias;
            }
        }
        for (token, row) in sequence.keys.chunks_exact(all).enumerate() {
            for (column, value) in scratch.keys.chunks_exact_mut(scratch.keys_stride).zip(&row[part.clone()])
            {
                column[token] = *value;
            }
        }
        for (row, out) in
            sequence.values.chunks_exact(all).zip(scratch.values.chunks_exact_mut(scratch.values_stride))
        {
            out[..width].copy_from_slice(&row[part.clone()]);
        }
    }
}

/// Computes scores, weights and sums of one head, whose projections are in the buffers.
struct Attend<'a> {
    heads: &'a Heads,
    out: &'a mut [f32],
    at: usize,
    bias: Option<&'a [f32]>,
    scratch: &'a mut Scratch,
}

impl WithSimd for Attend<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { heads, out, at, bias, scratch } = self;
        let (all, width) = (heads.count * heads.width, heads.width);
        let Scratch { length, keys_stride, values_stride, .. } = *scratch;
        let factors = &heads.value_factors[at..at + width];
        let groups = scratch.queries.chunks_exact(QUERIES * width).zip(out.chunks_mut(QUERIES * all));
        for (group, (queries, out)) in groups.enumerate() {
            block_product(simd, queries, width, width, &scratch.keys, keys_stride, &mut scratch.scores);
            let mut totals = [0.0; QUERIES];
            for (i, (scores, total)) in
                scratch.scores.chunks_exact_mut(keys_stride).zip(&mut totals).enumerate()
            {
                let query = (group * QUERIES + i).min(length - 1);
                if let Some(bias) = bias {
                    let bias = &bias[length - 1 - query..][..length];
                    for (score, bias) in scores.iter_mut().zip(bias) {
                        *score += bias;
                    }
                }
                scores[length..].fill(f32::NEG_INFINITY);
                *total = weigh(simd, scores);
            }
            // Keys past the end have no weight, so the product stops at the last token.
            block_product(
                simd,
                &scratch.scores,
                keys_stride,
                length,
                &scratch.values,
                values_stride,
                &mut scratch.sums,
            );
            for ((out, sums), total) in
                out.chunks_exact_mut(all).zip(scratch.sums.chunks_exact(values_stride)).zip(totals)
            {
                let part = 1.0 / total;
                for ((out, sum), factor) in out[at..at + width].iter_mut().zip(sums).zip(factors) {
                    *out = sum * factor * part;
                }
            }
        }
    }
}

/// Converts scores to weights without dividing by their sum, which it returns. `scores` consists of
/// whole registers.
#[inline(always)]
pub(super) fn weigh<S: Simd>(simd: S, scores: &mut [f32]) -> f32 {
    let (scores, _) = S::as_mut_simd_f32s(scores);
    let mut highest = simd.splat_f32s(f32::NEG_INFINITY);
    for &score in scores.iter() {
        highest = simd.max_f32s(highest, score);
    }
    let highest = simd.splat_f32s(simd.reduce_max_f32s(highest));
    let mut total = simd.splat_f32s(0.0);
    for score in scores {
        *score = exp(simd, simd.sub_f32s(*score, highest));
        total = simd.add_f32s(total, *score);
    }
    simd.reduce_sum_f32s(total)
}

/// Computes `left`·`right` into `out` for [`QUERIES`] rows of `left`, of which the first `depth`
/// numbers count. `out` has rows as long as `right`, of whole registers.
#[inline(always)]
fn block_product<S: Simd>(
    simd: S,
    left: &[f32],
    left_stride: usize,
    depth: usize,
    right: &[f32],
    stride: usize,
    out: &mut [f32],
) {
    let left: [&[f32]; QUERIES] = std::array::from_fn(|i| &left[i * left_stride..][..depth]);
    let lanes = S::F32_LANES;
    let mut column = 0;
    while column + 4 * lanes <= stride {
        columns::<S, 4>(simd, left, right, stride, column, out);
        column += 4 * lanes;
    }
    while column + 2 * lanes <= stride {
        columns::<S, 2>(simd, left, right, stride, column, out);
        column += 2 * lanes;
    }
    while column < stride {
        columns::<S, 1>(simd, left, right, stride, column, out);
        column += lanes;
    }
}

/// Computes `N` registers of columns, with all sums in registers.
#[inline(always)]
#[allow(clippy::needless_range_loop)]
fn columns<S: Simd, const N: usize>(
    simd: S,
    left: [&[f32]; QUERIES],
    right: &[f32],
    stride: usize,
    column: usize,
    out: &mut [f32],
) {
    let depth = left[0].len();
    let left = left.map(|row| &row[..depth]);
    let mut sums = [[simd.splat_f32s(0.0); N]; QUERIES];
    // By index: nested iterators are not always inlined here, and a call in this loop costs more
    // than its work.
    for at in 0..depth {
        let (right, _) = S::as_simd_f32s(&right[at * stride + column..][..N * S::F32_LANES]);
        for i in 0..QUERIES {
            let left = simd.splat_f32s(left[i][at]);
            for n in 0..N {
                sums[i][n] = simd.mul_add_e_f32s(left, right[n], sums[i][n]);
            }
        }
    }
    for (out, sums) in out.chunks_exact_mut(stride).zip(sums) {
        let (out, _) = S::as_mut_simd_f32s(&mut out[column..column + N * S::F32_LANES]);
        out.copy_from_slice(&sums);
    }
}
