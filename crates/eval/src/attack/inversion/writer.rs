//! A language model that is told vectors before it writes.

use std::iter::repeat_n;

use inkveil_nn::generate::{Rollout, rollout_after};
use inkveil_nn::layers::{Activation, Linear, Lora, log_softmax};
use inkveil_nn::models::{Llama, LlamaConfig};
use inkveil_nn::train::{AdamW, AdamWSettings, Decay, Gradients, Schedule};
use inkveil_nn::{DType, Scope, SplitMix, Tensor, Tokenizer, Weights};

use super::{InversionSettings, Training};
use crate::{Error, ErrorKind};

/// Sentences that are written at once.
const WRITTEN: usize = 128;

/// Sentences that are learnt from at once; the gradients of a batch are summed.
const LEARNT: usize = 32;

/// On a GPU, lengths and counts of tokens are filled up to multiples of these: it takes new memory for every new shape, and so much of it that few
/// could learn side by side.
const LENGTHS: usize = 8;
const COUNTS: usize = 512;

/// What is told of some sentences: vectors of several kinds, and a text.
pub(super) struct Told {
    /// Of each kind the vectors of all sentences, row after row.
    pub(super) vectors: Vec<Vec<f32>>,
    /// The tokens of a text for each sentence.
    pub(super) drafts: Option<Vec<Vec<u32>>>,
}

/// A language model with adapters, and for each kind of vector a network that makes rows of it that the model reads.
pub(super) struct Writer {
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
    /// Vectors are brought to coordinates of about 1.
    scale: f64,
}

impl Writer {
    /// A writer that knows nothing yet of vectors like those in `told`.
    pub(super) fn new(training: Training<'_>, dim: usize, told: &Told) -> Result<Self, Error> {
        let Training { base, settings, seed, .. } = training;
        settings.check()?;
        let weights = Weights::open(&base.path)?;
        let config = LlamaConfig::open(&base.path)?;
        let tokenizer = Tokenizer::open(&base.path)?;
        tokenizer.check_rows(config.vocabulary)?;
        let stop = *tokenizer
            .special_ids()
            .first()
            .ok_or_else(|| Error::argument("the model has no token that ends a text; take another"))?;
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
        let mappings = told.vectors.iter().enumerate().map(mapping).collect::<Result<Vec<_>, Error>>()?;
        Ok(Self { model, tokenizer, stop, scope, mappings, dim, settings: settings.clone(), seed })
    }

    /// The tokens of a text, without what is too long.
    pub(super) fn tokens(&self, text: &str) -> Result<Vec<u32>, Error> {
        let mut ids = self.tokenizer.encode(text, false)?.ids;
        ids.truncate(self.settings.longest);
        Ok(ids)
    }

