//! Directions and operations on rows of numbers.

use std::fmt;

use zeroize::Zeroize;

use crate::{Error, ErrorKind};

/// A direction: a vector of dimension at least 2 and length 1. Its coordinates are private, so
/// `Debug` does not print them.
///
/// ```
/// use inkveil_privacy::UnitVector;
///
/// let v = UnitVector::new(vec![3.0, 4.0])?;
/// assert!((v.as_slice()[0] - 0.6).abs() < 1e-15 && (v.as_slice()[1] - 0.8).abs() < 1e-15);
/// assert_eq!(format!("{v:?}"), "UnitVector(dimension 2)");
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct UnitVector(Vec<f64>);

impl UnitVector {
    /// Creates the direction of a vector.
    ///
    /// # Errors
    /// If the dimension is below 2, a coordinate is not finite, or the vector is zero.
    pub fn new(mut coordinates: Vec<f64>) -> Result<Self, Error> {
        if coordinates.len() < 2 {
            return Err(Error::parameter("the dimension of a direction", "at least 2", coordinates.len()));
        }
        normalise(&mut coordinates)?;
        Ok(Self(coordinates))
    }

    /// The coordinates.
    pub fn as_slice(&self) -> &[f64] {
        &self.0
    }

    /// The dimension.
    pub fn dim(&self) -> usize {
        self.0.len()
    }

    /// Returns the coordinates and consumes the direction.
    pub fn into_vec(mut self) -> Vec<f64> {
        std::mem::take(&mut self.0)
    }
}

impl Drop for UnitVector {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for UnitVector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UnitVector(dimension {})", self.0.len())
    }
}

/// Scales a vector to length 1 and returns its former length. Exact to a few units in the last
/// place for any finite input.
pub(crate) fn normalise(row: &mut [f64]) -> Result<f64, Error> {
    let square = dot(row, row);
    if (1e-200..1e200).contains(&square) {
        let length = square.sqrt();
        let factor = 1.0 / length;
        row.iter_mut().for_each(|x| *x *= factor);
        return Ok(length);
    }
    // The squares overflow or underflow, or a coordinate is not a number. Check each, then scale by
    // the largest magnitude first.
    check_finite(row)?;
    let largest = row.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if largest == 0.0 {
        return Err(ErrorKind::ZeroVector.into());
    }
    // A power of two divides exactly. Two steps reach even the smallest positive numbers.
    let half = 2f64.powf((-largest.log2() / 2.0).round());
    row.iter_mut().for_each(|x| *x = *x * half * half);
    let length = normalise(row)?;
    Ok(length / half / half)
}

/// Checks that every coordinate is a finite number.
pub(crate) fn check_finite(row: &[f64]) -> Result<(), Error> {
    // A sum of squares is fast and is finite only if each term is. If it is not finite, check the
    // coordinates one by one.
    if dot(row, row).is_finite() {
        return Ok(());
    }
    match row.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(ErrorKind::NotFinite { index }.into()),
        None => Ok(()),
    }
}

/// Returns the inner product. Blocks of 64 are added up in eight running sums, which the compiler
/// keeps in vector registers. Blocks are added in pairs, which keeps rounding errors small: they
/// grow with the logarithm of n.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    if a.len() <= 64 || a.len() != b.len() {
        return dot_block(a, b);
    }
    let middle = (a.len() / 2).next_multiple_of(64).min(b.len());
    let ((a0, a1), (b0, b1)) = (a.split_at(middle), b.split_at(middle));
    dot(a0, b0) + dot(a1, b1)
}

fn dot_block(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a8, a_rest) = a.as_chunks::<8>();
    let (b8, b_rest) = b.as_chunks::<8>();
    for (x, y) in a8.iter().zip(b8) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let pairs = [sums[0] + sums[4], sums[1] + sums[5], sums[2] + sums[6], sums[3] + sums[7]];
    let joined = (pairs[0] + pairs[2]) + (pairs[1] + pairs[3]);
    joined + a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum::<f64>()
}

/// The Euclidean norm.
pub(crate) fn norm(row: &[f64]) -> f64 {
    dot(row, row).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn refuses_vectors_without_a_direction() {
        assert_eq!(UnitVector::new(vec![0.0, 0.0]).unwrap_err().kind(), &ErrorKind::ZeroVector);
        assert_eq!(
            UnitVector::new(vec![1.0, f64::NAN]).unwrap_err().kind(),
            &ErrorKind::NotFinite { index: 1 }
        );
        assert!(UnitVector::new(vec![1.0]).is_err());
    }

    #[test]
    fn normalises_extreme_magnitudes() {
        for scale in [1e300, 5e-324, 1e-310] {
            let v = UnitVector::new(vec![scale, scale]).unwrap();
            assert!((norm(v.as_slice()) - 1.0).abs() < 1e-14, "{scale}");
        }
        let v = UnitVector::new(vec![f64::MAX; 3]).unwrap();
        assert!((norm(v.as_slice()) - 1.0).abs() < 1e-14);
    }

    #[test]
    fn debug_hides_the_coordinates() {
        let v = UnitVector::new(vec![0.123_456, 0.5]).unwrap();
        assert!(!format!("{v:?}").contains("0."));
    }

    proptest! {
        #[test]
        fn unit_vectors_have_length_one(v in prop::collection::vec(-1e6..1e6f64, 2..50)) {
            prop_assume!(v.iter().any(|x| *x != 0.0));
            let unit = UnitVector::new(v).unwrap();
            prop_assert!((norm(unit.as_slice()) - 1.0).abs() < 1e-14);
        }
    }
}
