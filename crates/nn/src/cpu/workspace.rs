//! The memory one thread computes in, kept from batch to batch.

use super::attention::Scratch;
use super::operand::Operand;

/// Room for the tokens of one group of sequences, one row per token, rounded up to whole tiles.
///
/// Rows past the last token hold whatever was there: rows do not touch each other outside attention, which goes by
/// sequence.
#[derive(Default)]
pub(super) struct Workspace<T> {
    /// The state of every token, and the same rounded for products.
    pub(super) hidden: Vec<f32>,
    pub(super) rounded: Vec<T>,
    pub(super) queries: Vec<f32>,
    pub(super) keys: Vec<f32>,
    pub(super) values: Vec<f32>,
    /// A block of rows between the two steps of the network, and all rows of it rounded.
    pub(super) wide: Vec<f32>,
    pub(super) inner: Vec<T>,
    pub(super) scratch: Scratch,
}

impl<T: Operand> Workspace<T> {
    /// Makes room for this many tokens of `width` numbers, `inner` of them inside the network.
    pub(super) fn fit(&mut self, tokens: usize, width: usize, inner: usize) {
        let rows = tokens.next_multiple_of(T::ROWS);
        for room in [&mut self.hidden, &mut self.queries, &mut self.keys, &mut self.values] {
            room.resize(rows * width, 0.0);
        }
        self.rounded.resize(rows * width, T::default());
        self.wide.resize(rows.min(T::BLOCK) * inner, 0.0);
        self.inner.resize(rows * inner, T::default());
    }
}
