use crate::faults::{self, Fault};
use crate::matrix::Cholesky;
use crate::slack::dot_errors;
use crate::unit_vector::{check_finite, dot, norm};
use crate::{Error, ErrorKind};

use super::checks::check_dim;

/// The longest vector that is mapped. It bounds rounding errors.
const LONGEST: f64 = 1024.0;
/// The longest that may be left of an erased direction of length 1.
const ERASED: f64 = 1e-9;

/// An eraser: a public map f from ℝⁿ into the unit ball of ℝᵐ that does not depend on a part of its
/// input, the *erased span*.
///
/// f(x) = y/max(‖y‖, r) with y = Ax + b. A, b and r are public constants: they come from public
/// texts and never from the vectors that are protected.
///
/// # It is Lipschitz
/// *‖f(x)−f(x′)‖ ≤ (‖A‖/r)·‖x−x′‖.* y ↦ y/max(‖y‖, r) is 1/r times the projection on the ball of
/// radius r, and the projection on a convex set never lengthens a distance. ‖A‖ is bounded from above
/// by a factorisation of λI − AAᵀ, with a margin for rounding.
///
/// # It erases
/// Every direction of the span is mapped to 0 by A, up to 10⁻⁹ of its length. [`Erasure::new`]
/// refuses a matrix that leaves more of it, so a span that is off by one direction is an error.
#[derive(Clone)]
pub struct Erasure {
    dim: usize,
    /// A, row after row.
    map: Vec<f64>,
    offset: Vec<f64>,
    /// Qᵀ, row after row.
    lift: Vec<f64>,
    shortest: f64,
    /// An upper bound of ‖A‖.
    norm: f64,
    directions: usize,
    /// One erased direction of length 1, which a fault puts back.
    first: Vec<f64>,
}

impl Erasure {
    /// Creates an eraser of vectors of dimension `dim`. `map` is A, `offset` is b, `lift` is Qᵀ with
    /// one row for each axis, `shortest` is r, and `span` holds the erased directions, row after row.
    ///
    /// # Errors
    /// If the numbers of rows differ, a number is not finite, `shortest` is not from 0.01 to 1, or the
    /// map does not erase the span.
    pub fn new(
        dim: usize,
        map: Vec<f64>,
        offset: Vec<f64>,
        lift: Vec<f64>,
        shortest: f64,
        span: &[f64],
    ) -> Result<Self, Error> {
        check_dim(dim, 1)?;
        let axes = offset.len();
        check_dim(axes, 1)?;
        for (found, expected) in [(map.len(), axes * dim), (lift.len(), axes * dim), (span.len() % dim, 0)] {
            if found != expected {
                return Err(ErrorKind::Dimension { expected, found }.into());
            }
        }
        for numbers in [&map, &offset, &lift] {
            check_finite(numbers)?;
        }
        check_finite(span)?;
        if !(0.01..=1.0).contains(&shortest) {
            return Err(Error::parameter("the least length after erasure", "from 0.01 to 1", shortest));
        }
        let norm = norm_bound(&map, dim)?;
        for direction in span.chunks_exact(dim) {
            let length = self::norm(direction);
            let left = map.chunks_exact(dim).map(|row| dot(row, direction).powi(2)).sum::<f64>().sqrt();
            if !(length > 0.0 && left <= ERASED * length) {
                return Err(ErrorKind::NotErased.into());
            }
        }
        let mut first: Vec<f64> = span.chunks_exact(dim).next().unwrap_or_default().to_vec();
        let length = self::norm(&first);
        first.iter_mut().for_each(|x| *x /= length);
        Ok(Self { dim, map, offset, lift, shortest, norm, directions: span.len() / dim, first })
    }

    /// The dimension of vectors.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The number of axes that are left: m.
    pub fn axes(&self) -> usize {
        self.offset.len()
    }

    /// The number of erased directions.
    pub fn erased_directions(&self) -> usize {
        self.directions
    }

    /// The length below which what is left is not brought to length 1: r.
    pub fn shortest(&self) -> f64 {
        self.shortest
    }

    /// The most by which a Euclidean distance can grow: ‖A‖/r.
    pub fn lipschitz(&self) -> f64 {
        (self.norm / self.shortest).next_up()
    }

    /// Writes f(row) to `left`, which has one number for each axis.
    ///
    /// # Errors
    /// If the row is longer than 1024 or has another dimension.
    pub fn apply(&self, row: &[f64], left: &mut [f64]) -> Result<(), Error> {
        if row.len() != self.dim || left.len() != self.axes() {
            return Err(ErrorKind::Dimension { expected: self.dim, found: row.len() }.into());
        }
        let length = norm(row);
        if length.is_nan() || length > LONGEST {
            return Err(Error::parameter("the length of a vector that is erased", "1024 at most", "longer"));
        }
        for ((y, a), b) in left.iter_mut().zip(self.map.chunks_exact(self.dim)).zip(&self.offset) {
            *y = dot(a, row) + b;
        }
        if faults::is(Fault::SpanOffByOne) {
            left[0] += dot(&self.first, row);
        }
        let factor = norm(left).max(self.shortest).recip();
        left.iter_mut().for_each(|y| *y *= factor);
        Ok(())
    }

