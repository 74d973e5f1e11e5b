//! A training run.

use std::path::Path;

use inkveil_nn::models::BertConfig;
use inkveil_nn::train::{AdamW, AdamWSettings, Decay, Gradients, ParameterGroup, Schedule, save_weights};
use inkveil_nn::{CASINGS, Device, Scope, Tensor, Tokenizer, Var, Weights, quantise, with_casings};
use rayon::prelude::*;

use super::super::checkpoint::Checkpoint;
use super::batches::Pool;
use super::check::{Pairs, auc, same_author};
use super::model::{Input, Model, Parts, contrast};
use super::plan::{EncoderPlan, EncoderPoint};
use crate::card::{AuthorCounts, VERSION};
use crate::network::{MEAN, SCALE, Standard};
use crate::surface::surface;
use crate::tokens::{ends, windows};
use crate::{AuthorText, EncoderCard, Error, digest, split_authors};

/// The number of pairs of each kind in a check.
const CHECKED: usize = 2000;
/// The number of steps between two points of the curve.
const POINT_EVERY: u64 = 25;

/// Trains an encoder on the pack's encoder. Writes it to `out` (8-bit weights) with a card in the
/// same folder. The checkpoint is `out` with the extension `.checkpoint`; a run with the same texts
/// and settings resumes from it. `report` returns whether to continue.
///
/// # Errors
/// If there are too few authors, a file cannot be written, or `report` returned false; a checkpoint
/// is written then.
pub fn train_encoder(
    pack: &Path,
    texts: Vec<AuthorText>,
    plan: &EncoderPlan,
    out: &Path,
    report: &mut dyn FnMut(&EncoderPoint) -> bool,
) -> Result<(EncoderCard, Vec<EncoderPoint>), Error> {
    let corpus = digest::of_texts(
        texts.iter().flat_map(|t| [t.author.as_str(), t.topic.as_deref().unwrap_or_default(), &t.text]),
    );
    let run = plan.checksum(&corpus, &texts);
    let (texts, held_out) = split_authors(texts, plan.held_out, plan.seed);
    let pool = Pool::new(&texts);
    let few = |what: &str, count: usize, least: usize| {
        Error::too_few(format!(
            "there are {count} {what}, but at least {least} are needed; add texts with their authors"
        ))
    };
    if pool.authors() < 8 {
        return Err(few("authors with two texts or more to train on", pool.authors(), 8));
    }
    let checked = Pool::new(&held_out).authors();
    if checked < 2 {
        return Err(few("held-out authors with two texts or more", checked, 2));
    }

    let config = BertConfig::open(pack)?;
    let weights = with_casings(&Weights::open(pack)?, &config)?;
    let config = BertConfig { types: CASINGS, ..config };
    let scope = Scope::trainable(Some(&weights), &plan.device, plan.seed);
    let model = Model::new(&scope, &config, plan.parts)?;
    let prepare = Prepare::new(pack, &texts, plan.parts)?;
    let held: Vec<Input> =
        prepare.all(&held_out.iter().map(|text| text.text.as_str()).collect::<Vec<_>>())?;
    let pairs = Pairs::draw(&held_out, CHECKED, plan.seed);
    let measure = || -> Result<(Vec<f64>, Vec<f64>), Error> {
        scope.infer();
        Ok(pairs.cosines(&vectors(&model, &held, &plan.device)?))
    };

    let mut optimiser =
        AdamW::new(scope.variables(), AdamWSettings { weight_decay: 0.05, ..Default::default() })?
            .group(|_, variable| variable.rank() < 2, ParameterGroup { rate: 1.0, weight_decay: 0.0 })?;
    let mut gradients = Gradients::new(scope.variables());
    let schedule =
        Schedule { peak: plan.rate, warm_up: plan.steps / 20 + 1, steps: plan.steps, decay: Decay::Linear };
    let checkpoint = Checkpoint::new(out, run);
    let mut curve: Vec<EncoderPoint> = checkpoint.restore(&mut optimiser)?.unwrap_or_default();
    let mut losses = Vec::new();
    while optimiser.steps() < plan.steps {
        let step = optimiser.steps();
        scope.train_at(step)?;
        let batch = pool.batch(plan.batch, plan.personas, plan.seed, step);
        let inputs = prepare.all(&batch.texts.iter().map(String::as_str).collect::<Vec<_>>())?;
        let inputs: Vec<&Input> = inputs.iter().collect();
        let loss = contrast(&model.forward(&inputs, &plan.device)?, &batch.writers, plan.temperature)?;
        gradients.add(&loss, 1.0)?;
        gradients.clip(1.0)?;
        optimiser.step(&mut gradients, schedule.rate(step))?;
        losses.push(loss.detach());
        let step = step + 1;
        let checks = step.is_multiple_of(plan.check_every) || step == plan.steps;
        if step.is_multiple_of(POINT_EVERY) || checks {
            let since = step - curve.last().map_or(0, |point| point.step);
            let auc =
                checks.then(|| measure().map(|(same, different)| auc(&same, &different))).transpose()?;
            // Reading numbers makes the device wait, so it is done rarely.
            let mut sum = 0.0;
            for loss in losses.drain(..) {
                sum += number(&loss)?;
            }
            curve.push(EncoderPoint { step, loss: sum / since.max(1) as f32, auc });
            checkpoint.report(&optimiser, &curve, checks, report)?;
        }
    }
    let (same, different) = measure()?;
    let card = EncoderCard {
        version: VERSION,
        trained_on: AuthorCounts { authors: pool.authors(), texts: pool.used_texts() },
        checked_on: AuthorCounts { authors: checked, texts: held_out.len() },
        corpus_sha256: corpus,
        auc: auc(&same, &different),
        same_author: same_author(&same, &different),
    };
    plan.parts.keep_only(&scope, config.width)?;
    save(&scope, &prepare.standard, out)?;
    Ok((card, curve))
}

