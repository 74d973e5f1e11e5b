//! Composition of Gaussian charges, which cost less together than the sum of their ε.

use inkveil_privacy::Epsilon;
use inkveil_privacy::accounting::PrivacyLoss;

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

/// Returns the ε of Gaussian noise with this ρ and failure probability, rounded up.
fn gaussian_epsilon(rho: f64, delta: f64) -> Option<Epsilon> {
    if delta <= 0.0 {
        return None;
    }
    // ρ = Δ²/2σ², so this is Δ for σ = 1.
    let sensitivity = (2.0 * rho).sqrt().next_up();
    let loss = PrivacyLoss::gaussian(sensitivity, 1.0).ok()?;
    loss.epsilon(delta.min(1f64.next_down())).ok().filter(|epsilon| !epsilon.is_infinite())
}

#[cfg(test)]
mod tests {
    use inkveil_privacy::{Gaussian, Metric, VectorMechanism as _};
    use proptest::prelude::*;

    use super::*;

    /// The charge of one vector with Gaussian noise.
    fn gaussian(epsilon: f64, delta: f64) -> Charge {
        let epsilon = Epsilon::new(epsilon).unwrap();
        let noise = Gaussian::new(8, epsilon, delta, 2.0).unwrap();
        let zcdp = noise.zcdp().map(|budget| budget.rho());
        Charge { within: Some(2.0), delta, zcdp, ..Charge::new(None, Metric::Euclidean, epsilon) }
    }

    #[test]
    fn many_gaussian_releases_cost_far_less_than_their_sum() {
        let mut sum = Composed::default();
        let one = gaussian(1.0, 1e-6);
        (0..100).for_each(|_| sum.add(&one));
        let epsilon = sum.epsilon(1e-4).unwrap().get();
        // A hundred releases: the sum is 100 with the same δ.
        assert!((5.0..25.0).contains(&epsilon), "{epsilon}");
        assert_eq!(sum.epsilon(0.0), None, "Gaussian noise has no pure guarantee");
    }

    #[test]
    fn other_charges_add_to_the_composed_ones() {
        let mut sum = Composed::default();
        sum.add(&gaussian(1.0, 1e-6));
        let alone = sum.epsilon(1e-5).unwrap();
        sum.add(&Charge::new(None, Metric::Euclidean, Epsilon::new(3.0).unwrap()));
        let both = sum.epsilon(1e-5).unwrap();
        assert!(both.get() >= alone.get() + 3.0 && both.get() < alone.get() + 3.0001);
        sum.add(&Charge { delta: 1e-5, ..Charge::new(None, Metric::Euclidean, Epsilon::ZERO) });
        assert_eq!(sum.epsilon(1e-5), None, "no δ is left for the Gaussian part");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
        #[test]
        fn the_composition_lies_between_each_part_and_the_sum(
            parts in proptest::collection::vec((0.05..5.0f64, -9.0..-3.0f64), 1..12),
        ) {
            let charges: Vec<Charge> =
                parts.iter().map(|(epsilon, log)| gaussian(*epsilon, 10f64.powf(*log))).collect();
            let (mut composed, mut delta, mut plain) = (Composed::default(), 0.0, Epsilon::ZERO);
            for charge in &charges {
                composed.add(charge);
                delta = plus_delta(delta, charge.delta);
                plain = plus(plain, charge.epsilon);
            }
            let epsilon = composed.epsilon(delta).unwrap();
            // The calibration of σ is rounded up, so one release alone may come out a little smaller.
            prop_assert!(epsilon.get() <= plain.get() * (1.0 + 1e-6), "{epsilon} > {plain}");
            for charge in &charges {
                let mut alone = Composed::default();
                alone.add(charge);
                prop_assert!(epsilon >= alone.epsilon(delta).unwrap());
            }
        }
    }
}