    /// Writes Qy to `row`.
    pub fn lift(&self, left: &[f64], row: &mut [f64]) {
        row.fill(0.0);
        for (y, axis) in left.iter().zip(self.lift.chunks_exact(self.dim)) {
            row.iter_mut().zip(axis).for_each(|(x, q)| *x += y * q);
        }
    }

    /// Bounds the error of f(x) in floating point.
    pub(super) fn rounding(&self) -> f64 {
        let unit = f64::EPSILON / 2.0;
        // Each y is an inner product of a row of A with x, plus b. Rows are no longer than ‖A‖.
        let y = (dot_errors(self.dim) + 4.0) * unit * (self.norm * LONGEST + norm(&self.offset));
        let all = y * (self.axes() as f64).sqrt();
        // The division by the length keeps relative errors, and doubles absolute ones at most.
        2.0 * all / self.shortest + (dot_errors(self.axes()) + 8.0) * unit
    }

    /// All numbers that determine the map, for checksums.
    pub(super) fn parameters(&self) -> impl Iterator<Item = f64> + '_ {
        let sizes = [self.dim as f64, self.axes() as f64, self.shortest];
        sizes.into_iter().chain([&self.map, &self.offset, &self.lift].into_iter().flatten().copied())
    }
}

impl std::fmt::Debug for Erasure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Erasure({} of {} directions erased, {} axes)", self.directions, self.dim, self.axes())
    }
}

/// An upper bound of the operator norm of a matrix with rows of `dim` numbers.
fn norm_bound(map: &[f64], dim: usize) -> Result<f64, Error> {
    let rows: Vec<&[f64]> = map.chunks_exact(dim).collect();
    let n = rows.len();
    let mut square = vec![0.0; n * n];
    for (i, a) in rows.iter().enumerate() {
        for (j, b) in rows[..=i].iter().enumerate() {
            let product = dot(a, b);
            (square[i * n + j], square[j * n + i]) = (product, product);
        }
    }
    Ok(Cholesky::largest_eigenvalue_bound(n, &square)?.sqrt().next_up())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn axes() -> Vec<f64> {
        vec![0.0, 0.6, 0.8, 0.0, -0.8, 0.6]
    }

    fn erasure() -> Erasure {
        Erasure::new(3, axes(), vec![0.1, 0.0], axes(), 0.5, &[2.0, 0.0, 0.0]).unwrap()
    }

    #[test]
    fn a_map_that_keeps_an_erased_direction_is_refused() {
        let of = |map: Vec<f64>, span: &[f64]| Erasure::new(3, map, vec![0.0; 2], axes(), 0.5, span);
        assert!(of(axes(), &[1.0, 0.0, 0.0]).is_ok());
        assert_eq!(of(axes(), &[1.0, 0.0, 1e-6]).unwrap_err().kind(), &ErrorKind::NotErased);
        let mut kept = axes();
        kept[0] = 1e-6;
        assert_eq!(of(kept, &[1.0, 0.0, 0.0]).unwrap_err().kind(), &ErrorKind::NotErased);
        // One direction more than the map erases.
        let both = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        assert_eq!(of(axes(), &both).unwrap_err().kind(), &ErrorKind::NotErased);
        assert!(of(axes()[..5].to_vec(), &[]).is_err() && of(axes(), &[f64::NAN; 3]).is_err());
        assert!(Erasure::new(3, axes(), vec![0.0; 2], axes(), 0.0, &[]).is_err());
    }

    #[test]
    fn what_is_left_has_length_one_or_less() {
        let mut left = [0.0; 2];
        erasure().apply(&[5.0, 3.0, 4.0], &mut left).unwrap();
        assert!((norm(&left) - 1.0).abs() < 1e-12);
        erasure().apply(&[5.0, 0.0, 0.0], &mut left).unwrap();
        assert!((left[0] - 0.2).abs() < 1e-15 && left[1] == 0.0, "0.1 through r = 0.5: {left:?}");
        assert!(erasure().apply(&[2e3, 0.0, 0.0], &mut left).is_err());
    }

    #[test]
    fn the_norm_is_bounded_from_above_and_closely() {
        // Singular values 3 and 1.
        let map = [3.0, 0.0, 0.0, 1.0];
        let bound = norm_bound(&map, 2).unwrap();
        assert!((3.0..3.01).contains(&bound), "{bound}");
    }

    proptest! {
        #[test]
        fn distances_grow_by_the_stated_factor_at_most(
            a in prop::collection::vec(-1.0..1.0f64, 3),
            b in prop::collection::vec(-1.0..1.0f64, 3),
            scale in 0.01..1.0f64,
        ) {
            let f = |row: &[f64]| {
                let mut left = [0.0; 2];
                let row: Vec<f64> = row.iter().map(|x| x * scale).collect();
                erasure().apply(&row, &mut left).unwrap();
                left
            };
            let apart = |a: &[f64], b: &[f64]| norm(&a.iter().zip(b).map(|(x, y)| x - y).collect::<Vec<_>>());
            prop_assert!(apart(&f(&a), &f(&b)) <= erasure().lipschitz() * scale * apart(&a, &b) + 1e-12);
            // Inside the span nothing changes.
            let moved = [a[0] + 3.0, a[1], a[2]];
            prop_assert!(apart(&f(&a), &f(&moved)) <= 2.0 * erasure().rounding());
        }
    }
}
