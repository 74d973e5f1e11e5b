//! Weights of many classes side by side, and scores.

use crate::attack::sparse::{SparseRow, SparseRows};

/// The position of the highest score; the first of equal ones.
pub(in crate::attack) fn highest(scores: &[f32]) -> usize {
    let first = scores.iter().enumerate().rev().max_by(|a, b| a.1.total_cmp(b.1));
    first.map_or(0, |(class, _)| class)
}

/// Turns scores into probabilities, and returns the logarithm of their normaliser.
pub(super) fn softmax(scores: &mut [f32]) -> f32 {
    let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    scores.iter_mut().for_each(|score| *score = (*score - highest).exp());
    let sum: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
    highest + sum.ln()
}

/// The number of classes whose weights are side by side. A sparse row is multiplied for all of them
/// at once, in a few registers, and their weights for ten thousand columns fit into a core's cache.
pub(super) const LANES: usize = 16;

/// The weights of [`LANES`] classes: for each column, and last the biases.
pub(super) type Block = [[f32; LANES]];

/// Zero weights, block after block.
pub(super) fn zeros(dim: usize, classes: usize) -> Vec<f32> {
    vec![0.0; classes.div_ceil(LANES) * block_len(dim)]
}

pub(super) fn block_len(dim: usize) -> usize {
    (dim + 1) * LANES
}

/// The score of each class of a block for a row.
pub(super) fn multiply(block: &Block, row: SparseRow<'_>) -> [f32; LANES] {
    let mut scores = block.last().copied().unwrap_or_default();
    for (column, value) in row.iter() {
        scores.iter_mut().zip(&block[column]).for_each(|(score, weight)| *score += value * weight);
    }
    scores
}

/// Adds a multiple of the row to the weights of each class of a block.
pub(super) fn add_row(block: &mut Block, row: SparseRow<'_>, times: &[f32; LANES]) {
    let add = |weights: &mut [f32; LANES], value: f32| {
        weights.iter_mut().zip(times).for_each(|(weight, times)| *weight += value * times);
    };
    row.iter().for_each(|(column, value)| add(&mut block[column], value));
    block.iter_mut().last().into_iter().for_each(|weights| add(weights, 1.0));
}

/// The scores of all classes for all rows, row by row.
pub(super) fn multiply_all(weights: &[f32], rows: &SparseRows, classes: usize, scores: &mut [f32]) {
    for (number, block) in weights.chunks_exact(block_len(rows.dim())).enumerate() {
        let (block, _) = block.as_chunks();
        for (row, scores) in rows.iter().zip(scores.chunks_exact_mut(classes)) {
            let own = scores[number * LANES..].iter_mut();
            own.zip(multiply(block, row)).for_each(|(score, of_class)| *score = of_class);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn softmax_handles_large_scores() {
        let mut scores = [1000.0, 1000.0, -1000.0];
        assert!((softmax(&mut scores) - (1000.0 + 2.0_f32.ln())).abs() < 1e-3);
        assert_eq!(scores, [0.5, 0.5, 0.0]);
        assert_eq!((highest(&scores), highest(&[])), (0, 0));
    }

    #[test]
    fn scores_follow_the_added_row() {
        let rows = SparseRows::from_dense(3, &[1.0, 0.0, 2.0]).unwrap();
        let mut weights = zeros(3, 20);
        let (blocks, _) = weights.as_chunks_mut::<LANES>();
        let mut times = [0.0; LANES];
        (times[0], times[3]) = (0.5, -1.0);
        // The second of two blocks: classes 16 and 19.
        add_row(&mut blocks[4..], rows.row(0), &times);
        let mut scores = [0.0; 20];
        multiply_all(&weights, &rows, 20, &mut scores);
        // 1·1 + 2·2, and 1 for the bias.
        assert_eq!((scores[16], scores[19]), (3.0, -6.0));
        assert_eq!(scores.iter().filter(|score| **score != 0.0).count(), 2);
    }
}
