//! The distances between the prototypes of a memory, and from texts to them.

use std::fmt;

use super::prototypes::{Memory, check};
use crate::Error;
use crate::network::{dot, normalise};

impl Memory {
    /// Returns the distances between the prototypes in the current state.
    ///
    /// # Errors
    /// If there are fewer than two prototypes.
    pub fn geometry(&self) -> Result<MemoryGeometry<'_>, Error> {
        MemoryGeometry::new(self)
    }
}

/// The distances between prototypes, and from a text to them.
pub struct MemoryGeometry<'a> {
    memory: &'a Memory,
    /// The prototypes, scaled to length 1.
    units: Vec<f32>,
    /// Their sum.
    sum: Vec<f64>,
    /// The mean distance of each prototype to the others.
    means: Vec<f64>,
    tau: f64,
    range: (f64, f64),
}

impl fmt::Debug for MemoryGeometry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryGeometry({} prototypes, τ = {:.4})", self.means.len(), self.tau)
    }
}

impl<'a> MemoryGeometry<'a> {
    fn new(memory: &'a Memory) -> Result<Self, Error> {
        let count = memory.len();
        if count < 2 {
            return Err(Error::too_few(format!(
                "a memory needs at least 2 prototypes, but this one has {count}; build one from more texts by many people"
            )));
        }
        let mut units = memory.centroids.clone();
        units.chunks_exact_mut(memory.dim).for_each(normalise);
        let mut sum = vec![0f64; memory.dim];
        for unit in units.chunks_exact(memory.dim) {
            sum.iter_mut().zip(unit).for_each(|(sum, x)| *sum += f64::from(*x));
        }
        // Σ over the others of 1 − cosine is count − cosine with the sum. The cost is linear in the
        // prototypes, not quadratic.
        let mean = |unit: &[f32]| (count as f64 - wide_dot(unit, &sum)) / (count as f64 - 1.0);
        let means: Vec<f64> = units.chunks_exact(memory.dim).map(mean).collect();
        let middle = means.iter().sum::<f64>() / count as f64;
        let variance = means.iter().map(|x| (x - middle).powi(2)).sum::<f64>() / count as f64;
        let tau = middle + memory.settings.sensitivity * variance.sqrt();
        let least = means.iter().copied().fold(f64::INFINITY, f64::min);
        let most = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Ok(Self { memory, units, sum, means, tau, range: (least, most) })
    }

    /// Returns the memory.
    pub fn memory(&self) -> &Memory {
        self.memory
    }

    /// Returns τ, the mean distance above which a text is an outlier.
    pub fn tau(&self) -> f64 {
        self.tau
    }

    /// Returns the mean distance of each prototype to the others.
    pub fn prototype_means(&self) -> &[f64] {
        &self.means
    }

    /// Returns the mean cosine distance of a vector to all prototypes.
    ///
    /// # Errors
    /// If it has another dimension or is not finite.
    pub fn mean_distance(&self, vector: &[f32]) -> Result<f64, Error> {
        self.check(vector)?;
        Ok(1.0 - wide_dot(vector, &self.sum) / length(vector) / self.means.len() as f64)
    }

    /// Returns the paper's risk: the position of a mean distance between the most and the least
    /// common prototype, from 0 to 1.
    pub fn risk_of(&self, mean_distance: f64) -> f64 {
        let (least, most) = self.range;
        ((mean_distance - least) / (most - least).max(1e-12)).clamp(0.0, 1.0)
    }

