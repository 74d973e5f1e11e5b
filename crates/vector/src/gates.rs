//! Hard-concrete gates: masks between 0 and 1 that reach both ends and still have gradients
//! (Louizos et al., 2018).
//!
//! A gate is m = min(1, max(0, s·(ξ−γ)+γ)) with s = σ((log u − log(1−u) + log α)/β) and u uniform.
//! It is open (m > 0) with probability σ(log α − β·log(−γ/ξ)). The sparsity is the expected number
//! of open gates.

use inkveil_nn::{Adam, SplitMix};

/// The interval to which s is stretched, so that a gate can be fully open and fully closed.
const XI: f64 = 1.1;
const GAMMA: f64 = -0.1;

/// The initial gates: open or closed with equal probability, at the temperature of Louizos et al.
const FIRST_LOG_ALPHA: f32 = 0.0;
const FIRST_BETA: f32 = 2.0 / 3.0;

/// Gates in training, one for each dimension.
pub(crate) struct Gates {
    pub(crate) log_alpha: Vec<f32>,
    pub(crate) log_beta: Vec<f32>,
    alpha_moments: Adam,
    beta_moments: Adam,
    drawn: Vec<Drawn>,
}

/// The derivatives of a drawn gate by its parameters.
#[derive(Clone, Copy, Default)]
struct Drawn {
    by_log_alpha: f64,
    by_log_beta: f64,
}

impl Gates {
    pub(crate) fn new(count: usize) -> Self {
        Self {
            log_alpha: vec![FIRST_LOG_ALPHA; count],
            log_beta: vec![FIRST_BETA.ln(); count],
            alpha_moments: Adam::new(count),
            beta_moments: Adam::new(count),
            drawn: vec![Drawn::default(); count],
        }
    }

    /// Draws every gate into `mask`.
    pub(crate) fn draw(&mut self, random: &mut SplitMix, mask: &mut [f32]) {
        let parameters = self.log_alpha.iter().zip(&self.log_beta);
        for ((m, drawn), (&log_alpha, &log_beta)) in mask.iter_mut().zip(&mut self.drawn).zip(parameters) {
            // Strictly inside (0, 1), so that the logit is finite.
            let u = random.unit().clamp(1e-9, 1.0 - 1e-9);
            let (value, slopes) = gate(u, log_alpha.into(), log_beta.into());
            *m = value as f32;
            *drawn = slopes;
        }
    }

    /// Returns the gates without randomness, for use after learning.
    pub(crate) fn settled(&self) -> Vec<f32> {
        self.log_alpha
            .iter()
            .map(|&log_alpha| (sigmoid(log_alpha.into()) * (XI - GAMMA) + GAMMA).clamp(0.0, 1.0) as f32)
            .collect()
    }

    /// Returns the expected number of open gates.
    pub(crate) fn expected_open(&self) -> f64 {
        self.log_alpha.iter().zip(&self.log_beta).map(|(&a, &b)| open(a.into(), b.into()).0).sum()
    }

    /// Updates the gates, given the gradient of the loss by the drawn mask. λ is the cost of an
    /// open gate.
    pub(crate) fn step(&mut self, by_mask: &[f32], lambda: f64, rate: f32) {
        for (index, (&gradient, drawn)) in by_mask.iter().zip(&self.drawn).enumerate() {
            let (_, by_alpha, by_beta) = open(self.log_alpha[index].into(), self.log_beta[index].into());
            let gradient = f64::from(gradient);
            self.alpha_moments.gradient_mut()[index] =
                (gradient * drawn.by_log_alpha + lambda * by_alpha) as f32;
            self.beta_moments.gradient_mut()[index] =
                (gradient * drawn.by_log_beta + lambda * by_beta) as f32;
        }
        self.alpha_moments.step(&mut self.log_alpha, rate);
        self.beta_moments.step(&mut self.log_beta, rate);
    }
}

/// Returns the gate for a draw of u, and its derivatives.
fn gate(u: f64, log_alpha: f64, log_beta: f64) -> (f64, Drawn) {
    let argument = ((u / (1.0 - u)).ln() + log_alpha) / log_beta.exp();
    let s = sigmoid(argument);
    let stretched = s * (XI - GAMMA) + GAMMA;
    if !(0.0..=1.0).contains(&stretched) {
        return (stretched.clamp(0.0, 1.0), Drawn::default());
    }
    let slope = (XI - GAMMA) * s * (1.0 - s);
    (stretched, Drawn { by_log_alpha: slope / log_beta.exp(), by_log_beta: -slope * argument })
}

/// Returns the probability that a gate is open, and its derivatives by log α and log β.
fn open(log_alpha: f64, log_beta: f64) -> (f64, f64, f64) {
    let shift = log_beta.exp() * (-GAMMA / XI).ln();
    let p = sigmoid(log_alpha - shift);
    (p, p * (1.0 - p), -p * (1.0 - p) * shift)
}

fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 { 1.0 / (1.0 + (-x).exp()) } else { x.exp() / (1.0 + x.exp()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn slopes_are_those_of_finite_differences(u in 0.01..0.99_f64, a in -3.0..3.0_f64, b in -1.5..1.0_f64) {
            let h = 1e-6;
            let (value, slopes) = gate(u, a, b);
            // At the two kinks there is no derivative to compare with.
            prop_assume!((value - 0.0).abs() > 1e-4 && (value - 1.0).abs() > 1e-4 || slopes.by_log_alpha == 0.0);
            let by_a = (gate(u, a + h, b).0 - gate(u, a - h, b).0) / (2.0 * h);
            let by_b = (gate(u, a, b + h).0 - gate(u, a, b - h).0) / (2.0 * h);
            prop_assume!(slopes.by_log_alpha != 0.0 || by_a == 0.0);
            prop_assert!((by_a - slopes.by_log_alpha).abs() < 1e-6 && (by_b - slopes.by_log_beta).abs() < 1e-6);
            let (_, open_a, open_b) = open(a, b);
            prop_assert!(((open(a + h, b).0 - open(a - h, b).0) / (2.0 * h) - open_a).abs() < 1e-6);
            prop_assert!(((open(a, b + h).0 - open(a, b - h).0) / (2.0 * h) - open_b).abs() < 1e-6);
        }
    }

    #[test]
    fn the_share_of_open_gates_follows_the_formula() {
        let mut gates = Gates::new(1);
        (gates.log_alpha[0], gates.log_beta[0]) = (-0.7, -0.2);
        let mut random = SplitMix::named(3, "gates", &[]);
        let (mut mask, draws) = ([0.0], 200_000);
        let opened = (0..draws)
            .filter(|_| {
                gates.draw(&mut random, &mut mask);
                mask[0] > 0.0
            })
            .count();
        let (seen, expected) = (opened as f64 / f64::from(draws), gates.expected_open());
        // Five standard errors: the test fails by chance once in two million runs.
        assert!(
            (seen - expected).abs() < 5.0 * (0.25 / f64::from(draws)).sqrt(),
            "{seen} against {expected}"
        );
    }

    #[test]
    fn a_penalty_closes_gates_and_a_gradient_opens_them() {
        let mut gates = Gates::new(2);
        let mut random = SplitMix::named(1, "gates", &[]);
        let mut mask = [0.0; 2];
        for _ in 0..500 {
            gates.draw(&mut random, &mut mask);
            gates.step(&[0.0, -1.0], 0.1, 0.05);
        }
        let settled = gates.settled();
        assert!(settled[0] < 0.01 && settled[1] > 0.99, "{settled:?}");
    }
}
