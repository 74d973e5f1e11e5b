use super::checks::{check_additive, check_dim, check_row, check_sensitivity};
use super::vector_mechanism::{OutputUse, VectorMechanism, add_noise, grid_for};
use crate::{Epsilon, Error, Grid, Guarantee, Metric, NoiseStream, Unit};

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
/// *Each coordinate gets b times a standard exponential with a random sign*, which is Laplace(b).
///
/// ```
/// use inkveil_privacy::{Epsilon, LaplaceL1, NoiseKey, OutputUse, Purpose, VectorMechanism};
///
/// let mechanism = LaplaceL1::new(2, Epsilon::new(5.0)?)?;
/// let mut row = [0.5, -0.5];
/// mechanism.perturb(&mut row, OutputUse::Released, &mut NoiseKey::fresh()?.stream(0, 0, Purpose::NOISE))?;
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LaplaceL1 {
    dim: usize,
    scale: f64,
    guarantee: Guarantee,
    grid: Option<Grid>,
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
        Ok(Self { dim, scale, guarantee, grid: grid_for(epsilon, scale)? })
    }

    /// Creates a mechanism with pure ε-LDP for inputs that are at most `sensitivity` apart in
    /// Manhattan distance. The bound must be a public constant and must not depend on the protected
    /// data.
    ///
    /// # Errors
    /// If the dimension, ε or the sensitivity is not positive.
    pub fn with_sensitivity(dim: usize, epsilon: Epsilon, sensitivity: f64) -> Result<Self, Error> {
        let mut mechanism = Self::new(dim, epsilon)?;
        check_sensitivity(sensitivity)?;
        // Snapping to the grid lengthens a distance by at most n steps of 2⁻²⁰·sensitivity/n.
        mechanism.scale *= sensitivity * (1.0 + 2f64.powi(-20));
        mechanism.guarantee =
            Guarantee::new(Metric::Manhattan, epsilon, Unit::Vector).with_within(sensitivity)?;
        mechanism.grid = grid_for(epsilon, mechanism.scale.min(sensitivity / dim as f64))?;
        Ok(mechanism)
    }
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

    fn grid(&self) -> Option<Grid> {
        self.grid
    }

    fn perturb(&self, row: &mut [f64], output: OutputUse, stream: &mut NoiseStream) -> Result<(), Error> {
        check_row(row, self.dim)?;
        if self.guarantee.epsilon().is_infinite() {
            return Ok(());
        }
        stream.with_scratch(self.dim, |stream, noise| {
            for block in noise.chunks_mut(64) {
                let signs = stream.next_u64();
                for (i, z) in block.iter_mut().enumerate() {
                    let sign = if signs >> i & 1 == 0 { self.scale } else { -self.scale };
                    *z = sign * stream.exponential();
                }
            }
            add_noise(row, noise, output.grid(self.grid))
        })
    }
}
