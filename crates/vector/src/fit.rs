//! Learning a mask: gates and a small predictor that distinguishes texts with a concept from the
//! same texts without it (Algorithm 2).

use inkveil_nn::{Mlp, MlpTraining, SplitMix};
use serde::{Deserialize, Serialize};

use crate::gates::Gates;
use crate::{Error, ErrorKind, Pairs};

/// The sizes of the predictor's hidden layers.
const HIDDEN: [usize; 2] = [256, 128];

/// How a mask is learnt.
///
/// The loss is the mean cross-entropy of a batch plus λ times the expected *number* of open gates.
/// The paper's Equation 4 divides that number by the dimension, and its sign is wrong. With λ =
/// 0.001 it would weigh less than the noise of one gradient, and the paper's own table over λ would
/// not be possible. To follow the paper literally, divide λ by the dimension.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FitSettings {
    /// The cost of an open gate. The paper's 0.001 leaves so few gates open that the concept can be
    /// read from the other dimensions. At 0.0001 a mask still concentrates the noise, and hides the
    /// concept.
    pub lambda: f64,
    /// The predictor's learning rate.
    pub rate: f32,
    /// The gates' learning rate. With the paper's 0.0001 for both, gates hardly change on corpora
    /// of a few thousand texts.
    pub gate_rate: f32,
    /// The number of passes over all pairs.
    pub epochs: usize,
    /// The number of pairs in a step.
    pub batch: usize,
    /// The share of pairs that is held out, to measure how well the masked vectors still predict
    /// the concept.
    pub held_out: f64,
    /// The same seed gives the same mask.
    pub seed: u64,
}

impl Default for FitSettings {
    fn default() -> Self {
        Self { lambda: 1e-4, rate: 1e-4, gate_rate: 1e-2, epochs: 100, batch: 64, held_out: 0.1, seed: 1 }
    }
}

impl FitSettings {
    fn check(&self) -> Result<(), Error> {
        let rates = [self.rate, self.gate_rate].iter().all(|rate| *rate > 0.0 && *rate <= 1.0);
        let wrong = if !(self.lambda >= 0.0 && self.lambda.is_finite()) {
            "λ must be 0 or more"
        } else if !rates {
            "learning rates must be above 0 and at most 1"
        } else if self.epochs == 0 || self.batch == 0 {
            "epochs and batch size must be at least 1"
        } else if !(0.0..=0.5).contains(&self.held_out) {
            "the share of held-out pairs must be from 0 to 0.5"
        } else {
            return Ok(());
        };
        Err(Error::setting(wrong))
    }
}

/// The progress of learning after an epoch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FitEpoch {
    /// The number of the epoch, from 1.
    pub number: usize,
    /// The mean cross-entropy of the batches.
    pub loss: f64,
    /// The expected share of open gates.
    pub open: f64,
    /// The accuracy on held-out vectors through the settled gates; none if nothing is held out.
    pub accuracy: Option<f64>,
}

/// A learnt mask.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The settled gates (Equation 2): 1 for dimensions that carry the concept, 0 for those that do
    /// not.
    pub gates: Vec<f32>,
    /// The progress of every epoch.
    pub curve: Vec<FitEpoch>,
}

/// Learns a mask. `observe` receives every epoch and returns whether to continue.
///
/// # Errors
/// If a setting is not valid, or λ is so high that no gate stays open; [`ErrorKind::Stopped`] if
/// `observe` returned false.
pub fn fit(
    pairs: &Pairs,
    settings: &FitSettings,
    observe: &mut dyn FnMut(&FitEpoch) -> bool,
) -> Result<Fitted, Error> {
    settings.check()?;
    let dim = pairs.dim();
    let (mut train, held_out) = pairs.split(settings.held_out, settings.seed);
    let mut gates = Gates::new(dim);
    let widths = [dim, HIDDEN[0], HIDDEN[1], 1];
    let mut predictor = MlpTraining::new(Mlp::new(&widths, settings.seed)?, settings.rate);
    let mut curve = Vec::with_capacity(settings.epochs);
    let mut batch = Batch::new(dim, pairs.scale());
    for number in 1..=settings.epochs {
        let mut random = SplitMix::named(settings.seed, "epoch", &[number as u64]);
        random.shuffle(&mut train.positive);
        random.shuffle(&mut train.negative);
        let steps = train.positive.len().max(train.negative.len()).div_ceil(settings.batch);
        let mut loss = 0.0;
        for step in 0..steps {
            batch.fill(pairs, &train, step, settings.batch);
            gates.draw(&mut random, &mut batch.mask);
            loss += batch.step(&mut predictor, &mut gates, settings)?;
        }
        let accuracy = held_out.accuracy(pairs, &gates.settled(), predictor.mlp())?;
        let epoch = FitEpoch {
            number,
            loss: loss / steps as f64,
            open: gates.expected_open() / dim as f64,
            accuracy,
        };
        curve.push(epoch);
        if !observe(&epoch) {
            return Err(ErrorKind::Stopped.into());
        }
    }
    let gates = gates.settled();
    if gates.iter().all(|gate| *gate == 0.0) {
        return Err(Error::setting(
            "no dimension is left in the mask: λ is too high, or the vectors do not carry the concept; lower λ",
        ));
    }
    Ok(Fitted { gates, curve })
}

