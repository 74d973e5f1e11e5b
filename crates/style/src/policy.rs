//! A language model with adapters: a frozen base, and adapters that may learn.

use std::fmt;
use std::path::Path;

use inkveil_chat::AvoidedWords;
use inkveil_nn::generate::{AvoidedTokens, Continuation, Rollout, log_likelihoods, rollout};
use inkveil_nn::layers::Lora;
use inkveil_nn::models::{Llama, LlamaConfig};
use inkveil_nn::{
    ChatTemplate, DType, Device, Message, Scope, Tensor, Tokenizer, Var, Weights, open_adapters,
    save_adapters,
};

use crate::rewrite::{Draft, DraftRequest, DraftSettings, DraftWriter};
use crate::{Error, ErrorKind};

/// The number of drafts that a GPU writes at once. More would fill its memory.
const ROWS: usize = 768;
/// The number of requests that are answered at once on a GPU.
const BATCH: usize = 512;

/// A language model with adapters, trained or fixed.
pub struct Policy {
    model: Llama,
    tokenizer: Tokenizer,
    template: ChatTemplate,
    stop: u32,
    adapters: Option<Scope>,
}

/// Which part of a policy learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learning {
    /// Nothing. The policy writes, or others are compared with it.
    Nothing,
    /// Adapters of this rank, in every matrix of every layer.
    Adapters {
        /// The rank.
        rank: usize,
        /// The seed of new adapters.
        seed: u64,
    },
}

impl Policy {
    /// Opens a model in a folder or a GGUF file, with adapters from a file if one is given. On a GPU the base is computed in
    /// 16 bits.
    ///
    /// # Errors
    /// If the model or the adapters cannot be read, do not belong together, or do not fit into memory.
    pub fn open(
        path: &Path,
        adapters: Option<&Path>,
        learning: Learning,
        device: &Device,
    ) -> Result<Self, Error> {
        let weights = Weights::open(path)?;
        let config = LlamaConfig::open(path)?;
        let tokenizer = Tokenizer::open(path)?;
        tokenizer.check_rows(config.vocabulary)?;
        let template = if config.bias { ChatTemplate::Qwen2 } else { ChatTemplate::SmolLm2 };
        let stop = template.stop_id(&tokenizer)?;
        let dtype = if device.is_cpu() { DType::F32 } else { DType::BF16 };
        let mut model = Llama::new(&Scope::frozen(&weights, device).with_dtype(dtype), &config)?;
        let stored = adapters.map(open_adapters).transpose()?;
        let scope = match (learning, &stored) {
            (Learning::Adapters { seed, .. }, stored) => {
                Some(Scope::trainable(stored.as_ref(), device, seed))
            }
            (Learning::Nothing, Some(stored)) => Some(Scope::frozen(stored, device)),
            (Learning::Nothing, None) => None,
        };
        if let Some(scope) = &scope {
            let rank = match (&stored, learning) {
                (Some(stored), _) => rank_of(stored)
                    .ok_or_else(|| Error::file(adapters.unwrap_or(path), "it contains no adapters"))?,
                (None, Learning::Adapters { rank, .. }) => rank,
                (None, Learning::Nothing) => 0,
            };
            model.add_lora(scope, &Lora { rank, alpha: rank as f64, dropout: 0.0 }, |_| true)?;
        }
        let adapters = scope.filter(|_| learning != Learning::Nothing);
        Ok(Self { model, tokenizer, template, stop, adapters })
    }

    /// Returns the variables that learn.
    pub fn variables(&self) -> Vec<(String, Var)> {
        self.adapters.as_ref().map(Scope::variables).unwrap_or_default()
    }

    /// Returns the tokens of a conversation, up to where the model's answer starts.
    ///
    /// # Errors
    /// If the tokenizer fails.
    pub fn prompt(&self, messages: &[Message]) -> Result<Vec<u32>, Error> {
        Ok(self.template.encode(&self.tokenizer, messages)?)
    }

    /// Returns the tokens of an answer, with the one that ends it.
    ///
    /// # Errors
    /// If the tokenizer fails.
    pub fn answer(&self, text: &str) -> Result<Vec<u32>, Error> {
        let mut ids = self.tokenizer.encode(text, false)?.ids;
        ids.push(self.stop);
        Ok(ids)
    }

