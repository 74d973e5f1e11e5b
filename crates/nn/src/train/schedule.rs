//! Learning rate schedules.

use std::f64::consts::PI;

/// A learning rate that rises linearly, then falls or stays constant.
///
/// ```
/// use inkveil_nn::train::{Decay, Schedule};
///
/// let schedule = Schedule { peak: 1.0, warm_up: 4, steps: 12, decay: Decay::Linear };
/// assert_eq!(schedule.rate(0), 0.25); // the first step is not 0
/// assert_eq!(schedule.rate(4), 1.0);
/// assert_eq!(schedule.rate(8), 0.5);
/// assert_eq!(schedule.rate(12), 0.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schedule {
    /// The highest rate.
    pub peak: f64,
    /// The number of steps until it is reached.
    pub warm_up: u64,
    /// The total number of steps.
    pub steps: u64,
    /// The shape after the warm-up.
    pub decay: Decay,
}

/// How a learning rate falls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decay {
    /// It stays constant.
    Constant,
    /// Linearly to 0 at the end.
    Linear,
    /// Along half a cosine to 0 at the end.
    Cosine,
}

impl Schedule {
    /// Returns the rate of a step, counted from 0.
    pub fn rate(&self, step: u64) -> f64 {
        if step < self.warm_up {
            return self.peak * (step as f64 + 1.0) / self.warm_up as f64;
        }
        let length = self.steps.saturating_sub(self.warm_up).max(1);
        let passed = ((step - self.warm_up) as f64 / length as f64).min(1.0);
        match self.decay {
            Decay::Constant => self.peak,
            Decay::Linear => self.peak * (1.0 - passed),
            Decay::Cosine => self.peak * 0.5 * (1.0 + (PI * passed).cos()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_match_the_definition() {
        let schedule = |decay| Schedule { peak: 2.0, warm_up: 2, steps: 10, decay };
        let rates = |decay| [0, 1, 2, 4, 6, 10, 99].map(|step| schedule(decay).rate(step));
        assert_eq!(rates(Decay::Constant), [1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]);
        assert_eq!(rates(Decay::Linear), [1.0, 2.0, 2.0, 1.5, 1.0, 0.0, 0.0]);
        let half_way = 1.0 + (PI / 4.0).cos();
        let expected = [1.0, 2.0, 2.0, half_way, 1.0, 0.0, 0.0];
        assert!(rates(Decay::Cosine).iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12));
    }

    #[test]
    fn unusual_settings_give_finite_rates() {
        for (warm_up, steps) in [(0, 0), (5, 3), (0, 1), (u64::MAX, u64::MAX)] {
            let schedule = Schedule { peak: 1.0, warm_up, steps, decay: Decay::Cosine };
            assert!([0, 1, 5, u64::MAX].iter().all(|&step| (0.0..=1.0).contains(&schedule.rate(step))));
        }
    }
}
