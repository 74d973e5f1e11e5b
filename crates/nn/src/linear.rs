//! Linear algebra in `f64`: eigenvectors of symmetric matrices, by Householder reduction to
//! tridiagonal form and implicit QL.
//!
//! It uses plain `f64` operations in a fixed order and no library function except the square root,
//! which IEEE 754 defines exactly. So the result is the same bits on every machine. It must be,
//! because it is stored in files that are compared.

use crate::Error;

/// Returns the eigenvalues of a symmetric matrix in descending order, and its eigenvectors as rows
/// of length 1 in the same order.
///
/// The sign of each eigenvector is chosen so that its largest coordinate is positive.
///
/// ```
/// let (values, vectors) = inkveil_nn::linear::eigenvectors(vec![1.0, 0.0, 0.0, 4.0], 2)?;
/// assert_eq!((values, vectors), (vec![4.0, 1.0], vec![0.0, 1.0, 1.0, 0.0]));
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
///
/// # Errors
/// If the numbers are not a square matrix of finite numbers, or the iteration does not converge.
pub fn eigenvectors(mut matrix: Vec<f64>, n: usize) -> Result<(Vec<f64>, Vec<f64>), Error> {
    if n == 0 || n.checked_mul(n) != Some(matrix.len()) || !matrix.iter().all(|x| x.is_finite()) {
        return Err(Error::argument("eigenvectors need a square matrix of finite numbers"));
    }
    let (mut diagonal, mut off_diagonal, mut rows) = tridiagonal(&mut matrix, n);
    diagonalise(&mut diagonal, &mut off_diagonal, &mut rows)?;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| diagonal[b].total_cmp(&diagonal[a]).then(a.cmp(&b)));
    let values = order.iter().map(|&i| diagonal[i]).collect();
    let vectors = order.iter().flat_map(|&i| with_sign(&rows[i * n..(i + 1) * n])).collect();
    Ok((values, vectors))
}

/// Reduces a symmetric matrix A to tridiagonal T = Q·A·Qᵀ. Returns the diagonal of T, its
/// off-diagonal (the last entry is zero), and Q.
fn tridiagonal(a: &mut [f64], n: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let (mut diagonal, mut off_diagonal) = (vec![0.0; n], vec![0.0; n]);
    let mut reflections: Vec<(Vec<f64>, f64)> = Vec::with_capacity(n);
    for k in 0..n {
        diagonal[k] = a[k * n + k];
        // The part of column k below the diagonal becomes (off, 0, …, 0).
        let mut v: Vec<f64> = (k + 1..n).map(|i| a[i * n + k]).collect();
        let length = dot(&v, &v).sqrt();
        let Some(first) = v.first_mut() else { break };
        let off = if *first > 0.0 { -length } else { length };
        *first -= off;
        off_diagonal[k] = off;
        let square = dot(&v, &v);
        if square == 0.0 {
            reflections.push((v, 0.0));
            continue;
        }
        // The trailing block B becomes H·B·H with H = 1 − β·v·vᵀ.
        let beta = 2.0 / square;
        let mut w: Vec<f64> = (k + 1..n).map(|i| beta * dot(&a[i * n + k + 1..(i + 1) * n], &v)).collect();
        let shift = 0.5 * beta * dot(&v, &w);
        w.iter_mut().zip(&v).for_each(|(w, v)| *w -= shift * v);
        for (i, (vi, wi)) in v.iter().zip(&w).enumerate() {
            let row = &mut a[(k + 1 + i) * n + k + 1..(k + 2 + i) * n];
            for ((a, vj), wj) in row.iter_mut().zip(&v).zip(&w) {
                *a -= vi * wj + wi * vj;
            }
        }
        reflections.push((v, beta));
    }
    (diagonal, off_diagonal, product(&reflections, n))
}

/// Returns the product of the reflections, the last one first.
fn product(reflections: &[(Vec<f64>, f64)], n: usize) -> Vec<f64> {
    let mut q = vec![0.0; n * n];
    for i in 0..n {
        q[i * n + i] = 1.0;
    }
    // The k-th reflection touches only rows k+1…, so multiplying from the right keeps the product
    // sparse.
    for (k, (v, beta)) in reflections.iter().enumerate().rev() {
        for row in q.chunks_mut(n).skip(k + 1) {
            let tail = &mut row[k + 1..];
            let amount = beta * dot(tail, v);
            tail.iter_mut().zip(v).for_each(|(x, v)| *x -= amount * v);
        }
    }
    q
}

