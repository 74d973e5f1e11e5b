//! Draws many continuations at once on the model's device, for training a language model.

use super::avoid::{AvoidedTokens, penalise_rows};
use super::decoder::left_padded;
use super::prompts::check_prompts;
use super::token_draws::TokenDraws;
use crate::models::{BatchDecoder, Llama};
use crate::{Error, Tensor};

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
    /// Draws only from the likeliest tokens with this total probability.
    pub top_p: Option<f64>,
    /// The largest number of tokens of a continuation.
    pub max_tokens: usize,
    /// A continuation ends with any of these tokens.
    pub stop_ids: Vec<u32>,
    /// The same seed on the same kind of device gives the same continuations. Every continuation
    /// has its own stream of random numbers.
    pub seed: u64,
    /// What the continuations of each prompt rather do not contain. Empty: nothing is avoided.
    pub avoid: Vec<AvoidedTokens>,
}

impl Default for Rollout {
    fn default() -> Self {
        Rollout {
            count: 1,
            temperature: 1.0,
            top_p: None,
            max_tokens: 128,
            stop_ids: Vec::new(),
            seed: 0,
            avoid: Vec::new(),
        }
    }
}

/// Ended rows are dropped once they exceed this share of all rows, because dropping copies the
/// remaining ones.
const DROP_AT: f64 = 0.25;

