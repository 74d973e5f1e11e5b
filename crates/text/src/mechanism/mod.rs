//! Mechanisms that replace tokens, one file for each.
//!
//! A mechanism is independent of the allocation of budgets. It receives tokens, each with its ε,
//! and draws a replacement for each. There are two families: `directions.rs` moves a token's vector
//! and finds the nearest entry; `candidates.rs` draws an entry directly, by its distance. A new
//! mechanism is one new file in one of the families and one line in [`MechanismName`].

mod candidates;
mod directions;
mod exponential;
mod interface;
mod laplace_l1;
mod laplace_l2;
mod likely;
mod mahalanobis;
mod name;
mod polar;
mod polar_radial;
mod purkayastha;
mod randomized_response;
mod settings;
mod tem;
mod worst_loss;

pub(crate) use self::interface::unit_of;
pub use self::interface::{Mechanism, Token, TokenGuarantee};
pub use self::laplace_l1::NearestBy;
pub use self::likely::{LikelyOriginals, Observation};
pub use self::name::MechanismName;
pub use self::settings::MechanismSettings;

#[cfg(test)]
pub(crate) mod tests;
