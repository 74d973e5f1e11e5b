//! Support vector machines, one for each class against all others, with the squared hinge loss.
//!
//! Dual coordinate descent (Hsieh et al., 2008): min over w of ½|w|² + C·Σ max(0, 1 − yᵢ·w·xᵢ)² has
//! the solution w = Σ αᵢ·yᵢ·xᵢ, and each αᵢ ≥ 0 has a closed optimum if the others are fixed. The
//! classes of a block see the rows in the same order, so a row is multiplied for all of them at
//! once.

use std::ops::Range;

use inkveil_nn::SplitMix;

use super::blocks::{Block, LANES, add_row, block_len, multiply, zeros};
use super::settings::LinearSettings;
use crate::attack::sparse::SparseRows;

/// Fits the weights. [`LinearModel::train`](super::LinearModel::train) has checked the arguments.
pub(super) fn train(
    rows: &SparseRows,
    labels: &[usize],
    classes: usize,
    settings: &LinearSettings,
) -> Vec<f32> {
    let mut weights = zeros(rows.dim(), classes);
    for (number, block) in weights.chunks_exact_mut(block_len(rows.dim())).enumerate() {
        let first = number * LANES;
        train_block(block.as_chunks_mut().0, rows, labels, first..classes.min(first + LANES), settings);
    }
    weights
}

/// Fits the weights of the classes of one block.
fn train_block(
    block: &mut Block,
    rows: &SparseRows,
    labels: &[usize],
    classes: Range<usize>,
    settings: &LinearSettings,
) {
    let mut alphas = vec![[0.0_f32; LANES]; rows.len()];
    // The squared loss adds the ridge to the diagonal of the dual; the 1 is the bias.
    let ridge = 0.5 / settings.cost;
    let diagonal: Vec<f32> = rows.iter().map(|row| row.square() + 1.0 + ridge).collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    for step in 0..settings.steps {
        SplitMix::named(settings.seed, "svm", &[step as u64]).shuffle(&mut order);
        let mut worst = 0.0_f32;
        for &index in &order {
            let row = rows.row(index);
            let scores = multiply(block, row);
            let mut moves = [0.0; LANES];
            let lanes = alphas[index].iter_mut().zip(scores).zip(&mut moves);
            for (class, ((alpha, score), by)) in classes.clone().zip(lanes) {
                let side = if labels[index] == class { 1.0 } else { -1.0 };
                let gradient = side * score - 1.0 + ridge * *alpha;
                // At the bound, only a gradient away from it counts.
                let violation = if *alpha > 0.0 { gradient } else { gradient.min(0.0) };
                worst = worst.max(violation.abs());
                let next = (*alpha - gradient / diagonal[index]).max(0.0);
                *by = (next - *alpha) * side;
                *alpha = next;
            }
            if moves != [0.0; LANES] {
                add_row(block, row, &moves);
            }
        }
        if worst < settings.tolerance {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_of_two_points() {
        // x = ±1 with C: by symmetry no bias, and w minimises ½w² + 2C(1 − w)²: w = 4C/(1 + 4C).
        let rows = SparseRows::from_dense(1, &[1.0, -1.0]).unwrap();
        for cost in [0.25, 1.0, 10.0] {
            let settings = LinearSettings { cost, tolerance: 1e-6, steps: 2000, ..Default::default() };
            let weights = train(&rows, &[1, 0], 2, &settings);
            let expected = 4.0 * cost / (1.0 + 4.0 * cost);
            assert!((weights[1] - expected).abs() < 1e-4, "{weights:?}");
            assert!((weights[0] + expected).abs() < 1e-4);
            assert!(weights[LANES + 1].abs() < 1e-4, "the bias is zero");
            assert!(weights[2..LANES].iter().all(|&padding| padding == 0.0));
        }
    }

    #[test]
    fn training_ends_where_the_gradient_is_zero() {
        let mut random = SplitMix::named(4, "rows", &[]);
        let dense: Vec<f32> = (0..60 * 3).map(|_| random.normals()[0] as f32).collect();
        let labels: Vec<usize> = (0..60).map(|_| (random.next() % 3) as usize).collect();
        let rows = SparseRows::from_dense(3, &dense).unwrap();
        let settings = LinearSettings { tolerance: 1e-4, steps: 5000, ..Default::default() };
        let weights = train(&rows, &labels, 3, &settings);
        // The primal gradient: w − 2C·Σ y·max(0, 1 − y·w·x)·x.
        let mut gradient = weights.clone();
        let ((weights, _), (slopes, _)) = (weights.as_chunks(), gradient.as_chunks_mut());
        for (row, &label) in rows.iter().zip(&labels) {
            let mut scores = multiply(weights, row);
            for (class, score) in scores.iter_mut().enumerate() {
                let side = if label == class { 1.0 } else { -1.0 };
                *score = -2.0 * side * (1.0 - side * *score).max(0.0);
            }
            add_row(slopes, row, &scores);
        }
        let of_classes = slopes.iter().flat_map(|lanes| &lanes[..3]);
        assert!(of_classes.clone().count() == 12 && of_classes.clone().all(|g| g.abs() < 0.02), "{slopes:?}");
    }

    #[test]
    fn the_result_depends_on_the_seed() {
        let rows = SparseRows::from_dense(2, &[1.0, 0.2, 0.1, 1.0, 0.7, 0.6, 0.5, 0.5]).unwrap();
        let with = |seed| {
            let settings = LinearSettings { steps: 2, seed, ..Default::default() };
            train(&rows, &[0, 1, 0, 1], 2, &settings)
        };
        assert_eq!(with(1), with(1));
        assert!((2..6).any(|seed| with(seed) != with(1)));
    }
}
