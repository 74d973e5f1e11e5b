//! Memories from texts, and their summary.

use serde::Serialize;

use super::prototypes::Memory;
use super::settings::MemorySettings;
use crate::features::Population;
use crate::{Error, StyleEncoder};

/// A stage of adding texts to a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryStage {
    /// Texts are encoded.
    Encoding,
    /// Vectors are added to prototypes.
    Clustering,
}

/// Counts of a memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemorySummary {
    /// Prototypes.
    pub prototypes: usize,
    /// Texts.
    pub texts: u64,
    /// The mean distance above which a text is an outlier.
    pub tau: f64,
    /// The largest number of texts of a prototype.
    pub largest: u64,
    /// Prototypes of a single text.
    pub seen_once: usize,
    /// Prototypes that are outliers.
    pub outliers: usize,
    /// Prototypes with an example text.
    pub with_text: usize,
    /// The number of texts whose habits were counted; none if they were not.
    pub habits_of: Option<u32>,
}

impl Memory {
    /// Builds a memory from texts, with their habits. `progress` receives the stage and the number of texts that are done,
    /// and returns whether to continue. With `keep_texts`, each prototype keeps a text as an example.
    ///
    /// # Errors
    /// If a setting is out of range, the encoder fails, or `progress` returned false.
    pub fn build(
        encoder: &StyleEncoder,
        texts: &[&str],
        settings: MemorySettings,
        keep_texts: bool,
        progress: &mut dyn FnMut(MemoryStage, usize) -> bool,
    ) -> Result<Self, Error> {
        let mut memory = Self::new(encoder.note().clone(), encoder.dimension(), settings)?;
        memory.add_texts(encoder, texts, keep_texts, progress)?;
        Ok(memory.with_population(Population::of_texts(texts)))
    }

    /// Encodes texts and adds them. `progress` and `keep_texts` are as in [`build`](Self::build).
    ///
    /// # Errors
    /// If the memory was made with another encoder, the encoder fails, or `progress` returned false.
    pub fn add_texts(
        &mut self,
        encoder: &StyleEncoder,
        texts: &[&str],
        keep_texts: bool,
        progress: &mut dyn FnMut(MemoryStage, usize) -> bool,
    ) -> Result<(), Error> {
        self.check_encoder(encoder.note())?;
        let vectors = encoder.encode_with(texts, &mut |done| progress(MemoryStage::Encoding, done))?.concat();
        let kept = keep_texts.then_some(texts);
        self.add_with(&vectors, kept, &mut |done| progress(MemoryStage::Clustering, done))?;
        // Distances between prototypes need two of them.
        if self.len() > 1 {
            self.observe(&vectors)?;
        }
        Ok(())
    }

    /// Returns the counts of the memory.
    ///
    /// # Errors
    /// If there are fewer than two prototypes.
    pub fn summary(&self) -> Result<MemorySummary, Error> {
        let geometry = self.geometry()?;
        Ok(MemorySummary {
            prototypes: self.len(),
            texts: self.seen(),
            tau: geometry.tau(),
            largest: self.weights().iter().copied().max().unwrap_or(0),
            seen_once: self.weights().iter().filter(|weight| **weight == 1).count(),
            outliers: geometry.prototype_means().iter().filter(|mean| **mean > geometry.tau()).count(),
            with_text: (0..self.len()).filter(|index| self.text(*index).is_some()).count(),
            habits_of: self.population().map(Population::texts),
        })
    }
}
