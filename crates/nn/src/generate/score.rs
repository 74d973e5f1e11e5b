//! How likely a model finds given texts.

use super::{check_ids, padded};
use crate::layers::log_softmax;
use crate::models::Llama;
use crate::{DType, Error, Tensor};

/// How likely a continuation is.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The natural logarithm of the probability of each token, given all before it.
    pub tokens: Vec<f32>,
    /// Their sum: the logarithm of the probability of the continuation.
    pub total: f64,
}

/// How likely each of the continuations is after the prompt. The prompt is read once.
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
pub fn score(model: &Llama, prompt: &[u32], continuations: &[Vec<u32>]) -> Result<Vec<Score>, Error> {
    check_ids(model, prompt)?;
    if prompt.is_empty() || continuations.iter().any(Vec::is_empty) {
        return Err(Error::argument("a prompt and its continuations need at least one token each"));
    }
    continuations.iter().try_for_each(|ids| check_ids(model, ids))?;
    let Some(longest) = continuations.iter().map(Vec::len).max() else { return Ok(Vec::new()) };

    let mut cache = model.cache(vec![0]);
    let read = model.extend(&Tensor::new(prompt, model.device())?.unsqueeze(0)?, &mut cache)?;
    let last = read.narrow(1, prompt.len() - 1, 1)?;
    cache.select(&vec![0; continuations.len()])?;
    let mut hidden = last.repeat((continuations.len(), 1, 1))?;
    if longest > 1 {
        // The last token of a continuation predicts nothing that is asked for; what follows the shorter ones is not looked at.
        let rows = continuations.iter().flat_map(|ids| {
            let rest = longest - ids.len();
            ids[..ids.len() - 1].iter().copied().chain(std::iter::repeat_n(0, rest))
        });
        let ids = Tensor::from_iter(rows, model.device())?.reshape((continuations.len(), longest - 1))?;
        hidden = Tensor::cat(&[hidden, model.extend(&ids, &mut cache)?], 1)?;
    }
    // One at a time: a row of scores for every position of every continuation may not fit into memory.
    continuations.iter().enumerate().map(|(row, ids)| score_one(model, &hidden.get(row)?, ids)).collect()
}

fn score_one(model: &Llama, hidden: &Tensor, ids: &[u32]) -> Result<Score, Error> {
    let logits = model.logits(&hidden.narrow(0, 0, ids.len())?)?;
    let index = Tensor::new(ids, model.device())?.unsqueeze(1)?;
    let tokens =
        log_softmax(&logits)?.gather(&index, 1)?.squeeze(1)?.to_dtype(DType::F32)?.to_vec1::<f32>()?;
    let total = tokens.iter().map(|&token| f64::from(token)).sum();
    Ok(Score { tokens, total })
}

/// The scores of all tokens as the next one after each prompt.
pub fn next_logits(model: &Llama, prompts: &[Vec<u32>]) -> Result<Vec<Vec<f32>>, Error> {
    let Some((ids, padding)) = padded(model, prompts)? else { return Ok(Vec::new()) };
    let hidden = model.extend(&ids, &mut model.cache(padding))?;
    last_logits(model, &hidden)
}

/// The scores after the last position of each text.
pub(super) fn last_logits(model: &Llama, hidden: &Tensor) -> Result<Vec<Vec<f32>>, Error> {
    let (_, length, _) = hidden.dims3()?;
    let last = hidden.narrow(1, length - 1, 1)?.squeeze(1)?.contiguous()?;
    Ok(model.logits(&last)?.to_dtype(DType::F32)?.to_vec2()?)
}
