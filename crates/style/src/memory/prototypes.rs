//! The prototypes of a memory and what is known about them.

use std::fmt;

use inkveil_nn::EncoderNote;

use super::settings::MemorySettings;
use super::spread::Spread;
use crate::Error;
use crate::features::Population;

/// The styles of a population.
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
    pub(super) settings: MemorySettings,
    pub(super) encoder: EncoderNote,
    pub(super) dim: usize,
    /// The running means, one row for each prototype, not of length 1.
    pub(super) centroids: Vec<f32>,
    /// The number of texts of each prototype.
    pub(super) weights: Vec<u64>,
    /// An example of each prototype, if its owner allows it.
    pub(super) texts: Vec<Option<String>>,
    /// The mean distances of the texts it was built from.
    pub(super) spread: Spread,
    /// The habits of writing of these texts.
    pub(super) population: Option<Population>,
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory({} prototypes of {} texts, {})", self.len(), self.seen(), self.encoder.name)
    }
}

impl Memory {
    /// Returns an empty memory for vectors of an encoder.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(encoder: EncoderNote, dim: usize, settings: MemorySettings) -> Result<Self, Error> {
        settings.check()?;
        if dim == 0 {
            return Err(Error::setting("vectors need at least one dimension"));
        }
        let spread = Spread::default();
        let (centroids, weights, texts, population) = (vec![], vec![], vec![], None);
        Ok(Self { settings, encoder, dim, centroids, weights, texts, spread, population })
    }

    /// Returns the number of prototypes.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Returns whether there is no prototype.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Returns the number of texts it was built from.
    pub fn seen(&self) -> u64 {
        self.weights.iter().sum()
    }

    /// Returns the dimension of its vectors.
    pub fn dimension(&self) -> usize {
        self.dim
    }

    /// Returns its settings.
    pub fn settings(&self) -> &MemorySettings {
        &self.settings
    }

    /// Returns the encoder of its vectors.
    pub fn encoder(&self) -> &EncoderNote {
        &self.encoder
    }

    /// Returns the number of texts of each prototype.
    pub fn weights(&self) -> &[u64] {
        &self.weights
    }

    /// Returns the example of a prototype, if there is one.
    pub fn text(&self, prototype: usize) -> Option<&str> {
        self.texts.get(prototype)?.as_deref()
    }

    /// Returns the distribution of the mean distances of the texts it was built from.
    pub fn spread(&self) -> &Spread {
        &self.spread
    }

    /// Returns the habits of the texts it was built from, if they were counted.
    pub fn population(&self) -> Option<&Population> {
        self.population.as_ref()
    }

    /// Adds the habits of the texts it was built from.
    pub fn with_population(mut self, population: Population) -> Self {
        self.population = Some(population);
        self
    }

    /// Drops all examples. Prototypes work without them.
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
                "the memory was made with the encoder {} and not with {}; their vectors cannot be compared; build a memory with this encoder",
                self.encoder.name, encoder.name
            ))),
        }
    }

    pub(super) fn centroid(&self, prototype: usize) -> &[f32] {
        &self.centroids[prototype * self.dim..(prototype + 1) * self.dim]
    }
}

/// # Errors
/// If a vector has another dimension, is not finite, or has no direction.
pub(super) fn check(vector: &[f32], dim: usize) -> Result<(), Error> {
    if vector.len() != dim {
        return Err(Error::mismatch(format!(
            "the vector has {} dimensions, but the memory has {dim}; use the memory's own encoder",
            vector.len()
        )));
    }
    match vector.iter().all(|x| x.is_finite()) && vector.iter().any(|x| *x != 0.0) {
        true => Ok(()),
        false => Err(Error::mismatch("a style vector must be finite and not zero")),
    }
}
