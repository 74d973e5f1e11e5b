use super::checks::{check_dim, check_row, check_sensitivity};
use super::vector_mechanism::{OutputUse, VectorMechanism, add_noise, checksum, grid_for, slack_for};
use crate::accounting::{PrivacyLoss, Zcdp, excess};
use crate::slack::normal_errors;
use crate::{Epsilon, Error, Grid, Guarantee, Metric, NoiseStream, Slack, Unit};

/// Gaussian noise with the exact (ε, δ) calibration of Balle and Wang (2018).
///
/// # Density
/// `f(y | x) ∝ exp(−‖y−x‖²/2σ²)`.
///
/// # Guarantee
/// (ε, δ) for all inputs within **Euclidean** distance Δ. *Proof.* By rotation, the worst pair is Δ
/// apart on one axis, where the privacy loss is itself Gaussian, N(Δ²/2σ², Δ²/σ²). Hence max over S
/// of Pr[M(x)∈S] − e^ε Pr[M(x′)∈S] = Φ(Δ/2σ − εσ/Δ) − e^ε Φ(−Δ/2σ − εσ/Δ). This decreases in σ and
/// is set equal to δ. ∎ The σ in use is the upper end of a bisection, for Δ plus the distance that
/// snapping adds, so it is never too small.
///
/// Unlike for the other mechanisms, ε here is a total for pairs within Δ and not per unit of
/// distance. Inputs clipped to norm C are within Δ = 2C.
///
/// # Sampler
/// *Each coordinate gets an independent normal of standard deviation σ.*
///
/// ```
/// use inkveil_privacy::{Epsilon, Gaussian};
///
/// let mechanism = Gaussian::new(2, Epsilon::new(1.0)?, 1e-5, 2.0)?;
/// assert!((mechanism.sigma() - 7.4613).abs() < 1e-3);
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Gaussian {
    dim: usize,
    sigma: f64,
    guarantee: Guarantee,
    slack: Slack,
    grid: Grid,
    checksum: [u8; 32],
}

impl Gaussian {
    /// Creates the mechanism with the least noise that gives (ε, δ) to inputs within `sensitivity`
    /// of each other.
    ///
    /// # Errors
    /// If δ is not in (0, 1), the sensitivity is not positive, or ε is finite and above 10⁶.
    pub fn new(dim: usize, epsilon: Epsilon, delta: f64, sensitivity: f64) -> Result<Self, Error> {
        check_dim(dim, 1)?;
        check_sensitivity(sensitivity)?;
        let guarantee = Guarantee::new(Metric::Euclidean, epsilon, Unit::Vector)
            .with_delta(delta)?
            .with_within(sensitivity)?;
        let sigma = match epsilon.get() {
            f64::INFINITY => 0.0,
            value if value <= 1e6 && delta >= SMALLEST_DELTA => {
                sensitivity * snapping(dim) * sigma_for(value, delta)
            }
            value if value <= 1e6 => return Err(Error::parameter("delta", "1e-12 or more", delta)),
            value => return Err(Error::parameter("epsilon of Gaussian noise", "at most 1e6, or inf", value)),
        };
        // Finer than both the noise and Δ, so that snapping adds little to either.
        let grid = grid_for(epsilon, sigma.min(sensitivity))?;
        let errors = || normal_errors(dim, sigma, grid.step());
        let slack = slack_for(epsilon, || Slack::additive(errors()))?;
        let checksum = checksum("gaussian", [dim as f64, epsilon.get(), delta, sensitivity]);
        Ok(Self { dim, sigma, guarantee, slack, grid, checksum })
    }

    /// Returns the privacy loss of one vector, for inputs within the sensitivity. Many releases
    /// compose far better with it than with (ε, δ).
    ///
    /// ```
    /// use inkveil_privacy::{Epsilon, Gaussian};
    ///
    /// let one = Gaussian::new(768, Epsilon::new(1.0)?, 1e-6, 2.0)?.privacy_loss()?;
    /// let hundred = one.times(100)?;
    /// assert!(hundred.epsilon(1e-6)? < Epsilon::new(15.0)?); // the sum is 100, with δ = 1e-4
    /// # Ok::<(), inkveil_privacy::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a number overflows.
    pub fn privacy_loss(&self) -> Result<PrivacyLoss, Error> {
        match self.guarantee.within() {
            Some(sensitivity) if !self.guarantee.epsilon().is_infinite() => {
                let distance = sensitivity * snapping(self.dim);
                PrivacyLoss::gaussian(distance, self.sigma)?.compose(&PrivacyLoss::pure(self.slack.epsilon()))
            }
            _ => Ok(PrivacyLoss::pure(Epsilon::INFINITE)),
        }
    }