/// Diagonalises a tridiagonal matrix by rotations of neighbouring rows, and applies the rotations
/// to the rows of `q`.
fn diagonalise(diagonal: &mut [f64], off_diagonal: &mut [f64], q: &mut [f64]) -> Result<(), Error> {
    /// Each eigenvalue usually needs only a few iterations.
    const MAX_ITERATIONS: usize = 100;
    /// After this many, rounding errors relative to the whole matrix count as zero. Where all
    /// eigenvalues left are rounding errors, the stricter test may never be met.
    const STRICT_ITERATIONS: usize = 30;
    let n = diagonal.len();
    let largest =
        diagonal.iter().zip(off_diagonal.iter()).map(|(d, e)| d.abs() + e.abs()).fold(0.0, f64::max);
    for low in 0..n {
        for iteration in 0.. {
            let negligible = |i: usize| {
                off_diagonal[i].abs() <= f64::EPSILON * (diagonal[i].abs() + diagonal[i + 1].abs())
                    || off_diagonal[i].abs() < f64::MIN_POSITIVE
                    || iteration >= STRICT_ITERATIONS && off_diagonal[i].abs() <= f64::EPSILON * largest
            };
            let high = (low..n - 1).find(|&i| negligible(i)).unwrap_or(n - 1);
            if high == low {
                break;
            }
            if iteration == MAX_ITERATIONS {
                return Err(Error::argument("the eigenvectors of this matrix cannot be found"));
            }
            ql_step(diagonal, off_diagonal, q, low, high);
        }
    }
    Ok(())
}

