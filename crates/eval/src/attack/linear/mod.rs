//! Linear classifiers.

mod blocks;
mod lbfgs;
mod logistic;
mod model;
mod settings;
mod svm;

pub(super) use blocks::highest;
pub use model::LinearModel;
pub use settings::{Learner, LinearSettings};
