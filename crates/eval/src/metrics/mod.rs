//! Numbers that say how well something works.

mod auc;
mod bins;
mod bootstrap;
mod classes;
mod ndcg;
mod overlap;
mod pearson;
mod spearman;
mod verification;

pub use auc::auc;
pub use bins::{Bin, binned_spearman, equal_width_bins, quantile_bins};
pub use bootstrap::{Bootstrap, Estimate, Group};
pub use classes::{accuracy, macro_f1};
pub use ndcg::ndcg;
pub use overlap::neighbour_overlap;
pub use pearson::pearson;
pub use spearman::spearman;
pub use verification::{equal_error_rate, threshold_accuracy};
