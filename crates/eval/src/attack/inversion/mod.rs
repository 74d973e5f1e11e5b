//! Sentences out of their vectors.
//!
//! A small language model that is told a vector in the place of words learns to write the sentence it comes from ([`Inverter`], in the manner of GEIA).
//! Another one sees besides what was written and the vector of that, and learns to write something nearer ([`Corrector`], in the manner of Vec2text).
//! Both learn from noisy vectors, as an attacker can who knows the mechanism.

mod corrector;
mod inverter;
mod writer;

pub use corrector::Corrector;
pub use inverter::Inverter;

use std::path::PathBuf;

use inkveil_nn::Device;
use serde::{Deserialize, Serialize};

use crate::Error;

/// The language model that attackers begin from.
#[derive(Debug, Clone)]
pub struct Base {
    /// Its folder or GGUF file.
    pub path: PathBuf,
    /// Where it learns and writes.
    pub device: Device,
}

/// How attackers learn to write sentences.
///
/// ```
/// use inkveil_eval::attack::InversionSettings;
///
/// assert!(InversionSettings { batch: 0, ..InversionSettings::default() }.check().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct InversionSettings {
    /// How often each sentence is seen, each time with other noise.
    pub epochs: usize,
    /// Sentences of a step.
    pub batch: usize,
    /// The highest learning rate.
    pub rate: f64,
    /// The rank of the adapters.
    pub rank: usize,
    /// Rows that a vector becomes before the model reads it.
    pub prefix: usize,
    /// Tokens of a sentence at most; the rest is neither learnt nor written.
    pub longest: usize,
    /// How often what was written is corrected.
    pub rounds: usize,
}

impl Default for InversionSettings {
    fn default() -> Self {
        Self { epochs: 5, batch: 64, rate: 1e-3, rank: 16, prefix: 4, longest: 40, rounds: 3 }
    }
}

impl InversionSettings {
    /// Whether they make sense.
    ///
    /// # Errors
    /// If they do not.
    pub fn check(&self) -> Result<(), Error> {
        let sizes = [self.epochs, self.batch, self.rank, self.prefix, self.longest];
        match sizes.iter().all(|size| *size > 0) && self.rate.is_finite() && self.rate > 0.0 {
            true => Ok(()),
            false => Err(Error::format("epochs, batch, rate, rank, prefix and longest are above 0")),
        }
    }
}

/// How an attacker learns.
#[derive(Clone, Copy)]
pub struct Training<'a> {
    /// What it begins from.
    pub base: &'a Base,
    /// How long, and at which pace.
    pub settings: &'a InversionSettings,
    /// What fresh weights and the order of sentences follow from.
    pub seed: u64,
    /// Is told how many steps of how many are done, and says whether to go on.
    pub tell: &'a (dyn Fn(usize, usize) -> bool + Sync),
}

/// What an attacker learns from: sentences and their vectors.
pub struct Lessons<'a> {
    /// How many numbers a vector has.
    pub dim: usize,
    /// The sentences.
    pub texts: &'a [String],
    /// Their vectors.
    pub rows: &'a mut Rows<'a>,
}

/// The vectors that an attacker learns from, row after row; other noise is on them in every epoch.
pub type Rows<'a> = dyn FnMut(usize) -> Result<Vec<f32>, Error> + 'a;

/// Gives sentences their vectors, without noise, row after row.
pub type Embed<'a> = dyn Fn(&[String]) -> Result<Vec<f32>, Error> + 'a;
