//! The settings of linear classifiers.

/// How a [`LinearModel`](super::LinearModel) is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Learner {
    /// Each class against all others, with the squared hinge loss: a support vector machine, usual
    /// in authorship attribution. It gives scores.
    Svm,
    /// All classes at once, with the logistic loss: multinomial logistic regression. It gives
    /// probabilities.
    Logistic,
}

/// The training settings of a [`LinearModel`](super::LinearModel).
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
    /// The weight of a row's loss relative to half the squared weights (C). Larger values fit
    /// closer.
    pub cost: f32,
    /// The most steps. A step of the support vector machine sees every row once, a step of the
    /// regression at least once.
    pub steps: usize,
    /// When to stop: at this largest violation of a margin, or this length of the gradient relative
    /// to the start.
    pub tolerance: f32,
    /// Determines the order of rows for the support vector machine. The regression is
    /// deterministic.
    pub seed: u64,
}

impl Default for LinearSettings {
    fn default() -> Self {
        Self { cost: 1.0, steps: 200, tolerance: 0.01, seed: 0 }
    }
}
