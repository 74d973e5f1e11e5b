//! Draws many continuations at once on the model's device, for training a language model.

use candle_core::D;

use super::decoder::left_padded;
use super::prompts::check_prompts;
use crate::layers::softmax;
use crate::models::Llama;
use crate::{DType, Error, SplitMix, Tensor};

/// How continuations are drawn.
///
/// ```
/// use inkveil_nn::generate::Rollout;
///
/// let teacher = Rollout { temperature: 0.9, top_p: Some(0.95), ..Rollout::default() };
/// assert_eq!(teacher.count, 1);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Rollout {
    /// The number of continuations of each prompt.
    pub count: usize,
    /// 0 always takes the best token; 1 draws from the model's distribution.
    pub temperature: f64,
    /// Draws only from the likeliest tokens with this total probability, accurate to a few parts in
    /// a thousand.
    pub top_p: Option<f64>,
    /// The largest number of tokens of a continuation.
    pub max_tokens: usize,
    /// A continuation ends with any of these tokens.
    pub stop_ids: Vec<u32>,
    /// The same seed on the same kind of device gives the same continuations.
    pub seed: u64,
}

impl Default for Rollout {
    fn default() -> Self {
        Rollout { count: 1, temperature: 1.0, top_p: None, max_tokens: 128, stop_ids: Vec::new(), seed: 0 }
    }
}

/// Ended rows are dropped once they exceed this share of all rows, because dropping copies the
/// remaining ones.
const DROP_AT: f64 = 0.25;

/// Draws the continuations of all prompts: first those of the first prompt, then those of the
/// second. A stop token is included as the last token.
///
/// Unlike [`generate`](super::generate), the tokens are chosen on the model's device, and only they
/// are transferred. The continuation of a prompt depends on the other prompts in the batch.
///
/// ```
/// use inkveil_nn::generate::{Rollout, rollout};
/// # use inkveil_nn::models::{Llama, LlamaConfig};
/// # use inkveil_nn::{Device, Scope};
/// # let config = LlamaConfig::from_json(br#"{
/// #     "model_type": "llama", "vocab_size": 10, "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 1,
/// #     "num_attention_heads": 2, "max_position_embeddings": 32, "rms_norm_eps": 1e-5
/// # }"#)?;
/// # let model = Llama::new(&Scope::trainable(None, &Device::Cpu, 1), &config)?;
/// let settings = Rollout { count: 4, max_tokens: 5, ..Rollout::default() };
/// let drawn = rollout(&model, &[vec![1, 2], vec![3]], &settings)?;
/// assert_eq!(drawn.len(), 8);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
///
/// # Errors
/// Fails if a setting is invalid, a prompt is empty or contains ids outside the vocabulary, or the
/// model's context is too short.
pub fn rollout(model: &Llama, prompts: &[Vec<u32>], settings: &Rollout) -> Result<Vec<Vec<u32>>, Error> {
    settings.check()?;
    check_prompts(model, prompts)?;
    if prompts.is_empty() {
        return Ok(Vec::new());
    }
    let (ids, padding) = left_padded(model, &prompts.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
    continue_rows(model, &model.embed(&ids)?, padding, settings)
}

/// Like [`rollout`], but after rows of shape (batch, length, width) that need not belong to tokens,
/// as in [`Llama::forward_rows`].
///
/// # Errors
/// Fails if a setting is invalid or the model's context is too short.
pub fn rollout_after(model: &Llama, rows: &Tensor, settings: &Rollout) -> Result<Vec<Vec<u32>>, Error> {
    settings.check()?;
    continue_rows(model, rows, vec![0; rows.dim(0)?], settings)
}

fn continue_rows(
    model: &Llama,
    rows: &Tensor,
    padding: Vec<usize>,
    settings: &Rollout,
) -> Result<Vec<Vec<u32>>, Error> {
    let prompts = padding.len();
    let given = rows.dim(1)?;
    let capacity = given.saturating_add(settings.max_tokens).min(model.config().context).max(given);
    let mut cache = model.cache(padding).with_capacity(capacity);
    // Each prompt is read only once.
    let hidden = model.extend_rows(rows, &mut cache)?;
    let length = hidden.dim(1)?;
    let copies: Vec<usize> = (0..prompts).flat_map(|row| std::iter::repeat_n(row, settings.count)).collect();
    let index: Vec<u32> = copies.iter().map(|&row| row as u32).collect();
    let mut last = hidden
        .narrow(1, length - 1, 1)?
        .squeeze(1)?
        .contiguous()?
        .index_select(&Tensor::new(index.as_slice(), model.device())?, 0)?
        .detach();
    drop(hidden);
    cache.select(&copies)?;

    let mut chooser = Chooser::new(settings, model)?;
    let mut texts = vec![Vec::new(); copies.len()];
    // The texts in the batch, and whether they are still running.
    let mut rows: Vec<usize> = (0..texts.len()).collect();
    let mut running = vec![true; texts.len()];
    loop {
        let chosen = chooser.choose(&model.logits(&last)?.detach())?;
        for (&row, &id) in rows.iter().zip(&chosen) {
            if running[row] {
                texts[row].push(id);
                running[row] = !settings.stop_ids.contains(&id) && texts[row].len() < settings.max_tokens;
            }
        }
        let left: Vec<usize> = (0..rows.len()).filter(|&at| running[rows[at]]).collect();
        if left.is_empty() || cache.length() >= model.config().context {
            return Ok(texts);
        }
        let mut next: Vec<u32> = chosen;
        if (rows.len() - left.len()) as f64 >= DROP_AT * rows.len() as f64 {
            cache.select(&left)?;
            next = left.iter().map(|&at| next[at]).collect();
            rows = left.iter().map(|&at| rows[at]).collect();
        }
        let count = next.len();
        let ids = Tensor::from_vec(next, (count, 1), model.device())?;
        last = model.extend(&ids, &mut cache)?.squeeze(1)?.detach();
    }
}

impl Rollout {
    fn check(&self) -> Result<(), Error> {
        let what = if self.count == 0 || self.max_tokens == 0 {
            "at least one continuation of at least one token must be requested"
        } else if !(self.temperature.is_finite() && self.temperature >= 0.0) {
            "the temperature must be 0 or above"
        } else if self.top_p.is_some_and(|p| !(p > 0.0 && p <= 1.0)) {
            "top-p must be above 0 and at most 1"
        } else {
            return Ok(());
        };
        Err(Error::argument(what))
    }
}

/// Chooses the next token of all rows on the device.
struct Chooser<'a> {
    settings: &'a Rollout,
    random: SplitMix,
}

