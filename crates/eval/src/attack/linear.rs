//! Linear classifiers: a direction for each class, and the class whose direction a row follows most.

use super::{SparseRow, SparseRows, logistic, svm};
use crate::Error;

/// How a [`LinearModel`] learns its directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Learner {
    /// Each class against all others, with the squared hinge loss: the support vector machine of authorship attribution. It gives scores.
    Svm,
    /// All classes at once, with the logistic loss: multinomial logistic regression. It gives probabilities.
    Logistic,
}

/// How a [`LinearModel`] is trained.
///
/// ```
/// use inkveil_eval::attack::LinearSettings;
///
/// let mut settings = LinearSettings::default();
/// settings.cost = 10.0; // fits the training rows more closely
/// # assert_eq!(settings.steps, 200);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LinearSettings {
    /// What a row's loss weighs beside half the square of the weights (C): the larger, the closer the fit.
    pub cost: f32,
    /// At most so many steps; one of the support vector machine sees every row once, one of the regression at least once.
    pub steps: usize,
    /// When it is good enough: the largest violation of a margin, or the gradient's length beside that at the start.
    pub tolerance: f32,
    /// The order in which the support vector machine sees rows. The regression draws nothing.
    pub seed: u64,
}

impl Default for LinearSettings {
    fn default() -> Self {
        Self { cost: 1.0, steps: 200, tolerance: 0.01, seed: 0 }
    }
}

/// A linear classifier of sparse rows.
///
/// ```
/// use inkveil_eval::attack::{Learner, LinearModel, LinearSettings, SparseRows};
///
/// let rows = SparseRows::from_dense(2, &[1.0, 0.0, 0.9, 0.1, 0.0, 1.0, 0.2, 0.8])?;
/// let settings = LinearSettings::default();
/// for learner in [Learner::Svm, Learner::Logistic] {
///     let model = LinearModel::train(&rows, &[0, 0, 1, 1], 2, learner, &settings)?;
///     assert_eq!(model.predict(&rows)?, [0, 0, 1, 1]);
/// }
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct LinearModel {
    learner: Learner,
    dim: usize,
    classes: usize,
    weights: Vec<f32>,
}

impl LinearModel {
    /// Trains on rows; `labels` has the class of each, as a number below `classes`. The work is done on the calling thread.
    ///
    /// # Errors
    /// If rows and labels do not fit, there are fewer than two classes, a number is not finite, or a setting makes no sense.
    pub fn train(
        rows: &SparseRows,
        labels: &[usize],
        classes: usize,
        learner: Learner,
        settings: &LinearSettings,
    ) -> Result<Self, Error> {
        if rows.is_empty() || rows.len() != labels.len() {
            return Err(Error::argument(format!(
                "{} rows have {} labels; training needs some rows, with a label each",
                rows.len(),
                labels.len()
            )));
        }
        if classes < 2 || labels.iter().any(|&label| label >= classes) {
            return Err(Error::argument(format!(
                "labels are numbers below that of classes, and there are two or more classes, not {classes}"
            )));
        }
        let positive = |x: f32| x > 0.0 && x.is_finite();
        if !positive(settings.cost) || !positive(settings.tolerance) || settings.steps == 0 {
            return Err(Error::argument("cost, tolerance and steps are positive numbers"));
        }
        if !rows.is_finite() {
            return Err(Error::argument(
                "a row has something that is no finite number; clean the rows first",
            ));
        }
        // As many as an allocation may have, padding included.
        if (rows.dim() as u128 + 1) * (classes as u128 + LANES as u128) * 4 > isize::MAX as u128 {
            return Err(Error::argument(format!("{classes} classes of {} numbers are too many", rows.dim())));
        }
        let weights = match learner {
            Learner::Svm => svm::train(rows, labels, classes, settings),
            Learner::Logistic => logistic::train(rows, labels, classes, settings),
        };
        Ok(Self { learner, dim: rows.dim(), classes, weights })
    }

    /// How it was trained.
    pub fn learner(&self) -> Learner {
        self.learner
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The score of each class for each row, row by row: margins of the support vector machine, probabilities of the regression.
    ///
    /// # Errors
    /// If the rows have another dimension than those trained on.
    pub fn scores(&self, rows: &SparseRows) -> Result<Vec<f32>, Error> {
        if rows.dim() != self.dim {
            return Err(Error::argument(format!(
                "the rows have {} numbers and not {}",
                rows.dim(),
                self.dim
            )));
        }
        let mut scores = vec![0.0; rows.len() * self.classes];
        multiply_all(&self.weights, rows, self.classes, &mut scores);
        if self.learner == Learner::Logistic {
            for scores in scores.chunks_exact_mut(self.classes) {
                softmax(scores);
            }
        }
        Ok(scores)
    }

    /// The class with the highest score for each row; of equally high ones the first.
    ///
    /// # Errors
    /// As [`scores`](Self::scores).
    pub fn predict(&self, rows: &SparseRows) -> Result<Vec<usize>, Error> {
        Ok(self.scores(rows)?.chunks_exact(self.classes).map(highest).collect())
    }
}

impl std::fmt::Debug for LinearModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LinearModel({:?}, {} classes)", self.learner, self.classes)
    }
}