    /// Returns a mechanism with the same claimed guarantee and scaled noise, which the audit must
    /// detect.
    pub(crate) fn with_noise_scaled(mut self, factor: f64) -> Self {
        self.sigma *= factor;
        self
    }

    /// The standard deviation of the noise in each coordinate.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }
}

/// Below this, the difference of two probabilities that makes up δ is lost in rounding.
const SMALLEST_DELTA: f64 = 1e-12;

/// Returns the factor by which snapping to the grid can lengthen the distance Δ: √n steps of at
/// most 2⁻²⁰Δ.
fn snapping(dim: usize) -> f64 {
    1.0 + (dim as f64).sqrt() * 2f64.powi(-20)
}

/// Returns the smallest σ (for Δ = 1) with excess(σ) ≤ δ, rounded up.
fn sigma_for(epsilon: f64, delta: f64) -> f64 {
    let (mut low, mut high) = (1e-8, 1.0);
    while excess(high, epsilon) > delta && high < 1e300 {
        low = high;
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = (low * high).sqrt();
        if excess(middle, epsilon) > delta { low = middle } else { high = middle }
    }
    // More than the rounding errors of the bisection.
    high * (1.0 + 1e-9)
}

impl VectorMechanism for Gaussian {
    fn name(&self) -> &'static str {
        "gaussian"
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        vec![self.guarantee]
    }

    fn slack(&self) -> Slack {
        self.slack
    }

    fn zcdp(&self) -> Option<Zcdp> {
        // The distance of two inputs grows when they are snapped to the grid.
        let reach = self.guarantee.within()? * snapping(self.dim);
        Zcdp::gaussian(reach.next_up(), self.sigma).ok()
    }

    fn grid(&self) -> Grid {
        self.grid
    }

    fn checksum(&self) -> &[u8; 32] {
        &self.checksum
    }

    fn perturb(&self, row: &mut [f64], output: OutputUse, stream: &mut NoiseStream) -> Result<(), Error> {
        check_row(row, self.dim)?;
        if self.guarantee.epsilon().is_infinite() {
            return output.keep(row, self.grid);
        }
        stream.with_scratch(self.dim, |stream, noise| {
            stream.fill_normal(noise);
            noise.iter_mut().for_each(|z| *z *= self.sigma);
            add_noise(row, noise, output.grid(self.grid))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with values computed with 60 digits (mpmath, bisection): never less noise, and at
    /// most 2 % more.
    #[test]
    fn the_calibration_is_exact() {
        for (epsilon, delta, exact) in EXACT {
            let sigma = sigma_for(epsilon, delta);
            assert!(sigma >= exact, "{epsilon} {delta}: {sigma} < {exact}");
            assert!(sigma <= exact * 1.02, "{epsilon} {delta}: {sigma} > {exact}");
        }
        assert!(Gaussian::new(2, Epsilon::ZERO, 1e-13, 1.0).is_err());
    }

    const EXACT: [(f64, f64, f64); 24] = [
        (0.0, 1e-12, 398942280401.4327),
        (0.0, 1e-6, 398942.2804013282),
        (0.0, 0.1, 3.978948280545273),
        (1e-10, 1e-12, 17240943616.98946),
        (1e-10, 1e-6, 398922.3346219797),
        (1e-10, 0.1, 3.978948278745292),
        (1e-6, 1e-12, 4122525.402756602),
        (1e-6, 1e-6, 276029.9039992015),
        (1e-6, 0.1, 3.978930280845965),
        (0.1, 1e-12, 61.53905591889455),
        (0.1, 1e-6, 36.30469042619578),
        (0.1, 0.1, 2.84692443584735),
        (1.0, 1e-12, 6.55782206745885),
        (1.0, 1e-6, 4.224678889326835),
        (1.0, 0.1, 1.085877765191856),
        (8.0, 1e-12, 0.9122519988399578),
        (8.0, 1e-6, 0.6529353843582159),
        (8.0, 0.1, 0.3214555272478377),
        (50.0, 1e-12, 0.1907104424063771),
        (50.0, 1e-6, 0.1565928703917619),
        (50.0, 0.1, 0.1124582414127738),
        (10000.0, 1e-12, 0.007431154061291228),
        (10000.0, 1e-6, 0.00731236071121873),
        (10000.0, 0.1, 0.007135077381855123),
    ];

    #[test]
    fn never_more_noise_than_the_classical_bound() {
        for epsilon in [0.1f64, 0.5, 1.0] {
            let delta = 1e-6f64;
            let classical = (2.0 * (1.25 / delta).ln()).sqrt() / epsilon;
            assert!(sigma_for(epsilon, delta) < classical);
        }
    }
}