    /// Returns the text of an answer, and whether it was cut.
    ///
    /// # Errors
    /// If the tokenizer fails.
    pub fn text(&self, ids: &[u32]) -> Result<Draft, Error> {
        let specials = self.tokenizer.special_ids();
        let end = ids.iter().position(|id| specials.contains(id));
        let text = self.tokenizer.decode(&ids[..end.unwrap_or(ids.len())])?;
        Ok(Draft { text: text.trim().to_owned(), cut: end.is_none() })
    }

    /// Samples answers as tokens: those of the first prompt, then those of the second.
    ///
    /// # Errors
    /// If the model fails.
    pub fn sample(
        &self,
        prompts: &[Vec<u32>],
        settings: &DraftSettings,
        seed: u64,
    ) -> Result<Vec<Vec<u32>>, Error> {
        self.sample_avoiding(prompts, Vec::new(), settings, seed)
    }

    /// Like [`sample`](Self::sample), but each prompt has tokens that its answers rather do not contain, or none has.
    fn sample_avoiding(
        &self,
        prompts: &[Vec<u32>],
        avoid: Vec<AvoidedTokens>,
        settings: &DraftSettings,
        seed: u64,
    ) -> Result<Vec<Vec<u32>>, Error> {
        let settings = Rollout {
            count: settings.count,
            temperature: settings.temperature,
            top_p: Some(settings.top_p),
            max_tokens: settings.max_tokens,
            stop_ids: self.tokenizer.special_ids().to_vec(),
            seed,
            avoid,
        };
        Ok(rollout(&self.model, prompts, &settings)?)
    }

    /// Returns the log-probabilities of the tokens of answers, one answer after the other.
    ///
    /// # Errors
    /// If the model fails.
    pub fn log_likelihoods(&self, rows: &[Continuation<'_>]) -> Result<Tensor, Error> {
        Ok(log_likelihoods(&self.model, rows)?)
    }

    /// Returns how many tokens it can read.
    pub fn context(&self) -> usize {
        self.model.config().context
    }

    /// Writes the adapters to a file, in 8 bits.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, out: &Path) -> Result<(), Error> {
        save_adapters(out, &self.variables())?;
        Ok(())
    }
}

impl DraftWriter for Policy {
    /// The requests of a batch share one stream of random numbers, so a draft depends on the other requests of the call.
    fn write(
        &self,
        requests: &[DraftRequest],
        settings: &DraftSettings,
        progress: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<Vec<Draft>>, Error> {
        let mut all = Vec::with_capacity(requests.len());
        for batch in requests.chunks((ROWS / settings.count.max(1)).max(1)) {
            if !progress(all.len()) {
                return Err(ErrorKind::Stopped.into());
            }
            let prompts: Vec<Vec<u32>> =
                batch.iter().map(|request| self.prompt(&request.messages)).collect::<Result<_, _>>()?;
            let longest = batch.iter().map(|request| request.max_tokens).max().unwrap_or(0);
            let seed = batch.first().map_or(0, |request| request.seed);
            let avoided = |request: &DraftRequest| {
                AvoidedWords { penalty: settings.avoid, ..request.avoid.clone() }.tokens(&self.tokenizer)
            };
            let avoid = batch.iter().map(avoided).collect::<Result<_, _>>()?;
            let settings = DraftSettings { max_tokens: longest, ..*settings };
            let sampled = self.sample_avoiding(&prompts, avoid, &settings, seed)?;
            for (request, answers) in batch.iter().zip(sampled.chunks(settings.count)) {
                // A longer request in the batch must not give this one more room.
                let own = |ids: &Vec<u32>| self.text(&ids[..ids.len().min(request.max_tokens)]);
                all.push(answers.iter().map(own).collect::<Result<Vec<_>, _>>()?);
            }
        }
        progress(all.len());
        Ok(all)
    }

    fn batch(&self) -> usize {
        if self.model.device().is_cpu() { 1 } else { BATCH }
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Policy({:?}, {} variables)", self.template, self.variables().len())
    }
}

/// Returns the rank of adapters in a file.
fn rank_of(adapters: &Weights) -> Option<usize> {
    let name = adapters.names().find(|name| name.ends_with(".lora_A.weight"))?;
    adapters.shape(name)?.first().copied()
}
