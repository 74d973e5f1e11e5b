//! Training of the taggers.
//!
//! Datasets label different kinds. If a dataset does not label job titles, an unlabelled word may still be
//! one. Each text therefore states for which kinds its labels are
//! [complete](LabelledText::complete), and the loss accepts every label that its dataset leaves possible.

mod accurate;
mod fast;
mod labelled;
mod loss;
mod shuffle;
mod start;
mod steps;

pub use accurate::train_accurate;
pub use fast::train_fast;
pub use labelled::LabelledText;
pub use shuffle::Shuffle;
pub use steps::{EpochTexts, TrainingPlan, TrainingProgress};