impl<'a> Chooser<'a> {
    fn new(settings: &'a Rollout, model: &Llama) -> Result<Self, Error> {
        let mut random = SplitMix::named(settings.seed, "rollout", &[]);
        if !model.device().is_cpu() {
            model.device().set_seed(random.next())?;
        }
        Ok(Self { settings, random })
    }

    fn choose(&mut self, logits: &Tensor) -> Result<Vec<u32>, Error> {
        let logits = logits.to_dtype(DType::F32)?;
        if self.settings.temperature == 0.0 {
            return Ok(logits.argmax(D::Minus1)?.to_vec1()?);
        }
        let mut weights = softmax(&(logits / self.settings.temperature)?)?;
        if let Some(p) = self.settings.top_p.filter(|p| *p < 1.0) {
            weights = nucleus(&weights, p)?;
        }
        // The exponential race: the argmax of weight / exponential is a draw by weight.
        let arrivals = self.uniforms(&weights)?.clamp(1e-10, 1.0 - 6e-8)?.log()?.neg()?;
        Ok((weights / arrivals)?.argmax(D::Minus1)?.to_vec1()?)
    }

    /// Returns uniform numbers between 0 and 1 in the shape of the weights.
    fn uniforms(&mut self, like: &Tensor) -> Result<Tensor, Error> {
        if !like.device().is_cpu() {
            return Ok(like.rand_like(0.0, 1.0)?);
        }
        let values: Vec<f32> = (0..like.elem_count()).map(|_| self.random.unit() as f32).collect();
        Ok(Tensor::from_vec(values, like.shape(), like.device())?)
    }
}

