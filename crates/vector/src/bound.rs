//! Operations on vectors before and after noise, with public constants.

use inkveil_privacy::Grid;

use crate::Error;

/// The most bits by which the grid of shrunk vectors is finer than that of the noise.
const MOST_FINER: f64 = 20.0;

/// The factor by which vectors are brought below a bound. They may be stored as `f32` right after,
/// and rounding can lengthen a vector by 2⁻²⁴ of its length. The bound on the receipt must hold for
/// the stored vectors.
const INSIDE: f64 = 1.0 - 1.0 / (1 << 22) as f64;

/// How vectors are bounded before noise is added. The bound is a public constant and never depends
/// on the vectors.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Bound {
    /// Not at all. The distance of two vectors is then not bounded.
    #[default]
    AsIs,
    /// Longer vectors are shortened to this length.
    Clip(f64),
    /// All vectors are scaled to length 1.
    Unit,
}

impl Bound {
    /// Returns the largest possible length.
    pub(crate) fn length(self) -> Option<f64> {
        match self {
            Self::AsIs => None,
            Self::Clip(length) => Some(length),
            Self::Unit => Some(1.0),
        }
    }

    pub(crate) fn check(self) -> Result<Self, Error> {
        match self {
            Self::Clip(length) if !(length > 0.0 && length.is_finite()) => {
                Err(Error::setting("the length to which vectors are clipped must be above 0"))
            }
            bound => Ok(bound),
        }
    }

    /// Bounds a row. A row of zeros has no direction and is left unchanged.
    pub(crate) fn apply(self, row: &mut [f64]) {
        let Some(bound) = self.length().map(|bound| bound * INSIDE) else { return };
        if self == Self::Unit || length(row) > bound {
            bring_to(bound, row);
        }
    }
}

/// What is done to vectors after noise. It does not use the input, so it costs no privacy.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum After {
    /// Nothing.
    #[default]
    AsIs,
    /// They are scaled to length 1.
    Unit,
    /// Each dimension is multiplied by the share of it that is not noise, so that noisy dimensions
    /// do not dominate similarities.
    Shrink(Vec<f64>),
}

impl After {
    /// Returns the factors for dimensions with these mean squares and this variance of noise: v/(v
    /// + σ²).
    pub(crate) fn shrink(mean_squares: &[f64], noise: &[f64]) -> Self {
        // A dimension without signal and noise is not shrunk.
        let share = |(v, n): (&f64, &f64)| if v + n > 0.0 { v / (v + n) } else { 1.0 };
        Self::Shrink(mean_squares.iter().zip(noise).map(share).collect())
    }

    /// Returns the grid of changed vectors, given that of the noise. It follows from public constants.
    pub(crate) fn grid(&self, noise: Grid, dim: usize) -> Result<Grid, inkveil_privacy::Error> {
        match self {
            Self::AsIs => Ok(noise),
            // Coordinates of a vector of length 1 are about 1/√n.
            Self::Unit => Grid::for_noise((dim as f64).sqrt().recip()),
            // Fine enough for the dimension that shrinks most, as far as doubles allow.
            Self::Shrink(shares) => {
                let least = shares.iter().copied().filter(|share| *share > 0.0).fold(1.0, f64::min);
                noise.finer((-least.log2()).ceil().clamp(0.0, MOST_FINER) as u32)
            }
        }
    }

    pub(crate) fn apply(&self, row: &mut [f64]) {
        match self {
            Self::AsIs => {}
            Self::Unit => bring_to(1.0, row),
            Self::Shrink(shares) => row.iter_mut().zip(shares).for_each(|(x, share)| *x *= share),
        }
    }
}

/// Scales a row to a length, if it has a direction. The mechanism refuses an infinite row later.
fn bring_to(wanted: f64, row: &mut [f64]) {
    let length = length(row);
    if length > 0.0 && length.is_finite() {
        row.iter_mut().for_each(|x| *x *= wanted / length);
    }
}

fn length(row: &[f64]) -> f64 {
    row.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_bounded() {
        let bounded = |bound: Bound, row: [f64; 2]| {
            let mut row = row;
            bound.apply(&mut row);
            row
        };
        assert_eq!(bounded(Bound::AsIs, [3.0, 4.0]), [3.0, 4.0]);
        let near = |row: [f64; 2], wanted: [f64; 2]| {
            row.iter().zip(wanted).all(|(x, wanted)| *x <= wanted && *x > wanted * (1.0 - 1e-6))
        };
        assert!(near(bounded(Bound::Clip(2.5), [3.0, 4.0]), [1.5, 2.0]));
        assert_eq!(bounded(Bound::Clip(10.0), [3.0, 4.0]), [3.0, 4.0]);
        assert!(near(bounded(Bound::Unit, [0.3, 0.4]), [0.6, 0.8]));
        assert_eq!(bounded(Bound::Unit, [0.0, 0.0]), [0.0, 0.0]);
        assert!(Bound::Clip(0.0).check().is_err() && Bound::Clip(f64::NAN).check().is_err());
    }

    #[test]
    fn a_bound_holds_after_rounding_to_f32() {
        for (bound, most) in [(Bound::Unit, 1.0), (Bound::Clip(0.7), 0.7)] {
            for seed in 1..2_000_u32 {
                // A value between two numbers of `f32`.
                let mut row: Vec<f64> =
                    (1..=5).map(|i| f64::from(seed * i % 97) + 1.1 / f64::from(i)).collect();
                bound.apply(&mut row);
                let stored: Vec<f64> = row.iter().map(|x| f64::from(*x as f32)).collect();
                assert!(
                    length(&stored) <= most,
                    "{bound:?}, seed {seed}: {:e} too long",
                    length(&stored) - most
                );
                assert!(length(&stored) > most * (1.0 - 1e-6));
            }
        }
    }

    #[test]
    fn dimensions_of_mostly_noise_are_shrunk() {
        let after = After::shrink(&[1.0, 1.0, 0.0, 0.0], &[0.0, 3.0, 1.0, 0.0]);
        let mut row = [2.0; 4];
        after.apply(&mut row);
        assert_eq!(row, [2.0, 0.5, 0.0, 2.0]);
    }
}
