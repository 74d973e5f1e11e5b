//! A language model with vectors as a prefix.

use std::iter::repeat_n;
use std::sync::atomic::Ordering;

use inkveil_nn::generate::{Rollout, rollout_after};
use inkveil_nn::layers::{Activation, Linear, Lora, log_softmax};
use inkveil_nn::models::{Llama, LlamaConfig};
use inkveil_nn::train::{AdamW, AdamWSettings, Decay, Gradients, Schedule};
use inkveil_nn::{DType, Scope, SplitMix, Tensor, Tokenizer, Weights};

use super::settings::{InversionSettings, InversionTraining};
use crate::{Error, ErrorKind};

/// The number of sentences that are written at once.
const WRITTEN: usize = 128;

/// The number of sentences whose gradients are computed at once; the gradients of a batch are
/// summed.
const LEARNT: usize = 32;

/// On a GPU, lengths and counts of tokens are padded to multiples of these. A GPU allocates new
/// memory for every new shape.
const LENGTHS: usize = 8;
const COUNTS: usize = 512;

/// The prefixes of some sentences: vectors of several kinds, and a draft.
pub(super) struct Conditioning {
    /// For each kind, the vectors of all sentences, row after row.
    pub(super) vectors: Vec<Vec<f32>>,
    /// The tokens of a draft for each sentence.
    pub(super) drafts: Option<Vec<Vec<u32>>>,
}

/// A language model with adapters, and for each kind of vector a network that maps it to prefix
/// rows.
pub(super) struct PrefixWriter {
    model: Llama,
    tokenizer: Tokenizer,
    stop: u32,
    scope: Scope,
    mappings: Vec<Mapping>,
    dim: usize,
    settings: InversionSettings,
    seed: u64,
}

struct Mapping {
    inner: Linear,
    outer: Linear,
    /// Scales vectors to coordinates of about 1.
    scale: f64,
}

impl PrefixWriter {
    /// An untrained writer for prefixes like these.
    pub(super) fn new(
        training: InversionTraining<'_>,
        dim: usize,
        example: &Conditioning,
    ) -> Result<Self, Error> {
        let InversionTraining { base, settings, seed, .. } = training;
        settings.check()?;
        let weights = Weights::open(&base.path)?;
        let config = LlamaConfig::open(&base.path)?;
        let tokenizer = Tokenizer::open(&base.path)?;
        tokenizer.check_rows(config.vocabulary)?;
        let stop = *tokenizer.special_ids().first().ok_or_else(|| {
            Error::argument("the model has no token for the end of a text; use another model")
        })?;
        let dtype = if base.device.is_cpu() { DType::F32 } else { DType::BF16 };
        let mut model = Llama::new(&Scope::frozen(&weights, &base.device).with_dtype(dtype), &config)?;
        let scope = Scope::trainable(None, &base.device, seed);
        let rank = settings.rank;
        model.add_lora(&scope, &Lora { rank, alpha: rank as f64, dropout: 0.0 }, |_| true)?;
        let mapping = |(kind, rows): (usize, &Vec<f32>)| {
            let scope = scope.enter("mapping").enter(kind);
            let squares: f64 = rows.iter().map(|x| f64::from(*x).powi(2)).sum();
            Ok(Mapping {
                inner: Linear::new(&scope.enter("inner"), dim, config.width, true)?,
                outer: Linear::new(
                    &scope.enter("outer"),
                    config.width,
                    settings.prefix * config.width,
                    true,
                )?,
                scale: (rows.len().max(1) as f64 / squares.max(f64::MIN_POSITIVE)).sqrt(),
            })
        };
        let mappings = example.vectors.iter().enumerate().map(mapping).collect::<Result<Vec<_>, Error>>()?;
        Ok(Self { model, tokenizer, stop, scope, mappings, dim, settings: settings.clone(), seed })
    }

    /// The tokens of a text, cut to the longest length.
    pub(super) fn tokens(&self, text: &str) -> Result<Vec<u32>, Error> {
        let mut ids = self.tokenizer.encode(text, false)?.ids;
        ids.truncate(self.settings.longest);
        Ok(ids)
    }

    /// Trains to write texts from their prefixes. `next` returns the prefixes of every epoch but
    /// the first.
    pub(super) fn learn(
        &self,
        texts: &[Vec<u32>],
        first: Conditioning,
        next: &mut dyn FnMut(usize) -> Result<Conditioning, Error>,
        training: InversionTraining<'_>,
    ) -> Result<(), Error> {
        let InversionSettings { epochs, batch, rate, .. } = self.settings;
        let steps = (epochs * texts.len().div_ceil(batch)) as u64;
        let schedule = Schedule { peak: rate, warm_up: steps / 10 + 1, steps, decay: Decay::Cosine };
        let plain = AdamWSettings { weight_decay: 0.0, ..Default::default() };
        let mut optimiser = AdamW::new(self.scope.variables(), plain)?;
        let mut gradients = Gradients::new(self.scope.variables());
        let mut now = first;
        for epoch in 0..epochs {
            if epoch > 0 {
                now = next(epoch)?;
            }
            let mut order: Vec<usize> = (0..texts.len()).collect();
            SplitMix::named(self.seed, "order", &[epoch as u64]).shuffle(&mut order);
            for some in order.chunks(batch) {
                if training.cancel.load(Ordering::Relaxed) {
                    return Err(ErrorKind::Cancelled.into());
                }
                (training.progress)(optimiser.steps() as usize, steps as usize);
                for part in some.chunks(LEARNT) {
                    let share = part.len() as f64 / some.len() as f64;
                    gradients.add(&self.loss(&now, part, texts)?, share)?;
                }
                gradients.clip(1.0)?;
                optimiser.step(&mut gradients, schedule.rate(optimiser.steps()))?;
            }
        }
        Ok(())
    }

