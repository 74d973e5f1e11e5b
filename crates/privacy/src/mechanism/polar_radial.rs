use super::{Fate, VectorMechanism, Vmf, check_additive, check_row, grid_for};
use crate::unit_vector::norm;
use crate::{Epsilon, Error, ErrorKind, Grid, Guarantee, Kappa, Metric, NoiseStream, Unit};

/// Direction and length veiled apart, each with a budget of its own (STAMP's polar mechanism before it is
/// normalised), for callers who release the vector.
///
/// # Density
/// For x = r·u: a direction u′ ~ vMF(u, κ) and, independently, a length r′ ~ Laplace(r, 1/ε_r); the output is |r′|·u′.
///
/// # Guarantee
/// The loss is at most κ·‖u−v‖₂ + ε_r·|r−s| for inputs r·u and s·v: κ per unit of **chordal** distance of the
/// directions, plus ε_r per unit of **radial** distance. *Proof.* The two draws are independent, so their losses
/// add; the first is vMF's bound, the second is Laplace's, |r′−s| − |r′−r| ≤ |r−s|. Taking |r′| and multiplying
/// use nothing but the two draws. ∎
///
/// With cosine decoding the length cannot change a token, so there [`Vmf`] alone is the better mechanism.
///
/// ```
/// use inkveil_privacy::{Epsilon, Fate, Kappa, NoiseKey, PolarRadial, Purpose, VectorMechanism};
///
/// let mechanism = PolarRadial::new(3, Kappa::new(20.0)?, Epsilon::new(5.0)?)?;
/// let mut row = [3.0, 0.0, 4.0];
/// mechanism.perturb(&mut row, Fate::Released, &mut NoiseKey::fresh()?.stream(0, 0, Purpose::NOISE))?;
/// assert_eq!(mechanism.guarantees().len(), 2);
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PolarRadial {
    direction: Vmf,
    radius: Epsilon,
    /// The grid of the length; the direction has its own.
    length_grid: Option<Grid>,
}

impl PolarRadial {
    /// κ for the direction and ε_r for the length.
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

    /// The grid of the direction, or of the length where only that is noised. The two are snapped apart, and their product is
    /// post-processing.
    fn grid(&self) -> Option<Grid> {
        self.direction.grid().or(self.length_grid)
    }

    fn added_distance(&self, metric: Metric) -> Option<f64> {
        match metric {
            // A length is one number, with a grid of its own.
            Metric::Radial => self.length_grid?.added_distance(metric, 1),
            _ => self.direction.added_distance(metric),
        }
    }

    fn perturb(&self, row: &mut [f64], fate: Fate, stream: &mut NoiseStream) -> Result<(), Error> {
        check_row(row, self.dim())?;
        let length = norm(row);
        if !length.is_finite() {
            return Err(ErrorKind::GridRange { limit: f64::MAX.sqrt() }.into());
        }
        self.direction.perturb(row, fate, stream)?;
        let noise = if self.radius.is_infinite() {
            0.0
        } else {
            let sign = if stream.next_u64() & 1 == 0 { 1.0 } else { -1.0 };
            sign * stream.exponential() / self.radius.get()
        };
        let released = match fate.on(self.length_grid) {
            Some(grid) => grid.add(length, noise)?,
            None => length + noise,
        };
        row.iter_mut().for_each(|x| *x *= released.abs());
        Ok(())
    }
}
