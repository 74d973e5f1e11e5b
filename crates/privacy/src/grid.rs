//! Releases of floating-point numbers whose last bits do not reveal the input.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind, Metric};

/// The multiples of a power of two: the only values that a release of floating-point numbers may
/// take.
///
/// # Why
/// Plain `x + noise` in floating point does not match the proof: the low-order bits of the sum
/// depend on x. With Laplace noise of scale 1, an output that is not a multiple of 2⁻⁵³ can come
/// from x = 0 but never from x = 1, so the bits alone tell the two inputs apart (Mironov 2012).
///
/// # Method
/// A grid is the lattice of all multiples of g = 2ᵏ. The constant k is public. It follows from the
/// mechanism's parameters and never from the data.
/// - *Additive mechanisms* release `snap(x) + snap(z)`. Both are multiples of g below 2⁵¹ g, so the
///   sum is exact. The output is the snapped input plus lattice noise whose distribution does not
///   depend on x.
/// - *Mechanisms on the sphere* snap the input, draw the direction, and snap each coordinate of the
///   output.
///
/// # Guarantee
/// *Support.* Every output is a multiple of g. For additive noise, the set of possible outputs is
/// that of the lattice noise, shifted by a multiple of g. Ideal noise reaches all of gℤⁿ, so all
/// inputs have the same support. A computer's samplers reach every cell except those so far out
/// that their probability is below 10⁻²⁰ per coordinate (normal variables beyond ten standard
/// deviations). That remainder is not part of the proof.
///
/// *Loss.* For ideal noise with density f, `Pr[snap(z) = c]` is the integral of f over the cell
/// around c. Shifting the input by a lattice vector maps cells to cells, so a bound exp(ε·d) on
/// densities is a bound on cells, and rounding costs nothing. On the sphere, rounding is
/// post-processing. The guarantee therefore holds for the *snapped* inputs. Their distance exceeds
/// that of the inputs by at most g per coordinate: [`Grid::added_distance`] returns the sum in each
/// metric, and receipts print it.
///
/// Guarantees for inputs within a fixed distance (Gaussian noise, Laplace noise with a sensitivity,
/// the pure calibration) are calibrated to that distance plus the distance that snapping can add.
/// They hold for the inputs themselves.
///
/// *Floating point.* The step of a mechanism's grid is at most 2⁻²⁰ of its noise in the direction
/// with the least noise, or 2⁻⁶ for the output of noise on the sphere. Rounding errors of a sampler
/// move a small share of a cell's mass across its border. [`Slack`](crate::Slack) has the bound and
/// its proof, and receipts print it.
///
/// *No noise.* Numbers that are released without noise (ε = ∞) are multiples of
/// [`Grid::WITHOUT_NOISE`]. If only a part of a vector has noise, such as its length, the last bits
/// of the other part would reveal it.
///
/// ```
/// use inkveil_privacy::Grid;
///
/// let grid = Grid::new(-3)?; // multiples of 1/8
/// assert_eq!(grid.snap(0.3)?, 0.25);
/// assert_eq!(grid.add(0.3, 1.01)?, 1.25);
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", into = "Unchecked")]
pub struct Grid {
    exponent: i32,
}

impl Grid {
    /// The grid of numbers that are released without noise: multiples of 2⁻³⁰.
    pub const WITHOUT_NOISE: Self = Self { exponent: -30 };
    /// The step of the grid relative to the noise, in negative powers of two.
    const BELOW_NOISE: i32 = 20;
    /// Values up to 2⁵¹ steps are exact, and so are their sums.
    const REACH: i32 = 51;

    /// The grid of multiples of 2^exponent.
    ///
    /// # Errors
    /// If the exponent is outside −900 … 900.
    pub fn new(exponent: i32) -> Result<Self, Error> {
        if (-900..=900).contains(&exponent) {
            Ok(Self { exponent })
        } else {
            Err(Error::parameter("the grid's exponent", "between -900 and 900", exponent))
        }
    }

