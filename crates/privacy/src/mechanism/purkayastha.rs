use std::f64::consts::PI;

use super::checks::{check_dim, check_row};
use super::log_concave::LogConcave;
use super::turn::{Grids, any_direction, keep_direction, turn};
use super::vector_mechanism::{OutputUse, VectorMechanism, checksum, slack_for};
use crate::{Epsilon, Error, Grid, Guarantee, Metric, NoiseStream, Slack, Unit, faults};

/// Purkayastha noise on the sphere: Laplace noise for angles.
///
/// # Density
/// On S^{d−1}, `f(y | μ) ∝ exp(−ε·arccos(μᵀy))`. Inputs are projected onto the sphere first.
///
/// # Guarantee
/// ε per unit of **angular** distance. *Proof.* The normaliser does not depend on μ, so
/// log f(y|μ)/f(y|ν) = ε(∠(ν,y) − ∠(μ,y)) ≤ ε∠(μ,ν) by the triangle inequality for angles. ∎
/// Angles are at most π, so the mechanism is pure πε-LDP.
///
/// # Sampler
/// *For any d ≥ 2, ε and μ, the output is distributed as f(· | μ).* The angle θ between μ and the
/// output has density h(θ) ∝ e^{−εθ} sin^{d−2}θ on [0, π]. Since (log h)″ = −(d−2)/sin²θ ≤ 0, it is
/// log-concave, with its mode at arctan((d−2)/ε). It is drawn by exact rejection under an envelope
/// of three pieces, with fewer than 1.59 tries on average. The tangent direction is uniform. O(d).
///
/// ```
/// use inkveil_privacy::{Epsilon, NoiseAddress, NoiseKey, Purkayastha, VectorMechanism, release_rows};
///
/// let mechanism = Purkayastha::new(4, Epsilon::new(50.0)?)?;
/// let mut row = [1.0, 0.0, 0.0, 0.0];
/// release_rows(&mechanism, &mut row, NoiseAddress::record(0), &NoiseKey::fresh()?)?;
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Purkayastha {
    dim: usize,
    epsilon: Epsilon,
    slack: Slack,
    grids: Grids,
    checksum: [u8; 32],
    /// The distribution of the angle, or `None` at ε = ∞.
    angle: Option<Angle>,
}

#[derive(Debug, Clone, Copy)]
struct Angle {
    epsilon: f64,
    power: f64,
    mode: f64,
    envelope: LogConcave,
}

impl Purkayastha {
    /// Creates noise for a budget in dimension `dim`.
    ///
    /// # Errors
    /// If the dimension is below 2 or ε is finite and above 10⁸.
    pub fn new(dim: usize, epsilon: Epsilon) -> Result<Self, Error> {
        check_dim(dim, 2)?;
        let angle = match epsilon.get() {
            f64::INFINITY => None,
            value if value <= 1e8 => Some(Angle::new(dim, value / faults::share_of_noise())),
            value => return Err(Error::parameter("epsilon of angular noise", "at most 1e8, or inf", value)),
        };
        // Per coordinate, wide noise is about 1/√d and narrow noise about √d/ε.
        let d = dim as f64;
        let grids = Grids::new(epsilon, dim, d.sqrt() / (d + epsilon.get()))?;
        let slack = slack_for(epsilon, || Slack::spherical(dim, grids.output.step()))?;
        let checksum = checksum("purkayastha", [d, epsilon.get()]);
        Ok(Self { dim, epsilon, slack, grids, checksum, angle })
    }
}

impl Angle {
    fn new(dim: usize, epsilon: f64) -> Self {
        let power = dim as f64 - 2.0;
        // On the circle (power 0) the density decreases from 0 on. atan2(0, 0) = 0 covers ε = 0.
        let mode = power.atan2(epsilon);
        let log = |theta: f64| log_density(epsilon, power, mode, theta);
        let slope = |theta: f64| -epsilon + power / theta.tan();
        Self { epsilon, power, mode, envelope: LogConcave::new((0.0, mode, PI), log, slope) }
    }

    fn draw(&self, stream: &mut NoiseStream) -> (f64, f64) {
        let theta = self.envelope.draw(|t| log_density(self.epsilon, self.power, self.mode, t), stream);
        (theta.cos(), theta.sin())
    }
}

/// log h(θ) − log h(mode).
fn log_density(epsilon: f64, power: f64, mode: f64, theta: f64) -> f64 {
    let sine = if power == 0.0 { 0.0 } else { power * (theta.sin().max(0.0) / mode.sin()).ln() };
    -epsilon * (theta - mode) + sine
}

impl VectorMechanism for Purkayastha {
    fn name(&self) -> &'static str {
        "purkayastha"
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        vec![Guarantee::new(Metric::Angular, self.epsilon, Unit::Vector)]
    }

    fn slack(&self) -> Slack {
        self.slack
    }

    fn grid(&self) -> Grid {
        self.grids.output
    }

    fn checksum(&self) -> &[u8; 32] {
        &self.checksum
    }

    fn added_distance(&self, metric: Metric) -> Option<f64> {
        self.grids.input.added_distance(metric, self.dim)
    }

    fn perturb(&self, row: &mut [f64], output: OutputUse, stream: &mut NoiseStream) -> Result<(), Error> {
        check_row(row, self.dim)?;
        match &self.angle {
            Some(_) if self.epsilon.is_zero() => any_direction(row, self.grids, output, stream),
            Some(angle) => turn(row, self.grids.used(output), stream, |s| angle.draw(s)),
            None => keep_direction(row, self.grids, output),
        }
    }
}
