//! Training of the taggers.
//!
//! Sources label different kinds: where one says nothing about job titles, a word that it leaves unlabelled may be one.
//! Each text therefore says which kinds its labels are [complete](Labelled::complete) for, and the loss counts every label
//! that the source leaves possible as right.

mod accurate;
mod fast;
mod labelled;
mod loss;

use std::path::Path;

use inkveil_nn::train::{AdamW, AdamWSettings, Decay, Gradients, ParameterGroup, Schedule, save_weights};
use inkveil_nn::{Device, Scope, Weights, quantise};
use tempfile::NamedTempFile;

pub use accurate::train_accurate;
pub use fast::train_fast;
pub use labelled::Labelled;

use crate::Error;

/// How a tagger is trained.
#[derive(Debug, Clone)]
pub struct Plan {
    /// How often the texts are seen.
    pub epochs: u64,
    /// About how many words (for the accurate tier: tokens, with padding) make a batch.
    pub batch_words: usize,
    /// The highest learning rate.
    pub rate: f64,
    /// What the weights begin from, the order of texts and dropout depend on.
    pub seed: u64,
    /// Where it is computed.
    pub device: Device,
}

/// What is said while training goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The epoch, from 0.
    pub epoch: u64,
    /// The step of all steps so far.
    pub step: u64,
    /// The mean loss since the last report.
    pub loss: f32,
    /// The share of words whose likeliest label is one of those allowed, since the last report.
    pub right: f32,
}

/// Gives the texts of an epoch: fresh values and spellings each time.
pub type Epoch<'a> = &'a mut dyn FnMut(u64) -> Vec<Labelled>;

const REPORT_EVERY: u64 = 50;

/// How often the gazetteer is not asked about a word, so that a tagger learns to do without it.
const FORGET: f64 = 0.35;

/// Writes what was trained, in 8 bits. It is done after every epoch: a run that is cut off leaves its last one.
fn save(scope: &Scope, out: &Path) -> Result<(), Error> {
    let rough = scratch()?;
    save_weights(rough.path(), &scope.variables())?;
    quantise(&Weights::open(rough.path())?, out, &mut |_, _| ())?;
    Ok(())
}

fn scratch() -> Result<NamedTempFile, Error> {
    let file = tempfile::Builder::new().suffix(".safetensors").tempfile();
    file.map_err(|e| Error::io("make a temporary file", e))
}

/// The part of training that both taggers share: an optimiser over a scope's variables.
struct Steps<'a> {
    scope: &'a Scope,
    optimiser: AdamW,
    gradients: Gradients,
    schedule: Schedule,
    sums: (f32, f32),
    report: &'a mut dyn FnMut(Progress),
}

impl<'a> Steps<'a> {
    fn new(scope: &'a Scope, plan: &Plan, report: &'a mut dyn FnMut(Progress)) -> Result<Self, Error> {
        let optimiser = AdamW::new(scope.variables(), AdamWSettings::default())?
            .group(|_, variable| variable.rank() < 2, ParameterGroup { rate: 1.0, weight_decay: 0.0 })?;
        let schedule = Schedule { peak: plan.rate, warm_up: 1, steps: 1, decay: Decay::Linear };
        let gradients = Gradients::new(scope.variables());
        Ok(Steps { scope, optimiser, gradients, schedule, sums: (0.0, 0.0), report })
    }

    /// Spreads the learning rate over as many epochs of this many batches; the first epoch decides.
    fn expect(&mut self, plan: &Plan, batches: usize) {
        if self.optimiser.steps() == 0 {
            let steps = plan.epochs * batches as u64;
            self.schedule = Schedule { warm_up: steps / 20 + 1, steps, ..self.schedule };
        }
    }

    fn begin(&self) -> Result<(), Error> {
        Ok(self.scope.train_at(self.optimiser.steps())?)
    }

    fn finish(&mut self, epoch: u64, loss: &loss::Loss) -> Result<(), Error> {
        self.gradients.add(&loss.loss, 1.0)?;
        self.gradients.clip(1.0)?;
        self.optimiser.step(&mut self.gradients, self.schedule.rate(self.optimiser.steps()))?;
        let step = self.optimiser.steps();
        // Asking for numbers makes the device wait, so only some steps are asked.
        if step.is_multiple_of(5) {
            let (loss, right) = loss.numbers()?;
            self.sums = (self.sums.0 + loss, self.sums.1 + right);
        }
        if step.is_multiple_of(REPORT_EVERY) {
            let count = (REPORT_EVERY / 5) as f32;
            let (loss, right) = (self.sums.0 / count, self.sums.1 / count);
            (self.report)(Progress { epoch, step, loss, right });
            self.sums = (0.0, 0.0);
        }
        Ok(())
    }
}

/// Random numbers for training, which needs no secrecy (SplitMix64).
///
/// ```
/// use inkveil_detect::train::Shuffle;
///
/// let mut order = Shuffle::new(4).order(5);
/// assert_eq!(order, Shuffle::new(4).order(5));
/// order.sort_unstable();
/// assert_eq!(order, [0, 1, 2, 3, 4]);
/// ```
#[derive(Debug, Clone)]
pub struct Shuffle(u64);

impl Shuffle {
    /// The numbers that follow from a seed.
    pub fn new(seed: u64) -> Self {
        Shuffle(seed)
    }

    /// The next number.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Whether something happens that happens in this share of cases.
    pub fn chance(&mut self, share: f64) -> bool {
        (self.word() >> 11) as f64 / ((1u64 << 53) as f64) < share
    }

    /// The numbers below `n` in a random order.
    pub fn order(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for last in (1..n).rev() {
            order.swap(last, (self.word() % (last as u64 + 1)) as usize);
        }
        order
    }
}