    /// Returns the grid for noise whose smallest standard deviation in any direction is about
    /// `scale`: a step of 2⁻²⁰ of it, or slightly finer.
    ///
    /// # Errors
    /// If `scale` is not a positive number, or extreme.
    pub fn for_noise(scale: f64) -> Result<Self, Error> {
        Self::below(scale, Self::BELOW_NOISE)
    }

    /// Returns the grid for directions in `dim` dimensions, with noise of about `scale` in each
    /// coordinate: a step of 2⁻⁶ of it, or slightly finer, and 2⁻¹⁰ in few dimensions. It is coarser
    /// than [`Grid::for_noise`], because rounding errors matter more on a sphere: it may barely touch
    /// a cell. In many dimensions, the rounding is still far smaller than the noise.
    ///
    /// # Errors
    /// As [`Grid::for_noise`].
    pub fn for_directions(dim: usize, scale: f64) -> Result<Self, Error> {
        Self::below(scale, if dim < 16 { 10 } else { 6 })
    }

    fn below(scale: f64, bits: i32) -> Result<Self, Error> {
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(Error::parameter("the scale of the noise", "a positive number", scale));
        }
        Self::new(scale.log2().floor() as i32 - bits)
    }

    /// Returns the grid 2^`bits` times as fine.
    ///
    /// # Errors
    /// As [`Grid::new`].
    pub fn finer(self, bits: u32) -> Result<Self, Error> {
        Self::new(self.exponent.saturating_sub_unsigned(bits))
    }

    /// Whether a number is a multiple of the step.
    pub fn contains(self, value: f64) -> bool {
        value.is_finite() && (value * 2f64.powi(-self.exponent)).fract() == 0.0
    }

    /// The exponent k of the step 2ᵏ.
    pub fn exponent(self) -> i32 {
        self.exponent
    }

    /// The distance between neighbouring values.
    pub fn step(self) -> f64 {
        2f64.powi(self.exponent)
    }

    /// The largest magnitude that is snapped exactly.
    pub fn limit(self) -> f64 {
        2f64.powi(self.exponent + Self::REACH)
    }

    /// Returns the nearest multiple of the step (ties to even).
    ///
    /// # Errors
    /// If the value is not a number within [`Grid::limit`].
    pub fn snap(self, value: f64) -> Result<f64, Error> {
        let mut row = [value];
        self.snap_row(&mut row)?;
        Ok(row[0])
    }

    /// `snap(value) + snap(noise)`, exactly.
    ///
    /// # Errors
    /// If one of the two is beyond [`Grid::limit`].
    pub fn add(self, value: f64, noise: f64) -> Result<f64, Error> {
        let mut row = [value];
        self.add_row(&mut row, &[noise])?;
        Ok(row[0])
    }

    /// Snaps every coordinate.
    ///
    /// # Errors
    /// As [`Grid::snap`].
    pub fn snap_row(self, row: &mut [f64]) -> Result<(), Error> {
        self.check(row)?;
        let (step, per_step) = (self.step(), 2f64.powi(-self.exponent));
        row.iter_mut().for_each(|x| *x = round(*x * per_step) * step);
        Ok(())
    }

    /// `snap(value) + snap(noise)` in every coordinate, exactly.
    ///
    /// # Errors
    /// As [`Grid::add`].
    pub fn add_row(self, row: &mut [f64], noise: &[f64]) -> Result<(), Error> {
        self.check(row)?;
        self.check(noise)?;
        let (step, per_step) = (self.step(), 2f64.powi(-self.exponent));
        row.iter_mut()
            .zip(noise)
            .for_each(|(x, z)| *x = (round(*x * per_step) + round(*z * per_step)) * step);
        Ok(())
    }

    /// `snap(value) + steps` in every coordinate, exactly, for noise that was drawn in steps.
    pub(crate) fn add_steps(self, row: &mut [f64], mut draw: impl FnMut() -> i64) -> Result<(), Error> {
        self.check(row)?;
        let (step, per_step) = (self.step(), 2f64.powi(-self.exponent));
        for x in row {
            let noise = draw();
            if noise.unsigned_abs() > 1 << Self::REACH {
                return Err(ErrorKind::GridRange { limit: self.limit() }.into());
            }
            *x = (round(*x * per_step) + noise as f64) * step;
        }
        Ok(())
    }

    /// Checks that every value is within the limit. NaN fails the comparison.
    fn check(self, row: &[f64]) -> Result<(), Error> {
        let limit = self.limit();
        // No early exit, so that the compiler can vectorise the loop.
        if row.iter().fold(true, |fits, x| fits & (x.abs() <= limit)) {
            Ok(())
        } else {
            Err(ErrorKind::GridRange { limit }.into())
        }
    }

    /// Returns how much snapping can add to the distance of two inputs of dimension `dim`: a
    /// guarantee of ε per unit of distance holds with ε·(distance + this). Returns `None` for
    /// Mahalanobis and erased distance, where the value depends on the mechanism, and for guarantees about any two inputs, which
    /// already include it.
    pub fn added_distance(self, metric: Metric, dim: usize) -> Option<f64> {
        let (n, g) = (dim as f64, self.step());
        match metric {
            Metric::Manhattan => Some(n * g),
            Metric::Euclidean | Metric::Radial => Some(n.sqrt() * g),
            // Each end moves by at most √n·g/2 off the sphere, and by at most as much when it is
            // projected back.
            Metric::Chordal => Some(2.0 * n.sqrt() * g),
            // An arc is at most π/2 times its chord.
            Metric::Angular => Some(std::f64::consts::PI * n.sqrt() * g),
            Metric::Discrete | Metric::Mahalanobis | Metric::Erased => None,
        }
    }
}

