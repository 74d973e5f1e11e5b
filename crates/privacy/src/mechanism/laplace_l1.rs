use super::checks::{check_additive, check_dim, check_row, check_sensitivity};
use super::vector_mechanism::{OutputUse, VectorMechanism, checksum, grid_for};
use crate::{Epsilon, Error, Grid, Guarantee, Metric, NoiseStream, Slack, Unit, exact, faults};

/// Independent Laplace noise in every coordinate.
///
/// # Density
/// `f(y | x) = Πᵢ (1/2b)·exp(−|yᵢ−xᵢ|/b)`, b = 1/ε, or b = Δ₁/ε with
/// [`LaplaceL1::with_sensitivity`].
///
/// # Guarantee
/// ε per unit of **Manhattan** distance. *Proof.* log f(y|x)/f(y|x′) = ε Σᵢ(|yᵢ−x′ᵢ| − |yᵢ−xᵢ|) ≤
/// ε‖x−x′‖₁ by the triangle inequality in each coordinate. ∎ With b = Δ₁/ε and inputs at most Δ₁
/// apart the exponent is at most ε: pure ε-LDP. (STAMP's published code uses Δ₁ = Σⱼ(maxⱼ − minⱼ)
/// over the vocabulary.)
///
/// # Sampler
/// *Each coordinate gets k steps of the grid with probability proportional to e^{−|k|/t}*, the
/// discrete Laplace distribution, drawn on integers without floating-point errors. t is b in steps,
/// rounded up. Inputs are snapped to the grid first. Two inputs m steps apart then have a loss of at
/// most m/t ≤ m·step/b, so the proof holds for the numbers that are released, without slack.
///
/// ```
/// use inkveil_privacy::{Epsilon, LaplaceL1, NoiseAddress, NoiseKey, VectorMechanism, release_rows};
///
/// let mechanism = LaplaceL1::new(2, Epsilon::new(5.0)?)?;
/// let mut row = [0.5, -0.5];
/// release_rows(&mechanism, &mut row, NoiseAddress::record(0), &NoiseKey::fresh()?)?;
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LaplaceL1 {
    dim: usize,
    /// The scale of the noise in steps of the grid.
    steps: u64,
    guarantee: Guarantee,
    grid: Grid,
    checksum: [u8; 32],
}

impl LaplaceL1 {
    /// Creates a mechanism with ε per unit of Manhattan distance.
    ///
    /// # Errors
    /// If the dimension or ε is 0.
    pub fn new(dim: usize, epsilon: Epsilon) -> Result<Self, Error> {
        check_dim(dim, 1)?;
        check_additive(epsilon)?;
        let guarantee = Guarantee::new(Metric::Manhattan, epsilon, Unit::Vector);
        let scale = 1.0 / epsilon.get();
        let grid = grid_for(epsilon, scale)?;
        let checksum = checksum("laplace-l1", [dim as f64, epsilon.get()]);
        Ok(Self { dim, steps: steps(scale, grid)?, guarantee, grid, checksum })
    }

    /// Creates a mechanism with pure ε-LDP for inputs that are at most `sensitivity` apart in
    /// Manhattan distance. The bound must be a public constant and must not depend on the protected
    /// data.
    ///
    /// # Errors
    /// If the dimension, ε or the sensitivity is not positive.
    pub fn with_sensitivity(dim: usize, epsilon: Epsilon, sensitivity: f64) -> Result<Self, Error> {
        check_dim(dim, 1)?;
        check_additive(epsilon)?;
        check_sensitivity(sensitivity)?;
        // Snapping to the grid lengthens a distance by at most n steps of 2⁻²⁰·sensitivity/n.
        let scale = sensitivity * (1.0 + 2f64.powi(-20)) / epsilon.get();
        let guarantee = Guarantee::new(Metric::Manhattan, epsilon, Unit::Vector).with_within(sensitivity)?;
        let grid = grid_for(epsilon, scale.min(sensitivity / dim as f64))?;
        let checksum = checksum("laplace-l1 within", [dim as f64, epsilon.get(), sensitivity]);
        Ok(Self { dim, steps: steps(scale, grid)?, guarantee, grid, checksum })
    }
}

/// Returns the scale of discrete noise in steps of the grid, rounded up.
pub(super) fn steps(scale: f64, grid: Grid) -> Result<u64, Error> {
    // One more step covers the rounding of the scale and of the quotient.
    let steps = (scale / grid.step()).ceil() + 1.0;
    if steps < 2f64.powi(50) {
        Ok(steps as u64)
    } else {
        Err(Error::parameter("epsilon", "large enough that the noise fits the grid", "smaller"))
    }
}

/// Draws noise in steps of the grid.
pub(super) fn draw_steps(steps: u64, stream: &mut NoiseStream) -> i64 {
    let share = faults::share_of_noise();
    let steps = if share == 1.0 { steps } else { (steps as f64 * share) as u64 };
    exact::laplace(steps.max(1), stream)
}

impl VectorMechanism for LaplaceL1 {
    fn name(&self) -> &'static str {
        "laplace-l1"
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        vec![self.guarantee]
    }

    fn slack(&self) -> Slack {
        Slack::NONE
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
        // Drawn in steps, so the result is on the grid even if it is only decoded.
        self.grid.add_steps(row, || draw_steps(self.steps, stream))
    }
}