    /// Learns to write texts from what is told of them; `told` is asked again for every epoch but the first.
    pub(super) fn learn(
        &self,
        texts: &[Vec<u32>],
        first: Told,
        told: &mut dyn FnMut(usize) -> Result<Told, Error>,
        tell: &dyn Fn(usize, usize) -> bool,
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
                now = told(epoch)?;
            }
            let mut order: Vec<usize> = (0..texts.len()).collect();
            SplitMix::named(self.seed, "order", &[epoch as u64]).shuffle(&mut order);
            for some in order.chunks(batch) {
                if !tell(optimiser.steps() as usize, steps as usize) {
                    return Err(ErrorKind::Stopped.into());
                }
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

    /// The likeliest text for each sentence that something is told of.
    pub(super) fn write(&self, told: &Told) -> Result<Vec<Vec<u32>>, Error> {
        let count = told.vectors.first().map_or(0, |rows| rows.len() / self.dim);
        let settings = Rollout {
            temperature: 0.0,
            max_tokens: self.settings.longest,
            stop_ids: self.tokenizer.special_ids().to_vec(),
            ..Rollout::default()
        };
        let all: Vec<usize> = (0..count).collect();
        let mut written = Vec::with_capacity(count);
        for some in all.chunks(WRITTEN) {
            let rows = self.rows(told, some)?.detach();
            written.extend(rollout_after(&self.model, &rows, &settings)?);
        }
        for ids in &mut written {
            ids.retain(|id| !settings.stop_ids.contains(id));
        }
        Ok(written)
    }

    /// What tokens say.
    pub(super) fn text(&self, ids: &[u32]) -> Result<String, Error> {
        Ok(self.tokenizer.decode(ids)?.trim().to_owned())
    }

    /// What the model reads before it writes: (sentences, length, width).
    fn rows(&self, told: &Told, some: &[usize]) -> Result<Tensor, inkveil_nn::Error> {
        let (device, count, width) = (self.model.device(), some.len(), self.model.config().width);
        let mut parts = Vec::new();
        for (mapping, rows) in self.mappings.iter().zip(&told.vectors) {
            let picked: Vec<f32> =
                some.iter().flat_map(|&at| &rows[at * self.dim..][..self.dim]).copied().collect();
            let x = (Tensor::from_vec(picked, (count, self.dim), device)? * mapping.scale)?;
            let y = mapping.outer.forward(&Activation::Gelu.forward(&mapping.inner.forward(&x)?)?)?;
            parts.push(y.reshape((count, self.settings.prefix, width))?);
        }
        if let Some(drafts) = &told.drafts {
            // All drafts end at the same place, so that what is to be written begins at the same place, and each with the token that ends it.
            let longest = some.iter().map(|&at| drafts[at].len()).max().unwrap_or(0);
            let length = self.filled(longest + 1, LENGTHS);
            let padded = |&at: &usize| {
                let draft = &drafts[at];
                draft.iter().copied().chain(repeat_n(self.stop, length - draft.len()))
            };
            parts.push(self.embed(some.iter().flat_map(padded).collect(), count, length)?);
        }
        Ok(Tensor::cat(&parts, 1)?)
    }

    fn filled(&self, count: usize, to: usize) -> usize {
        if self.model.device().is_cpu() { count } else { count.next_multiple_of(to) }
    }

    fn embed(&self, ids: Vec<u32>, count: usize, length: usize) -> Result<Tensor, inkveil_nn::Error> {
        let ids = Tensor::from_vec(ids, (count, length), self.model.device())?;
        Ok(self.model.embed(&ids)?.to_dtype(DType::F32)?)
    }

    /// Minus the mean log-probability of the tokens of some texts, with the one that ends each.
    fn loss(&self, told: &Told, some: &[usize], texts: &[Vec<u32>]) -> Result<Tensor, inkveil_nn::Error> {
        let before = self.rows(told, some)?;
        let told_length = before.dim(1)?;
        // The last token predicts nothing that is asked for.
        let longest = some.iter().map(|&at| texts[at].len()).max().unwrap_or(0).max(1);
        let longest = self.filled(longest, LENGTHS);
        let total = told_length + longest;
        let (mut ids, mut places, mut targets) = (Vec::new(), Vec::new(), Vec::new());
        for (row, &at) in some.iter().enumerate() {
            let text = &texts[at];
            ids.extend(text.iter().copied().chain(repeat_n(self.stop, longest - text.len())));
            let first = row * total + told_length - 1;
            places.extend((first..=first + text.len()).map(|place| place as u32));
            targets.extend(text.iter().copied().chain([self.stop]));
        }
        let rows = Tensor::cat(&[before, self.embed(ids, some.len(), longest)?], 1)?;
        let hidden = self.model.forward_rows(&rows)?;
        // What only fills up weighs nothing.
        let mut weights = vec![-1.0 / targets.len() as f32; targets.len()];
        let (device, count) = (self.model.device(), self.filled(targets.len(), COUNTS));
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

/// That there is a vector for each text.
pub(super) fn check(rows: &[f32], dim: usize, texts: usize) -> Result<(), Error> {
    match texts > 0 && rows.len() == dim * texts {
        true => Ok(()),
        false => Err(Error::argument(format!(
            "{texts} texts need {} numbers, there are {}; give one vector to each",
            dim * texts,
            rows.len()
        ))),
    }
}
