//! Distances between the directions of a lexicon.
//!
//! Distances are chordal: ‖a/|a| − b/|b|‖, between 0 and 2. All pairs are compared in `f32`. Every
//! pair that could be the extreme one despite rounding is compared again in `f64`. So the results
//! are exact and the same on every machine.

use inkveil_nn::product::f32_product;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind, UnitTable};
use inkveil_nn::linear::dot;

/// Distances between the directions of a lexicon.
///
/// ```
/// use inkveil_lexicon::{LexiconGeometry, UnitTable};
///
/// let table = UnitTable::from_rows(&[1.0, 0.0, 0.0, 1.0, -1.0, 0.1], 2)?;
/// let geometry = LexiconGeometry::of(&table, &[0, 1, 2])?;
/// assert!((1.99..2.0).contains(&geometry.diameter()));
/// # Ok::<(), inkveil_lexicon::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LexiconGeometry {
    diameter: f64,
    mean_cosine: f64,
    nearest_quartiles: [f64; 3],
}

/// Rows per block of a product: two blocks of rows and their product fit into the cache.
const BLOCK: usize = 256;

/// The number of rows used to estimate the quartiles.
const SAMPLE: usize = 512;

impl LexiconGeometry {
    /// Compares the directions of some entries. Entries without a direction are ignored; at least
    /// two must remain.
    pub fn of(table: &UnitTable, ids: &[u32]) -> Result<Self, Error> {
        let rows = Directions::gather(table, ids);
        if rows.count() < 2 {
            return Err(ErrorKind::NothingAllowed.into());
        }
        Ok(Self {
            diameter: rows.diameter()?,
            mean_cosine: rows.mean_cosine(),
            nearest_quartiles: rows.nearest_quartiles()?,
        })
    }

    /// Returns the largest chordal distance between two entries, never rounded down.
    pub fn diameter(&self) -> f64 {
        self.diameter
    }

    /// Returns the mean cosine of two different entries.
    pub fn mean_cosine(&self) -> f64 {
        self.mean_cosine
    }

    /// Returns the quartiles of the chordal distance to the nearest neighbour, over up to 512
    /// evenly spaced entries.
    pub fn nearest_quartiles(&self) -> [f64; 3] {
        self.nearest_quartiles
    }

    /// Returns whether a lexicon can have these distances. A diameter that is too small would break
    /// guarantees.
    pub(crate) fn is_plausible(&self) -> bool {
        let distance = |x: f64| (0.0..=2.0).contains(&x);
        let [first, second, third] = self.nearest_quartiles;
        distance(self.diameter)
            && (-1.0..=1.0).contains(&self.mean_cosine)
            && [first, second, third].into_iter().all(distance)
            && first <= second
            && second <= third
            && third <= self.diameter
    }
}

/// The directions to compare, stored contiguously.
struct Directions {
    values: Vec<f32>,
    dimension: usize,
    /// The largest error of a product in `f32` as an estimate of the cosine.
    error: f64,
}

impl Directions {
    fn gather(table: &UnitTable, ids: &[u32]) -> Self {
        let dimension = table.dimension();
        let values: Vec<f32> = ids.iter().filter_map(|&id| table.row(id)).flatten().copied().collect();
        let squares = values.par_chunks(dimension).map(square);
        let uneven = squares.map(|square| (square - 1.0).abs()).reduce(|| 0.0, f64::max);
        // A sum of n products in any order, fused or not, has an error of at most γ·Σ|aᵢbᵢ| ≤
        // γ·|a|·|b| with γ = nu/(1 − nu) and u = 2⁻²⁴ (Higham, Accuracy and Stability of Numerical
        // Algorithms, ch. 3). The rows' lengths differ from 1 by less than `uneven`. The last term
        // covers products below the smallest normal number.
        let nu = dimension as f64 * 2.0_f64.powi(-24);
        let error = nu / (1.0 - nu) * (1.0 + uneven) + uneven + 1e-30;
        Self { values, dimension, error }
    }

    fn count(&self) -> usize {
        self.values.len() / self.dimension
    }

    fn row(&self, i: usize) -> &[f32] {
        &self.values[i * self.dimension..(i + 1) * self.dimension]
    }