/// Draws the continuations of all prompts: first those of the first prompt, then those of the
/// second. A stop token is included as the last token.
///
/// Unlike [`generate`](super::generate), the tokens are chosen on the model's device, and only they
/// are transferred. A continuation does not depend on the other prompts of the batch, except that
/// their number and lengths change the rounding of the model's scores.
///
/// Adapters are merged into a copy of the matrices first. In 16 bits, the merged matrices are
/// rounded, so the scores differ from those of the adapters by about as much as in another batch.
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
    check_prompts(model, prompts.iter().map(Vec::as_slice))?;
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
    if !(settings.avoid.is_empty() || settings.avoid.len() == padding.len()) {
        return Err(Error::argument("what is avoided must be given for each prompt or for none"));
    }
    // Each prompt is read only once. The last token of a continuation is not read.
    let more = settings.max_tokens - 1;
    let (mut decoder, mut last) = BatchDecoder::begin(model, rows, &padding, settings.count, more)?;
    let mut texts = vec![Vec::new(); padding.len() * settings.count];
    let mut draws = TokenDraws::new(settings.temperature, settings.top_p, settings.seed, texts.len());
    // The texts in the batch, and whether they are still running.
    let mut batch: Vec<usize> = (0..texts.len()).collect();
    let mut running = vec![true; texts.len()];
    loop {
        let mut logits = decoder.logits(&last)?;
        if !settings.avoid.is_empty() {
            let of_text =
                |&text: &usize| (&settings.avoid[text / settings.count], texts[text].last().copied());
            logits = penalise_rows(logits, &batch.iter().map(of_text).collect::<Vec<_>>())?;
        }
        let chosen = draws.draw(&logits, &batch)?;
        for (&text, &id) in batch.iter().zip(&chosen) {
            if running[text] {
                texts[text].push(id);
                running[text] = !settings.stop_ids.contains(&id) && texts[text].len() < settings.max_tokens;
            }
        }
        let left: Vec<usize> = (0..batch.len()).filter(|&at| running[batch[at]]).collect();
        if left.is_empty() || decoder.is_full() {
            return Ok(texts);
        }
        let mut next = chosen;
        if (batch.len() - left.len()) as f64 >= DROP_AT * batch.len() as f64 {
            decoder.keep(&left)?;
            next = left.iter().map(|&at| next[at]).collect();
            batch = left.iter().map(|&at| batch[at]).collect();
        }
        last = decoder.step(&next)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::Lora;
    use crate::models::LlamaConfig;
    use crate::{Device, Scope};

    const CONFIGS: [&str; 2] = [
        r#"{"model_type": "llama", "vocab_size": 200, "hidden_size": 16, "intermediate_size": 24,
            "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
            "max_position_embeddings": 96, "rms_norm_eps": 1e-5, "tie_word_embeddings": true}"#,
        r#"{"model_type": "qwen2", "vocab_size": 150, "hidden_size": 24, "intermediate_size": 32,
            "num_hidden_layers": 2, "num_attention_heads": 6, "num_key_value_heads": 2,
            "max_position_embeddings": 96, "rms_norm_eps": 1e-6}"#,
    ];

    /// Creates a model whose weights are large enough that its tokens depend on the prompt, with
    /// adapters that change it.
    fn model(config: &str) -> Llama {
        let config = LlamaConfig::from_json(config.as_bytes()).unwrap();
        let base = Scope::trainable(None, &Device::Cpu, 1);
        let mut model = Llama::new(&base, &config).unwrap();
        let adapters = Scope::trainable(None, &Device::Cpu, 2);
        model.add_lora(&adapters, &Lora { rank: 2, alpha: 4.0, dropout: 0.0 }, |_| true).unwrap();
        for (name, variable) in base.variables().into_iter().chain(adapters.variables()) {
            let mut random = crate::SplitMix::named(3, &name, &[]);
            let values: Vec<f32> =
                (0..variable.elem_count()).map(|_| random.normals()[0] as f32 * 0.4).collect();
            variable.set(&Tensor::from_vec(values, variable.shape(), &Device::Cpu).unwrap()).unwrap();
        }
        model
    }

    /// Returns the scores after a text, from the layers that have gradients.
    fn plain_logits(model: &Llama, text: &[u32]) -> Vec<f32> {
        let ids = Tensor::new(text, &Device::Cpu).unwrap().unsqueeze(0).unwrap();
        let hidden = model.forward(&ids).unwrap();
        let last = hidden.get(0).unwrap().narrow(0, text.len() - 1, 1).unwrap();
        model.logits(&last).unwrap().get(0).unwrap().to_vec1().unwrap()
    }

    fn prompts() -> Vec<Vec<u32>> {
        vec![vec![1, 2, 3, 4, 5], vec![7], vec![9, 8, 120, 3]]
    }

    #[test]
    fn scores_equal_those_of_the_layers_with_gradients() {
        for config in CONFIGS {
            let model = model(config);
            let texts = prompts();
            let (ids, padding) =
                left_padded(&model, &texts.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap();
            let (mut decoder, mut last) =
                BatchDecoder::begin(&model, &model.embed(&ids).unwrap(), &padding, 2, 50).unwrap();
            let mut texts: Vec<Vec<u32>> = texts.into_iter().flat_map(|text| [text.clone(), text]).collect();
            // More tokens than the positions that attention reads at once, and rows that end.
            for step in 0..45 {
                let logits: Vec<Vec<f32>> = decoder.logits(&last).unwrap().to_vec2().unwrap();
                for (text, found) in texts.iter().zip(&logits) {
                    let wanted = plain_logits(&model, text);
                    let far = found.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                    assert!(far < 1e-3, "step {step}: {far}");
                }
                if step == 20 {
                    decoder.keep(&[4, 1, 0]).unwrap();
                    texts = [4, 1, 0].map(|at| texts[at].clone()).to_vec();
                }
                let next: Vec<u32> = (0..texts.len()).map(|row| (step * 7 + row * 13) as u32 % 150).collect();
                texts.iter_mut().zip(&next).for_each(|(text, id)| text.push(*id));
                last = decoder.step(&next).unwrap();
            }
            assert!(decoder.step(&[1]).is_err(), "one token for three texts");
        }
    }

    #[test]
    fn a_batch_gives_the_same_tokens_as_one_text_at_a_time() {
        for config in CONFIGS {
            let model = model(config);
            let prompts = prompts();
            for (temperature, top_p) in [(0.0, None), (1.0, None), (1.3, Some(0.8))] {
                let settings = Rollout {
                    temperature,
                    top_p,
                    max_tokens: 40,
                    stop_ids: vec![17, 23],
                    ..Rollout::default()
                };
                let together = rollout(&model, &prompts, &Rollout { count: 3, ..settings.clone() }).unwrap();
                assert_eq!(together.len(), 9);
                // The first prompt has the same streams alone.
                let alone =
                    rollout(&model, &prompts[..1], &Rollout { count: 3, ..settings.clone() }).unwrap();
                assert_eq!(together[..3], alone);
                let single = rollout(&model, &prompts[..1], &settings).unwrap();
                assert_eq!(single[0], alone[0]);
                if temperature > 0.0 {
                    assert!(alone[0] != alone[1] && alone[1] != alone[2]);
                    continue;
                }
                for (text, prompt) in together.chunks(3).zip(&prompts) {
                    let mut all = prompt.clone();
                    for &id in &text[0] {
                        let scores = plain_logits(&model, &all);
                        let best =
                            (0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap();
                        assert_eq!(id as usize, best);
                        all.push(id);
                    }
                    assert!(text[0] == text[1] && text[1] == text[2]);
                }
            }
        }
    }

    #[test]
    fn avoided_tokens_are_not_drawn() {
        for config in CONFIGS {
            let model = model(config);
            let plain = Rollout { temperature: 0.0, max_tokens: 12, count: 2, ..Rollout::default() };
            let drawn = rollout(&model, &prompts(), &plain).unwrap();
            // The second prompt avoids the tokens that it would draw.
            let tokens = drawn[2].iter().copied().collect();
            let avoid = AvoidedTokens { tokens, penalty: 1e6, ..AvoidedTokens::default() };
            let nothing = AvoidedTokens::default;
            let settings = Rollout { avoid: vec![nothing(), avoid, nothing()], ..plain };
            let found = rollout(&model, &prompts(), &settings).unwrap();
            assert_eq!((&found[..2], &found[4..]), (&drawn[..2], &drawn[4..]));
            assert!(found[2].iter().all(|id| !drawn[2].contains(id)), "{:?}", found[2]);
            assert!(rollout(&model, &prompts()[..1], &settings).is_err(), "three lists for one prompt");
        }
    }

    #[test]
    fn continuations_end_at_the_context() {
        let model = model(CONFIGS[0]);
        let settings = Rollout { max_tokens: 500, ..Rollout::default() };
        let drawn = rollout(&model, &[vec![5; 90], vec![6; 10]], &settings).unwrap();
        // The last token is drawn after the 96th position was read.
        assert!(
            drawn.iter().all(|text| text.len() == 7),
            "{:?}",
            drawn.iter().map(Vec::len).collect::<Vec<_>>()
        );
        assert!(rollout(&model, &[vec![5; 97]], &settings).is_err());
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
