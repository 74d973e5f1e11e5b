//! Language models built like Llama: Llama, SmolLM2, Qwen 2 and 2.5.

mod batch_decoder;
mod cache;
mod config;
mod layer;

use std::path::Path;

pub(crate) use self::batch_decoder::BatchDecoder;
pub use self::cache::LlamaCache;
pub use self::config::LlamaConfig;
use self::layer::{LayerCache, LlamaLayer};
use crate::layers::{Linear, Lora, RmsNorm, Rope};
use crate::memory::check_memory;
use crate::params::WeightMatrix;
use crate::{DType, Device, Error, Init, Scope, Tensor, Weights};

/// A language model: computes the scores of the next token.
///
/// The same code trains (over a scope of variables, or with adapters) and infers (over quantised
/// weights).
///
/// ```
/// use inkveil_nn::models::{Llama, LlamaConfig};
/// use inkveil_nn::{Device, Scope, Tensor};
///
/// let config = LlamaConfig::from_json(br#"{
///     "model_type": "llama", "vocab_size": 10, "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 1,
///     "num_attention_heads": 2, "max_position_embeddings": 32, "rms_norm_eps": 1e-5, "tie_word_embeddings": true
/// }"#)?;
/// let model = Llama::new(&Scope::trainable(None, &Device::Cpu, 1), &config)?;
/// let ids = Tensor::new(&[[1u32, 2, 3]], &Device::Cpu)?;
/// let logits = model.logits(&model.forward(&ids)?)?;
/// assert_eq!(logits.dims(), [1, 3, 10]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Llama {
    config: LlamaConfig,
    /// The token table; it stays quantised in GGUF.
    table: WeightMatrix,
    layers: Vec<LlamaLayer>,
    norm: RmsNorm,
    /// The output matrix, or `None` if it is the token table.
    head: Option<Linear>,
    rope: Rope,
    device: Device,
    dtype: DType,
}

impl Llama {
    /// Opens the model in a GGUF file, or in a folder with `config.json` and safetensors, for
    /// inference.
    pub fn open(path: &Path, device: &Device) -> Result<Self, Error> {
        let weights = Weights::open(path)?;
        let config = match weights.metadata() {
            Some(_) => LlamaConfig::from_gguf(&weights)?,
            None => LlamaConfig::open(path)?,
        };
        check_memory("the model", weights.loaded_bytes(), device).map_err(|e| weights.with_path(e))?;
        Self::new(&Scope::frozen(&weights, device), &config)
    }

    /// Creates a model from parameters with Hugging Face's names.
    pub fn new(scope: &Scope, config: &LlamaConfig) -> Result<Self, Error> {
        let model = scope.enter("model");
        let table = [config.vocabulary, config.width];
        Ok(Llama {
            table: model.enter("embed_tokens").matrix("weight", &table, Init::Normal { std: 0.02 })?,
            layers: (0..config.layers)
                .map(|layer| LlamaLayer::new(&model.enter("layers").enter(layer), config))
                .collect::<Result<_, _>>()?,
            norm: RmsNorm::new(&model.enter("norm"), config.width, config.norm_eps)?,
            head: match config.tied {
                true => None,
                false => Some(Linear::new(&scope.enter("lm_head"), config.width, config.vocabulary, false)?),
            },
            rope: Rope::new(config.head_width, config.rope_base, config.rope_style, scope.device())?,
            device: scope.device().clone(),
            dtype: scope.dtype(),
            config: config.clone(),
        })
    }

    /// Returns its settings.
    pub fn config(&self) -> &LlamaConfig {
        &self.config
    }

    /// Returns its device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the last layer's vectors, of shape (batch, length, width), for ids of shape (batch,
    /// length). Texts are aligned at the left; padding at the right does not affect the tokens
    /// before it.
    pub fn forward(&self, ids: &Tensor) -> Result<Tensor, Error> {
        self.forward_rows(&self.embed(ids)?)
    }

    /// Returns the rows of the token table for ids of shape (batch, length), which are the input of
    /// the first layer.
    pub fn embed(&self, ids: &Tensor) -> Result<Tensor, Error> {
        let ids = ids.to_dtype(DType::U32)?;
        match &self.table {
            WeightMatrix::Quantised(table) => Ok(table.embedding(&ids)?),
            WeightMatrix::Plain(table) => {
                let (batch, length) = ids.dims2()?;
                let rows = table.index_select(&ids.flatten_all()?.contiguous()?, 0)?;
                Ok(rows.reshape((batch, length, self.config.width))?)
            }
        }
    }

