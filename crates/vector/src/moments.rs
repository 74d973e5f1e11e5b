//! The mean and the covariance of vectors that pass by.

use std::fmt;

use rayon::prelude::*;

use crate::Error;

/// The number of rows whose products are added at once.
const TOGETHER: usize = 4;

/// The moments of vectors: their number, sum and sum of products, in `f64`. Memory does not grow with
/// the number of vectors, and the result does not depend on threads.
///
/// ```
/// let mut moments = inkveil_vector::Moments::new(2);
/// moments.add(&[1.0, 2.0, 3.0, 2.0])?;
/// assert_eq!(moments.mean(), [2.0, 2.0]);
/// assert_eq!(moments.covariance(), [1.0, 0.0, 0.0, 0.0]);
/// # Ok::<(), inkveil_vector::Error>(())
/// ```
#[derive(Clone)]
pub struct Moments {
    dim: usize,
    count: u64,
    sums: Vec<f64>,
    /// The lower triangle, row after row.
    products: Vec<f64>,
}

impl Moments {
    /// No vectors yet, of this dimension.
    pub fn new(dim: usize) -> Self {
        Self { dim, count: 0, sums: vec![0.0; dim], products: vec![0.0; dim * dim] }
    }

    /// Adds vectors, row after row.
    ///
    /// # Errors
    /// If the numbers do not make whole rows, or one is not finite.
    pub fn add(&mut self, rows: &[f32]) -> Result<(), Error> {
        let dim = self.dim;
        if dim == 0 || !rows.len().is_multiple_of(dim) {
            return Err(Error::shape(format!("{} numbers do not make whole rows of {dim}", rows.len())));
        }
        if !rows.iter().all(|x| x.is_finite()) {
            return Err(Error::shape("a vector has a value that is not a finite number"));
        }
        self.count += (rows.len() / dim) as u64;
        let wide: Vec<f64> = rows.iter().map(|x| f64::from(*x)).collect();
        for row in wide.chunks_exact(dim) {
            self.sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
        let add_products = |(i, out): (usize, &mut [f64])| {
            let out = &mut out[..=i];
            let (blocks, rest) = wide.split_at(wide.len() / (TOGETHER * dim) * TOGETHER * dim);
            for block in blocks.chunks_exact(TOGETHER * dim) {
                let (a, b) = block.split_at(2 * dim);
                let ((a, b), (c, d)) = (a.split_at(dim), b.split_at(dim));
                let (p, q, r, s) = (a[i], b[i], c[i], d[i]);
                for ((((out, a), b), c), d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                    *out += (p * a + q * b) + (r * c + s * d);
                }
            }
            for row in rest.chunks_exact(dim) {
                out.iter_mut().zip(row).for_each(|(out, x)| *out += row[i] * x);
            }
        };
        self.products.par_chunks_exact_mut(dim).enumerate().with_min_len(8).for_each(add_products);
        Ok(())
    }

    /// The dimension of the vectors.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The number of vectors.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean vector.
    pub fn mean(&self) -> Vec<f64> {
        let count = self.count.max(1) as f64;
        self.sums.iter().map(|sum| sum / count).collect()
    }

    /// The covariance matrix, row after row.
    pub fn covariance(&self) -> Vec<f64> {
        let (dim, count, mean) = (self.dim, self.count.max(1) as f64, self.mean());
        let mut matrix = vec![0.0; dim * dim];
        for i in 0..dim {
            for j in 0..=i {
                let value = self.products[i * dim + j] / count - mean[i] * mean[j];
                (matrix[i * dim + j], matrix[j * dim + i]) = (value, value);
            }
        }
        matrix
    }

    /// The mean square of each dimension.
    pub fn mean_squares(&self) -> Vec<f32> {
        let count = self.count.max(1) as f64;
        (0..self.dim).map(|i| (self.products[i * self.dim + i] / count) as f32).collect()
    }
}

impl fmt::Debug for Moments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Moments({} vectors of {} dimensions)", self.count, self.dim)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_do_not_depend_on_batches() {
        let rows: Vec<f32> = (0..50 * 5).map(|i| (i as f32 * 1.3).sin()).collect();
        let mut whole = Moments::new(5);
        whole.add(&rows).unwrap();
        let mut parts = Moments::new(5);
        for part in rows.chunks(5 * 4) {
            parts.add(part).unwrap();
        }
        assert_eq!((whole.mean(), whole.covariance()), (parts.mean(), parts.covariance()));
        let of = |i: usize| rows.iter().skip(i).step_by(5).map(|x| f64::from(*x));
        let mean = |i: usize| of(i).sum::<f64>() / 50.0;
        let expected = of(1).zip(of(3)).map(|(x, y)| (x - mean(1)) * (y - mean(3))).sum::<f64>() / 50.0;
        assert!((whole.covariance()[5 + 3] - expected).abs() < 1e-12);
        assert!(whole.add(&[1.0]).is_err() && whole.add(&[f32::NAN; 5]).is_err());
    }
}
