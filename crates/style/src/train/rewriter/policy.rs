//! The language model in training: a frozen base, adapters that learn.

use std::fmt;
use std::path::Path;

use inkveil_nn::generate::{Continuation, Rollout, log_likelihoods, rollout};
use inkveil_nn::layers::Lora;
use inkveil_nn::models::{Llama, LlamaConfig};
use inkveil_nn::{
    ChatTemplate, DType, Device, Message, Scope, Tensor, Tokenizer, Var, Weights, open_adapters,
    save_adapters,
};

use crate::{Draw, Error, Writer, Written};

/// Texts that are written at once on a GPU; more than this fill its memory.
const ROWS: usize = 768;

/// A language model with adapters, trained or fixed.
pub struct Policy {
    model: Llama,
    tokenizer: Tokenizer,
    template: ChatTemplate,
    stop: u32,
    adapters: Option<Scope>,
}

/// What of a policy learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learning {
    /// Nothing: it writes, or others are compared with it.
    Nothing,
    /// Adapters of this rank, in every matrix of every layer.
    Adapters {
        /// The rank.
        rank: usize,
        /// What fresh adapters begin from.
        seed: u64,
    },
}

impl Policy {
    /// Opens a model in a folder or a GGUF file, with adapters from a file if there is one. On a GPU the base is computed in 16 bits.
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
                    .ok_or_else(|| Error::file(adapters.unwrap_or(path), "there are no adapters in it"))?,
                (None, Learning::Adapters { rank, .. }) => rank,
                (None, Learning::Nothing) => 0,
            };
            model.add_lora(scope, &Lora { rank, alpha: rank as f64, dropout: 0.0 }, |_| true)?;
        }
        let adapters = scope.filter(|_| learning != Learning::Nothing);
        Ok(Self { model, tokenizer, template, stop, adapters })
    }

    /// The variables that learn.
    pub fn variables(&self) -> Vec<(String, Var)> {
        self.adapters.as_ref().map(Scope::variables).unwrap_or_default()
    }

    /// The tokens of a conversation, up to where the model begins to speak.
    ///
    /// # Errors
    /// If the tokenizer fails.
    pub fn prompt(&self, messages: &[Message]) -> Result<Vec<u32>, Error> {
        Ok(self.template.encode(&self.tokenizer, messages)?)
    }

    /// The tokens of an answer, with the one that ends it.
    ///
    /// # Errors
    /// If the tokenizer fails.
    pub fn answer(&self, text: &str) -> Result<Vec<u32>, Error> {
        let mut ids = self.tokenizer.encode(text, false)?.ids;
        ids.push(self.stop);
        Ok(ids)
    }

    /// The text of an answer, and whether it was cut.
    ///
    /// # Errors
    /// If the tokenizer fails.
    pub fn text(&self, ids: &[u32]) -> Result<Written, Error> {
        let specials = self.tokenizer.special_ids();
        let end = ids.iter().position(|id| specials.contains(id));
        let text = self.tokenizer.decode(&ids[..end.unwrap_or(ids.len())])?;
        Ok(Written { text: text.trim().to_owned(), cut: end.is_none() })
    }

    /// Draws answers, as tokens: those of the first prompt, then those of the second.
    ///
    /// # Errors
    /// If the model fails.
    pub fn draw(&self, prompts: &[Vec<u32>], draw: &Draw) -> Result<Vec<Vec<u32>>, Error> {
        let settings = Rollout {
            count: draw.count,
            temperature: draw.temperature,
            top_p: Some(draw.top_p),
            max_tokens: draw.max_tokens,
            stop_ids: self.tokenizer.special_ids().to_vec(),
            seed: draw.seed,
        };
        Ok(rollout(&self.model, prompts, &settings)?)
    }

    /// The log-probabilities of the tokens of answers, one after the other.
    ///
    /// # Errors
    /// If the model fails.
    pub fn log_likelihoods(&self, rows: &[Continuation<'_>]) -> Result<Tensor, Error> {
        Ok(log_likelihoods(&self.model, rows)?)
    }

    /// How many tokens it can read.
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

impl Writer for Policy {
    fn write(
        &self,
        prompts: &[Vec<Message>],
        draw: &Draw,
        report: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<Vec<Written>>, Error> {
        let prompts: Vec<Vec<u32>> =
            prompts.iter().map(|messages| self.prompt(messages)).collect::<Result<_, _>>()?;
        let mut all = Vec::with_capacity(prompts.len());
        for (number, batch) in prompts.chunks((ROWS / draw.count.max(1)).max(1)).enumerate() {
            if !report(all.len()) {
                return Err(crate::ErrorKind::Stopped.into());
            }
            let draw = Draw { seed: draw.seed.wrapping_add(number as u64), ..*draw };
            let drawn = self.draw(batch, &draw)?;
            for answers in drawn.chunks(draw.count) {
                all.push(answers.iter().map(|ids| self.text(ids)).collect::<Result<Vec<_>, _>>()?);
            }
        }
        report(all.len());
        Ok(all)
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Policy({:?}, {} variables)", self.template, self.variables().len())
    }
}

/// The rank of adapters in a file.
fn rank_of(adapters: &Weights) -> Option<usize> {
    let name = adapters.names().find(|name| name.ends_with(".lora_A.weight"))?;
    adapters.shape(name)?.first().copied()
}