    /// Like [`forward`](Self::forward), but for rows of shape (batch, length, width) that need not
    /// belong to tokens. So a model can receive vectors in place of words.
    ///
    /// ```
    /// # use inkveil_nn::models::{Llama, LlamaConfig};
    /// # use inkveil_nn::{Device, Scope, Tensor};
    /// # let config = LlamaConfig::from_json(br#"{
    /// #     "model_type": "llama", "vocab_size": 10, "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 1,
    /// #     "num_attention_heads": 2, "max_position_embeddings": 32, "rms_norm_eps": 1e-5, "tie_word_embeddings": true
    /// # }"#)?;
    /// # let model = Llama::new(&Scope::trainable(None, &Device::Cpu, 1), &config)?;
    /// let vector = Tensor::new(&[[[0.5f32, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]], &Device::Cpu)?;
    /// let words = model.embed(&Tensor::new(&[[1u32, 2]], &Device::Cpu)?)?;
    /// assert_eq!(model.forward_rows(&Tensor::cat(&[vector, words], 1)?)?.dims(), [1, 3, 8]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn forward_rows(&self, rows: &Tensor) -> Result<Tensor, Error> {
        self.run(rows, 0, &[0], None)
    }

    /// Creates an empty cache for texts with these numbers of padding positions at the start.
    pub fn cache(&self, padding: Vec<usize>) -> LlamaCache {
        LlamaCache::new(self.layers.len(), padding)
    }

    /// Reads more tokens: returns the last layer's vectors of the new tokens and adds their keys
    /// and values to the cache.
    ///
    /// ```
    /// # use inkveil_nn::models::{Llama, LlamaConfig};
    /// # use inkveil_nn::{Device, Scope, Tensor};
    /// # let config = LlamaConfig::from_json(br#"{
    /// #     "model_type": "llama", "vocab_size": 10, "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 1,
    /// #     "num_attention_heads": 2, "max_position_embeddings": 32, "rms_norm_eps": 1e-5, "tie_word_embeddings": true
    /// # }"#)?;
    /// # let model = Llama::new(&Scope::trainable(None, &Device::Cpu, 1), &config)?;
    /// let mut cache = model.cache(vec![0, 1]); // two texts; the second begins with one position of padding
    /// model.extend(&Tensor::new(&[[1u32, 2, 3], [0, 4, 5]], &Device::Cpu)?, &mut cache)?;
    /// let next = model.extend(&Tensor::new(&[[6u32], [7]], &Device::Cpu)?, &mut cache)?;
    /// assert_eq!((next.dims(), cache.length()), ([2, 1, 8].as_slice(), 4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn extend(&self, ids: &Tensor, cache: &mut LlamaCache) -> Result<Tensor, Error> {
        self.extend_rows(&self.embed(ids)?, cache)
    }

    /// Like [`extend`](Self::extend), but for rows that need not belong to tokens.
    pub fn extend_rows(&self, rows: &Tensor, cache: &mut LlamaCache) -> Result<Tensor, Error> {
        let (batch, length, _) = rows.dims3()?;
        if batch != cache.batch() {
            return Err(Error::argument(format!("{batch} texts do not match a cache for {}", cache.batch())));
        }
        let (past, padding) = (cache.length, cache.padding.clone());
        let y = self.run(rows, past, &padding, Some(&mut cache.layers))?;
        cache.length += length;
        Ok(y)
    }

    /// Returns the scores of all tokens as the next one, for the output of
    /// [`forward`](Self::forward) or [`extend`](Self::extend).
    pub fn logits(&self, hidden: &Tensor) -> Result<Tensor, Error> {
        if let Some(head) = &self.head {
            return head.forward(hidden);
        }
        let mut shape = hidden.dims().to_vec();
        let rows = hidden.elem_count() / self.config.width;
        let y = self.table.product(&hidden.reshape((rows, self.config.width))?)?;
        if let Some(last) = shape.last_mut() {
            *last = self.config.vocabulary;
        }
        Ok(y.reshape(shape)?)
    }

    /// Adds a low-rank adapter to every matrix of the layers whose name passes, such as
    /// `model.layers.0.self_attn.q_proj`. The variables of the adapters are in `scope` under the
    /// same names. Returns the number of adapters.
    pub fn add_lora(
        &mut self,
        scope: &Scope,
        lora: &Lora,
        passes: impl Fn(&str) -> bool,
    ) -> Result<usize, Error> {
        super::add_adapters(self.linears(), scope, lora, passes)
    }

    /// Merges all adapters into their matrices; quantised ones are dequantised.
    pub fn merge_lora(&mut self) -> Result<(), Error> {
        self.linears().try_for_each(|(_, linear)| linear.merge_lora())
    }

    fn linears(&mut self) -> impl Iterator<Item = (String, &mut Linear)> {
        self.layers.iter_mut().enumerate().flat_map(|(index, layer)| {
            layer.linears().map(move |(name, linear)| (format!("model.layers.{index}.{name}"), linear))
        })
    }

    /// Returns a copy for inference, with merged adapters and without gradients. It shares what
    /// the adapters do not change.
    fn for_inference(&self) -> Result<Self, Error> {
        Ok(Llama {
            config: self.config.clone(),
            table: self.table.clone(),
            layers: self.layers.iter().map(LlamaLayer::for_inference).collect::<Result<_, _>>()?,
            norm: self.norm.clone(),
            head: self.head.as_ref().map(Linear::for_inference).transpose()?,
            rope: self.rope.clone(),
            device: self.device.clone(),
            dtype: self.dtype,
        })
    }

    /// Checks rows that make their texts `total` positions long.
    fn check_length(&self, rows: &Tensor, total: usize) -> Result<(), Error> {
        let (_, length, width) = rows.dims3()?;
        if width != self.config.width {
            return Err(Error::argument(format!(
                "the model needs rows of {} numbers, not {width}",
                self.config.width
            )));
        }
        if length == 0 || total > self.config.context {
            let most = self.config.context;
            return Err(Error::argument(format!(
                "a text of {total} tokens does not fit the model; use 1 to {most} tokens"
            )));
        }
        Ok(())
    }

    fn run(
        &self,
        rows: &Tensor,
        past: usize,
        padding: &[usize],
        mut kept: Option<&mut Vec<LayerCache>>,
    ) -> Result<Tensor, Error> {
        let length = rows.dim(1)?;
        self.check_length(rows, past + length)?;
        let angles = self.rope.angles(&cache::positions(past, length, padding), self.dtype)?;
        let mask = cache::mask(past, length, padding, self.dtype, &self.device)?;
        let mut x = rows.to_dtype(self.dtype)?;
        for (index, layer) in self.layers.iter().enumerate() {
            let past = kept.as_mut().map(|kept| &mut kept[index]);
            x = layer.forward(&x, &angles, mask.as_ref(), past)?;
        }
        self.norm.forward(&x)
    }
}
