use super::checks::{check_additive, check_row};
use super::laplace_l1::{draw_steps, steps};
use super::vector_mechanism::{OutputUse, VectorMechanism, checksum, grid_for};
use super::vmf::Vmf;
use crate::faults::{self, Fault};
use crate::unit_vector::norm;
use crate::{Epsilon, Error, ErrorKind, Grid, Guarantee, Kappa, Metric, NoiseStream, Slack, Unit};

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
/// # Release
/// Direction and length are snapped to grids of their own, with noise or without. Otherwise the last
/// bits of a direction without noise (κ = ∞) would reveal the length, and those of a length without
/// noise the direction. The length's noise is drawn on integers. The product is snapped once more.
/// At κ = ∞ the guarantee for the length is about inputs whose snapped directions are equal.
///
/// Decoding by cosine ignores the length, so there [`Vmf`] alone is the better mechanism.
///
/// ```
/// use inkveil_privacy::{Epsilon, Kappa, NoiseAddress, NoiseKey, PolarRadial, VectorMechanism, release_rows};
///
/// let mechanism = PolarRadial::new(3, Kappa::new(20.0)?, Epsilon::new(5.0)?)?;
/// let mut row = [3.0, 0.0, 4.0];
/// release_rows(&mechanism, &mut row, NoiseAddress::record(0), &NoiseKey::fresh()?)?;
/// assert_eq!(mechanism.guarantees().len(), 2);
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PolarRadial {
    direction: Vmf,
    radius: Epsilon,
    /// The scale of the length's noise in steps of its grid.
    steps: u64,
    /// The grid of the length. The direction has its own grid.
    length_grid: Grid,
    /// The grid of the released numbers.
    grid: Grid,
    checksum: [u8; 32],
}

impl PolarRadial {
    /// Creates a mechanism with κ for the direction and ε_r for the length.
    ///
    /// # Errors
    /// If the dimension is below 2 or ε_r is 0.
    pub fn new(dim: usize, kappa: Kappa, radius: Epsilon) -> Result<Self, Error> {
        check_additive(radius)?;
        let direction = Vmf::new(dim, kappa)?;
        let length_grid = grid_for(radius, 1.0 / radius.get())?;
        let steps = if radius.is_infinite() { 0 } else { steps(1.0 / radius.get(), length_grid)? };
        // A coordinate is about 1/√d of the length.
        let grid = length_grid.finer((dim as f64).log2().ceil() as u32 / 2)?;
        let checksum = checksum("polar-radial", [dim as f64, kappa.get(), radius.get()]);
        Ok(Self { direction, radius, steps, length_grid, grid, checksum })
    }
}

impl PolarRadial {
    /// The grid of the length.
    pub fn length_grid(&self) -> Grid {
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

    fn slack(&self) -> Slack {
        self.direction.slack()
    }

    fn grid(&self) -> Grid {
        self.grid
    }

    fn checksum(&self) -> &[u8; 32] {
        &self.checksum
    }

    fn added_distance(&self, metric: Metric) -> Option<f64> {
        match metric {
            // A length is one number and has its own grid.
            Metric::Radial => self.length_grid.added_distance(metric, 1),
            _ => self.direction.added_distance(metric),
        }
    }

    fn perturb(&self, row: &mut [f64], output: OutputUse, stream: &mut NoiseStream) -> Result<(), Error> {
        check_row(row, self.dim())?;
        let mut length = [norm(row)];
        if !length[0].is_finite() {
            return Err(ErrorKind::GridRange { limit: f64::MAX.sqrt() }.into());
        }
        self.direction.perturb(row, output, stream)?;
        if self.radius.is_infinite() {
            output.keep(&mut length, self.length_grid)?;
        } else {
            self.length_grid.add_steps(&mut length, || draw_steps(self.steps, stream))?;
        }
        row.iter_mut().for_each(|x| *x *= length[0].abs());
        if faults::is(Fault::OffGrid) { Ok(()) } else { output.keep(row, self.grid) }
    }
}