    /// Returns the most likely text for each prefix.
    pub(super) fn write(&self, prefixes: &Conditioning) -> Result<Vec<Vec<u32>>, Error> {
        let count = prefixes.vectors.first().map_or(0, |rows| rows.len() / self.dim);
        let settings = Rollout {
            temperature: 0.0,
            max_tokens: self.settings.longest,
            stop_ids: self.tokenizer.special_ids().to_vec(),
            ..Rollout::default()
        };
        let all: Vec<usize> = (0..count).collect();
        let mut written = Vec::with_capacity(count);
        for some in all.chunks(WRITTEN) {
            let rows = self.rows(prefixes, some)?.detach();
            written.extend(rollout_after(&self.model, &rows, &settings)?);
        }
        for ids in &mut written {
            ids.retain(|id| !settings.stop_ids.contains(id));
        }
        Ok(written)
    }

    /// Decodes tokens.
    pub(super) fn text(&self, ids: &[u32]) -> Result<String, Error> {
        Ok(self.tokenizer.decode(ids)?.trim().to_owned())
    }

    /// The prefix rows: (sentences, length, width).
    fn rows(&self, prefixes: &Conditioning, some: &[usize]) -> Result<Tensor, inkveil_nn::Error> {
        let (device, count, width) = (self.model.device(), some.len(), self.model.config().width);
        let mut parts = Vec::new();
        for (mapping, rows) in self.mappings.iter().zip(&prefixes.vectors) {
            let picked: Vec<f32> =
                some.iter().flat_map(|&at| &rows[at * self.dim..][..self.dim]).copied().collect();
            let x = (Tensor::from_vec(picked, (count, self.dim), device)? * mapping.scale)?;
            let y = mapping.outer.forward(&Activation::Gelu.forward(&mapping.inner.forward(&x)?)?)?;
            parts.push(y.reshape((count, self.settings.prefix, width))?);
        }
        if let Some(drafts) = &prefixes.drafts {
            // All drafts are padded to the same length with the end token, so that all texts start
            // at the same position.
            let longest = some.iter().map(|&at| drafts[at].len()).max().unwrap_or(0);
            let length = self.padded(longest + 1, LENGTHS);
            let with_padding = |&at: &usize| {
                let draft = &drafts[at];
                draft.iter().copied().chain(repeat_n(self.stop, length - draft.len()))
            };
            parts.push(self.embed(some.iter().flat_map(with_padding).collect(), count, length)?);
        }
        Ok(Tensor::cat(&parts, 1)?)
    }

    fn padded(&self, count: usize, to: usize) -> usize {
        if self.model.device().is_cpu() { count } else { count.next_multiple_of(to) }
    }

    fn embed(&self, ids: Vec<u32>, count: usize, length: usize) -> Result<Tensor, inkveil_nn::Error> {
        let ids = Tensor::from_vec(ids, (count, length), self.model.device())?;
        Ok(self.model.embed(&ids)?.to_dtype(DType::F32)?)
    }

    /// The mean negative log-probability of the tokens of some texts, with their end tokens.
    fn loss(
        &self,
        prefixes: &Conditioning,
        some: &[usize],
        texts: &[Vec<u32>],
    ) -> Result<Tensor, inkveil_nn::Error> {
        let before = self.rows(prefixes, some)?;
        let prefix_length = before.dim(1)?;
        // The last token predicts nothing.
        let longest = some.iter().map(|&at| texts[at].len()).max().unwrap_or(0).max(1);
        let longest = self.padded(longest, LENGTHS);
        let total = prefix_length + longest;
        let (mut ids, mut places, mut targets) = (Vec::new(), Vec::new(), Vec::new());
        for (row, &at) in some.iter().enumerate() {
            let text = &texts[at];
            ids.extend(text.iter().copied().chain(repeat_n(self.stop, longest - text.len())));
            let first = row * total + prefix_length - 1;
            places.extend((first..=first + text.len()).map(|place| place as u32));
            targets.extend(text.iter().copied().chain([self.stop]));
        }
        let rows = Tensor::cat(&[before, self.embed(ids, some.len(), longest)?], 1)?;
        let hidden = self.model.forward_rows(&rows)?;
        // Padding has weight 0.
        let mut weights = vec![-1.0 / targets.len() as f32; targets.len()];
        let (device, count) = (self.model.device(), self.padded(targets.len(), COUNTS));
        places.resize(count, 0);
        targets.resize(count, self.stop);
        weights.resize(count, 0.0);
        let hidden = hidden
            .reshape((some.len() * total, self.model.config().width))?
            .index_select(&Tensor::from_vec(places, count, device)?, 0)?;
        let logits = self.model.logits(&hidden)?.to_dtype(DType::F32)?;
        let targets = Tensor::from_vec(targets, (count, 1), device)?;
        let weights = Tensor::from_vec(weights, (count, 1), device)?;
        Ok((log_softmax(&logits)?.gather(&targets, 1)? * weights)?.sum_all()?)
    }
}

/// Checks that there is a vector for each text.
pub(super) fn check(rows: &[f32], dim: usize, texts: usize) -> Result<(), Error> {
    match texts > 0 && rows.len() == dim * texts {
        true => Ok(()),
        false => Err(Error::argument(format!(
            "{texts} texts need vectors of {} numbers in all, but there are {}",
            dim * texts,
            rows.len()
        ))),
    }
}
