//! The Style Manifold Memory: how a population writes, as prototypes.
//!
//! Texts are added one after the other (Algorithm 2 of the paper): one that is nearer than the merge radius to a prototype moves it, one that is
//! not becomes a prototype of its own. Nothing else is kept of a text, unless its owner wants it to serve as an example.

mod file;
mod grow;
mod map;
mod spread;

use std::fmt;

use inkveil_nn::EncoderNote;
use serde::{Deserialize, Serialize};

pub use self::map::Map;
pub use self::spread::Spread;
use crate::Error;
use crate::features::Population;
use crate::network::dot;

/// How a memory is built and asked.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MemorySettings {
    /// A text nearer than this to a prototype (cosine distance) moves it, instead of becoming one: δ.
    pub merge_radius: f64,
    /// By how many standard deviations above the mean a text's mean distance makes it an outlier: λ.
    pub sensitivity: f64,
    /// How wide the neighbourhood is that counts for the density: σ.
    pub bandwidth: f64,
    /// From how many of the most visited prototypes an outlier's reference is drawn: K.
    pub references: usize,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self { merge_radius: 0.15, sensitivity: 1.5, bandwidth: 0.25, references: 10 }
    }
}

impl MemorySettings {
    /// # Errors
    /// If a number makes no sense.
    fn check(&self) -> Result<(), Error> {
        let wrong = |what: &str| Err(Error::setting(what));
        match self {
            s if !(0.0..=2.0).contains(&s.merge_radius) => {
                wrong("the merge radius is a cosine distance, from 0 to 2")
            }
            s if !s.sensitivity.is_finite() => {
                wrong("the sensitivity is a number of standard deviations, such as 1.5")
            }
            s if !(s.bandwidth.is_finite() && s.bandwidth > 0.0) => {
                wrong("the bandwidth is a number above 0")
            }
            s if s.references == 0 => wrong("an outlier's reference is drawn from at least 1 prototype"),
            _ => Ok(()),
        }
    }
}

/// How a population writes.
///
/// ```
/// use inkveil_nn::EncoderNote;
/// use inkveil_style::{Memory, MemorySettings};
///
/// let encoder = EncoderNote { name: "toy".into(), sha256: None };
/// let mut memory = Memory::new(encoder, 2, MemorySettings::default())?;
/// memory.add(&[1.0, 0.0, 0.99, 0.141, 0.0, 1.0, -1.0, 0.0], None)?; // four texts, two of them alike
/// assert_eq!(memory.len(), 3);
/// let geometry = memory.geometry()?;
/// assert!(geometry.mean_distance(&[-1.0, 0.0])? > geometry.mean_distance(&[0.8, 0.6])?);
/// # Ok::<(), inkveil_style::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Memory {
    settings: MemorySettings,
    encoder: EncoderNote,
    dim: usize,
    /// The running means, one row each, not of length 1.
    centroids: Vec<f32>,
    /// How many texts each has seen.
    weights: Vec<u64>,
    /// An example of each, where its owner allows it.
    texts: Vec<Option<String>>,
    /// The mean distances of the texts it was built from.
    spread: Spread,
    /// Their habits of writing.
    population: Option<Population>,
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory({} prototypes of {} texts, {})", self.len(), self.seen(), self.encoder.name)
    }
}

impl Memory {
    /// An empty memory for vectors of an encoder.
    ///
    /// # Errors
    /// If a setting makes no sense.
    pub fn new(encoder: EncoderNote, dim: usize, settings: MemorySettings) -> Result<Self, Error> {
        settings.check()?;
        if dim == 0 {
            return Err(Error::setting("vectors have at least one number"));
        }
        let spread = Spread::default();
        let (centroids, weights, texts, population) = (vec![], vec![], vec![], None);
        Ok(Self { settings, encoder, dim, centroids, weights, texts, spread, population })
    }

    /// How many prototypes there are.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// How many texts it was built from.
    pub fn seen(&self) -> u64 {
        self.weights.iter().sum()
    }

