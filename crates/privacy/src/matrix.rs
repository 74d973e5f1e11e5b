//! The linear algebra that elliptical noise needs.

use crate::{Error, ErrorKind};

/// The tolerated asymmetry of a matrix, relative to its largest entry.
const ASYMMETRY: f64 = 1e-12;

/// The lower-triangular Cholesky factor of a symmetric positive definite matrix, row-major.
#[derive(Debug, Clone)]
pub(crate) struct Cholesky {
    dim: usize,
    factor: Vec<f64>,
}

impl Cholesky {
    /// Factors Σ = LLᵀ. Returns an error if Σ is not symmetric positive definite.
    pub(crate) fn new(dim: usize, matrix: &[f64]) -> Result<Self, Error> {
        let largest = matrix.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let symmetric = (0..dim).all(|i| {
            (0..i).all(|j| (matrix[i * dim + j] - matrix[j * dim + i]).abs() <= ASYMMETRY * largest)
        });
        if !symmetric || !largest.is_finite() {
            return Err(ErrorKind::NotPositiveDefinite.into());
        }
        Self::factor(dim, matrix, 0.0)
    }

    /// Factors Σ − shift·I, reading the lower triangle.
    fn factor(dim: usize, matrix: &[f64], shift: f64) -> Result<Self, Error> {
        let mut factor = vec![0.0; dim * dim];
        for i in 0..dim {
            let (done, row) = factor.split_at_mut(i * dim);
            for j in 0..i {
                let other = &done[j * dim..j * dim + j + 1];
                let sum = crate::unit_vector::dot(&row[..j], &other[..j]);
                row[j] = (matrix[i * dim + j] - sum) / other[j];
            }
            let pivot = matrix[i * dim + i] - shift - crate::unit_vector::dot(&row[..i], &row[..i]);
            if !(pivot > 0.0 && pivot.is_finite()) {
                return Err(ErrorKind::NotPositiveDefinite.into());
            }
            row[i] = pivot.sqrt();
        }
        Ok(Self { dim, factor })
    }

    /// `out = L·z`.
    pub(crate) fn apply(&self, z: &[f64], out: &mut [f64]) {
        for (i, x) in out.iter_mut().enumerate() {
            *x = crate::unit_vector::dot(&self.factor[i * self.dim..i * self.dim + i + 1], &z[..=i]);
        }
    }

    /// `z = L⁻¹·z`, in place.
    pub(crate) fn solve(&self, z: &mut [f64]) {
        for i in 0..self.dim {
            let row = &self.factor[i * self.dim..i * self.dim + i + 1];
            z[i] = (z[i] - crate::unit_vector::dot(&row[..i], &z[..i])) / row[i];
        }
    }

    /// `z = L⁻ᵀ·z`, in place.
    fn solve_transposed(&self, z: &mut [f64]) {
        for i in (0..self.dim).rev() {
            z[i] /= self.factor[i * self.dim + i];
            let (above, here) = z.split_at_mut(i);
            let row = &self.factor[i * self.dim..i * self.dim + i];
            above.iter_mut().zip(row).for_each(|(x, l)| *x -= l * here[0]);
        }
    }

    /// Returns an upper bound on the largest eigenvalue of a symmetric matrix without negative
    /// eigenvalues, close to it.
    ///
    /// Power iteration estimates the eigenvalue from below. A raised estimate is then tested by
    /// factoring bound·I − matrix. What a factorisation in floating point may miss is added.
    pub(crate) fn largest_eigenvalue_bound(dim: usize, matrix: &[f64]) -> Result<f64, Error> {
        let mut z: Vec<f64> = (0..dim).map(|i| 1.0 + 0.5 * (i as f64 * 1.618).sin()).collect();
        let trace: f64 = (0..dim).map(|i| matrix[i * dim + i]).sum();
        if !(trace > 0.0 && trace.is_finite()) {
            return Err(ErrorKind::NotPositiveDefinite.into());
        }
        let mut estimate = trace / dim as f64;
        for _ in 0..100 {
            crate::unit_vector::normalise(&mut z)?;
            z = matrix.chunks_exact(dim).map(|row| crate::unit_vector::dot(row, &z)).collect();
            let length = crate::unit_vector::norm(&z);
            if length == 0.0 {
                break;
            }
            estimate = length;
        }
        let uncertainty = 4.0 * (dim * (dim + 1)) as f64 * f64::EPSILON * trace;
        let negative: Vec<f64> = matrix.iter().map(|x| -x).collect();
        let mut bound = estimate * 1.000_1 + uncertainty;
        for _ in 0..2_000 {
            if Self::factor(dim, &negative, -bound).is_ok() {
                return Ok(bound + uncertainty);
            }
            bound *= 1.005;
        }
        Err(ErrorKind::NotPositiveDefinite.into())
    }

