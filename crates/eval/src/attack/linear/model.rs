//! Linear classifiers: a direction for each class; the class with the highest product wins.

use super::blocks::{LANES, highest, multiply_all, softmax};
use super::settings::{Learner, LinearSettings};
use super::{logistic, svm};
use crate::Error;
use crate::attack::sparse::SparseRows;

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
    /// Trains on rows. `labels` has the class of each row, a number below `classes`. Uses the
    /// calling thread only.
    ///
    /// # Errors
    /// If rows and labels do not fit, there are fewer than two classes, a number is not finite, or
    /// a setting is invalid.
    pub fn train(
        rows: &SparseRows,
        labels: &[usize],
        classes: usize,
        learner: Learner,
        settings: &LinearSettings,
    ) -> Result<Self, Error> {
        if rows.is_empty() || rows.len() != labels.len() {
            return Err(Error::argument(format!(
                "{} rows have {} labels; training needs one label for each row",
                rows.len(),
                labels.len()
            )));
        }
        if classes < 2 || labels.iter().any(|&label| label >= classes) {
            return Err(Error::argument(format!(
                "there are {classes} classes; training needs two or more, and labels below their number"
            )));
        }
        let positive = |x: f32| x > 0.0 && x.is_finite();
        if !positive(settings.cost) || !positive(settings.tolerance) || settings.steps == 0 {
            return Err(Error::argument("cost, tolerance and steps must be positive"));
        }
        if !rows.is_finite() {
            return Err(Error::argument("a row has a number that is not finite; remove it"));
        }
        // The limit of one allocation, with padding.
        if (rows.dim() as u128 + 1) * (classes as u128 + LANES as u128) * 4 > isize::MAX as u128 {
            return Err(Error::argument(format!("{classes} classes of {} numbers are too many", rows.dim())));
        }
        let weights = match learner {
            Learner::Svm => svm::train(rows, labels, classes, settings),
            Learner::Logistic => logistic::train(rows, labels, classes, settings),
        };
        Ok(Self { learner, dim: rows.dim(), classes, weights })
    }

    /// How it was fitted.
    pub fn learner(&self) -> Learner {
        self.learner
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Returns the score of each class for each row, row by row: margins of the support vector
    /// machine, probabilities of the regression.
    ///
    /// # Errors
    /// If the rows have another dimension than the training rows.
    pub fn scores(&self, rows: &SparseRows) -> Result<Vec<f32>, Error> {
        if rows.dim() != self.dim {
            return Err(Error::argument(format!(
                "the rows have {} numbers instead of {}",
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

    /// Returns the class with the highest score for each row; the first of equal ones.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_can_fill_more_than_one_block() {
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
    fn invalid_arguments_are_refused() {
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
