//! Supervised fine-tuning: a small model learns to write the teacher's best rewrites.

use std::path::Path;

use inkveil_nn::SplitMix;
use inkveil_nn::generate::Continuation;
use inkveil_nn::train::{AdamW, AdamWSettings, Decay, Gradients, Schedule};
use serde::{Deserialize, Serialize};

use super::super::checkpoint::Checkpoint;
use super::order::order;
use super::pairs::{self, RewritePair};
use crate::policy::Policy;
use crate::rewrite::rewrite_prompt;
use crate::{Error, digest};

/// How a model is fine-tuned on pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct SftPlan {
    /// The number of passes over all pairs.
    pub epochs: u64,
    /// The number of pairs in a step.
    pub batch: usize,
    /// The number of pairs that are computed at once. The gradients of a batch are summed.
    pub at_once: usize,
    /// The highest learning rate.
    pub rate: f64,
    /// The rank of the adapters.
    pub rank: usize,
    /// The share of held-out authors.
    pub held_out: f64,
    /// The number of steps between two checks, which also write checkpoints.
    pub check_every: u64,
    /// The seed of the order of pairs and of new adapters.
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

/// A point of the training curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SftPoint {
    /// The step.
    pub step: u64,
    /// The loss of this step: minus the mean log-probability of a token.
    pub loss: f64,
    /// The same over pairs of held-out authors, if measured.
    pub held_out: Option<f64>,
}

/// A pair as tokens.
struct Row {
    prompt: Vec<u32>,
    answer: Vec<u32>,
}

/// Fine-tunes the adapters of a policy on the good enough pairs of a file. The checkpoint is `out`
/// with the extension `.checkpoint`; a run with the same pairs and settings resumes from it
/// exactly.
///
/// # Errors
/// If the pairs cannot be read or are too few, the model fails, or `report` returned false; a
/// checkpoint is written then.
pub fn sft(
    policy: &Policy,
    file: &Path,
    plan: &SftPlan,
    out: &Path,
    report: &mut dyn FnMut(&SftPoint) -> bool,
) -> Result<Vec<SftPoint>, Error> {
    let good: Vec<RewritePair> = pairs::read(file)?.into_iter().filter(|pair| pair.fault.is_none()).collect();
    let (held, seen): (Vec<&RewritePair>, Vec<&RewritePair>) =
        good.iter().partition(|pair| pair.is_held(plan));
    if seen.len() < 2 {
        return Err(Error::file(
            file,
            format!("it has only {} pairs, which are too few to learn from", seen.len()),
        ));
    }
    let rows =
        |pairs: &[&RewritePair]| pairs.iter().map(|pair| row(policy, pair)).collect::<Result<Vec<_>, _>>();
    let (seen, held) = (rows(&seen)?, rows(&held)?);
    let steps = (seen.len() as u64 * plan.epochs).div_ceil(plan.batch as u64);
    let schedule = Schedule { peak: plan.rate, warm_up: steps / 10 + 1, steps, decay: Decay::Cosine };
    let settings = AdamWSettings { beta2: 0.99, weight_decay: 0.0, ..Default::default() };
    let mut optimiser = AdamW::new(policy.variables(), settings)?;
    let mut gradients = Gradients::new(policy.variables());
    let checkpoint = Checkpoint::new(out, checksum(&good, plan));
    let mut curve: Vec<SftPoint> = checkpoint.restore(&mut optimiser)?.unwrap_or_default();
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
        curve.push(SftPoint { step: step + 1, loss: sum / tokens as f64, held_out });
        checkpoint.report(&optimiser, &curve, checks, report)?;
    }
    policy.save(out)?;
    Ok(curve)
}

impl RewritePair {
    /// Returns whether its author is held out.
    fn is_held(&self, plan: &SftPlan) -> bool {
        SplitMix::named(plan.seed, &self.author, &[]).unit() < plan.held_out
    }
}

fn row(policy: &Policy, pair: &RewritePair) -> Result<Row, Error> {
    let prompt = policy.prompt(&rewrite_prompt(&pair.text, pair.outlier, None))?;
    Ok(Row { prompt, answer: policy.answer(&pair.rewrite)? })
}

/// Returns minus the log-probability of all tokens.
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

fn checksum(pairs: &[RewritePair], plan: &SftPlan) -> String {
    let SftPlan { epochs, batch, rate, rank, held_out, seed, .. } = plan;
    let settings = format!("{epochs} {batch} {rate} {rank} {held_out} {seed}");
    let texts = pairs.iter().flat_map(|pair| [pair.text.as_str(), pair.rewrite.as_str()]);
    digest::of_texts(std::iter::once(settings.as_str()).chain(texts))
}