    /// Returns a lower bound on the smallest eigenvalue of Σ, close to it for well-conditioned
    /// matrices.
    ///
    /// Inverse iteration estimates the eigenvalue from above. A lowered estimate is then tested by
    /// factoring Σ − bound·I. In floating point, a factorisation succeeds for matrices that are off
    /// by about n²·u·trace, so this amount and the tolerated asymmetry are subtracted from the
    /// bound. A Σ for which nothing remains is refused: it cannot be distinguished from one that is
    /// not positive definite.
    pub(crate) fn smallest_eigenvalue_bound(&self, matrix: &[f64]) -> Result<f64, Error> {
        let n = self.dim;
        // A deterministic start vector with weight in every direction.
        let mut z: Vec<f64> = (0..n).map(|i| 1.0 + 0.5 * (i as f64 * 1.618).sin()).collect();
        let mut estimate = f64::INFINITY;
        for _ in 0..60 {
            crate::unit_vector::normalise(&mut z)?;
            self.solve(&mut z);
            self.solve_transposed(&mut z);
            estimate = 1.0 / crate::unit_vector::norm(&z);
        }
        let trace: f64 = (0..n).map(|i| matrix[i * n + i]).sum();
        let uncertainty = 4.0 * (n * (n + 1)) as f64 * f64::EPSILON * trace + ASYMMETRY * n as f64 * trace;
        let mut bound = estimate * 0.999;
        for _ in 0..40 {
            if Self::factor(n, matrix, bound).is_ok() && bound > 2.0 * uncertainty {
                return Ok(bound - uncertainty);
            }
            bound *= 0.9;
        }
        Err(ErrorKind::NotPositiveDefinite.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn refuses_matrices_that_are_not_positive_definite() {
        for bad in [[1.0, 2.0, 2.0, 1.0], [1.0, 0.5, 0.0, 1.0], [0.0; 4], [f64::NAN, 0.0, 0.0, 1.0]] {
            assert_eq!(Cholesky::new(2, &bad).unwrap_err().kind(), &ErrorKind::NotPositiveDefinite);
        }
    }

    /// Rounding may make rank-deficient matrices look positive definite or indefinite. They get no
    /// guarantee.
    #[test]
    fn refuses_matrices_that_are_singular_up_to_rounding() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / 2f64.powi(53) - 0.5
        };
        for _ in 0..500 {
            // A Gram matrix of six vectors in five dimensions.
            let rows: Vec<[f64; 5]> = (0..6).map(|_| std::array::from_fn(|_| next())).collect();
            let mut matrix = vec![0.0; 36];
            for i in 0..6 {
                for j in 0..6 {
                    matrix[i * 6 + j] = rows[i].iter().zip(&rows[j]).map(|(a, b)| a * b).sum();
                }
            }
            let bound = Cholesky::new(6, &matrix).and_then(|c| c.smallest_eigenvalue_bound(&matrix));
            assert!(bound.is_err(), "{bound:?}");
        }
    }

    #[test]
    fn largest_eigenvalue_of_known_matrices() {
        for (matrix, largest) in
            [([2.0, 1.0, 1.0, 2.0], 3.0), ([0.0, 0.0, 0.0, 5.0], 5.0), ([1.0, 1.0, 1.0, 1.0], 2.0)]
        {
            let bound = Cholesky::largest_eigenvalue_bound(2, &matrix).unwrap();
            assert!(bound >= largest && bound < 1.01 * largest, "{bound}");
        }
        assert!(Cholesky::largest_eigenvalue_bound(1, &[0.0]).is_err());
        assert!(Cholesky::largest_eigenvalue_bound(1, &[f64::NAN]).is_err());
    }

    #[test]
    fn smallest_eigenvalue_of_a_known_matrix() {
        // Eigenvalues 1 and 3.
        let matrix = [2.0, 1.0, 1.0, 2.0];
        let bound = Cholesky::new(2, &matrix).unwrap().smallest_eigenvalue_bound(&matrix).unwrap();
        assert!(bound <= 1.0 && bound > 0.95, "{bound}");
    }

    proptest! {
        #[test]
        fn factor_times_transpose_is_the_matrix(a in prop::collection::vec(-2.0..2.0f64, 16)) {
            // AAᵀ + I/2 is positive definite with eigenvalues of at least 1/2.
            let mut matrix = vec![0.0; 16];
            for i in 0..4 {
                for j in 0..4 {
                    matrix[i * 4 + j] = (0..4).map(|k| a[i * 4 + k] * a[j * 4 + k]).sum::<f64>()
                        + if i == j { 0.5 } else { 0.0 };
                }
            }
            let cholesky = Cholesky::new(4, &matrix).unwrap();
            for j in 0..4 {
                let mut column = [0.0; 4];
                let unit: Vec<f64> = (0..4).map(|i| f64::from(i == j)).collect();
                cholesky.apply(&unit, &mut column);
                let mut back = column;
                cholesky.solve(&mut back);
                for i in 0..4 {
                    prop_assert!((back[i] - unit[i]).abs() < 1e-9);
                }
            }
            let bound = cholesky.smallest_eigenvalue_bound(&matrix).unwrap();
            prop_assert!(bound > 0.4);
        }
    }
}
