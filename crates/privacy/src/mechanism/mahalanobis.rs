use super::checks::{check_additive, check_dim, check_row};
use super::laplace_l2::Radial;
use super::vector_mechanism::{OutputUse, VectorMechanism, add_noise, checksum, grid_for, slack_for};
use crate::matrix::Cholesky;
use crate::slack::{dot_errors, radial_errors};
use crate::unit_vector::norm;
use crate::{Epsilon, Error, ErrorKind, Grid, Guarantee, Metric, NoiseStream, Slack, Unit};

/// The largest allowed ratio of the eigenvalues of Σ: noise 2¹⁶ times as wide in one direction as
/// in another.
const MOST_STRETCHED: f64 = 4_294_967_296.0;

/// Elliptical Laplace noise, as in SPARSE: more noise where Σ is large, less where it is small.
///
/// # Density
/// `f(y | x) ∝ exp(−ε‖y−x‖_M)`, ‖z‖_M = √(zᵀΣ⁻¹z), Σ symmetric positive definite.
///
/// # Guarantee
/// ε per unit of **Mahalanobis** distance. *Proof.* ‖·‖_M is a norm and the normaliser does not
/// depend on x, so log f(y|x)/f(y|x′) = ε(‖y−x′‖_M − ‖y−x‖_M) ≤ ε‖x−x′‖_M. ∎
///
/// In **Euclidean** distance the guarantee is ε/√c, with c the smallest eigenvalue of Σ, since
/// ‖z‖_M ≤ ‖z‖₂/√c. In directions where Σ is nearly zero there is almost no noise and almost no
/// protection. [`Mahalanobis::euclidean`] returns this guarantee, and receipts print it. A lower
/// bound on Σ limits it.
///
/// # Sampler
/// *For any ε and Σ = LLᵀ, the noise has density ∝ exp(−ε‖z‖_M).* If u has density ∝ exp(−ε‖u‖₂),
/// then z = Lu has ‖z‖_M = ‖u‖₂ and a constant Jacobian. For a diagonal Σ, L is the square root of
/// the diagonal and a draw takes O(n).
///
/// ```
/// use inkveil_privacy::{Epsilon, Mahalanobis, NoiseAddress, NoiseKey, VectorMechanism, release_rows};
///
/// let mechanism = Mahalanobis::diagonal(Epsilon::new(10.0)?, vec![1.9, 0.1])?;
/// let mut row = [0.5, -0.5];
/// release_rows(&mechanism, &mut row, NoiseAddress::record(0), &NoiseKey::fresh()?)?;
/// assert!(mechanism.euclidean()?.epsilon() > Epsilon::new(31.6)?);
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Mahalanobis {
    epsilon: Epsilon,
    radial: Radial,
    shape: Shape,
    /// A lower bound on the smallest eigenvalue of Σ.
    smallest: f64,
    slack: Slack,
    grid: Grid,
    checksum: [u8; 32],
}

#[derive(Clone)]
enum Shape {
    /// √Σᵢᵢ.
    Diagonal(Vec<f64>),
    Full(Cholesky),
}

impl std::fmt::Debug for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Diagonal(_) => "Diagonal",
            Self::Full(_) => "Full",
        })
    }
}

impl Mahalanobis {
    /// Creates noise for a diagonal Σ, given by its diagonal.
    ///
    /// # Errors
    /// If an entry is not positive, or ε is 0.
    pub fn diagonal(epsilon: Epsilon, diagonal: Vec<f64>) -> Result<Self, Error> {
        check_dim(diagonal.len(), 1)?;
        check_additive(epsilon)?;
        if !diagonal.iter().all(|s| *s > 0.0 && s.is_finite()) {
            return Err(ErrorKind::NotPositiveDefinite.into());
        }
        let smallest = diagonal.iter().copied().fold(f64::INFINITY, f64::min);
        let dim = diagonal.len();
        let largest = diagonal.iter().copied().fold(0.0, f64::max);
        let checksum = checksum("mahalanobis diagonal", [epsilon.get()].into_iter().chain(diagonal.clone()));
        let shape = Shape::Diagonal(diagonal.into_iter().map(f64::sqrt).collect());
        Self::new(epsilon, dim, shape, (smallest, largest), checksum)
    }

