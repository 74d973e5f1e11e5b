//! Log-likelihoods of continuations, with gradients.

use super::prompts::check_ids;
use crate::layers::log_softmax;
use crate::models::Llama;
use crate::{Error, Tensor};

/// A prompt and its continuation.
#[derive(Clone, Copy)]
pub struct Continuation<'a> {
    /// The tokens of the prompt.
    pub prompt: &'a [u32],
    /// The tokens of the continuation, at least one.
    pub tokens: &'a [u32],
}

/// Returns the log-probabilities of all tokens of all continuations, one after the other, in a
/// tensor of one dimension. They carry gradients to the trained parameters of the model.
///
/// Prompts and continuations are batched with padding on the right. The scores of the vocabulary
/// need most of the memory, so they are computed only where a token of a continuation is predicted.
///
/// ```
/// use inkveil_nn::generate::{Continuation, log_likelihoods};
/// # use inkveil_nn::models::{Llama, LlamaConfig};
/// # use inkveil_nn::{Device, Scope};
/// # let config = LlamaConfig::from_json(br#"{
/// #     "model_type": "llama", "vocab_size": 10, "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 1,
/// #     "num_attention_heads": 2, "max_position_embeddings": 32, "rms_norm_eps": 1e-5
/// # }"#)?;
/// # let model = Llama::new(&Scope::trainable(None, &Device::Cpu, 1), &config)?;
/// let rows = [Continuation { prompt: &[1, 2], tokens: &[3] }, Continuation { prompt: &[4], tokens: &[5, 6] }];
/// let found = log_likelihoods(&model, &rows)?.to_vec1::<f32>()?;
/// assert!(found.len() == 3 && found.iter().all(|x| *x < 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails if a prompt or continuation is empty, an id is outside the vocabulary, or a row is longer
/// than the model's context.
pub fn log_likelihoods(model: &Llama, rows: &[Continuation<'_>]) -> Result<Tensor, Error> {
    if rows.is_empty() || rows.iter().any(|row| row.prompt.is_empty() || row.tokens.is_empty()) {
        return Err(Error::argument("a prompt and its continuation need at least one token each"));
    }
    for row in rows {
        check_ids(model.config().vocabulary, row.prompt)?;
        check_ids(model.config().vocabulary, row.tokens)?;
    }
    // The prediction after the last token is not needed.
    let length = |row: &Continuation<'_>| row.prompt.len() + row.tokens.len() - 1;
    let longest = rows.iter().map(length).max().unwrap_or(0);
    let mut ids = Vec::with_capacity(rows.len() * longest);
    let (mut positions, mut targets): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    for (index, row) in rows.iter().enumerate() {
        ids.extend(row.prompt.iter().chain(&row.tokens[..row.tokens.len() - 1]));
        ids.resize((index + 1) * longest, 0);
        let first = index * longest + row.prompt.len() - 1;
        positions.extend((first..first + row.tokens.len()).map(|position| position as u32));
        targets.extend(row.tokens);
    }
    let device = model.device();
    let hidden = model.forward(&Tensor::from_vec(ids, (rows.len(), longest), device)?)?;
    let width = model.config().width;
    let hidden = hidden
        .reshape((rows.len() * longest, width))?
        .index_select(&Tensor::from_vec(positions, targets.len(), device)?, 0)?;
    let logits = model.logits(&hidden)?.to_dtype(crate::DType::F32)?;
    let targets = Tensor::from_vec(targets, (hidden.dim(0)?, 1), device)?;
    Ok(log_softmax(&logits)?.gather(&targets, 1)?.squeeze(1)?)
}
