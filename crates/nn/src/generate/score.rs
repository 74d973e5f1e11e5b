//! Likelihoods of given texts.

use super::decoder::Decoder;
use super::prompts::{begin, check_ids, check_prompts};
use crate::Error;
use crate::cpu::exponentials;

/// The likelihood of a continuation.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The natural logarithm of the probability of each token, given all tokens before it.
    pub tokens: Vec<f32>,
    /// The sum: the logarithm of the probability of the continuation.
    pub total: f64,
}

/// Scores continuations of a prompt, which is read once.
///
/// ```
/// use inkveil_nn::models::{Llama, LlamaConfig};
/// use inkveil_nn::{Device, Scope, generate};
///
/// # let config = LlamaConfig::from_json(br#"{
/// #     "model_type": "llama", "vocab_size": 10, "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 1,
/// #     "num_attention_heads": 2, "max_position_embeddings": 32, "rms_norm_eps": 1e-5
/// # }"#)?;
/// let model = Llama::new(&Scope::trainable(None, &Device::Cpu, 1), &config)?;
/// let scores = generate::score(&model, &[1, 2], &[vec![3], vec![4, 5]])?;
/// assert_eq!(scores[1].tokens.len(), 2);
/// assert!(scores[1].total < 0.0);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub fn score<M: Decoder>(model: &M, prompt: &[u32], continuations: &[Vec<u32>]) -> Result<Vec<Score>, Error> {
    let vocabulary = model.config().vocabulary;
    check_ids(vocabulary, prompt)?;
    if prompt.is_empty() || continuations.iter().any(Vec::is_empty) {
        return Err(Error::argument("a prompt and its continuations need at least one token each"));
    }
    continuations.iter().try_for_each(|ids| check_ids(vocabulary, ids))?;
    if continuations.is_empty() {
        return Ok(Vec::new());
    }
    let (mut cache, first) = model.begin(&[prompt])?;
    let first = first.into_iter().next().unwrap_or_default();
    let mut tokens: Vec<Vec<f32>> =
        continuations.iter().map(|ids| vec![log_probability(&first, ids[0])]).collect();
    // The prediction after the last token of a continuation is not needed.
    let longer: Vec<usize> = (0..continuations.len()).filter(|&row| continuations[row].len() > 1).collect();
    if !longer.is_empty() {
        model.select(&mut cache, &vec![0; longer.len()])?;
        let texts: Vec<&[u32]> =
            longer.iter().map(|&row| &continuations[row][..continuations[row].len() - 1]).collect();
        model.extend_scoring(&texts, cache, &mut |text, token, logits| {
            let row = longer[text];
            tokens[row].push(log_probability(logits, continuations[row][token + 1]));
        })?;
    }
    let score =
        |tokens: Vec<f32>| Score { total: tokens.iter().map(|&token| f64::from(token)).sum(), tokens };
    Ok(tokens.into_iter().map(score).collect())
}

/// Returns the logarithm of a token's probability. The token must be in the vocabulary.
fn log_probability(logits: &[f32], id: u32) -> f32 {
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total = exponentials(&mut logits.to_vec(), highest, 1.0);
    (f64::from(logits[id as usize] - highest) - total.ln()) as f32
}

/// Returns the scores of all tokens as the next one after each prompt.
pub fn next_logits<M: Decoder>(model: &M, prompts: &[Vec<u32>]) -> Result<Vec<Vec<f32>>, Error> {
    let prompts: Vec<&[u32]> = prompts.iter().map(Vec::as_slice).collect();
    check_prompts(model, prompts.iter().copied())?;
    match prompts.is_empty() {
        true => Ok(Vec::new()),
        false => Ok(begin(model, &prompts)?.1),
    }
}
