//! Centring: removes the part that all rows of a table share.
//!
//! The rows of token tables all point roughly in one direction, so their cosines are all alike.
//! Subtracting the mean row and removing the first principal components ("all but the top") makes
//! neighbours sharper. The result depends only on the public table, so it costs no privacy.

use std::fmt;

use inkveil_nn::linear::eigenvectors;
use rayon::prelude::*;

use crate::Error;
use crate::raw_table::RawTable;

/// The mean of a table's rows and its first principal components.
///
/// ```
/// use inkveil_lexicon::Centring;
///
/// // Rows that differ only along the diagonal: without mean and first component nothing remains.
/// let rows = [1.0, 0.0, 2.0, 1.0, 3.0, 2.0];
/// let centring = Centring::of_rows(&rows, 2, 1)?;
/// assert_eq!(centring.mean(), [2.0, 1.0]);
/// let mut row = [3.0, 2.0];
/// centring.apply(&mut row);
/// assert!(row.iter().all(|x| x.abs() < 1e-7));
/// # Ok::<(), inkveil_lexicon::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Centring {
    mean: Vec<f32>,
    /// Stored one after the other, each of length 1.
    components: Vec<f32>,
}

/// The number of rows converted to `f64` at a time.
const BLOCK: usize = 1024;

/// The number of covariance rows that one task computes.
const TILE: usize = 16;

impl Centring {
    /// Computes the mean and the first `components` principal components of rows of `dimension`
    /// numbers each.
    pub fn of_rows(rows: &[f32], dimension: usize, components: usize) -> Result<Self, Error> {
        let raw = RawTable::floats(rows, dimension)?;
        let all: Vec<u32> = (0..raw.rows() as u32).collect();
        Self::compute(&raw, &all, components)
    }

    /// Computes the centring of some rows of a table. Rows that are not finite are ignored.
    pub(crate) fn compute(raw: &RawTable<'_>, ids: &[u32], components: usize) -> Result<Self, Error> {
        let dimension = raw.dimension();
        if components >= dimension {
            return Err(Error::argument(format!(
                "cannot remove {components} components from rows of {dimension} numbers; at least one dimension must remain"
            )));
        }
        let mut row = vec![0.0; dimension];
        let mut sum = vec![0.0; dimension];
        let mut finite: Vec<u32> = Vec::with_capacity(ids.len());
        for &id in ids {
            raw.widen(id as usize, &mut row);
            if row.iter().all(|x| x.is_finite()) {
                sum.iter_mut().zip(&row).for_each(|(sum, x)| *sum += x);
                finite.push(id);
            }
        }
        if finite.is_empty() {
            return Err(Error::argument(
                "the table has no finite rows, so it has no mean; check the weights",
            ));
        }
        // The components are computed with the rounded mean, because that is what is stored.
        let mean: Vec<f32> = sum.iter().map(|sum| (sum / finite.len() as f64) as f32).collect();
        let top = match components {
            0 => Vec::new(),
            _ => eigenvectors(covariance(raw, &finite, &mean), dimension)?.1,
        };
        let components = top.iter().take(components * dimension).map(|&x| x as f32).collect();
        Ok(Self { mean, components })
    }

    /// Restores a stored centring.
    pub(crate) fn from_parts(mean: Vec<f32>, components: Vec<f32>) -> Result<Self, Error> {
        let whole = components.len().checked_rem(mean.len()) == Some(0);
        if !whole || !mean.iter().chain(&components).all(|x| x.is_finite()) {
            return Err(Error::corrupt("centring", "its numbers are not finite or do not form whole rows"));
        }
        Ok(Self { mean, components })
    }

    /// Returns the mean row.
    pub fn mean(&self) -> &[f32] {
        &self.mean
    }

    /// Returns the removed components, one after the other.
    pub fn components(&self) -> &[f32] {
        &self.components
    }

    /// Returns the number of removed components.
    pub fn count(&self) -> usize {
        self.components.len() / self.mean.len().max(1)
    }

    /// Centres a row: x − μ − Σ ⟨u, x − μ⟩·u.
    pub fn apply(&self, row: &mut [f64]) {
        row.iter_mut().zip(&self.mean).for_each(|(x, &mean)| *x -= f64::from(mean));
        for component in self.components.chunks(self.mean.len().max(1)) {
            let along: f64 = row.iter().zip(component).map(|(x, &u)| x * f64::from(u)).sum();
            row.iter_mut().zip(component).for_each(|(x, &u)| *x -= along * f64::from(u));
        }
    }
}