/// Everything that is computed from a text before the network.
struct Prepare {
    tokenizer: Tokenizer,
    ends: [u32; 2],
    standard: Standard,
    /// Whether the network uses tokens at all.
    tokens: bool,
}

impl Prepare {
    /// The standard scale is learnt from whole training texts.
    fn new(pack: &Path, texts: &[AuthorText], parts: Parts) -> Result<Self, Error> {
        let tokenizer = Tokenizer::open(pack)?;
        let rows: Vec<Vec<f32>> = texts.par_iter().map(|text| surface(&text.text)).collect();
        let tokens = parts != Parts::Surface;
        Ok(Self { ends: ends(&tokenizer)?, tokenizer, standard: Standard::of(&rows), tokens })
    }

    /// Returns the first window of each text.
    fn all(&self, texts: &[&str]) -> Result<Vec<Input>, Error> {
        let one = |text: &&str| {
            let mut surface = surface(text);
            self.standard.apply(&mut surface);
            let window = match self.tokens {
                true => windows(&self.tokenizer, self.ends, text)?.into_iter().next(),
                false => None,
            };
            let (ids, casings) = window.map_or_else(
                || (self.ends.to_vec(), vec![0; 2]),
                |window| (window.ids, window.casings.into_iter().map(u32::from).collect()),
            );
            Ok(Input { ids, casings, surface })
        };
        texts.par_iter().map(one).collect()
    }
}

/// Returns the vectors of many texts.
fn vectors(model: &Model, inputs: &[Input], device: &Device) -> Result<Vec<Vec<f32>>, Error> {
    let mut vectors = Vec::with_capacity(inputs.len());
    for batch in inputs.chunks(64) {
        let batch: Vec<&Input> = batch.iter().collect();
        let made = model.forward(&batch, device)?;
        vectors.extend(made.to_vec2::<f32>().map_err(inkveil_nn::Error::from)?);
    }
    Ok(vectors)
}

fn number(tensor: &Tensor) -> Result<f32, Error> {
    Ok(tensor.to_scalar::<f32>().map_err(inkveil_nn::Error::from)?)
}

/// Writes the trained weights, with matrices in 8 bits.
fn save(scope: &Scope, standard: &Standard, out: &Path) -> Result<(), Error> {
    let tensor = |values: &[f32]| -> Result<Var, inkveil_nn::Error> {
        Ok(Var::from_tensor(&Tensor::new(values, &Device::Cpu)?)?)
    };
    let mut variables = scope.variables();
    variables.push((MEAN.to_owned(), tensor(&standard.mean)?));
    variables.push((SCALE.to_owned(), tensor(&standard.scale)?));
    let rough = tempfile::Builder::new().suffix(".safetensors").tempfile();
    let rough = rough.map_err(|error| Error::file(out, format!("cannot make a temporary file: {error}")))?;
    save_weights(rough.path(), &variables)?;
    quantise(&Weights::open(rough.path())?, out, &mut |_, _| ())?;
    Ok(())
}