    /// Returns the rows of a block.
    fn block(&self, block: usize) -> &[f32] {
        let end = ((block + 1) * BLOCK).min(self.count());
        &self.values[block * BLOCK * self.dimension..end * self.dimension]
    }

    fn blocks(&self) -> usize {
        self.count().div_ceil(BLOCK)
    }

    /// Computes the products of two blocks, row by row.
    fn products(&self, left: usize, right: usize, out: &mut Vec<f32>) -> Result<(), Error> {
        let (a, b) = (self.block(left), self.block(right));
        out.clear();
        out.resize((a.len() / self.dimension) * (b.len() / self.dimension), 0.0);
        Ok(f32_product(a, b, self.dimension, out)?)
    }

    fn diameter(&self) -> Result<f64, Error> {
        let blocks = self.blocks();
        let pairs: Vec<(usize, usize)> = (0..blocks).flat_map(|i| (i..blocks).map(move |j| (i, j))).collect();
        let least: Vec<f32> = pairs
            .par_iter()
            .map_init(Vec::new, |products, &(i, j)| {
                self.products(i, j, products)?;
                Ok(products.iter().copied().fold(f32::INFINITY, f32::min))
            })
            .collect::<Result<_, Error>>()?;
        // The product of the farthest pair is larger than the smallest product by at most both
        // errors.
        let bound = f64::from(least.iter().copied().fold(f32::INFINITY, f32::min)) + 2.0 * self.error;
        let candidates: Vec<(usize, usize)> = pairs
            .iter()
            .zip(&least)
            .filter(|(_, least)| f64::from(**least) <= bound)
            .map(|(pair, _)| *pair)
            .collect();
        let farthest = candidates
            .par_iter()
            .map_init(Vec::new, |products, &(i, j)| {
                self.products(i, j, products)?;
                let width = self.block(j).len() / self.dimension;
                let near_bound =
                    products.iter().enumerate().filter(|(_, product)| f64::from(**product) <= bound);
                let distances = near_bound.map(|(at, _)| {
                    distance(self.row(i * BLOCK + at / width), self.row(j * BLOCK + at % width))
                });
                Ok(distances.fold(0.0, f64::max))
            })
            .try_reduce(|| 0.0, |a: f64, b| Ok::<f64, Error>(a.max(b)))?;
        // Rounded up by more than the rounding error of a sum of this many terms. The distance is
        // at most 2.
        Ok((farthest * (1.0 + (self.dimension as f64 + 8.0) * f64::EPSILON)).min(2.0))
    }

    /// Computes the mean from |Σ row|², which is the sum of all cosines, including those of rows
    /// with themselves.
    fn mean_cosine(&self) -> f64 {
        let mut sum = vec![0.0; self.dimension];
        for row in self.values.chunks(self.dimension) {
            let factor = 1.0 / square(row).sqrt();
            sum.iter_mut().zip(row).for_each(|(sum, &x)| *sum += factor * f64::from(x));
        }
        let count = self.count() as f64;
        (dot(&sum, &sum) - count) / (count * (count - 1.0))
    }

    fn nearest_quartiles(&self) -> Result<[f64; 3], Error> {
        let count = self.count();
        let sample = count.min(SAMPLE);
        let chosen: Vec<usize> = (0..sample).map(|i| i * count / sample).collect();
        let mut distances: Vec<f64> =
            chosen.par_iter().map(|&i| self.nearest_distance(i)).collect::<Result<_, Error>>()?;
        distances.sort_by(f64::total_cmp);
        Ok([1, 2, 3].map(|quarter| distances[(sample - 1) * quarter / 4]))
    }

    fn nearest_distance(&self, i: usize) -> Result<f64, Error> {
        let mut products = vec![0.0; self.count()];
        f32_product(self.row(i), &self.values, self.dimension, &mut products)?;
        products[i] = f32::NEG_INFINITY;
        let bound = f64::from(products.iter().copied().fold(f32::NEG_INFINITY, f32::max)) - 2.0 * self.error;
        let candidates = products.iter().enumerate().filter(|(_, product)| f64::from(**product) >= bound);
        Ok(candidates.map(|(j, _)| distance(self.row(i), self.row(j))).fold(2.0, f64::min))
    }
}

fn square(row: &[f32]) -> f64 {
    row.iter().map(|&x| f64::from(x) * f64::from(x)).sum()
}