/// Keeps the weights of the likeliest tokens with the total share `p`, and sets the others to 0.
/// The threshold is found by bisection, which needs no sorting.
fn nucleus(weights: &Tensor, p: f64) -> Result<Tensor, Error> {
    let kept = |line: &Tensor| -> Result<Tensor, Error> {
        Ok((weights.broadcast_ge(&line.exp()?)?.to_dtype(weights.dtype())? * weights)?)
    };
    // Logarithms of weights: one too small to be kept, and the largest.
    let mut high = weights.max_keepdim(D::Minus1)?.log()?;
    let mut low = (high.zeros_like()? - 16.0)?;
    for _ in 0..12 {
        let middle = ((&low + &high)? * 0.5)?;
        let enough = kept(&middle)?.sum_keepdim(D::Minus1)?.ge(p)?;
        low = enough.where_cond(&middle, &low)?;
        high = enough.where_cond(&high, &middle)?;
    }
    kept(&low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::{LlamaCache, LlamaConfig};
    use crate::{Device, Scope};

    fn draws(settings: &Rollout, weights: &[f32], count: usize) -> Vec<usize> {
        let mut chooser = Chooser { settings, random: SplitMix::named(settings.seed, "test", &[]) };
        let logits: Vec<f32> = weights.iter().map(|w| w.ln()).collect();
        let row = Tensor::new(logits.as_slice(), &Device::Cpu).unwrap().unsqueeze(0).unwrap();
        let batch = row.repeat((count, 1)).unwrap();
        let mut counts = vec![0; weights.len()];
        chooser.choose(&batch).unwrap().into_iter().for_each(|id| counts[id as usize] += 1);
        counts
    }

    #[test]
    fn tokens_are_drawn_in_proportion_to_their_weight() {
        let n = 40_000;
        let counts = draws(&Rollout::default(), &[0.1, 0.6, 0.3], n);
        for (count, p) in counts.iter().zip([0.1f64, 0.6, 0.3]) {
            // Chance exceeds 5.5 standard deviations on any of three counts with probability below
            // 1e-6.
            let most = 5.5 * (n as f64 * p * (1.0 - p)).sqrt();
            assert!((*count as f64 - n as f64 * p).abs() < most, "{counts:?}");
        }
        let best = Rollout { temperature: 0.0, ..Rollout::default() };
        assert_eq!(draws(&best, &[0.1, 0.6, 0.3], 50), [0, 50, 0]);
    }

    #[test]
    fn top_p_draws_only_the_likeliest_tokens() {
        let settings = Rollout { top_p: Some(0.85), ..Rollout::default() };
        let counts = draws(&settings, &[0.05, 0.6, 0.3, 0.04, 0.01], 3000);
        assert!(counts[0] == 0 && counts[3] == 0 && counts[4] == 0 && counts[2] > 0, "{counts:?}");
        let all = draws(&Rollout { top_p: Some(0.9999), ..settings }, &[0.2; 5], 3000);
        assert!(all.iter().all(|count| *count > 0), "{all:?}");
    }

    #[test]
    fn the_capacity_of_the_cache_does_not_change_the_result() {
        let config = LlamaConfig::from_json(
            br#"{"model_type": "llama", "vocab_size": 10, "hidden_size": 8, "intermediate_size": 16,
                 "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
                 "max_position_embeddings": 32, "rms_norm_eps": 1e-5, "tie_word_embeddings": true}"#,
        )
        .unwrap();
        let model = Llama::new(&Scope::trainable(None, &Device::Cpu, 1), &config).unwrap();
        let ids = |rows: &[&[u32]]| {
            Tensor::new(rows.concat(), &Device::Cpu).unwrap().reshape((rows.len(), ())).unwrap()
        };
        let read = |mut cache: LlamaCache| -> Result<Vec<f32>, Error> {
            // The states of padding are meaningless.
            let first = model.extend(&ids(&[&[1, 2, 3], &[0, 4, 5]]), &mut cache)?.narrow(1, 1, 2)?;
            let second = model.extend(&ids(&[&[6], &[7]]), &mut cache)?;
            cache.select(&[1, 0, 1])?;
            let third = model.extend(&ids(&[&[8], &[9], &[1]]), &mut cache)?;
            let all =
                [first, second, third].map(|rows| rows.flatten_all().unwrap().to_vec1::<f32>().unwrap());
            Ok(all.concat())
        };
        for padding in [vec![0, 1], vec![0, 0]] {
            let plain = read(model.cache(padding.clone())).unwrap();
            for capacity in [5, 6, 20] {
                let found = read(model.cache(padding.clone()).with_capacity(capacity)).unwrap();
                let far = plain.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(found.len() == plain.len() && far < 1e-5, "capacity {capacity}: {far}");
            }
            assert!(read(model.cache(padding).with_capacity(4)).is_err());
        }
    }

    #[test]
    fn invalid_settings_are_refused() {
        for settings in [
            Rollout { count: 0, ..Rollout::default() },
            Rollout { max_tokens: 0, ..Rollout::default() },
            Rollout { temperature: f64::NAN, ..Rollout::default() },
            Rollout { top_p: Some(0.0), ..Rollout::default() },
        ] {
            assert!(settings.check().is_err());
        }
    }
}
