//! What is done to vectors before noise, by public constants, and after it.

use crate::Error;

/// How far inside of a bound vectors are brought, as a factor. They may be stored as `f32` right after, and rounding each number can
/// lengthen a vector by 2⁻²⁴ of its length; the receipt's bound must hold for what is stored.
const INSIDE: f64 = 1.0 - 1.0 / (1 << 22) as f64;

/// How vectors are bounded before noise is added. The bound is a constant that anyone may know: it is never read from the vectors.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Bound {
    /// They are taken as they are; how far two of them are apart is then not bounded.
    #[default]
    AsIs,
    /// Longer ones are shortened to this length.
    Clip(f64),
    /// All are brought to length 1.
    Unit,
}

impl Bound {
    /// No vector is longer than this.
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
                Err(Error::setting("vectors are clipped to a positive length"))
            }
            bound => Ok(bound),
        }
    }

    /// Bounds a row. A row of zeros has no direction and stays: it cannot be brought to length 1.
    pub(crate) fn apply(self, row: &mut [f64]) {
        let Some(bound) = self.length().map(|bound| bound * INSIDE) else { return };
        if self == Self::Unit || length(row) > bound {
            bring_to(bound, row);
        }
    }
}

/// What is done to vectors after noise. It knows nothing of the input, so it costs no privacy.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum After {
    /// Nothing: they are as long as the noise made them.
    #[default]
    AsIs,
    /// They are brought to length 1.
    Unit,
    /// Each dimension is multiplied by the share of it that is not noise, so that similarities are not drowned by the noisy ones.
    Shrink(Vec<f64>),
}

impl After {
    /// The shares for dimensions of these mean squares, with noise of these variances: v/(v + σ²).
    pub(crate) fn shrink(mean_squares: &[f64], noise: &[f64]) -> Self {
        // Where there is neither, there is nothing to shrink.
        let share = |(v, n): (&f64, &f64)| if v + n > 0.0 { v / (v + n) } else { 1.0 };
        Self::Shrink(mean_squares.iter().zip(noise).map(share).collect())
    }

    pub(crate) fn apply(&self, row: &mut [f64]) {
        match self {
            Self::AsIs => {}
            Self::Unit => bring_to(1.0, row),
            Self::Shrink(shares) => row.iter_mut().zip(shares).for_each(|(x, share)| *x *= share),
        }
    }
}

/// Scales a row to a length, if it has a direction. An infinite row is left for the mechanism to refuse.
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
    fn a_bound_holds_for_what_is_stored_as_f32() {
        for (bound, most) in [(Bound::Unit, 1.0), (Bound::Clip(0.7), 0.7)] {
            for seed in 1..2_000_u32 {
                // Whatever lies between the numbers of `f32`.
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
    fn what_is_mostly_noise_shrinks() {
        let after = After::shrink(&[1.0, 1.0, 0.0, 0.0], &[0.0, 3.0, 1.0, 0.0]);
        let mut row = [2.0; 4];
        after.apply(&mut row);
        assert_eq!(row, [2.0, 0.5, 0.0, 2.0]);
    }
}