    /// How many numbers a vector has.
    pub fn dimension(&self) -> usize {
        self.dim
    }

    /// How it is built and asked.
    pub fn settings(&self) -> &MemorySettings {
        &self.settings
    }

    /// Whose vectors it holds.
    pub fn encoder(&self) -> &EncoderNote {
        &self.encoder
    }

    /// How many texts each prototype has seen.
    pub fn weights(&self) -> &[u64] {
        &self.weights
    }

    /// The example of a prototype, if one may be shown.
    pub fn text(&self, prototype: usize) -> Option<&str> {
        self.texts.get(prototype)?.as_deref()
    }

    /// The mean distances of the texts it was built from.
    pub fn spread(&self) -> &Spread {
        &self.spread
    }

    /// The habits of the texts it was built from, if they were counted.
    pub fn population(&self) -> Option<&Population> {
        self.population.as_ref()
    }

    /// The memory with the habits of the texts it was built from.
    pub fn with_population(mut self, population: Population) -> Self {
        self.population = Some(population);
        self
    }

    /// Forgets all examples: prototypes serve without them.
    pub fn without_texts(mut self) -> Self {
        self.texts.iter_mut().for_each(|text| *text = None);
        self
    }

    /// # Errors
    /// If it was made with another encoder.
    pub fn check_encoder(&self, encoder: &EncoderNote) -> Result<(), Error> {
        match self.encoder.is(encoder) {
            true => Ok(()),
            false => Err(Error::mismatch(format!(
                "the memory was made with the encoder {}, not with {}: their vectors cannot be compared; build a memory with this encoder",
                self.encoder.name, encoder.name
            ))),
        }
    }

    /// Where the prototypes lie to each other, as it is now.
    ///
    /// # Errors
    /// If there are fewer than two.
    pub fn geometry(&self) -> Result<Geometry<'_>, Error> {
        Geometry::new(self)
    }

    fn centroid(&self, prototype: usize) -> &[f32] {
        &self.centroids[prototype * self.dim..(prototype + 1) * self.dim]
    }
}

/// Where prototypes lie to each other, and where a text lies among them.
pub struct Geometry<'a> {
    memory: &'a Memory,
    /// The prototypes, of length 1.
    units: Vec<f32>,
    /// Their sum.
    sum: Vec<f64>,
    /// The mean distance of each to the others.
    means: Vec<f64>,
    tau: f64,
    range: (f64, f64),
}

impl fmt::Debug for Geometry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Geometry({} prototypes, τ = {:.4})", self.means.len(), self.tau)
    }
}

impl<'a> Geometry<'a> {
    fn new(memory: &'a Memory) -> Result<Self, Error> {
        let count = memory.len();
        if count < 2 {
            return Err(Error::too_few(format!(
                "a memory of {count} prototypes says nothing about a text; build one from more texts, by many people"
            )));
        }
        let mut units = memory.centroids.clone();
        units.chunks_exact_mut(memory.dim).for_each(crate::network::normalise);
        let mut sum = vec![0f64; memory.dim];
        for unit in units.chunks_exact(memory.dim) {
            sum.iter_mut().zip(unit).for_each(|(sum, x)| *sum += f64::from(*x));
        }
        // Σ over the others of 1 − cosine is count − cosine with the sum: linear in the prototypes, not quadratic.
        let mean = |unit: &[f32]| (count as f64 - wide_dot(unit, &sum)) / (count as f64 - 1.0);
        let means: Vec<f64> = units.chunks_exact(memory.dim).map(mean).collect();
        let middle = means.iter().sum::<f64>() / count as f64;
        let variance = means.iter().map(|x| (x - middle).powi(2)).sum::<f64>() / count as f64;
        let tau = middle + memory.settings.sensitivity * variance.sqrt();
        let least = means.iter().copied().fold(f64::INFINITY, f64::min);
        let most = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Ok(Self { memory, units, sum, means, tau, range: (least, most) })
    }

    /// Whose prototypes these are.
    pub fn memory(&self) -> &Memory {
        self.memory
    }

