use rand_distr::Gamma;

use super::checks::{check_additive, check_dim, check_row};
use super::vector_mechanism::{OutputUse, VectorMechanism, add_noise, checksum, grid_for, slack_for};
use crate::slack::radial_errors;
use crate::unit_vector::norm;
use crate::{Epsilon, Error, Grid, Guarantee, Metric, NoiseStream, Slack, Unit};

/// Laplace noise for Euclidean distance, also known as the generalised Laplace mechanism (LapMech).
///
/// # Density
/// `f(y | x) ∝ exp(−ε‖y−x‖₂)` in ℝⁿ.
///
/// # Guarantee
/// ε per unit of **Euclidean** distance. *Proof.* The normaliser does not depend on x, so
/// log f(y|x)/f(y|x′) = ε(‖y−x′‖ − ‖y−x‖) ≤ ε‖x−x′‖ by the triangle inequality. ∎
///
/// # Sampler
/// *For any n and ε, the noise has density ∝ exp(−ε‖z‖).* In polar coordinates the length has
/// density r^{n−1}e^{−εr}, which is Gamma(n, 1/ε), and the direction is uniform, drawn as a
/// normalised normal vector.
///
/// ```
/// use inkveil_privacy::{Epsilon, LaplaceL2, NoiseAddress, NoiseKey, VectorMechanism, release_rows};
///
/// let mechanism = LaplaceL2::new(2, Epsilon::new(5.0)?)?;
/// let mut row = [0.5, -0.5];
/// release_rows(&mechanism, &mut row, NoiseAddress::record(0), &NoiseKey::fresh()?)?;
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LaplaceL2 {
    epsilon: Epsilon,
    radial: Radial,
    slack: Slack,
    grid: Grid,
    checksum: [u8; 32],
}

impl LaplaceL2 {
    /// Creates a mechanism with ε per unit of Euclidean distance.
    ///
    /// # Errors
    /// If the dimension or ε is 0.
    pub fn new(dim: usize, epsilon: Epsilon) -> Result<Self, Error> {
        check_dim(dim, 1)?;
        check_additive(epsilon)?;
        let grid = grid_for(epsilon, (dim as f64).sqrt() / epsilon.get())?;
        let spread = (dim as f64).sqrt();
        let errors = || radial_errors(dim, epsilon.get(), spread, 0.0, grid.step());
        let slack = slack_for(epsilon, || Slack::additive(errors()))?;
        let checksum = checksum("laplace-l2", [dim as f64, epsilon.get()]);
        Ok(Self { epsilon, radial: Radial::new(dim)?, slack, grid, checksum })
    }
}

/// Noise of density ∝ exp(−‖z‖₂), shared with the Mahalanobis mechanism.
#[derive(Debug, Clone)]
pub(super) struct Radial {
    pub(super) dim: usize,
    length: Gamma<f64>,
}

impl Radial {
    pub(super) fn new(dim: usize) -> Result<Self, Error> {
        let length =
            Gamma::new(dim as f64, 1.0).map_err(|_| Error::parameter("the dimension", "1 or more", dim))?;
        Ok(Self { dim, length })
    }

    /// Fills `noise` with a normal vector and returns the factor that makes its density ∝
    /// exp(−‖z‖₂).
    pub(super) fn draw(&self, noise: &mut [f64], stream: &mut NoiseStream) -> f64 {
        loop {
            stream.fill_normal(noise);
            let length = norm(noise);
            if length > 0.0 {
                // Gamma(1) is the exponential distribution, whose tail the stream draws more
                // finely.
                let drawn = if self.dim == 1 { stream.exponential() } else { stream.sample(&self.length) };
                return drawn / length;
            }
        }
    }
}

impl VectorMechanism for LaplaceL2 {
    fn name(&self) -> &'static str {
        "laplace-l2"
    }

    fn dim(&self) -> usize {
        self.radial.dim
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        vec![Guarantee::new(Metric::Euclidean, self.epsilon, Unit::Vector)]
    }

    fn slack(&self) -> Slack {
        self.slack
    }

    fn grid(&self) -> Grid {
        self.grid
    }

    fn checksum(&self) -> &[u8; 32] {
        &self.checksum
    }

    fn perturb(&self, row: &mut [f64], output: OutputUse, stream: &mut NoiseStream) -> Result<(), Error> {
        check_row(row, self.dim())?;
        if self.epsilon.is_infinite() {
            return output.keep(row, self.grid);
        }
        stream.with_scratch(self.dim(), |stream, noise| {
            let factor = self.radial.draw(noise, stream) / self.epsilon.get();
            noise.iter_mut().for_each(|z| *z *= factor);
            add_noise(row, noise, output.grid(self.grid))
        })
    }
}
