//! What somebody learns from released vectors.
//!
//! An attack is worth as much as its attacker: these are trained on vectors that went through the same veil as those they attack,
//! because who attacks a release knows how it was made.

mod attribute;
mod mlc;
mod network;

pub use attribute::AttributeInference;
pub use mlc::{Exposure, Findings, Instance, Mlc};
pub use network::MlcSettings;
