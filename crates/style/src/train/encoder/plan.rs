//! The plan of a training run, and the points of its curve.

use inkveil_nn::Device;
use serde::{Deserialize, Serialize};

use super::model::Parts;
use crate::{AuthorText, digest};

/// How a style encoder is trained.
#[derive(Debug, Clone)]
pub struct EncoderPlan {
    /// The number of batches.
    pub steps: u64,
    /// The number of texts in a batch.
    pub batch: usize,
    /// The highest learning rate.
    pub rate: f64,
    /// The temperature of the contrastive loss.
    pub temperature: f64,
    /// The share of pairs that are written by artificial personas.
    pub personas: f64,
    /// The share of held-out authors.
    pub held_out: f64,
    /// The inputs of the network.
    pub parts: Parts,
    /// The number of steps between two checks, which also write checkpoints.
    pub check_every: u64,
    /// The seed of the initial weights and of the order of texts.
    pub seed: u64,
    /// The device that computes.
    pub device: Device,
}

impl Default for EncoderPlan {
    fn default() -> Self {
        Self {
            steps: 3000,
            batch: 192,
            rate: 5e-4,
            temperature: 0.07,
            personas: 0.4,
            held_out: 0.1,
            parts: Parts::Surface,
            check_every: 250,
            seed: 1,
            device: Device::Cpu,
        }
    }
}

impl EncoderPlan {
    /// Returns a checksum of everything that determines the result. The device and the frequency of
    /// checks do not.
    pub(super) fn checksum(&self, corpus: &str, texts: &[AuthorText]) -> String {
        let Self { steps, batch, rate, temperature, personas, held_out, parts, seed, .. } = self;
        let settings = format!("{steps} {batch} {rate} {temperature} {personas} {held_out} {parts:?} {seed}");
        let sources = texts.iter().map(|text| text.source.as_deref().unwrap_or_default());
        digest::of_texts([corpus, &settings].into_iter().chain(sources))
    }
}

/// A point of the training curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EncoderPoint {
    /// The step.
    pub step: u64,
    /// The mean loss since the last point.
    pub loss: f32,
    /// The probability that a held-out pair by one author is nearer than one by two, if measured.
    pub auc: Option<f64>,
}
