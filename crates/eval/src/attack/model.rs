//! The language model of an attacker.

use inkveil_nn::cpu::PackedLlama;
use inkveil_nn::generate::{Continuation, Score, log_likelihoods, score};
use inkveil_nn::models::{Llama, LlamaConfig};
use inkveil_nn::{DType, Scope, Tokenizer, Weights};

use super::inversion::BaseModel;
use super::token::ContinuationQuery;
use crate::Error;

/// The number of continuations that a GPU scores at once.
const TOGETHER: usize = 256;

/// A language model that scores continuations of texts.
///
/// ```no_run
/// use inkveil_eval::attack::{BaseModel, ContinuationQuery, LanguageModel};
/// use inkveil_nn::Device;
///
/// let model = LanguageModel::open(&BaseModel { path: "packs/smollm2".into(), device: Device::Cpu })?;
/// let after = vec![" Paris".to_owned(), " piano".to_owned()];
/// let scores = model.scores(&[ContinuationQuery { before: "The capital of France is".to_owned(), after }])?;
/// assert!(scores[0][0] > scores[0][1]);
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
pub struct LanguageModel {
    model: Model,
    tokenizer: Tokenizer,
    /// The token before every text.
    begin: u32,
}

enum Model {
    /// Packed for this processor.
    Packed(PackedLlama),
    /// On a GPU.
    Any(Llama),
}

impl LanguageModel {
    /// Opens a model.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn open(base: &BaseModel) -> Result<Self, Error> {
        let tokenizer = Tokenizer::open(&base.path)?;
        let begin = *tokenizer.special_ids().first().ok_or_else(|| {
            Error::argument("the model has no token for the beginning of a text; use another model")
        })?;
        let model = match base.device.is_cpu() {
            true => Model::Packed(PackedLlama::open(&base.path)?),
            false => {
                let scope = Scope::frozen(&Weights::open(&base.path)?, &base.device).with_dtype(DType::BF16);
                Model::Any(Llama::new(&scope, &LlamaConfig::open(&base.path)?)?)
            }
        };
        Ok(Self { model, tokenizer, begin })
    }

    /// Returns the natural logarithm of the probability of each continuation of each beginning. If
    /// they are longer than the context of the model, the end of the beginning and the start of the
    /// continuation count.
    ///
    /// # Errors
    /// If a continuation is empty.
    pub fn scores(&self, texts: &[ContinuationQuery]) -> Result<Vec<Vec<f64>>, Error> {
        let half = self.context() / 2;
        let ids = |text: &str| Ok::<_, Error>(self.tokenizer.encode(text, false)?.ids);
        let mut read = Vec::with_capacity(texts.len());
        for ContinuationQuery { before, after } in texts {
            let before = ids(before)?;
            let mut prompt = vec![self.begin];
            prompt.extend(&before[(before.len() + 1).saturating_sub(half)..]);
            let mut continuations = after.iter().map(|text| ids(text)).collect::<Result<Vec<_>, Error>>()?;
            continuations.iter_mut().for_each(|ids| ids.truncate(half));
            read.push((prompt, continuations));
        }
        match &self.model {
            Model::Packed(model) => {
                let each = |(prompt, after): &(Vec<u32>, Vec<Vec<u32>>)| {
                    let totals = |scores: Vec<Score>| scores.iter().map(|score| score.total).collect();
                    Ok(score(model, prompt, after).map(totals)?)
                };
                read.iter().map(each).collect()
            }
            Model::Any(model) => on_gpu(model, &read),
        }
    }

    /// The length of the context, in tokens.
    fn context(&self) -> usize {
        match &self.model {
            Model::Packed(model) => model.config().context,
            Model::Any(model) => model.config().context,
        }
    }
}

/// Scores many texts at once, which a GPU needs to be busy.
fn on_gpu(model: &Llama, texts: &[(Vec<u32>, Vec<Vec<u32>>)]) -> Result<Vec<Vec<f64>>, Error> {
    let rows: Vec<Continuation<'_>> = texts
        .iter()
        .flat_map(|(prompt, after)| after.iter().map(move |tokens| Continuation { prompt, tokens }))
        .collect();
    let mut totals = Vec::with_capacity(rows.len());
    for some in rows.chunks(TOGETHER) {
        let found: Vec<f32> = log_likelihoods(model, some)?.to_vec1().map_err(inkveil_nn::Error::from)?;
        let mut rest = found.as_slice();
        for row in some {
            let (own, others) = rest.split_at(row.tokens.len());
            totals.push(own.iter().map(|log| f64::from(*log)).sum());
            rest = others;
        }
    }
    let mut totals = totals.into_iter();
    Ok(texts.iter().map(|(_, after)| totals.by_ref().take(after.len()).collect()).collect())
}

#[cfg(test)]
mod tests {
    use inkveil_nn::Device;

    use super::*;

    #[test]
    fn cpu_and_gpu_scores_agree() {
        let config = LlamaConfig::from_json(
            br#"{"model_type": "llama", "vocab_size": 10, "hidden_size": 8, "intermediate_size": 16,
                 "num_hidden_layers": 2, "num_attention_heads": 2, "max_position_embeddings": 32,
                 "rms_norm_eps": 1e-5, "tie_word_embeddings": true}"#,
        )
        .unwrap();
        let model = Llama::new(&Scope::trainable(None, &Device::Cpu, 1), &config).unwrap();
        let texts = [(vec![1, 2, 3], vec![vec![4], vec![5, 6, 7]]), (vec![1], vec![vec![9, 8]])];
        let together = on_gpu(&model, &texts).unwrap();
        assert_eq!(together.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
        for ((prompt, after), found) in texts.iter().zip(together) {
            for (one, found) in score(&model, prompt, after).unwrap().iter().zip(found) {
                assert!((one.total - found).abs() < 1e-4, "{} {found}", one.total);
            }
        }
    }
}
