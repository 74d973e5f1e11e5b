//! Composition of Gaussian charges, which cost less together than the sum of their ε.

use inkveil_privacy::Epsilon;

use crate::charge::{Charge, plus, plus_delta};

/// Charges in two parts: those with Gaussian noise, which compose by their ρ, and all others, which
/// add up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Composed {
    /// Σρ of Gaussian charges.
    pub(crate) rho: f64,
    /// Σε and Σδ of all other charges.
    pub(crate) rest_epsilon: Epsilon,
    pub(crate) rest_delta: f64,
}

impl Default for Composed {
    fn default() -> Self {
        Self { rho: 0.0, rest_epsilon: Epsilon::ZERO, rest_delta: 0.0 }
    }
}

impl Composed {
    pub(crate) fn add(&mut self, charge: &Charge) {
        match charge.zcdp {
            Some(rho) => self.rho = plus_rho(self.rho, rho),
            None => {
                self.rest_epsilon = plus(self.rest_epsilon, charge.epsilon);
                self.rest_delta = plus_delta(self.rest_delta, charge.delta);
            }
        }
    }

    pub(crate) fn join(&mut self, other: &Self) {
        self.rho = plus_rho(self.rho, other.rho);
        self.rest_epsilon = plus(self.rest_epsilon, other.rest_epsilon);
        self.rest_delta = plus_delta(self.rest_delta, other.rest_delta);
    }

    /// Returns an ε that holds for everything with the failure probability `delta`, rounded up.
    /// None if `delta` is not enough.
    pub(crate) fn epsilon(&self, delta: f64) -> Option<Epsilon> {
        if self.rest_delta > delta {
            return None;
        }
        if self.rho == 0.0 {
            return Some(self.rest_epsilon);
        }
        // Rounded down: less δ for the Gaussian part gives a larger ε.
        let left = (delta - self.rest_delta).next_down();
        Some(plus(self.rest_epsilon, gaussian_epsilon(self.rho, left)?))
    }
}

fn plus_rho(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { a + b } else { (a + b).next_up() }
}

/// Returns the ε of ρ-zCDP with this failure probability, rounded up.
fn gaussian_epsilon(rho: f64, delta: f64) -> Option<Epsilon> {
    if !(delta > 0.0 && delta < 1.0) {
        return None;
    }
    let value = rho + 2.0 * (rho * -delta.ln()).sqrt();
    Epsilon::new(value * (1.0 + 1e-12)).ok()
}
