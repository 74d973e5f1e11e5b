//! What the training of both taggers has in common.

use std::path::Path;
use std::time::{Duration, Instant};

use inkveil_nn::train::{AdamW, AdamWSettings, Decay, Gradients, ParameterGroup, Schedule, save_weights};
use inkveil_nn::{Device, Scope, Weights, quantise};
use tempfile::NamedTempFile;

use super::labelled::LabelledText;
use super::loss::Loss;
use crate::error::Error;

/// The settings of a training.
#[derive(Debug, Clone)]
pub struct TrainingPlan {
    /// The number of epochs.
    pub epochs: u64,
    /// The approximate number of words in a batch; for the accurate tier, of tokens with padding.
    pub batch_words: usize,
    /// The highest learning rate.
    pub rate: f64,
    /// The seed of the initial weights, the order of texts and dropout.
    pub seed: u64,
    /// The device to train on.
    pub device: Device,
    /// The time after which training ends. The learning rate falls with the time used if that is further
    /// than the steps done, so that a slow machine ends with a low rate too.
    pub limit: Option<Duration>,
}

/// A report during training.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingProgress {
    /// The epoch, from 0.
    pub epoch: u64,
    /// The number of steps so far.
    pub step: u64,
    /// The mean loss since the last report.
    pub loss: f32,
    /// The share of words whose most likely label is allowed, since the last report.
    pub right: f32,
}

/// Returns the texts of an epoch, with newly drawn values and spellings.
pub type EpochTexts<'a> = &'a mut dyn FnMut(u64) -> Vec<LabelledText>;

const REPORT_EVERY: u64 = 50;

/// The share of words for which the gazetteer is not asked, so that a tagger learns to work without it.
pub(super) const FORGET: f64 = 0.35;

/// Writes the trained weights in 8 bits. It is called after every epoch, so that an interrupted run leaves
/// its last epoch.
pub(super) fn save(scope: &Scope, out: &Path) -> Result<(), Error> {
    let rough = scratch()?;
    save_weights(rough.path(), &scope.variables())?;
    quantise(&Weights::open(rough.path())?, out, &mut |_, _| ())?;
    Ok(())
}

fn scratch() -> Result<NamedTempFile, Error> {
    let file = tempfile::Builder::new().suffix(".safetensors").tempfile();
    file.map_err(|e| Error::io("make a temporary file", e))
}

/// An optimiser over the variables of a scope.
pub(super) struct Steps<'a> {
    scope: &'a Scope,
    optimiser: AdamW,
    gradients: Gradients,
    schedule: Schedule,
    limit: Option<Duration>,
    sums: (f32, f32),
    began: Instant,
    report: &'a mut dyn FnMut(TrainingProgress),
}

impl<'a> Steps<'a> {
    pub(super) fn new(
        scope: &'a Scope,
        plan: &TrainingPlan,
        report: &'a mut dyn FnMut(TrainingProgress),
    ) -> Result<Self, Error> {
        let optimiser = AdamW::new(scope.variables(), AdamWSettings::default())?
            .group(|_, variable| variable.rank() < 2, ParameterGroup { rate: 1.0, weight_decay: 0.0 })?;
        let schedule = Schedule { peak: plan.rate, warm_up: 1, steps: 1, decay: Decay::Linear };
        let gradients = Gradients::new(scope.variables());
        let (sums, began) = ((0.0, 0.0), Instant::now());
        Ok(Steps { scope, optimiser, gradients, schedule, limit: plan.limit, sums, began, report })
    }

    /// Plans the learning rate for all epochs, from the number of batches in the first one.
    pub(super) fn expect(&mut self, plan: &TrainingPlan, batches: usize) {
        if self.optimiser.steps() == 0 {
            let steps = plan.epochs * batches as u64;
            self.schedule = Schedule { warm_up: steps / 20 + 1, steps, ..self.schedule };
        }
    }

    /// Returns whether the time is used up.
    pub(super) fn is_over(&self, plan: &TrainingPlan) -> bool {
        plan.limit.is_some_and(|limit| self.began.elapsed() >= limit)
    }

    /// Returns the learning rate of the next step.
    fn rate(&self) -> f64 {
        let by_steps = self.schedule.rate(self.optimiser.steps());
        match self.limit {
            Some(limit) => {
                let left = 1.0 - self.began.elapsed().as_secs_f64() / limit.as_secs_f64().max(1e-9);
                by_steps.min(self.schedule.peak * left.max(0.0))
            }
            None => by_steps,
        }
    }

    pub(super) fn begin(&self) -> Result<(), Error> {
        Ok(self.scope.train_at(self.optimiser.steps())?)
    }

    pub(super) fn finish(&mut self, epoch: u64, loss: &Loss) -> Result<(), Error> {
        self.gradients.add(&loss.loss, 1.0)?;
        self.gradients.clip(1.0)?;
        let rate = self.rate();
        self.optimiser.step(&mut self.gradients, rate)?;
        let step = self.optimiser.steps();
        // Reading numbers makes the device wait, so only some steps do it.
        if step.is_multiple_of(5) {
            let (loss, right) = loss.numbers()?;
            self.sums = (self.sums.0 + loss, self.sums.1 + right);
        }
        if step.is_multiple_of(REPORT_EVERY) {
            let count = (REPORT_EVERY / 5) as f32;
            let (loss, right) = (self.sums.0 / count, self.sums.1 / count);
            (self.report)(TrainingProgress { epoch, step, loss, right });
            self.sums = (0.0, 0.0);
        }
        Ok(())
    }
}