/// Returns the chordal distance of two directions.
fn distance(a: &[f32], b: &[f32]) -> f64 {
    let (to_a, to_b) = (1.0 / square(a).sqrt(), 1.0 / square(b).sqrt());
    let difference = |(&a, &b): (&f32, &f32)| to_a * f64::from(a) - to_b * f64::from(b);
    a.iter().zip(b).map(difference).map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Computes the same from all pairs in `f64`, one after the other.
    fn brute_force(table: &UnitTable, ids: &[u32]) -> (f64, f64, Vec<f64>) {
        let rows: Vec<&[f32]> = ids.iter().filter_map(|&id| table.row(id)).collect();
        let (mut farthest, mut cosines, mut nearest) = (0.0_f64, 0.0, Vec::new());
        for (i, a) in rows.iter().enumerate() {
            let others = rows.iter().enumerate().filter(|(j, _)| *j != i);
            let distances: Vec<f64> = others.map(|(_, b)| distance(a, b)).collect();
            farthest = distances.iter().copied().fold(farthest, f64::max);
            cosines += distances.iter().map(|x| 1.0 - x * x / 2.0).sum::<f64>();
            nearest.push(distances.iter().copied().fold(2.0, f64::min));
        }
        nearest.sort_by(f64::total_cmp);
        let count = rows.len() as f64;
        (farthest, cosines / (count * (count - 1.0)), nearest)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn all_pairs_are_compared(
            d in 2..20_usize,
            numbers in proptest::collection::vec(-1.0..1.0_f32, 600..8000),
        ) {
            let table = UnitTable::from_rows(&numbers[..numbers.len() / d * d], d).unwrap();
            let ids: Vec<u32> = (0..table.rows() as u32).step_by(1 + d % 3).collect();
            let geometry = LexiconGeometry::of(&table, &ids).unwrap();
            let (diameter, mean, nearest) = brute_force(&table, &ids);
            prop_assert!(geometry.diameter() >= diameter.min(2.0));
            prop_assert!(geometry.diameter() <= diameter * (1.0 + 1e-13));
            prop_assert!((geometry.mean_cosine() - mean).abs() < 1e-12);
            if nearest.len() <= SAMPLE {
                prop_assert_eq!(geometry.nearest_quartiles()[1], nearest[(nearest.len() - 1) / 2]);
            }
            prop_assert!(geometry.is_plausible());
        }
    }

    #[test]
    fn near_ties_are_resolved_exactly() {
        // Pairs of almost opposite rows whose angles differ by less than the error of a product in
        // `f32`.
        let d = 64;
        let mut rows = Vec::new();
        for i in 0..600 {
            let mut row = vec![0.0_f32; d];
            row[i % d] = if i % 2 == 0 { 1.0 } else { -1.0 };
            row[(i / 2 + 1) % d] += 1e-3 + 1e-6 * i as f32;
            rows.extend(row);
        }
        let table = UnitTable::from_rows(&rows, d).unwrap();
        let ids: Vec<u32> = (0..600).collect();
        let (diameter, ..) = brute_force(&table, &ids);
        let found = LexiconGeometry::of(&table, &ids).unwrap().diameter();
        assert!(found >= diameter.min(2.0) && found < diameter * (1.0 + 1e-13));
    }

    #[test]
    fn fewer_than_two_directions_are_refused() {
        let table = UnitTable::from_rows(&[1.0, 0.0, 0.0, 0.0], 2).unwrap();
        assert_eq!(LexiconGeometry::of(&table, &[0, 1]).unwrap_err().kind(), &ErrorKind::NothingAllowed);
    }

    #[test]
    fn impossible_distances_are_detected() {
        let geometry =
            |diameter, nearest_quartiles| LexiconGeometry { diameter, mean_cosine: 0.1, nearest_quartiles };
        assert!(geometry(1.5, [0.5, 0.6, 0.7]).is_plausible());
        assert!(!geometry(0.5, [0.5, 0.6, 0.7]).is_plausible());
        assert!(!geometry(f64::NAN, [0.5, 0.6, 0.7]).is_plausible());
        assert!(!geometry(3.0, [0.5, 0.6, 0.7]).is_plausible());
        assert!(!geometry(1.5, [0.7, 0.6, 0.7]).is_plausible());
    }
}
