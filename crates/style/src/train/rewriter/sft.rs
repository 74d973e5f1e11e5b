//! Supervised fine-tuning: a small model learns to write what the teacher was chosen for.

use std::path::Path;

use inkveil_nn::SplitMix;
use inkveil_nn::generate::Continuation;
use inkveil_nn::train::{AdamW, AdamWSettings, Decay, Gradients, Schedule};
use serde::{Deserialize, Serialize};

use super::order::order;
use super::pairs::{self, Pair};
use crate::policy::Policy;
use crate::rewrite::rewrite_prompt;
use crate::{Error, ErrorKind, digest};

/// How a model is tuned on pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct SftPlan {
    /// How often each pair is seen.
    pub epochs: u64,
    /// How many pairs a step sees.
    pub batch: usize,
    /// How many pairs are computed at once; the gradients of a batch are summed.
    pub at_once: usize,
    /// The highest learning rate.
    pub rate: f64,
    /// The rank of the adapters.
    pub rank: usize,
    /// The share of authors that are kept for checking.
    pub held_out: f64,
    /// Checks and checkpoints come every so many steps.
    pub check_every: u64,
    /// The order of pairs, and what the adapters begin from.
    pub seed: u64,
}

impl Default for SftPlan {
    fn default() -> Self {
        Self {
            epochs: 3,
            batch: 32,
            at_once: 32,
            rate: 3e-4,
            rank: 16,
            held_out: 0.05,
            check_every: 50,
            seed: 1,
        }
    }
}

/// A point of the curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SftPoint {
    /// The step.
    pub step: u64,
    /// The loss of this step: minus the mean log-probability of a token.
    pub loss: f64,
    /// The same over pairs of held-out authors, where it was measured.
    pub held_out: Option<f64>,
}

#[derive(Serialize, Deserialize)]
struct State {
    run: String,
    curve: Vec<SftPoint>,
}

/// A pair as tokens.
struct Row {
    prompt: Vec<u32>,
    answer: Vec<u32>,
}

/// Tunes the adapters of a policy on the pairs of a file, those that are good enough. A checkpoint lies at `out` with the ending `.checkpoint`; a run that finds
/// one goes on from there, exactly.
///
/// # Errors
/// If the pairs cannot be read or are too few, the model fails, or `report` asked to stop; then a checkpoint was written.
pub fn sft(
    policy: &Policy,
    file: &Path,
    plan: &SftPlan,
    out: &Path,
    report: &mut dyn FnMut(&SftPoint) -> bool,
) -> Result<Vec<SftPoint>, Error> {
    let good: Vec<Pair> = pairs::read(file)?.into_iter().filter(|pair| pair.fault.is_none()).collect();
    let (held, seen): (Vec<&Pair>, Vec<&Pair>) = good.iter().partition(|pair| pair.is_held(plan));
    if seen.len() < 2 {
        return Err(Error::file(file, format!("{} pairs are too few to learn from", seen.len())));
    }
    let rows = |pairs: &[&Pair]| pairs.iter().map(|pair| row(policy, pair)).collect::<Result<Vec<_>, _>>();
    let (seen, held) = (rows(&seen)?, rows(&held)?);
    let steps = (seen.len() as u64 * plan.epochs).div_ceil(plan.batch as u64);
    let schedule = Schedule { peak: plan.rate, warm_up: steps / 10 + 1, steps, decay: Decay::Cosine };
    let settings = AdamWSettings { beta2: 0.99, weight_decay: 0.0, ..Default::default() };
    let mut optimiser = AdamW::new(policy.variables(), settings)?;
    let mut gradients = Gradients::new(policy.variables());
    let checkpoint = out.with_extension("checkpoint");
    let run = checksum(&good, plan);
    let mut curve: Vec<SftPoint> = Vec::new();
    if checkpoint.is_file() {
        let state: State = optimiser.restore(&checkpoint)?;
        if state.run != run {
            return Err(Error::file(
                &checkpoint,
                "a checkpoint of other pairs or settings; remove it, or train with those it began with",
            ));
        }
        curve = state.curve;
    }
    while optimiser.steps() < steps {
        let step = optimiser.steps();
        let first = step * plan.batch as u64;
        let last = (first + plan.batch as u64).min(plan.epochs * seen.len() as u64);
        let batch: Vec<&Row> =
            order(seen.len(), first..last, plan.seed, "pairs").map(|index| &seen[index]).collect();
        let tokens: usize = batch.iter().map(|row| row.answer.len()).sum();
        let mut sum = 0.0;
        for part in batch.chunks(plan.at_once.max(1)) {
            let loss = loss(policy, part)?;
            gradients.add(&loss, 1.0 / tokens as f64)?;
            sum += number(&loss)?;
        }
        gradients.clip(1.0)?;
        optimiser.step(&mut gradients, schedule.rate(step))?;
        let checks = (step + 1).is_multiple_of(plan.check_every) || step + 1 == steps;
        let held_out = match checks && !held.is_empty() {
            true => Some(mean_loss(policy, &held, plan.at_once)?),
            false => None,
        };
        let point = SftPoint { step: step + 1, loss: sum / tokens as f64, held_out };
        curve.push(point);
        let goes_on = report(&point);
        if checks || !goes_on {
            optimiser.save(&checkpoint, &State { run: run.clone(), curve: curve.clone() })?;
        }
        if !goes_on {
            return Err(ErrorKind::Stopped.into());
        }
    }
    policy.save(out)?;
    Ok(curve)
}

impl Pair {
    /// Whether its author is kept for checking.
    fn is_held(&self, plan: &SftPlan) -> bool {
        SplitMix::named(plan.seed, &self.author, &[]).unit() < plan.held_out
    }
}

fn row(policy: &Policy, pair: &Pair) -> Result<Row, Error> {
    let prompt = policy.prompt(&rewrite_prompt(&pair.text, pair.outlier, None))?;
    Ok(Row { prompt, answer: policy.answer(&pair.rewrite)? })
}

/// Minus the log-probability of all tokens.
fn loss(policy: &Policy, rows: &[&Row]) -> Result<inkveil_nn::Tensor, Error> {
    let rows: Vec<Continuation<'_>> =
        rows.iter().map(|row| Continuation { prompt: &row.prompt, tokens: &row.answer }).collect();
    let found = policy.log_likelihoods(&rows)?;
    Ok(found.sum_all().and_then(|sum| sum.neg()).map_err(inkveil_nn::Error::from)?)
}

fn mean_loss(policy: &Policy, rows: &[Row], at_once: usize) -> Result<f64, Error> {
    let (mut sum, mut tokens) = (0.0, 0);
    for part in rows.chunks(at_once.max(1)) {
        let part: Vec<&Row> = part.iter().collect();
        tokens += part.iter().map(|row| row.answer.len()).sum::<usize>();
        sum += number(&loss(policy, &part)?.detach())?;
    }
    Ok(sum / tokens.max(1) as f64)
}

fn number(tensor: &inkveil_nn::Tensor) -> Result<f64, Error> {
    Ok(f64::from(tensor.to_scalar::<f32>().map_err(inkveil_nn::Error::from)?))
}

fn checksum(pairs: &[Pair], plan: &SftPlan) -> String {
    let SftPlan { epochs, batch, rate, rank, held_out, seed, .. } = plan;
    let settings = format!("{epochs} {batch} {rate} {rank} {held_out} {seed}");
    let texts = pairs.iter().flat_map(|pair| [pair.text.as_str(), pair.rewrite.as_str()]);
    digest::of_texts(std::iter::once(settings.as_str()).chain(texts))
}
