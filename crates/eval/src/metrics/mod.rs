//! Numbers that say how well something works.

mod bootstrap;
mod ndcg;
mod overlap;
mod pearson;

pub use bootstrap::{Bootstrap, Estimate, Group};
pub use ndcg::ndcg;
pub use overlap::neighbour_overlap;
pub use pearson::pearson;
