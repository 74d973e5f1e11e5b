//! The receipt of a release: its guarantee, the limits of the guarantee, and how the release was
//! made.
//!
//! A receipt is versioned JSON. It never contains the input, the key or the noise.

mod builder;
mod certainty;
mod fields;
mod json;
mod meaning;
mod render;
#[cfg(test)]
mod tests;
mod verify;

pub use builder::{GroupBudget, ReceiptBuilder};
pub use certainty::{Alternative, Certainty};
pub use fields::{Receipt, ReceiptGroup, ReleaseKind};