/// The place of the highest score; of equally high ones the first.
pub(super) fn highest(scores: &[f32]) -> usize {
    let first = scores.iter().enumerate().rev().max_by(|a, b| a.1.total_cmp(b.1));
    first.map_or(0, |(class, _)| class)
}

/// Turns scores into probabilities, and gives the logarithm of the sum that they were divided by.
pub(super) fn softmax(scores: &mut [f32]) -> f32 {
    let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    scores.iter_mut().for_each(|score| *score = (*score - highest).exp());
    let sum: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
    highest + sum.ln()
}

/// Classes whose weights lie side by side. A sparse row is multiplied for all of them at once, in a few registers, and their weights for some
/// ten thousand columns still fit into a core's cache.
pub(super) const LANES: usize = 16;

/// The weights of [`LANES`] classes: those of each column, and last those that count for every row.
pub(super) type Block = [[f32; LANES]];

/// The weights to start from, block after block.
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

/// Adds the row to the weights of each class of a block, times the number of that class.
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
    fn softmax_survives_large_scores() {
        let mut scores = [1000.0, 1000.0, -1000.0];
        assert!((softmax(&mut scores) - (1000.0 + 2.0_f32.ln())).abs() < 1e-3);
        assert_eq!(scores, [0.5, 0.5, 0.0]);
        assert_eq!((highest(&scores), highest(&[])), (0, 0));
    }

    #[test]
    fn scores_move_with_the_row() {
        let rows = SparseRows::from_dense(3, &[1.0, 0.0, 2.0]).unwrap();
        let mut weights = zeros(3, 20);
        let (blocks, _) = weights.as_chunks_mut::<LANES>();
        let mut times = [0.0; LANES];
        (times[0], times[3]) = (0.5, -1.0);
        // The second of two blocks: classes 16 and 19.
        add_row(&mut blocks[4..], rows.row(0), &times);
        let mut scores = [0.0; 20];
        multiply_all(&weights, &rows, 20, &mut scores);
        // 1·1 + 2·2 and the 1 that every row has.
        assert_eq!((scores[16], scores[19]), (3.0, -6.0));
        assert_eq!(scores.iter().filter(|score| **score != 0.0).count(), 2);
    }

    #[test]
    fn more_classes_than_a_block_has() {
        let dense: Vec<f32> = (0..40 * 40).map(|i| f32::from(u8::from(i % 40 == i / 40))).collect();
        let rows = SparseRows::from_dense(40, &dense).unwrap();
        let labels: Vec<usize> = (0..40).rev().collect();
        for learner in [Learner::Svm, Learner::Logistic] {
            let settings = LinearSettings { cost: 10.0, ..LinearSettings::default() };
            let model = LinearModel::train(&rows, &labels, 40, learner, &settings).unwrap();
            assert_eq!(model.predict(&rows).unwrap(), labels);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let rows = SparseRows::from_dense(1, &[1.0, 2.0]).unwrap();
        let train = |rows: &SparseRows, labels: &[usize], classes, settings: &LinearSettings| {
            LinearModel::train(rows, labels, classes, Learner::Svm, settings)
        };
        let settings = LinearSettings::default();
        assert!(train(&rows, &[0], 2, &settings).is_err());
        assert!(train(&rows, &[0, 2], 2, &settings).is_err());
        assert!(train(&rows, &[0, 0], 1, &settings).is_err());
        assert!(train(&rows, &[0, 1], usize::MAX, &settings).is_err());
        assert!(train(&SparseRows::new(1), &[], 2, &settings).is_err());
        assert!(train(&SparseRows::from_dense(1, &[f32::NAN]).unwrap(), &[0], 2, &settings).is_err());
        let (none, endless) = (
            LinearSettings { cost: 0.0, ..settings.clone() },
            LinearSettings { tolerance: f32::NAN, ..settings.clone() },
        );
        assert!(train(&rows, &[0, 1], 2, &none).is_err() && train(&rows, &[0, 1], 2, &endless).is_err());
        let model = train(&rows, &[0, 1], 2, &settings).unwrap();
        assert!(model.scores(&SparseRows::from_dense(2, &[1.0, 2.0]).unwrap()).is_err());
        assert!(model.scores(&SparseRows::new(1)).unwrap().is_empty());
    }
}
