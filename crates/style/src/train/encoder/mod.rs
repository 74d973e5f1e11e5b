//! Training of the style encoder: texts by one author are drawn together, texts by others on the same topic pushed apart.

mod batches;
mod check;
mod model;
mod persona;
mod settings;

use std::path::Path;

use inkveil_nn::models::BertConfig;
use inkveil_nn::train::{AdamW, AdamWSettings, Decay, Gradients, Group, Schedule, save_weights};
use inkveil_nn::{CASINGS, Device, Scope, Tensor, Tokenizer, Var, Weights, quantise, with_casings};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::batches::Pool;
use self::check::{Pairs, auc, same_author};
pub use self::model::Parts;
use self::model::{Input, Model, contrast};
pub use self::settings::EncoderSettings;
use crate::card::{Counts, VERSION};
use crate::network::{MEAN, SCALE, Standard};
use crate::surface::surface;
use crate::tokens::{ends, windows};
use crate::{AuthorText, Card, Error, ErrorKind, digest, split_authors};

/// How a style encoder is trained.
#[derive(Debug, Clone)]
pub struct EncoderPlan {
    /// How many batches are seen.
    pub steps: u64,
    /// How many texts a batch has.
    pub batch: usize,
    /// The highest learning rate.
    pub rate: f64,
    /// How sharply near and far are told apart.
    pub temperature: f64,
    /// The share of pairs that are written by made-up personas.
    pub personas: f64,
    /// The share of authors that are kept for checking.
    pub held_out: f64,
    /// Which inputs the network sees.
    pub parts: Parts,
    /// Checks and checkpoints come every so many steps.
    pub check_every: u64,
    /// What the weights begin from and the order of texts depend on.
    pub seed: u64,
    /// Where it is computed.
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
    /// What a run goes by, but for where it is computed. How often it is checked changes nothing.
    fn checksum(&self, corpus: &str, texts: &[AuthorText]) -> String {
        let Self { steps, batch, rate, temperature, personas, held_out, parts, seed, .. } = self;
        let settings = format!("{steps} {batch} {rate} {temperature} {personas} {held_out} {parts:?} {seed}");
        let sources = texts.iter().map(|text| text.source.as_deref().unwrap_or_default());
        digest::of_texts([corpus, &settings].into_iter().chain(sources))
    }
}

/// A point of the curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The step.
    pub step: u64,
    /// The mean loss since the last point.
    pub loss: f32,
    /// The share of held-out pairs in the right order, where it was measured.
    pub auc: Option<f64>,
}

/// Where training is, in a checkpoint.
#[derive(Serialize, Deserialize)]
struct State {
    /// The checksum of all that decides how the run goes on.
    run: String,
    curve: Vec<Point>,
}

/// How many pairs of each kind are checked.
const CHECKED: usize = 2000;
/// Points of the curve lie this far apart.
const POINT_EVERY: u64 = 25;

/// Trains an encoder on the pack's own and writes it to `out` (8-bit weights) and, beside it, a card. A checkpoint lies at
/// `out` with the ending `.checkpoint`; a run that finds one goes on from there. `report` says whether to go on.
///
/// # Errors
/// If there are too few authors, a file cannot be written, or `report` asked to stop; then a checkpoint was written.
pub fn train_encoder(
    pack: &Path,
    texts: Vec<AuthorText>,
    plan: &EncoderPlan,
    out: &Path,
    report: &mut dyn FnMut(&Point) -> bool,
) -> Result<(Card, Vec<Point>), Error> {
    let corpus = digest::of_texts(
        texts.iter().flat_map(|t| [t.author.as_str(), t.topic.as_deref().unwrap_or_default(), &t.text]),
    );
    let run = plan.checksum(&corpus, &texts);
    let (texts, held_out) = split_authors(texts, plan.held_out, plan.seed);
    let pool = Pool::new(&texts);
    let few = |what: &str, count: usize, least: usize| {
        Error::too_few(format!(
            "{count} {what}; at least {least} are needed, so add texts with their authors"
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
            .group(|_, variable| variable.rank() < 2, Group { rate: 1.0, weight_decay: 0.0 })?;
    let mut gradients = Gradients::new(scope.variables());
    let schedule =
        Schedule { peak: plan.rate, warm_up: plan.steps / 20 + 1, steps: plan.steps, decay: Decay::Linear };
    let checkpoint = out.with_extension("checkpoint");
    let mut curve = Vec::new();
    if checkpoint.is_file() {
        let state: State = optimiser.restore(&checkpoint)?;
        if state.run != run {
            return Err(Error::file(
                &checkpoint,
                "a checkpoint of other texts or settings; remove it, or train with those it began with",
            ));
        }
        curve = state.curve;
    }
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
            let since = step - curve.last().map_or(0, |point: &Point| point.step);
            let auc =
                checks.then(|| measure().map(|(same, different)| auc(&same, &different))).transpose()?;
            // Asking for numbers makes the device wait, so it is done now and then.
            let mut sum = 0.0;
            for loss in losses.drain(..) {
                sum += number(&loss)?;
            }
            curve.push(Point { step, loss: sum / since.max(1) as f32, auc });
            let goes_on = curve.last().is_none_or(&mut *report);
            if checks || !goes_on {
                optimiser.save(&checkpoint, &State { run: run.clone(), curve: curve.clone() })?;
            }
            if !goes_on {
                return Err(ErrorKind::Stopped.into());
            }
        }
    }
    let (same, different) = measure()?;
    let card = Card {
        version: VERSION,
        trained_on: Counts { authors: pool.authors(), texts: pool.used_texts() },
        checked_on: Counts { authors: checked, texts: held_out.len() },
        corpus_sha256: corpus,
        auc: auc(&same, &different),
        same_author: same_author(&same, &different),
    };
    plan.parts.keep_only(&scope, config.width)?;
    save(&scope, &prepare.standard, out)?;
    Ok((card, curve))
}

/// Everything that is computed of a text before the network.
struct Prepare {
    tokenizer: Tokenizer,
    ends: [u32; 2],
    standard: Standard,
    /// Whether the network looks at tokens at all.
    tokens: bool,
}

impl Prepare {
    /// What is usual is learnt from the training texts, as they are.
    fn new(pack: &Path, texts: &[AuthorText], parts: Parts) -> Result<Self, Error> {
        let tokenizer = Tokenizer::open(pack)?;
        let rows: Vec<Vec<f32>> = texts.par_iter().map(|text| surface(&text.text)).collect();
        let tokens = parts != Parts::Surface;
        Ok(Self { ends: ends(&tokenizer)?, tokenizer, standard: Standard::of(&rows), tokens })
    }

    /// The first window of each text.
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

/// The vectors of many texts.
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

/// Writes what was trained, matrices in 8 bits.
fn save(scope: &Scope, standard: &Standard, out: &Path) -> Result<(), Error> {
    let tensor = |values: &[f32]| -> Result<Var, inkveil_nn::Error> {
        Ok(Var::from_tensor(&Tensor::new(values, &Device::Cpu)?)?)
    };
    let mut variables = scope.variables();
    variables.push((MEAN.to_owned(), tensor(&standard.mean)?));
    variables.push((SCALE.to_owned(), tensor(&standard.scale)?));
    let rough = tempfile::Builder::new().suffix(".safetensors").tempfile();
    let rough = rough.map_err(|error| Error::io("make a temporary file", &error).of(out.display()))?;
    save_weights(rough.path(), &variables)?;
    quantise(&Weights::open(rough.path())?, out, &mut |_, _| ())?;
    Ok(())
}
