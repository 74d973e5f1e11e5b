//! Nearest neighbours before and after a change.

use inkveil_nn::product::f32_product;

use crate::Error;

/// The number of queries whose similarities are in memory at once.
const BLOCK: usize = 256;

/// Returns the mean share of a row's `k` nearest other rows, by cosine, that are among its nearest
/// after a change.
///
/// `before` and `after` have the same rows of `dim` numbers. The first of equally near rows counts.
/// If there are fewer than `k` other rows, all are neighbours. Uses the calling thread only.
///
/// ```
/// use inkveil_eval::metrics::neighbour_overlap;
///
/// let before = [1.0, 0.0, 0.9, 0.1, 0.0, 1.0];
/// assert_eq!(neighbour_overlap(&before, &before, 2, 1)?, 1.0);
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
///
/// # Errors
/// If the numbers of rows differ, or there are fewer than two rows.
pub fn neighbour_overlap(before: &[f32], after: &[f32], dim: usize, k: usize) -> Result<f64, Error> {
    let count = before.len().checked_div(dim).unwrap_or(0);
    if count < 2 || before.len() != count * dim || after.len() != before.len() || k == 0 {
        return Err(Error::argument(format!(
            "{} and {} numbers are not two equal sets of two or more rows of {dim} with {k} neighbours each",
            before.len(),
            after.len()
        )));
    }
    let k = k.min(count - 1);
    let (before, after) = (unit_rows(before, dim), unit_rows(after, dim));
    let mut kept = 0;
    for first in (0..count).step_by(BLOCK) {
        let queries = first..(first + BLOCK).min(count);
        let old = nearest(&before, dim, queries.clone(), k)?;
        let new = nearest(&after, dim, queries, k)?;
        kept += old.iter().zip(&new).map(|(old, new)| common(old, new)).sum::<usize>();
    }
    Ok(kept as f64 / (count * k) as f64)
}

/// Rows of length 1; rows of zeros stay unchanged.
pub(crate) fn unit_rows(rows: &[f32], dim: usize) -> Vec<f32> {
    let mut rows = rows.to_vec();
    for row in rows.chunks_exact_mut(dim) {
        let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|x| *x /= length);
        }
    }
    rows
}

/// The cosine of two vectors; 0 if one is zero.
pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if lengths > 0.0 { dot(a, b) / lengths } else { 0.0 }
}

/// The `k` nearest rows of each of these rows, in ascending order of their numbers.
fn nearest(
    rows: &[f32],
    dim: usize,
    queries: std::ops::Range<usize>,
    k: usize,
) -> Result<Vec<Vec<usize>>, Error> {
    let count = rows.len() / dim;
    let mut cosines = vec![0.0; queries.len() * count];
    f32_product(&rows[queries.start * dim..queries.end * dim], rows, dim, &mut cosines)?;
    let of_query = |(query, cosines): (usize, &[f32])| {
        let mut others: Vec<usize> = (0..count).filter(|&other| other != query).collect();
        let nearer = |a: &usize, b: &usize| cosines[*b].total_cmp(&cosines[*a]).then_with(|| Ord::cmp(a, b));
        if k < others.len() {
            others.select_nth_unstable_by(k - 1, nearer);
            others.truncate(k);
        }
        others.sort_unstable();
        others
    };
    Ok(queries.zip(cosines.chunks_exact(count)).map(of_query).collect())
}

/// The number of common elements of two sorted lists.
fn common(a: &[usize], b: &[usize]) -> usize {
    a.iter().filter(|x| b.binary_search(x).is_ok()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Unit vectors at these angles, in degrees.
    fn at(angles: &[f32]) -> Vec<f32> {
        angles.iter().flat_map(|a| [a.to_radians().cos(), a.to_radians().sin()]).collect()
    }

    #[test]
    fn a_hand_computed_value() {
        let before = at(&[0.0, 10.0, 30.0, 100.0]);
        // The third row moves towards the last; only its own neighbours change.
        let after = at(&[0.0, 10.0, 90.0, 100.0]);
        // Nearest two before: {2,3} {1,3} {1,2} {2,3}; after: {2,3} {1,3} {2,4} {2,3}.
        assert_eq!(neighbour_overlap(&before, &after, 2, 2).unwrap(), 7.0 / 8.0);
        // Nearest one before: 2 1 2 3; after: 2 1 4 3.
        assert_eq!(neighbour_overlap(&before, &after, 2, 1).unwrap(), 3.0 / 4.0);
    }

    #[test]
    fn lengths_do_not_matter_and_few_rows_are_all_neighbours() {
        let before = at(&[0.0, 10.0, 30.0]);
        let after: Vec<f32> = before.iter().enumerate().map(|(i, x)| x * [1.0, 7.0, 0.1][i / 2]).collect();
        assert_eq!(neighbour_overlap(&before, &after, 2, 1).unwrap(), 1.0);
        assert_eq!(neighbour_overlap(&before, &after, 2, 10).unwrap(), 1.0);
    }

    #[test]
    fn blocks_do_not_change_the_result() {
        let angles: Vec<f32> = (0..600).map(|i| (i * i % 359) as f32).collect();
        assert_eq!(neighbour_overlap(&at(&angles), &at(&angles), 2, 5).unwrap(), 1.0);
    }

    #[test]
    fn invalid_arguments_are_refused() {
        assert!(neighbour_overlap(&[1.0; 4], &[1.0; 6], 2, 1).is_err());
        assert!(neighbour_overlap(&[1.0; 5], &[1.0; 5], 2, 1).is_err());
        assert!(neighbour_overlap(&[1.0; 2], &[1.0; 2], 2, 1).is_err());
        assert!(neighbour_overlap(&[], &[], 0, 1).is_err());
    }
}
