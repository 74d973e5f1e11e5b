//! Learning a mask: gates and a small predictor that tells texts with a concept from the same texts without it (Algorithm 2).

use inkveil_nn::{Mlp, MlpTraining, SplitMix};
use serde::{Deserialize, Serialize};

use crate::gates::Gates;
use crate::{Error, ErrorKind, Pairs};

/// The predictor's hidden layers.
const HIDDEN: [usize; 2] = [256, 128];

/// How a mask is learnt.
///
/// The loss is the mean cross-entropy of a batch plus λ times the expected *number* of open gates. The paper's Equation 4 divides that
/// number by the dimension (and has its sign the wrong way round): with λ = 0.001 it then weighs less than the noise of one
/// gradient, and the paper's own table over λ could not come out. To have the paper to the letter, give λ divided by the dimension.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FitSettings {
    /// What an open gate costs. The paper has 0.001, which leaves so few gates open that the concept is read from the other dimensions;
    /// at 0.0001 a mask still says where the noise should be, and hides.
    pub lambda: f64,
    /// The predictor's learning rate.
    pub rate: f32,
    /// The gates' learning rate. With the paper's 0.0001 for both, gates hardly leave the middle on corpora of a few thousand texts.
    pub gate_rate: f32,
    /// How often every pair is seen.
    pub epochs: usize,
    /// How many pairs make a step.
    pub batch: usize,
    /// Which share of the pairs is held out, to say how well the masked vectors still tell the concept.
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
            "λ is 0 or more"
        } else if !rates {
            "learning rates are above 0 and at most 1"
        } else if self.epochs == 0 || self.batch == 0 {
            "there is at least one epoch, and one pair in a batch"
        } else if !(0.0..=0.5).contains(&self.held_out) {
            "at most half of the pairs are held out"
        } else {
            return Ok(());
        };
        Err(Error::setting(wrong))
    }
}

/// How far learning has come.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// Counted from 1.
    pub number: usize,
    /// The mean cross-entropy of the batches.
    pub loss: f64,
    /// The share of gates that is open, in expectation.
    pub open: f64,
    /// The share of held-out vectors told right through the settled gates; none if nothing is held out.
    pub accuracy: Option<f64>,
}

/// What was learnt.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The settled gates (Equation 2): 1 where the concept lies, 0 where it does not.
    pub gates: Vec<f32>,
    /// Every epoch.
    pub curve: Vec<Epoch>,
}

/// Learns a mask. `observe` is told of every epoch and says whether to go on.
///
/// # Errors
/// Settings that make no sense, or a λ at which nothing is left; [`ErrorKind::Stopped`] if `observe` says so.
pub fn fit(
    pairs: &Pairs,
    settings: &FitSettings,
    observe: &mut dyn FnMut(&Epoch) -> bool,
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
        let epoch =
            Epoch { number, loss: loss / steps as f64, open: gates.expected_open() / dim as f64, accuracy };
        curve.push(epoch);
        if !observe(&epoch) {
            return Err(ErrorKind::Stopped.into());
        }
    }
    let gates = gates.settled();
    if gates.iter().all(|gate| *gate == 0.0) {
        return Err(Error::setting(
            "no dimension is left in the mask: λ is too high, or there is nothing to tell; lower λ",
        ));
    }
    Ok(Fitted { gates, curve })
}

/// Rows by their numbers.
pub(crate) struct Rows {
    pub(crate) positive: Vec<usize>,
    pub(crate) negative: Vec<usize>,
}

impl Rows {
    /// The share of rows told right, or none if there are none.
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

/// One batch: as many rows with the concept as without.
struct Batch {
    dim: usize,
    /// What brings coordinates to size 1: those of unit vectors are so small that the predictor would learn nothing from them.
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

    /// Takes the rows of a step; the shorter of the two lists begins again at its end.
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
