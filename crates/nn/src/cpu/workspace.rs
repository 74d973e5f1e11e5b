//! The buffers of one thread, reused between batches.

use super::attention::Scratch;
use super::operand::Operand;

/// Buffers for the tokens of one group of sequences, one row per token, rounded up to whole tiles.
///
/// Rows past the last token hold arbitrary numbers: rows are independent of each other except in
/// attention, which works on single sequences.
#[derive(Default)]
pub(super) struct Workspace<T> {
    /// The state of every token, and the same rounded for products.
    pub(super) hidden: Vec<f32>,
    pub(super) rounded: Vec<T>,
    pub(super) queries: Vec<f32>,
    pub(super) keys: Vec<f32>,
    pub(super) values: Vec<f32>,
    /// A block of rows inside the feed-forward network, and all of its rows rounded.
    pub(super) wide: Vec<f32>,
    pub(super) inner: Vec<T>,
    pub(super) scratch: Scratch,
}

impl<T: Operand> Workspace<T> {
    /// Resizes the buffers for `tokens` tokens of width `width`, and `inner` inside the
    /// feed-forward network.
    pub(super) fn fit(&mut self, tokens: usize, width: usize, inner: usize) {
        let rows = tokens.next_multiple_of(T::ROWS);
        for buffer in [&mut self.hidden, &mut self.queries, &mut self.keys, &mut self.values] {
            buffer.resize(rows * width, 0.0);
        }
        self.rounded.resize(rows * T::elements(width), T::default());
        self.wide.resize(rows.min(T::BLOCK) * inner, 0.0);
        self.inner.resize(rows * T::elements(inner), T::default());
    }
}