/// Returns rows by their indices.
pub(crate) struct Rows {
    pub(crate) positive: Vec<usize>,
    pub(crate) negative: Vec<usize>,
}

impl Rows {
    /// Returns the accuracy on some rows; none if there are none.
    fn accuracy(&self, pairs: &Pairs, mask: &[f32], predictor: &Mlp) -> Result<Option<f64>, Error> {
        let count = self.positive.len() + self.negative.len();
        if count == 0 {
            return Ok(None);
        }
        let scale = pairs.scale();
        let masked = |row: &[f32]| row.iter().zip(mask).map(|(x, m)| x * m * scale).collect::<Vec<_>>();
        let right = |rows: &[usize], row: &dyn Fn(usize) -> Vec<f32>, wanted: bool| -> Result<usize, Error> {
            let rows: Vec<f32> = rows.iter().flat_map(|&index| row(index)).collect();
            let told = predictor.probabilities(&rows)?;
            Ok(told.iter().filter(|&&p| (p > 0.5) == wanted).count())
        };
        let right = right(&self.positive, &|index| masked(pairs.positive(index)), true)?
            + right(&self.negative, &|index| masked(pairs.negative(index)), false)?;
        Ok(Some(right as f64 / count as f64))
    }
}

/// A batch with as many rows with the concept as without it.
struct Batch {
    dim: usize,
    /// The factor that scales coordinates to size 1. Those of unit vectors are so small that the
    /// predictor would learn nothing from them.
    scale: f32,
    rows: Vec<f32>,
    masked: Vec<f32>,
    targets: Vec<f32>,
    mask: Vec<f32>,
    by_mask: Vec<f32>,
}

impl Batch {
    fn new(dim: usize, scale: f32) -> Self {
        Self {
            dim,
            scale,
            rows: Vec::new(),
            masked: Vec::new(),
            targets: Vec::new(),
            mask: vec![0.0; dim],
            by_mask: vec![0.0; dim],
        }
    }

    /// Takes the rows of a step. The shorter of the two lists is repeated.
    fn fill(&mut self, pairs: &Pairs, train: &Rows, step: usize, size: usize) {
        self.rows.clear();
        self.targets.clear();
        let longest = train.positive.len().max(train.negative.len());
        for place in (step * size)..((step + 1) * size).min(longest) {
            let with = pairs.positive(train.positive[place % train.positive.len()]);
            let without = pairs.negative(train.negative[place % train.negative.len()]);
            self.rows.extend(with.iter().chain(without).map(|x| x * self.scale));
            self.targets.extend([1.0, 0.0]);
        }
    }

    fn step(
        &mut self,
        predictor: &mut MlpTraining,
        gates: &mut Gates,
        settings: &FitSettings,
    ) -> Result<f64, Error> {
        self.masked.clear();
        for row in self.rows.chunks_exact(self.dim) {
            self.masked.extend(row.iter().zip(&self.mask).map(|(x, m)| x * m));
        }
        let (loss, by_masked) = predictor.step_through(&self.masked, &self.targets)?;
        self.by_mask.fill(0.0);
        for (row, by_row) in self.rows.chunks_exact(self.dim).zip(by_masked.chunks_exact(self.dim)) {
            self.by_mask.iter_mut().zip(row.iter().zip(by_row)).for_each(|(sum, (x, g))| *sum += x * g);
        }
        gates.step(&self.by_mask, settings.lambda, settings.gate_rate);
        Ok(loss)
    }
}