/// Performs one implicit QL step on the rows from `low` to `high`.
fn ql_step(diagonal: &mut [f64], off_diagonal: &mut [f64], q: &mut [f64], low: usize, high: usize) {
    let n = diagonal.len();
    // Wilkinson's shift: the eigenvalue of the first 2×2 block that is nearer to its corner.
    let half = (diagonal[low + 1] - diagonal[low]) / (2.0 * off_diagonal[low]);
    let root = hypotenuse(half, 1.0);
    let away = half + if half < 0.0 { -root } else { root };
    let mut bulge = diagonal[high] - diagonal[low] + off_diagonal[low] / away;
    let (mut sine, mut cosine, mut moved) = (1.0, 1.0, 0.0);
    for i in (low..high).rev() {
        let (f, b) = (sine * off_diagonal[i], cosine * off_diagonal[i]);
        let radius = hypotenuse(f, bulge);
        off_diagonal[i + 1] = radius;
        if radius == 0.0 {
            // The matrix splits here; the next iteration continues with the parts.
            diagonal[i + 1] -= moved;
            off_diagonal[high] = 0.0;
            return;
        }
        (sine, cosine) = (f / radius, bulge / radius);
        let corner = diagonal[i + 1] - moved;
        let turned = (diagonal[i] - corner) * sine + 2.0 * cosine * b;
        moved = sine * turned;
        diagonal[i + 1] = corner + moved;
        bulge = cosine * turned - b;
        let (above, below) = q[i * n..(i + 2) * n].split_at_mut(n);
        for (x, y) in above.iter_mut().zip(below) {
            (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
        }
    }
    diagonal[low] -= moved;
    off_diagonal[low] = bulge;
    off_diagonal[high] = 0.0;
}

/// Computes √(a² + b²) without overflow. The standard library's version differs between machines.
fn hypotenuse(a: f64, b: f64) -> f64 {
    let (small, large) = if a.abs() < b.abs() { (a.abs(), b.abs()) } else { (b.abs(), a.abs()) };
    if large == 0.0 { 0.0 } else { large * (1.0 + (small / large) * (small / large)).sqrt() }
}

fn with_sign(vector: &[f64]) -> Vec<f64> {
    let largest = vector.iter().fold(0.0_f64, |best, &x| if x.abs() > best.abs() { x } else { best });
    vector.iter().map(|x| if largest < 0.0 { -x } else { *x }).collect()
}

/// Computes the dot product in four partial sums, which the processor can compute in parallel.
///
/// ```
/// assert_eq!(inkveil_nn::linear::dot(&[1.0, 2.0], &[3.0, 4.0]), 11.0);
/// ```
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a4, a_rest) = a.as_chunks::<4>();
    let (b4, b_rest) = b.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (a, b) in a4.iter().zip(b4) {
        for i in 0..4 {
            sums[i] += a[i] * b[i];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Checks A·v = λ·v, orthonormality, order and sign.
    fn check(a: &[f64], n: usize) {
        let (values, vectors) = eigenvectors(a.to_vec(), n).unwrap();
        let norm = dot(a, a).sqrt();
        let tolerance = 1e-14 * (n as f64 + 10.0);
        let rows: Vec<&[f64]> = vectors.chunks(n).collect();
        for (i, (value, v)) in values.iter().zip(&rows).enumerate() {
            for (row, x) in a.chunks(n).zip(*v) {
                assert!((dot(row, v) - value * x).abs() <= tolerance * norm, "n = {n}, eigenvalue {i}");
            }
            for (j, other) in rows.iter().enumerate() {
                assert!((dot(v, other) - f64::from(i == j)).abs() <= tolerance);
            }
        }
        assert!(values.is_sorted_by(|a, b| a >= b));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn eigenvectors_of_random_matrices(
            (n, half) in (1..30_usize).prop_flat_map(|n| (Just(n), proptest::collection::vec(-1.0..1.0_f64, n * n))),
            scale in -60..60_i32,
        ) {
            let scale = 2.0_f64.powi(scale);
            let a: Vec<f64> = (0..n * n).map(|k| scale * (half[k] + half[k % n * n + k / n])).collect();
            check(&a, n);
        }
    }

    #[test]
    fn a_matrix_with_known_eigenvalues() {
        // −2 on the diagonal and 1 next to it: the eigenvalues are −2 + 2·cos(kπ/(n + 1)).
        let n = 50;
        let entry = |i: usize, j: usize| if i == j { -2.0 } else { f64::from(i.abs_diff(j) == 1) };
        let a: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
        let (values, _) = eigenvectors(a.clone(), n).unwrap();
        for (k, value) in (1..=n).zip(values) {
            let wanted = -2.0 + 2.0 * (std::f64::consts::PI * k as f64 / (n as f64 + 1.0)).cos();
            assert!((value - wanted).abs() < 1e-13);
        }
        check(&a, n);
    }

    /// Covariances of fewer rows than dimensions: most eigenvalues are rounding errors.
    #[test]
    fn matrices_of_low_rank() {
        let n = 120;
        for (rank, scale) in [(3, 1.0), (20, 1e-9), (60, 1e-4)] {
            let mut a = vec![0.0; n * n];
            for r in 0..rank {
                let row: Vec<f64> = (0..n).map(|i| scale * ((i * (r + 3)) as f64 * 0.37).sin()).collect();
                for i in 0..n {
                    for j in 0..n {
                        a[i * n + j] += row[i] * row[j];
                    }
                }
            }
            let (values, vectors) = eigenvectors(a.clone(), n).unwrap();
            assert!(values[rank] < 1e-10 * values[0]);
            let norm = dot(&a, &a).sqrt();
            for (value, v) in values.iter().zip(vectors.chunks(n)) {
                assert!(a.chunks(n).zip(v).all(|(row, x)| (dot(row, v) - value * x).abs() <= 1e-11 * norm));
            }
        }
    }

    #[test]
    fn degenerate_matrices() {
        for n in [1, 2, 7] {
            check(&vec![0.0; n * n], n);
            check(&vec![1.0; n * n], n);
            let identity: Vec<f64> = (0..n * n).map(|k| f64::from(k / n == k % n)).collect();
            check(&identity, n);
        }
        assert!(eigenvectors(vec![], 0).is_err());
        assert!(eigenvectors(vec![1.0; 3], 2).is_err());
        assert!(eigenvectors(vec![f64::NAN], 1).is_err());
    }
}