    /// Creates noise for a full Σ in row-major order.
    ///
    /// # Errors
    /// If Σ is not `dim`×`dim`, symmetric and positive definite, or ε is 0.
    pub fn full(epsilon: Epsilon, dim: usize, matrix: &[f64]) -> Result<Self, Error> {
        check_dim(dim, 1)?;
        check_additive(epsilon)?;
        if matrix.len() != dim * dim {
            return Err(ErrorKind::Dimension { expected: dim * dim, found: matrix.len() }.into());
        }
        let cholesky = Cholesky::new(dim, matrix)?;
        let smallest = cholesky.smallest_eigenvalue_bound(matrix)?;
        // The trace bounds the largest eigenvalue.
        let trace = (0..dim).map(|i| matrix[i * dim + i]).sum();
        let checksum =
            checksum("mahalanobis full", [epsilon.get()].into_iter().chain(matrix.iter().copied()));
        Self::new(epsilon, dim, Shape::Full(cholesky), (smallest, trace), checksum)
    }

    fn new(
        epsilon: Epsilon,
        dim: usize,
        shape: Shape,
        (smallest, largest): (f64, f64),
        checksum: [u8; 32],
    ) -> Result<Self, Error> {
        // One grid serves all directions. It must be fine enough for the direction with the least
        // noise, and a cell must hold enough doubles in the direction with the most.
        if largest > smallest * MOST_STRETCHED {
            return Err(ErrorKind::TooStretched.into());
        }
        let grid = grid_for(epsilon, (dim as f64 * smallest).sqrt() / epsilon.get())?;
        // The errors of a coordinate are relative to its scale. With a full Σ each coordinate is an
        // inner product, whose error is relative to the length of the whole vector.
        let (spread, factor) = match &shape {
            Shape::Diagonal(roots) => (norm(roots), 4.0),
            Shape::Full(_) => ((largest * dim as f64).sqrt(), dot_errors(dim)),
        };
        let errors = || radial_errors(dim, epsilon.get(), spread, factor, grid.step());
        let slack = slack_for(epsilon, || Slack::additive(errors()))?;
        Ok(Self { epsilon, radial: Radial::new(dim)?, shape, smallest, slack, grid, checksum })
    }

    /// Returns the guarantee in Euclidean distance, ε/√c.
    ///
    /// # Errors
    /// If it overflows.
    pub fn euclidean(&self) -> Result<Guarantee, Error> {
        self.guarantee().euclidean_equivalent(self.smallest)
    }

    /// Returns the Mahalanobis distance of two vectors.
    ///
    /// # Errors
    /// If they do not have the mechanism's dimension.
    pub fn distance(&self, a: &[f64], b: &[f64]) -> Result<f64, Error> {
        check_row(a, self.dim())?;
        check_row(b, self.dim())?;
        let mut z: Vec<f64> = a.iter().zip(b).map(|(x, y)| x - y).collect();
        self.whiten(&mut z);
        Ok(norm(&z))
    }

    /// Computes `z = L⁻¹z`, which maps the ellipse to a sphere.
    fn whiten(&self, z: &mut [f64]) {
        match &self.shape {
            Shape::Diagonal(roots) => z.iter_mut().zip(roots).for_each(|(x, s)| *x /= s),
            Shape::Full(cholesky) => cholesky.solve(z),
        }
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::new(Metric::Mahalanobis, self.epsilon, Unit::Vector)
    }
}

impl VectorMechanism for Mahalanobis {
    fn name(&self) -> &'static str {
        "mahalanobis"
    }

    fn dim(&self) -> usize {
        self.radial.dim
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        vec![self.guarantee()]
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

    fn added_distance(&self, metric: Metric) -> Option<f64> {
        let euclidean = self.grid.added_distance(Metric::Euclidean, self.dim())?;
        (metric == Metric::Mahalanobis).then(|| euclidean / self.smallest.sqrt())
    }

    fn perturb(&self, row: &mut [f64], output: OutputUse, stream: &mut NoiseStream) -> Result<(), Error> {
        check_row(row, self.dim())?;
        if self.epsilon.is_infinite() {
            return output.keep(row, self.grid);
        }
        let n = self.dim();
        match &self.shape {
            Shape::Diagonal(roots) => stream.with_scratch(n, |stream, noise| {
                let factor = self.radial.draw(noise, stream) / self.epsilon.get();
                noise.iter_mut().zip(roots).for_each(|(z, s)| *z *= factor * s);
                add_noise(row, noise, output.grid(self.grid))
            }),
            Shape::Full(cholesky) => stream.with_scratch(2 * n, |stream, scratch| {
                let (spherical, noise) = scratch.split_at_mut(n);
                let factor = self.radial.draw(spherical, stream) / self.epsilon.get();
                spherical.iter_mut().for_each(|z| *z *= factor);
                cholesky.apply(spherical, noise);
                add_noise(row, noise, output.grid(self.grid))
            }),
        }
    }
}
