//! What several releases about the same unit reveal together.
//!
//! Budgets add up, and [`Guarantee::then`](crate::Guarantee::then) adds them. For many releases the
//! sum is far from tight. This module has two tighter accounts. Both round every bound up.
//! - [`Zcdp`]: zero-concentrated differential privacy. One number, ρ, that adds up.
//! - [`PrivacyLoss`]: the distribution of the privacy loss. Gaussian noise composes exactly, and
//!   so do equal pure budgets. Different pure budgets are combined on a grid of losses, rounded up.
//!
//! ```
//! use inkveil_privacy::accounting::PrivacyLoss;
//! use inkveil_privacy::Epsilon;
//!
//! // A hundred releases with ε = 0.1 each: the sum is 10.
//! let hundred = PrivacyLoss::pure(Epsilon::new(0.1)?).times(100)?;
//! assert!(hundred.epsilon(1e-6)? < Epsilon::new(5.1)?);
//! # Ok::<(), inkveil_privacy::Error>(())
//! ```
//!
//! Both accounts are about one fixed pair of neighbouring inputs: the same unit, in the same metric
//! and within the same distance. A release of ε per unit of distance enters with ε times the
//! largest distance.

mod gaussian_loss;
mod losses;
mod privacy_loss;
mod zcdp;

pub(crate) use gaussian_loss::excess;
pub use privacy_loss::PrivacyLoss;
pub use zcdp::Zcdp;

use crate::Error;

/// Checks a failure probability that a caller asks for.
fn check_delta(delta: f64) -> Result<(), Error> {
    if (0.0..1.0).contains(&delta) {
        Ok(())
    } else {
        Err(Error::parameter("delta", "0, or between 0 and 1", delta))
    }
}