/// Returns the nearest integer (ties to even) of a number of magnitude at most 2⁵¹. Adding 1.5·2⁵²
/// pushes the fraction out of the mantissa. This is several times faster than the library function
/// on processors without newer rounding instructions.
fn round(value: f64) -> f64 {
    const SHIFTER: f64 = 6_755_399_441_055_744.0;
    (value + SHIFTER) - SHIFTER
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "2^{}", self.exponent)
    }
}

/// The JSON form before validation.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    exponent: i32,
}

impl TryFrom<Unchecked> for Grid {
    type Error = Error;

    fn try_from(raw: Unchecked) -> Result<Self, Error> {
        Self::new(raw.exponent)
    }
}

impl From<Grid> for Unchecked {
    fn from(grid: Grid) -> Self {
        Self { exponent: grid.exponent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoiseAddress, NoiseKey};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn on_grid(value: f64, grid: Grid) -> bool {
        grid.contains(value)
    }

    proptest! {
        #[test]
        fn sums_are_exact_and_on_the_grid(k in -60..20i32, a in -1e6..1e6f64, b in -1e6..1e6f64) {
            let grid = Grid::new(k).unwrap();
            prop_assume!(a.abs().max(b.abs()) <= grid.limit());
            let sum = grid.add(a, b).unwrap();
            prop_assert!(on_grid(sum, grid));
            // Shift equivariance: one more step in the input is one more step in the output.
            let moved = grid.add(grid.snap(a).unwrap() + grid.step(), b);
            if let Ok(moved) = moved {
                prop_assert_eq!(moved - sum, grid.step());
            }
            prop_assert!((grid.snap(a).unwrap() - a).abs() <= grid.step() / 2.0);
        }
    }

    /// Exhaustive: every multiple of 1/16 up to 64 steps, on grids of steps 1/4 to 4, and every sum
    /// of two. Against exact arithmetic on integers (in sixteenths).
    #[test]
    fn small_values_are_rounded_and_added_as_integers_are() {
        for exponent in -2..=2 {
            let grid = Grid::new(exponent).unwrap();
            let step = 1i64 << (4 + exponent);
            let nearest = |x: i64| {
                let (below, rest) = (x.div_euclid(step), x.rem_euclid(step));
                let up = 2 * rest > step || (2 * rest == step && below % 2 != 0);
                (below + i64::from(up)) * step
            };
            for x in -1024..=1024i64 {
                let snapped = grid.snap(x as f64 / 16.0).unwrap();
                assert_eq!(snapped * 16.0, nearest(x) as f64, "{x}/16 on {grid}");
                for z in (-1024..=1024i64).step_by(61) {
                    let sum = grid.add(x as f64 / 16.0, z as f64 / 16.0).unwrap();
                    assert_eq!(sum * 16.0, (nearest(x) + nearest(z)) as f64);
                }
            }
        }
    }

    /// Narrower types keep numbers on the grid: the spacing of the type at a number is a power of
    /// two, so it is a multiple of the step, or the number is kept as it is. Exhaustive over `f16`
    /// bits of precision by the same rule on `f32`.
    #[test]
    fn numbers_stay_on_the_grid_as_f32() {
        for exponent in [-160, -149, -140, -30, -10, 0, 10] {
            let grid = Grid::new(exponent).unwrap();
            for steps in (0..1i64 << 30).step_by(7_340_033).chain(0..3000) {
                let value = steps as f64 * grid.step();
                assert!(grid.contains(f64::from(value as f32)), "{steps} steps of {grid}");
            }
        }
    }

    #[test]
    fn rounding_is_to_nearest_ties_to_even() {
        let edge = 2f64.powi(51);
        for value in
            [0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 0.49999999999999994, 1e15 + 0.3, edge, -edge, edge - 0.5]
        {
            assert_eq!(round(value), value.round_ties_even(), "{value}");
        }
    }

    #[test]
    fn refuses_values_beyond_the_exact_range() {
        let grid = Grid::new(0).unwrap();
        for bad in [f64::NAN, f64::INFINITY, 2f64.powi(52)] {
            assert!(matches!(grid.snap(bad).unwrap_err().kind(), ErrorKind::GridRange { .. }));
        }
        assert!(Grid::for_noise(0.0).is_err());
        assert!(Grid::new(5000).is_err());
    }

    /// The attack that the grid prevents. With plain addition, the outputs for x = 0 are often
    /// finer than 2⁻⁵³ and those for x = 1 never are. On the grid both inputs have the same
    /// support.
    #[test]
    fn plain_addition_reveals_the_input_and_the_grid_does_not() {
        let mut stream = NoiseKey::insecure_from_seed(7).stream(NoiseAddress::record(0), &());
        let finer_than = |value: f64, k: i32| (value * 2f64.powi(k)).fract() != 0.0;
        let draws: Vec<f64> = (0..20_000)
            .map(|_| stream.exponential() * if stream.next_u64() & 1 == 0 { 1.0 } else { -1.0 })
            .collect();
        let revealed = |x: f64| draws.iter().filter(|z| finer_than(x + **z, 53)).count();
        assert!(revealed(0.0) > 2_000);
        assert_eq!(revealed(1.0), 0);
        let grid = Grid::for_noise(1.0).unwrap();
        for x in [0.0, 1.0] {
            assert!(draws.iter().all(|z| on_grid(grid.add(x, *z).unwrap(), grid)));
        }
    }

    #[test]
    fn zero_and_one_have_the_same_support() {
        let grid = Grid::new(-2).unwrap();
        let mut stream = NoiseKey::insecure_from_seed(8).stream(NoiseAddress::record(0), &());
        let mut support = |x: f64| -> BTreeSet<i64> {
            (0..200_000)
                .map(|_| (grid.add(x, stream.normal()).unwrap() / grid.step()) as i64)
                .filter(|c| (-6..=10).contains(c))
                .collect()
        };
        assert_eq!(support(0.0), support(1.0));
    }
}
