use super::checks::{check_additive, check_row};
use super::vector_mechanism::{OutputUse, VectorMechanism, grid_for};
use super::vmf::Vmf;
use crate::unit_vector::norm;
use crate::{Epsilon, Error, ErrorKind, Grid, Guarantee, Kappa, Metric, NoiseStream, Unit};

/// Noise on direction and length, each with its own budget (STAMP's polar mechanism before
/// normalisation), for callers that release the vector.
///
/// # Density
/// For x = r·u: a direction u′ ~ vMF(u, κ) and, independently, a length r′ ~ Laplace(r, 1/ε_r); the
/// output is |r′|·u′.
///
/// # Guarantee
/// The loss is at most κ·‖u−v‖₂ + ε_r·|r−s| for inputs r·u and s·v: κ per unit of **chordal**
/// distance of the directions, plus ε_r per unit of **radial** distance. *Proof.* The two draws are
/// independent, so their losses add up. The first is the bound of von Mises–Fisher noise, the
/// second that of Laplace noise, |r′−s| − |r′−r| ≤ |r−s|. Taking |r′| and multiplying are
/// post-processing of the two draws. ∎
///
/// Decoding by cosine ignores the length, so there [`Vmf`] alone is the better mechanism.
///
/// ```
/// use inkveil_privacy::{Epsilon, Kappa, NoiseKey, OutputUse, PolarRadial, Purpose, VectorMechanism};
///
/// let mechanism = PolarRadial::new(3, Kappa::new(20.0)?, Epsilon::new(5.0)?)?;
/// let mut row = [3.0, 0.0, 4.0];
/// mechanism.perturb(&mut row, OutputUse::Released, &mut NoiseKey::fresh()?.stream(0, 0, Purpose::NOISE))?;
/// assert_eq!(mechanism.guarantees().len(), 2);
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PolarRadial {
    direction: Vmf,
    radius: Epsilon,
    /// The grid of the length. The direction has its own grid.
    length_grid: Option<Grid>,
}

impl PolarRadial {
    /// Creates a mechanism with κ for the direction and ε_r for the length.
    ///
    /// # Errors
    /// If the dimension is below 2 or ε_r is 0.
    pub fn new(dim: usize, kappa: Kappa, radius: Epsilon) -> Result<Self, Error> {
        check_additive(radius)?;
        let direction = Vmf::new(dim, kappa)?;
        Ok(Self { direction, radius, length_grid: grid_for(radius, 1.0 / radius.get())? })
    }
}

impl PolarRadial {
    /// The grid of the length.
    pub fn length_grid(&self) -> Option<Grid> {
        self.length_grid
    }
}

impl VectorMechanism for PolarRadial {
    fn name(&self) -> &'static str {
        "polar-radial"
    }

    fn dim(&self) -> usize {
        self.direction.dim()
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        let mut both = self.direction.guarantees();
        both.push(Guarantee::new(Metric::Radial, self.radius, Unit::Vector));
        both
    }

    /// The grid of the direction, or of the length if only the length has noise. Both are snapped
    /// separately, and their product is post-processing.
    fn grid(&self) -> Option<Grid> {
        self.direction.grid().or(self.length_grid)
    }

    fn added_distance(&self, metric: Metric) -> Option<f64> {
        match metric {
            // A length is one number and has its own grid.
            Metric::Radial => self.length_grid?.added_distance(metric, 1),
            _ => self.direction.added_distance(metric),
        }
    }

    fn perturb(&self, row: &mut [f64], output: OutputUse, stream: &mut NoiseStream) -> Result<(), Error> {
        check_row(row, self.dim())?;
        let length = norm(row);
        if !length.is_finite() {
            return Err(ErrorKind::GridRange { limit: f64::MAX.sqrt() }.into());
        }
        self.direction.perturb(row, output, stream)?;
        let noise = if self.radius.is_infinite() {
            0.0
        } else {
            let sign = if stream.next_u64() & 1 == 0 { 1.0 } else { -1.0 };
            sign * stream.exponential() / self.radius.get()
        };
        let released = match output.grid(self.length_grid) {
            Some(grid) => grid.add(length, noise)?,
            None => length + noise,
        };
        row.iter_mut().for_each(|x| *x *= released.abs());
        Ok(())
    }
}
