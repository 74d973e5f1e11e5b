//! Metrics of utility, leakage and their uncertainty.

mod answers;
mod auc;
mod bins;
mod bleu;
mod bootstrap;
mod classes;
mod entities;
mod lexical;
mod ndcg;
mod overlap;
mod pearson;
mod shift;
mod spearman;
mod verification;

pub use answers::{answer_f1, exact_match};
pub use auc::auc;
pub use bins::{RiskBin, binned_spearman, equal_width_bins, quantile_bins};
pub use bleu::self_bleu;
pub use bootstrap::{Bootstrap, Estimate, ValueSum};
pub use classes::{accuracy, macro_f1};
pub use entities::entity_match;
pub use lexical::{type_token_ratio, word_count};
pub use ndcg::ndcg;
pub use overlap::neighbour_overlap;
pub(crate) use overlap::{cosine, unit_rows};
pub use pearson::pearson;
pub use shift::{StyleShift, style_cosine};
pub use spearman::spearman;
pub use verification::{equal_error_rate, threshold_accuracy};
