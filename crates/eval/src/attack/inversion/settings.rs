//! The model, settings and data of attackers that write sentences.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use inkveil_nn::Device;
use serde::{Deserialize, Serialize};

use crate::Error;

/// A local language model, which attackers fine-tune or use for scores.
#[derive(Debug, Clone)]
pub struct BaseModel {
    /// Its folder or GGUF file.
    pub path: PathBuf,
    /// Where it computes.
    pub device: Device,
}

/// The training settings of attackers that write sentences.
///
/// ```
/// use inkveil_eval::attack::InversionSettings;
///
/// assert!(InversionSettings { batch: 0, ..InversionSettings::default() }.check().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct InversionSettings {
    /// The number of epochs, each with new noise.
    pub epochs: usize,
    /// The number of sentences in a step.
    pub batch: usize,
    /// The highest learning rate.
    pub rate: f64,
    /// The rank of the adapters.
    pub rank: usize,
    /// The number of prefix rows that a vector is mapped to.
    pub prefix: usize,
    /// The most tokens of a sentence; the rest is cut.
    pub longest: usize,
    /// The number of rounds of correction.
    pub rounds: usize,
}

impl Default for InversionSettings {
    fn default() -> Self {
        Self { epochs: 5, batch: 64, rate: 1e-3, rank: 16, prefix: 4, longest: 40, rounds: 3 }
    }
}

impl InversionSettings {
    /// Checks the settings.
    ///
    /// # Errors
    /// If a setting is invalid.
    pub fn check(&self) -> Result<(), Error> {
        let sizes = [self.epochs, self.batch, self.rank, self.prefix, self.longest];
        match sizes.iter().all(|size| *size > 0) && self.rate.is_finite() && self.rate > 0.0 {
            true => Ok(()),
            false => Err(Error::format("epochs, batch, rate, rank, prefix and longest must be above 0")),
        }
    }
}

/// How an attacker is trained.
#[derive(Clone, Copy)]
pub struct InversionTraining<'a> {
    /// The model that is fine-tuned.
    pub base: &'a BaseModel,
    /// The settings.
    pub settings: &'a InversionSettings,
    /// Determines new weights and the order of sentences.
    pub seed: u64,
    /// Gets the number of finished steps and of all steps, before each step.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
    /// Training stops soon after this becomes true.
    pub cancel: &'a AtomicBool,
}

/// The training data of an attacker: sentences and their vectors.
pub struct InversionData<'a> {
    /// The dimension of the vectors.
    pub dim: usize,
    /// The sentences.
    pub texts: &'a [String],
    /// Their vectors.
    pub rows: &'a mut TrainingVectors<'a>,
}

/// Returns the training vectors of an epoch, row after row, with new noise in every epoch.
pub type TrainingVectors<'a> = dyn FnMut(usize) -> Result<Vec<f32>, Error> + 'a;

/// Encodes sentences without noise, row after row.
pub type EmbedTexts<'a> = dyn Fn(&[String]) -> Result<Vec<f32>, Error> + 'a;