impl fmt::Debug for Centring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Centring(dimension {}, {} components)", self.mean.len(), self.count())
    }
}

/// Computes the covariance of some rows around their mean, up to a factor. Each entry is summed in
/// row order, independent of the number of threads.
fn covariance(raw: &RawTable<'_>, ids: &[u32], mean: &[f32]) -> Vec<f64> {
    let d = raw.dimension();
    let mut covariance = vec![0.0; d * d];
    let mut block = Vec::with_capacity(BLOCK * d);
    for ids in ids.chunks(BLOCK) {
        block.clear();
        block.resize(ids.len() * d, 0.0);
        block.par_chunks_mut(d).zip(ids).for_each(|(row, &id)| {
            raw.widen(id as usize, row);
            row.iter_mut().zip(mean).for_each(|(x, &mean)| *x -= f64::from(mean));
        });
        covariance.par_chunks_mut(TILE * d).enumerate().for_each(|(tile, sums)| {
            for row in block.chunks(d) {
                for (i, sums) in (tile * TILE..).zip(sums.chunks_mut(d)) {
                    // The matrix is symmetric, so only the upper triangle is computed.
                    sums[i..].iter_mut().zip(&row[i..]).for_each(|(sum, x)| *sum += row[i] * x);
                }
            }
        });
    }
    for i in 0..d {
        for j in 0..i {
            covariance[i * d + j] = covariance[j * d + i];
        }
    }
    covariance
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkveil_nn::linear::dot;

    fn rows(count: usize, d: usize) -> Vec<f32> {
        // A simple linear congruential generator: any full-rank table will do.
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 24) as f32
        };
        (0..count * d).map(|k| next() * (1.0 + (k % d) as f32) + 3.0).collect()
    }

    #[test]
    fn mean_and_components_are_removed() {
        let (count, d) = (2500, 24);
        let rows = rows(count, d);
        let centring = Centring::of_rows(&rows, d, 3).unwrap();
        assert_eq!(centring.count(), 3);
        let mut sums = vec![0.0; d];
        let mut spread = vec![0.0; 3];
        for row in rows.chunks(d) {
            let mut row: Vec<f64> = row.iter().map(|&x| x.into()).collect();
            centring.apply(&mut row);
            sums.iter_mut().zip(&row).for_each(|(sum, x)| *sum += x);
            for (spread, u) in spread.iter_mut().zip(centring.components().chunks(d)) {
                let u: Vec<f64> = u.iter().map(|&x| x.into()).collect();
                *spread += dot(&row, &u).abs();
            }
        }
        assert!(sums.iter().all(|sum| sum.abs() / (count as f64) < 1e-5), "{sums:?}");
        assert!(spread.iter().all(|spread| spread / (count as f64) < 1e-5), "{spread:?}");
    }

    #[test]
    fn components_are_sorted_by_variance() {
        let d = 6;
        let rows = rows(3000, d);
        let centring = Centring::of_rows(&rows, d, 2).unwrap();
        // The columns are independent with growing variance, so the first component is the last
        // column.
        let first = &centring.components()[..d];
        assert!(first[5] > 0.95, "{first:?}");
        let second = &centring.components()[d..];
        assert!(second[4] > 0.9, "{second:?}");
    }

    #[test]
    fn the_result_does_not_depend_on_the_number_of_threads() {
        let rows = rows(2000, 40);
        let compute = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Centring::of_rows(&rows, 40, 5).unwrap())
        };
        assert_eq!(compute(1), compute(3));
    }

    #[test]
    fn rows_that_are_not_finite_are_ignored() {
        let centring = Centring::of_rows(&[1.0, 2.0, f32::NAN, 0.0, 3.0, 4.0], 2, 0).unwrap();
        assert_eq!(centring.mean(), [2.0, 3.0]);
        assert!(Centring::of_rows(&[f32::NAN; 2], 2, 0).is_err());
        assert!(Centring::of_rows(&[1.0; 4], 2, 2).is_err());
    }

    #[test]
    fn stored_parts_are_checked() {
        assert!(Centring::from_parts(vec![1.0; 2], vec![0.0; 4]).is_ok());
        assert!(Centring::from_parts(vec![1.0; 2], vec![0.0; 3]).is_err());
        assert!(Centring::from_parts(vec![], vec![]).is_err());
        assert!(Centring::from_parts(vec![f32::NAN; 2], vec![]).is_err());
    }
}