    /// Returns −log of the density of styles at a vector (Parzen window over the prototypes). With
    /// `visited`, a prototype counts with the number of its texts; without, all count the same, as
    /// in the paper.
    ///
    /// # Errors
    /// If it has another dimension or is not finite.
    pub fn surprise(&self, vector: &[f32], visited: bool) -> Result<f64, Error> {
        self.check(vector)?;
        let wide = 2.0 * self.memory.settings.bandwidth.powi(2);
        let weight = |index: usize| if visited { self.memory.weights[index] as f64 } else { 1.0 };
        let exponents: Vec<f64> = self.distances(vector).map(|distance| -distance / wide).collect();
        let highest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut sum, mut total) = (0.0, 0.0);
        for (index, exponent) in exponents.iter().enumerate() {
            sum += weight(index) * (exponent - highest).exp();
            total += weight(index);
        }
        Ok(total.ln() - sum.ln() - highest)
    }

    /// Returns the prototype nearest to a vector, and its distance.
    ///
    /// # Errors
    /// If it has another dimension or is not finite.
    pub fn nearest(&self, vector: &[f32]) -> Result<(usize, f64), Error> {
        self.check(vector)?;
        let nearest = self.distances(vector).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        Ok(nearest.unwrap_or((0, 0.0)))
    }

    /// Returns the cosine distance of a vector to a prototype.
    ///
    /// # Errors
    /// If there is no such prototype, or the vector has another dimension or is not finite.
    pub fn distance_to(&self, prototype: usize, vector: &[f32]) -> Result<f64, Error> {
        self.check(vector)?;
        let distance = self.distances(vector).nth(prototype);
        distance.ok_or_else(|| Error::mismatch(format!("there is no prototype {prototype} in this memory")))
    }

    /// Returns the share of the memory's texts whose prototype has at least this cosine with a
    /// vector.
    ///
    /// # Errors
    /// If it has another dimension or is not finite.
    pub fn share_within(&self, vector: &[f32], cosine: f64) -> Result<f64, Error> {
        self.check(vector)?;
        let within = self.distances(vector).zip(&self.memory.weights);
        let near: u64 =
            within.filter(|(distance, _)| 1.0 - distance >= cosine).map(|(_, weight)| weight).sum();
        Ok(near as f64 / self.memory.seen().max(1) as f64)
    }

    /// Returns the prototype that guides a rewrite (Algorithm 1). For an outlier it is one of the
    /// most visited, drawn by weight with `uniform` from [0, 1). For others it is the farthest
    /// prototype that is not an outlier itself.
    ///
    /// # Errors
    /// If it has another dimension or is not finite.
    pub fn reference(&self, vector: &[f32], uniform: f64) -> Result<usize, Error> {
        if self.mean_distance(vector)? > self.tau {
            return Ok(self.popular(uniform));
        }
        let inside = self.distances(vector).enumerate().filter(|(index, _)| self.means[*index] <= self.tau);
        Ok(inside.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map_or(0, |(index, _)| index))
    }

    fn popular(&self, uniform: f64) -> usize {
        let weights = &self.memory.weights;
        let mut order: Vec<usize> = (0..weights.len()).collect();
        order.sort_by_key(|&index| (std::cmp::Reverse(weights[index]), index));
        order.truncate(self.memory.settings.references);
        let total: u64 = order.iter().map(|&index| weights[index]).sum();
        let mut left = uniform.clamp(0.0, 1.0) * total as f64;
        for &index in &order {
            left -= weights[index] as f64;
            if left < 0.0 {
                return index;
            }
        }
        order.last().copied().unwrap_or(0)
    }

    /// Returns the cosine distances of a vector to all prototypes, in order.
    fn distances(&self, vector: &[f32]) -> impl Iterator<Item = f64> {
        let length = length(vector);
        self.units.chunks_exact(self.memory.dim).map(move |unit| 1.0 - dot(unit, vector) / length)
    }

    fn check(&self, vector: &[f32]) -> Result<(), Error> {
        check(vector, self.memory.dim)
    }
}

fn wide_dot(vector: &[f32], sum: &[f64]) -> f64 {
    vector.iter().zip(sum).map(|(x, y)| f64::from(*x) * y).sum()
}

fn length(vector: &[f32]) -> f64 {
    dot(vector, vector).sqrt()
}

#[cfg(test)]
mod tests {
    use inkveil_nn::EncoderNote;

    use super::super::settings::MemorySettings;
    use super::*;

    fn note() -> EncoderNote {
        EncoderNote { name: "toy".into(), sha256: None }
    }

    fn memory() -> Memory {
        let mut memory = Memory::new(note(), 2, MemorySettings::default()).unwrap();
        // Two near each other with many texts, and one opposite.
        for _ in 0..5 {
            memory.add(&[1.0, 0.0], None).unwrap();
        }
        memory.add(&[0.6, 0.8, 0.6, 0.8, -1.0, 0.0], None).unwrap();
        memory
    }

