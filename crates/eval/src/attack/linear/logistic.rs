//! Multinomial logistic regression: min over W of the mean of −log p(label | row) plus
//! |W|²/(2·C·rows). Biases are not regularised.

use super::blocks::{LANES, add_row, block_len, multiply_all, softmax, zeros};
use super::lbfgs::minimise;
use super::settings::LinearSettings;
use crate::attack::sparse::SparseRows;

/// Fits the weights. [`LinearModel::train`](super::LinearModel::train) has checked the arguments.
pub(super) fn train(
    rows: &SparseRows,
    labels: &[usize],
    classes: usize,
    settings: &LinearSettings,
) -> Vec<f32> {
    let problem = Problem { rows, labels, classes, cost: f64::from(settings.cost) };
    let mut scores = vec![0.0; rows.len() * classes];
    minimise(zeros(rows.dim(), classes), settings.steps, settings.tolerance, |weights, gradient| {
        problem.loss(weights, gradient, &mut scores)
    })
}

struct Problem<'a> {
    rows: &'a SparseRows,
    labels: &'a [usize],
    classes: usize,
    cost: f64,
}

impl Problem<'_> {
    /// Returns the loss at these weights and writes its gradient. `scores` is a buffer for all
    /// rows.
    fn loss(&self, weights: &[f32], gradient: &mut [f32], scores: &mut [f32]) -> f64 {
        let share = 1.0 / self.rows.len() as f64;
        multiply_all(weights, self.rows, self.classes, scores);
        let mut total = 0.0;
        for (scores, &label) in scores.chunks_exact_mut(self.classes).zip(self.labels) {
            let own = scores[label];
            total += f64::from(softmax(scores) - own);
            scores[label] -= 1.0;
            // From here on the contribution of the row to the gradient.
            scores.iter_mut().for_each(|score| *score *= share as f32);
        }
        let penalty = share / self.cost;
        let mut square = 0.0;
        let length = block_len(self.rows.dim());
        let blocks = gradient.chunks_exact_mut(length).zip(weights.chunks_exact(length));
        for (number, (slopes, weights)) in blocks.enumerate() {
            let (regularised, biases) = slopes.split_at_mut(length - LANES);
            for (slope, &weight) in regularised.iter_mut().zip(weights) {
                *slope = penalty as f32 * weight;
                square += f64::from(weight) * f64::from(weight);
            }
            biases.fill(0.0);
            let (slopes, _) = slopes.as_chunks_mut();
            for (row, scores) in self.rows.iter().zip(scores.chunks_exact(self.classes)) {
                let mut times = [0.0; LANES];
                times.iter_mut().zip(&scores[number * LANES..]).for_each(|(times, score)| *times = *score);
                add_row(slopes, row, &times);
            }
        }
        total * share + square * penalty / 2.0
    }
}

#[cfg(test)]
mod tests {
    use inkveil_nn::SplitMix;

    use super::*;

    fn example() -> (SparseRows, Vec<usize>) {
        let mut random = SplitMix::named(4, "rows", &[]);
        let dense: Vec<f32> = (0..60 * 3).map(|_| random.normals()[0] as f32).collect();
        let labels = (0..60).map(|_| (random.next() % 3) as usize).collect();
        (SparseRows::from_dense(3, &dense).unwrap(), labels)
    }

    #[test]
    fn gradients_match_finite_differences() {
        let (rows, labels) = example();
        let problem = Problem { rows: &rows, labels: &labels, classes: 3, cost: 0.5 };
        let mut random = SplitMix::named(5, "weights", &[]);
        let mut weights = zeros(3, 3);
        let (lanes, _) = weights.as_chunks_mut::<LANES>();
        lanes.iter_mut().flat_map(|lanes| &mut lanes[..3]).for_each(|w| *w = random.normals()[0] as f32);
        let (mut gradient, mut unused, mut scores) = (weights.clone(), weights.clone(), [0.0; 180]);
        problem.loss(&weights, &mut gradient, &mut scores);
        for index in 0..weights.len() {
            if index % LANES >= 3 {
                assert_eq!(gradient[index], 0.0, "padding has no gradient");
                continue;
            }
            let mut moved = |by: f32| {
                let mut weights = weights.clone();
                weights[index] += by;
                problem.loss(&weights, &mut unused, &mut scores)
            };
            let slope = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            assert!((slope - f64::from(gradient[index])).abs() < 1e-4, "{slope} and {}", gradient[index]);
        }
    }

    #[test]
    fn training_ends_where_the_gradient_is_zero() {
        let (rows, labels) = example();
        let settings = LinearSettings { tolerance: 1e-4, ..Default::default() };
        let weights = train(&rows, &labels, 3, &settings);
        let problem = Problem { rows: &rows, labels: &labels, classes: 3, cost: 1.0 };
        let mut gradient = weights.clone();
        problem.loss(&weights, &mut gradient, &mut [0.0; 180]);
        assert!(gradient.iter().all(|g| g.abs() < 1e-4), "{gradient:?}");
    }

    #[test]
    fn without_evidence_probabilities_are_class_frequencies() {
        let rows = SparseRows::from_dense(1, &[0.0; 8]).unwrap();
        let settings = LinearSettings { tolerance: 1e-5, ..Default::default() };
        let weights = train(&rows, &[0, 0, 0, 0, 0, 0, 1, 1], 2, &settings);
        let mut scores = weights[LANES..LANES + 2].to_vec();
        softmax(&mut scores);
        assert!((scores[0] - 0.75).abs() < 1e-3, "{scores:?}");
    }
}
