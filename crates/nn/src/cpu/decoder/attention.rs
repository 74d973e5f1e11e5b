//! Attention of one position: the query heads that share a key head, over all previous positions of
//! the text.

use half::bf16;
use pulp::{Arch, Simd, WithSimd};

use super::super::attention::weigh;
use super::cache::{GROUP, HeadCache, LANES, TextCache};

/// Queries that are processed together: their sums stay in registers.
const QUERIES: usize = 4;

/// The queries that share a key head, for computing their attention.
pub(super) struct HeadQueries<'a> {
    pub(super) text: &'a TextCache,
    /// The key head, counted over all layers.
    pub(super) head: usize,
    /// The number of visible positions.
    pub(super) visible: usize,
    /// The queries one after another, each as long as a key.
    pub(super) queries: &'a [f32],
    pub(super) width: usize,
    pub(super) out: &'a mut [f32],
}

impl HeadQueries<'_> {
    pub(super) fn attend(self) {
        Arch::new().dispatch(self);
    }
}

impl WithSimd for HeadQueries<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { text, head, visible, queries, width, out } = self;
        let pieces: Vec<(&HeadCache, usize)> = text.seen(head, visible).collect();
        let length = pieces.iter().map(|(_, length)| length.next_multiple_of(GROUP)).sum::<usize>();
        let mut scores = vec![0.0; QUERIES * length];
        let group = QUERIES * width;
        for (queries, out) in queries.chunks(group).zip(out.chunks_mut(group)) {
            let state = QueryGroup { pieces: &pieces, queries, width, length };
            match queries.len() / width {
                1 => state.run::<S, 1>(simd, &mut scores, out),
                2 => state.run::<S, 2>(simd, &mut scores, out),
                3 => state.run::<S, 3>(simd, &mut scores, out),
                _ => state.run::<S, 4>(simd, &mut scores, out),
            }
        }
    }
}

struct QueryGroup<'a> {
    pieces: &'a [(&'a HeadCache, usize)],
    queries: &'a [f32],
    width: usize,
    /// The number of scores of a query, including those of padded groups.
    length: usize,
}

impl QueryGroup<'_> {
    #[inline(always)]
    fn run<S: Simd, const Q: usize>(&self, simd: S, scores: &mut [f32], out: &mut [f32]) {
        self.score::<Q>(scores);
        let mut totals = [0.0; Q];
        for (scores, total) in scores.chunks_exact_mut(self.length).zip(&mut totals) {
            *total = weigh(simd, scores);
        }
        let stride = self.width.next_multiple_of(LANES);
        for first in (0..stride).step_by(LANES) {
            let sums = self.sum::<Q>(scores, stride, first);
            for ((out, sums), total) in out.chunks_exact_mut(self.width).zip(sums).zip(totals) {
                let last = self.width.min(first + LANES);
                out[first..last].iter_mut().zip(sums).for_each(|(out, sum)| *out = sum / total);
            }
        }
    }

    #[inline(always)]
    #[allow(clippy::needless_range_loop)]
    fn score<const Q: usize>(&self, scores: &mut [f32]) {
        let queries: [&[f32]; Q] = std::array::from_fn(|q| &self.queries[q * self.width..][..self.width]);
        let scale = 1.0 / (self.width as f32).sqrt();
        let mut at = 0;
        for &(head, length) in self.pieces {
            let groups = head.keys.chunks_exact(GROUP * self.width).take(length.div_ceil(GROUP));
            for (group, keys) in groups.enumerate() {
                let mut sums = [[0.0_f32; GROUP]; Q];
                for (dimension, keys) in keys.as_chunks::<GROUP>().0.iter().enumerate() {
                    let keys = widen(keys);
                    for q in 0..Q {
                        let query = queries[q][dimension];
                        for i in 0..GROUP {
                            sums[q][i] += query * keys[i];
                        }
                    }
                }
                let valid = (length - group * GROUP).min(GROUP);
                for (q, mut sums) in sums.into_iter().enumerate() {
                    sums.iter_mut().for_each(|sum| *sum *= scale);
                    sums[valid..].fill(f32::NEG_INFINITY);
                    scores[q * self.length + at..][..GROUP].copy_from_slice(&sums);
                }
                at += GROUP;
            }
        }
    }

    /// Computes the numbers `first` to `first + LANES` of the weighted sums of values.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)]
    fn sum<const Q: usize>(&self, weights: &[f32], stride: usize, first: usize) -> [[f32; LANES]; Q] {
        let mut sums = [[0.0_f32; LANES]; Q];
        let mut at = 0;
        for &(head, length) in self.pieces {
            let weights: [&[f32]; Q] = std::array::from_fn(|q| &weights[q * self.length + at..][..length]);
            for (position, values) in head.values.chunks_exact(stride).take(length).enumerate() {
                let Some(values) = values[first..].first_chunk::<LANES>() else { continue };
                let values = widen(values);
                for q in 0..Q {
                    let weight = weights[q][position];
                    for i in 0..LANES {
                        sums[q][i] += weight * values[i];
                    }
                }
            }
            at += length.next_multiple_of(GROUP);
        }
        sums
    }
}

/// By index: mapping arrays is not always inlined, and a call in this loop costs more than its
/// work.
#[inline(always)]
#[allow(clippy::needless_range_loop)]
fn widen<const N: usize>(values: &[bf16; N]) -> [f32; N] {
    let mut wide = [0.0; N];
    for i in 0..N {
        wide[i] = f32::from_bits(u32::from(values[i].to_bits()) << 16);
    }
    wide
}