    #[test]
    fn distances_thresholds_and_risks_equal_those_by_hand() {
        let memory = memory();
        assert_eq!((memory.len(), memory.weights()), (3, &[5, 2, 1][..]));
        let geometry = memory.geometry().unwrap();
        // Pairs: 1 − .6 = .4, 1 + 1 = 2, 1 + .6 = 1.6.
        let expected = [(0.4 + 2.0) / 2.0, (0.4 + 1.6) / 2.0, (2.0 + 1.6) / 2.0];
        for (found, expected) in geometry.prototype_means().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6);
        }
        let mean = 4.0 / 3.0;
        let std = (expected.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 3.0f64).sqrt();
        assert!((geometry.tau() - (mean + 1.5 * std)).abs() < 1e-6);
        let of_zero = geometry.mean_distance(&[0.0, 2.0]).unwrap();
        assert!((of_zero - (1.0 + 0.2 + 1.0) / 3.0).abs() < 1e-6, "its length does not matter");
        assert!((geometry.risk_of(1.4) - 0.5).abs() < 1e-6);
        assert_eq!((geometry.risk_of(0.1), geometry.risk_of(1.9)), (0.0, 1.0));
        assert_eq!(geometry.nearest(&[0.9, 0.1]).unwrap().0, 0);
        assert!((geometry.share_within(&[0.0, 1.0], 0.5).unwrap() - 0.25).abs() < 1e-12);
    }

    #[test]
    fn the_density_follows_its_definition() {
        let memory = memory();
        let geometry = memory.geometry().unwrap();
        let wide = 2.0 * 0.25f64.powi(2);
        let at = [0.6f32, -0.8];
        let distances: [f64; 3] = [1.0 - 0.6, 1.0 - (0.36 - 0.64), 1.0 + 0.6];
        let plain = -(distances.iter().map(|d| (-d / wide).exp()).sum::<f64>() / 3.0).ln();
        let weighed =
            -(distances.iter().zip([5.0, 2.0, 1.0]).map(|(d, w)| w * (-d / wide).exp()).sum::<f64>() / 8.0)
                .ln();
        assert!((geometry.surprise(&at, false).unwrap() - plain).abs() < 1e-5);
        assert!((geometry.surprise(&at, true).unwrap() - weighed).abs() < 1e-5);
    }

    #[test]
    fn outliers_get_a_common_reference_and_others_a_far_one() {
        let mut memory =
            Memory::new(note(), 3, MemorySettings { references: 2, ..Default::default() }).unwrap();
        for (row, times) in
            [([1.0, 0.0, 0.0], 6), ([0.8, 0.6, 0.0], 3), ([0.8, -0.6, 0.0], 2), ([0.8, 0.0, 0.6], 1)]
        {
            for _ in 0..times {
                memory.add(&row, None).unwrap();
            }
        }
        let geometry = memory.geometry().unwrap();
        let odd = [-1.0, 0.0, 0.0];
        assert!(geometry.mean_distance(&odd).unwrap() > geometry.tau());
        assert_eq!(geometry.reference(&odd, 0.0).unwrap(), 0);
        assert_eq!(geometry.reference(&odd, 0.6).unwrap(), 0);
        assert_eq!(geometry.reference(&odd, 0.7).unwrap(), 1);
        assert_eq!(geometry.reference(&odd, 0.999_999).unwrap(), 1);
        let usual = [0.8, 0.6, 0.0];
        assert!(geometry.mean_distance(&usual).unwrap() <= geometry.tau());
        assert_eq!(geometry.reference(&usual, 0.0).unwrap(), 2);
    }

    #[test]
    fn invalid_settings_and_vectors_are_refused() {
        let empty = Memory::new(note(), 2, MemorySettings::default()).unwrap();
        assert!(empty.geometry().unwrap_err().to_string().starts_with("a memory of 0 prototypes"));
        let memory = memory();
        let geometry = memory.geometry().unwrap();
        assert!(geometry.mean_distance(&[1.0]).is_err());
        assert!(geometry.nearest(&[0.0, 0.0]).is_err());
        assert!(geometry.surprise(&[f32::NAN, 0.0], true).is_err());
        let other = EncoderNote { name: "other".into(), sha256: None };
        assert!(memory.check_encoder(&other).unwrap_err().to_string().contains("not with other"));
        for settings in [
            MemorySettings { merge_radius: -1.0, ..Default::default() },
            MemorySettings { bandwidth: 0.0, ..Default::default() },
            MemorySettings { sensitivity: f64::NAN, ..Default::default() },
            MemorySettings { references: 0, ..Default::default() },
        ] {
            assert!(Memory::new(note(), 2, settings).is_err());
        }
    }
}
