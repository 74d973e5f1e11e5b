use super::checks::{check_additive, check_row};
use super::erasure::Erasure;
use super::laplace_l2::Radial;
use super::vector_mechanism::{OutputUse, VectorMechanism, add_noise, checksum, grid_for, slack_for};
use crate::slack::radial_errors;
use crate::{Epsilon, Error, Grid, Guarantee, Metric, NoiseStream, Slack, Unit};

/// Laplace noise on what an [`Erasure`] leaves of a vector.
///
/// # Density
/// The eraser is a public map f from ℝⁿ into the unit ball of ℝᵐ. The mechanism draws y from `g(y |
/// x) ∝ exp(−ε‖y−f(x)‖₂)` in ℝᵐ and releases Qy, with a public n×m matrix Q.
///
/// # Guarantee
/// ε per unit of **erased** distance ‖f(x)−f(x′)‖₂. *Proof.* By the triangle inequality, as for
/// [`LaplaceL2`](crate::LaplaceL2), log g(y|x)/g(y|x′) ≤ ε‖f(x)−f(x′)‖. Qy is computed from y and
/// public numbers alone, so it reveals nothing more. ∎
///
/// It follows, with the parts of [`ErasedGuarantee`]:
/// - *All inputs*: f(x) has length 1 at most, so the loss is at most 2ε for any two vectors.
/// - *Euclidean distance*: f is L-Lipschitz with the L of [`Erasure::lipschitz`], so the loss is at
///   most ε·L·‖x−x′‖.
/// - *Inside the erased span*: if x−x′ lies in the span, f(x) = f(x′), and the two releases have the
///   same distribution: the loss is 0.
///
/// In floating point f(x) has a rounding error, and it is rounded to a grid before noise is added.
/// [`added_distance`](VectorMechanism::added_distance) bounds the distance that both add, also
/// inside the span.
///
/// # Sampler
/// As [`LaplaceL2`](crate::LaplaceL2) in m dimensions: a uniform direction with a length of
/// Gamma(m, 1/ε). The noise is m/ε long, so fewer axes need a smaller ε for the same noise.
///
/// ```
/// use inkveil_privacy::{Epsilon, ErasedLaplace, Erasure, NoiseAddress, NoiseKey, release_rows};
///
/// // The first of three coordinates is erased.
/// let axes = vec![0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// let erasure = Erasure::new(3, axes.clone(), vec![0.0; 2], axes, 0.5, &[1.0, 0.0, 0.0])?;
/// let mechanism = ErasedLaplace::new(Epsilon::new(5.0)?, erasure)?;
/// let mut row = [0.6, 0.8, 0.0];
/// release_rows(&mechanism, &mut row, NoiseAddress::record(0), &NoiseKey::fresh()?)?;
/// assert_eq!(row[0], 0.0);
/// assert_eq!(mechanism.guarantee()?.erased_directions, 1);
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ErasedLaplace {
    epsilon: Epsilon,
    erasure: Erasure,
    radial: Radial,
    slack: Slack,
    /// The grid in the axes, on which noise is added.
    inner: Grid,
    /// The grid of released vectors.
    grid: Grid,
    checksum: [u8; 32],
}

/// Everything that [`ErasedLaplace`] guarantees for each vector, and what it does not.
#[derive(Debug, Clone, PartialEq)]
pub struct ErasedGuarantee {
    /// ε per unit of distance between what is left of two vectors.
    pub erased: Guarantee,
    /// The same in Euclidean distance of the vectors.
    pub euclidean: Guarantee,
    /// The number of erased directions.
    pub erased_directions: usize,
    /// The loss of two vectors that differ only inside the erased span: 0 but for rounding.
    pub inside_span: Epsilon,
    /// The largest erased distance of two vectors, with rounding.
    pub diameter: f64,
}

impl ErasedGuarantee {
    /// What the guarantee does not say, for receipts.
    pub const NOT_PROMISED: [&'static str; 2] = [
        "what an attacker infers from the rest of a vector: erasure removes the directions that tell the labelled words \
         apart, and the context of a word remains",
        "words that the eraser was not fitted on",
    ];
}

impl ErasedLaplace {
    /// Creates a mechanism with ε per unit of erased distance.
    ///
    /// # Errors
    /// If ε is 0.
    pub fn new(epsilon: Epsilon, erasure: Erasure) -> Result<Self, Error> {
        check_additive(epsilon)?;
        let (n, m) = (erasure.dim(), erasure.axes());
        let inner = grid_for(epsilon, (m as f64).sqrt() / epsilon.get())?;
        // Coordinates of lifted noise, which is m/ε long, in n dimensions.
        let grid = grid_for(epsilon, m as f64 / (epsilon.get() * (n as f64).sqrt()))?;
        let errors = || radial_errors(m, epsilon.get(), (m as f64).sqrt(), 0.0, inner.step());
        let slack = slack_for(epsilon, || Slack::additive(errors()))?;
        let checksum = checksum("erased-laplace", [epsilon.get()].into_iter().chain(erasure.parameters()));
        Ok(Self { epsilon, radial: Radial::new(m)?, erasure, slack, inner, grid, checksum })
    }

    /// Returns the eraser.
    pub fn erasure(&self) -> &Erasure {
        &self.erasure
    }

    /// Returns the guarantee with all its parts.
    ///
    /// # Errors
    /// If a budget overflows.
    pub fn guarantee(&self) -> Result<ErasedGuarantee, Error> {
        let erased = Guarantee::new(Metric::Erased, self.epsilon, Unit::Vector);
        let euclidean = self.epsilon.checked_mul(self.erasure.lipschitz())?;
        let added = self.added_distance(Metric::Erased).unwrap_or(0.0);
        let inside_span = match self.epsilon.is_infinite() {
            true => Epsilon::INFINITE,
            false => self.epsilon.checked_mul(added)?,
        };
        Ok(ErasedGuarantee {
            erased,
            euclidean: Guarantee::new(Metric::Euclidean, euclidean, Unit::Vector),
            erased_directions: self.erasure.erased_directions(),
            inside_span,
            diameter: 2.0 + added,
        })
    }
}

impl VectorMechanism for ErasedLaplace {
    fn name(&self) -> &'static str {
        "erased-laplace"
    }

    fn dim(&self) -> usize {
        self.erasure.dim()
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        vec![Guarantee::new(Metric::Erased, self.epsilon, Unit::Vector)]
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
        let snapped = self.inner.added_distance(Metric::Euclidean, self.erasure.axes())?;
        (metric == Metric::Erased).then(|| snapped + 2.0 * self.erasure.rounding())
    }

    fn perturb(&self, row: &mut [f64], output: OutputUse, stream: &mut NoiseStream) -> Result<(), Error> {
        check_row(row, self.dim())?;
        let axes = self.erasure.axes();
        stream.with_scratch(2 * axes, |stream, scratch| {
            let (left, noise) = scratch.split_at_mut(axes);
            self.erasure.apply(row, left)?;
            if !self.epsilon.is_infinite() {
                let factor = self.radial.draw(noise, stream) / self.epsilon.get();
                noise.iter_mut().for_each(|z| *z *= factor);
                add_noise(left, noise, Some(self.inner))?;
            }
            self.erasure.lift(left, row);
            output.keep(row, self.grid)
        })
    }
}