    /// The distance above which a text is an outlier: τ.
    pub fn tau(&self) -> f64 {
        self.tau
    }

    /// The mean distance of each prototype to the others.
    pub fn prototype_means(&self) -> &[f64] {
        &self.means
    }

    /// The mean cosine distance of a vector to all prototypes.
    ///
    /// # Errors
    /// If it has another dimension or is not finite.
    pub fn mean_distance(&self, vector: &[f32]) -> Result<f64, Error> {
        self.check(vector)?;
        Ok(1.0 - wide_dot(vector, &self.sum) / length(vector) / self.means.len() as f64)
    }

    /// The paper's risk: where a mean distance lies between the most and the least common prototype, from 0 to 1.
    pub fn risk_of(&self, mean_distance: f64) -> f64 {
        let (least, most) = self.range;
        ((mean_distance - least) / (most - least).max(1e-12)).clamp(0.0, 1.0)
    }

    /// −log of the density of styles at a vector (Parzen window over the prototypes). With `visited`, a prototype counts as often as texts came to
    /// it; without, all count the same, as in the paper.
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

    /// The prototype nearest to a vector, and its distance.
    ///
    /// # Errors
    /// If it has another dimension or is not finite.
    pub fn nearest(&self, vector: &[f32]) -> Result<(usize, f64), Error> {
        self.check(vector)?;
        let nearest = self.distances(vector).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        Ok(nearest.unwrap_or((0, 0.0)))
    }

    /// The cosine distance of a vector to a prototype.
    ///
    /// # Errors
    /// If there is no such prototype, or the vector has another dimension or is not finite.
    pub fn distance_to(&self, prototype: usize, vector: &[f32]) -> Result<f64, Error> {
        self.check(vector)?;
        let distance = self.distances(vector).nth(prototype);
        distance.ok_or_else(|| Error::mismatch(format!("there is no prototype {prototype} in this memory")))
    }

    /// The share of the memory's texts whose prototype has at least this cosine with a vector.
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

    /// The prototype that a rewrite is guided by (Algorithm 1): for an outlier one of the most visited, drawn by weight with `uniform` from
    /// [0, 1); for others the farthest that is no outlier itself.
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

    /// The cosine distances of a vector to all prototypes, in their order.
    fn distances(&self, vector: &[f32]) -> impl Iterator<Item = f64> {
        let length = length(vector);
        self.units.chunks_exact(self.memory.dim).map(move |unit| 1.0 - dot(unit, vector) / length)
    }

    fn check(&self, vector: &[f32]) -> Result<(), Error> {
        check(vector, self.memory.dim)
    }
}

/// # Errors
/// If a vector has another dimension, is not finite, or has no direction.
fn check(vector: &[f32], dim: usize) -> Result<(), Error> {
    if vector.len() != dim {
        return Err(Error::mismatch(format!(
            "a vector of {} numbers for a memory of {dim}; use the memory's own encoder",
            vector.len()
        )));
    }
    match vector.iter().all(|x| x.is_finite()) && vector.iter().any(|x| *x != 0.0) {
        true => Ok(()),
        false => Err(Error::mismatch("a style vector that is zero or not finite has no place in a memory")),
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
    use super::*;

    fn note() -> EncoderNote {
        EncoderNote { name: "toy".into(), sha256: None }
    }

    fn memory() -> Memory {
        let mut memory = Memory::new(note(), 2, MemorySettings::default()).unwrap();
        // Two near each other, seen often; one opposite.
        for _ in 0..5 {
            memory.add(&[1.0, 0.0], None).unwrap();
        }
        memory.add(&[0.6, 0.8, 0.6, 0.8, -1.0, 0.0], None).unwrap();
        memory
    }

    #[test]
    fn distances_thresholds_and_risks_by_hand() {
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
    fn the_density_is_that_of_its_definition() {
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
    fn outliers_are_led_to_the_many_and_others_away() {
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
    fn what_makes_no_sense_is_refused() {
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
