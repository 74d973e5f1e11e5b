//! The encoder of T5: the norm before each sublayer, no biases, and a learned bias for the distance
//! of two tokens.

use super::batch::TokenBatch;
use super::config_file::{ConfigFile, wrong};
use super::limits::{MAX_LAYERS, MAX_VOCABULARY, MAX_WIDTH};
use super::position::RelativeBias;
use super::self_attention::SelfAttention;
use crate::layers::{Activation, Dropout, Embedding, Linear, RmsNorm, padding_mask};
use crate::{Error, Scope, Tensor};

/// The settings of a [`T5`] encoder.
///
/// ```
/// use inkveil_nn::models::{T5, T5Config, TokenBatch};
/// use inkveil_nn::{Device, Scope};
///
/// let config = T5Config { layers: 1, width: 8, heads: 2, head_width: 4, inner: 16, vocabulary: 50, ..T5Config::default() };
/// let model = T5::new(&Scope::trainable(None, &Device::Cpu, 7), &config)?;
/// let states = model.hidden_states(&TokenBatch::new(&[[1, 2, 3]], 0)?)?;
/// assert_eq!(states.dims(), [1, 3, 8]);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct T5Config {
    /// The number of tokens in the vocabulary.
    pub vocabulary: usize,
    /// The dimension of its hidden states.
    pub width: usize,
    /// The number of layers.
    pub layers: usize,
    /// The number of attention heads.
    pub heads: usize,
    /// The dimension of each head. All heads together need not have the width of the states.
    pub head_width: usize,
    /// The dimension inside the feed-forward sublayer.
    pub inner: usize,
    /// The number of distance buckets.
    pub buckets: usize,
    /// The largest distance that is distinguished.
    pub max_distance: usize,
    /// The norms' eps.
    pub eps: f64,
    /// The activation of the feed-forward sublayer.
    pub activation: Activation,
    /// Whether a second map gates the first, as in version 1.1 and later.
    pub gated: bool,
    /// The dropout rate in training.
    pub dropout: f64,
}

impl Default for T5Config {
    /// The settings of T5 base, version 1.0.
    fn default() -> Self {
        T5Config {
            vocabulary: 32_128,
            width: 768,
            layers: 12,
            heads: 12,
            head_width: 64,
            inner: 3072,
            buckets: 32,
            max_distance: 128,
            eps: 1e-6,
            activation: Activation::Relu,
            gated: false,
            dropout: 0.1,
        }
    }
}

impl T5Config {
    pub(super) fn read(settings: &ConfigFile) -> Result<Self, Error> {
        let (activation, gated) = match settings.text_or("feed_forward_proj", "relu")? {
            // The name says gelu, but the models were trained with the approximation.
            "gated-gelu" => (Activation::GeluTanh, true),
            other => match other.strip_prefix("gated-") {
                Some(name) => (Activation::from_config("feed_forward_proj", name)?, true),
                None => (Activation::from_config("feed_forward_proj", other)?, false),
            },
        };
        let config = T5Config {
            vocabulary: settings.size("vocab_size", 1..=MAX_VOCABULARY)?,
            width: settings.size("d_model", 1..=MAX_WIDTH)?,
            layers: settings.size("num_layers", 1..=MAX_LAYERS)?,
            heads: settings.size("num_heads", 1..=MAX_WIDTH)?,
            head_width: settings.size("d_kv", 1..=MAX_WIDTH)?,
            inner: settings.size("d_ff", 1..=MAX_WIDTH)?,
            buckets: settings.size_or("relative_attention_num_buckets", 4..=MAX_WIDTH, 32)?,
            max_distance: settings.size_or("relative_attention_max_distance", 2..=MAX_VOCABULARY, 128)?,
            eps: settings.number_or("layer_norm_epsilon", 0.0..=1.0, 1e-6)?,
            activation,
            gated,
            dropout: settings.number_or("dropout_rate", 0.0..=0.99, 0.1)?,
        };
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), Error> {
        if self.max_distance <= self.buckets / 4 {
            let what = format!("must be above a quarter of the {} buckets", self.buckets);
            return Err(wrong("relative_attention_max_distance", what));
        }
        Ok(())
    }
}

/// T5's encoder, as sentence-T5 and GTR use it.
pub struct T5 {
    words: Embedding,
    bias: RelativeBias,
    layers: Vec<T5Layer>,
    norm: RmsNorm,
    dropout: Dropout,
    final_dropout: Dropout,
    config: T5Config,
}

struct T5Layer {
    attention_norm: RmsNorm,
    attention: SelfAttention,
    norm: RmsNorm,
    widen: Linear,
    gate: Option<Linear>,
    narrow: Linear,
    attention_dropout: Dropout,
    inner_dropout: Dropout,
    dropout: Dropout,
    activation: Activation,
}

impl T5 {
    /// Takes the parameters under their names in Hugging Face's files.
    pub fn new(scope: &Scope, config: &T5Config) -> Result<Self, Error> {
        config.check()?;
        let encoder = scope.enter("encoder");
        // Files contain the table under one name or both, and some only under this one.
        let only_in_encoder = !scope.has("shared.weight") && scope.has("encoder.embed_tokens.weight");
        let words = if only_in_encoder { encoder.enter("embed_tokens") } else { scope.enter("shared") };
        let blocks = encoder.enter("block");
        let bias = blocks.enter("0.layer.0.SelfAttention.relative_attention_bias");
        let layers = (0..config.layers).map(|n| T5Layer::new(&blocks.enter(n).enter("layer"), config));
        Ok(T5 {
            words: Embedding::new(&words, config.vocabulary, config.width)?,
            bias: RelativeBias::new(&bias, config.buckets, config.max_distance, config.heads)?,
            layers: layers.collect::<Result<_, _>>()?,
            norm: RmsNorm::new(&encoder.enter("final_layer_norm"), config.width, config.eps)?,
            dropout: Dropout::new(&encoder.enter("dropout"), config.dropout)?,
            final_dropout: Dropout::new(&encoder.enter("final_dropout"), config.dropout)?,
            config: config.clone(),
        })
    }

    /// Returns the settings.
    pub fn config(&self) -> &T5Config {
        &self.config
    }

    /// Returns the table of token vectors, of shape (vocabulary, width).
    pub fn table(&self) -> &Tensor {
        self.words.table()
    }

    /// Returns the input of the first layer, of shape (rows, length, width).
    pub fn embed(&self, batch: &TokenBatch) -> Result<Tensor, Error> {
        let ids = batch.ids(self.config.vocabulary, None, self.words.table().device())?;
        self.dropout.forward(&self.words.forward(&ids)?)
    }

    /// Returns the encoder's states for the output of [`embed`](T5::embed), of shape (rows, length,
    /// width).
    pub fn encode(&self, embedded: &Tensor, batch: &TokenBatch) -> Result<Tensor, Error> {
        let padding = padding_mask(&batch.keep_tensor(embedded.device())?, embedded.dtype())?;
        let mask = self.bias.forward(batch.length())?.broadcast_add(&padding)?;
        let mut states = embedded.clone();
        for layer in &self.layers {
            states = layer.forward(&states, &mask)?;
        }
        self.final_dropout.forward(&self.norm.forward(&states)?)
    }

    /// Returns the encoder's states, of shape (rows, length, width). The states of padding are
    /// meaningless.
    pub fn hidden_states(&self, batch: &TokenBatch) -> Result<Tensor, Error> {
        self.encode(&self.embed(batch)?, batch)
    }

    /// Returns the linear maps and their names, without prefix.
    pub(super) fn linears(&mut self) -> Vec<(String, &mut Linear)> {
        let layers = self.layers.iter_mut().enumerate();
        layers.flat_map(|(n, layer)| layer.linears(n)).collect()
    }
}

const ATTENTION: &str = "0.SelfAttention";
const FEED_FORWARD: &str = "1.DenseReluDense";

/// Returns the names of the map to the inner dimension and of the map that gates it.
fn inner_names(gated: bool) -> (&'static str, Option<&'static str>) {
    if gated { ("wi_1", Some("wi_0")) } else { ("wi", None) }
}

impl T5Layer {
    fn new(scope: &Scope, config: &T5Config) -> Result<Self, Error> {
        let (attention, feed) = (scope.enter(ATTENTION), scope.enter(FEED_FORWARD));
        let all_heads = config.heads * config.head_width;
        let head_map = |name: &str| Linear::new(&attention.enter(name), config.width, all_heads, false);
        let inner_map = |name: &str| Linear::new(&feed.enter(name), config.width, config.inner, false);
        let dropout = |name: &str| Dropout::new(&scope.enter(name), config.dropout);
        let (widen, gate) = inner_names(config.gated);
        Ok(T5Layer {
            attention_norm: RmsNorm::new(&scope.enter("0.layer_norm"), config.width, config.eps)?,
            attention: SelfAttention {
                query: head_map("q")?,
                key: head_map("k")?,
                value: head_map("v")?,
                output: Linear::new(&attention.enter("o"), all_heads, config.width, false)?,
                heads: config.heads,
                // T5 was trained without the usual scale.
                scale: 1.0,
                dropout: dropout("0.weights")?,
            },
            norm: RmsNorm::new(&scope.enter("1.layer_norm"), config.width, config.eps)?,
            widen: inner_map(widen)?,
            gate: gate.map(inner_map).transpose()?,
            narrow: Linear::new(&feed.enter("wo"), config.inner, config.width, false)?,
            attention_dropout: dropout("0.output")?,
            inner_dropout: dropout("1.inner")?,
            dropout: dropout("1.output")?,
            activation: config.activation,
        })
    }

    fn forward(&self, x: &Tensor, mask: &Tensor) -> Result<Tensor, Error> {
        let seen = self.attention.forward(&self.attention_norm.forward(x)?, mask)?;
        let x = (x + self.attention_dropout.forward(&seen)?)?;
        let normed = self.norm.forward(&x)?;
        let inner = match &self.gate {
            Some(gate) => {
                self.activation.forward(&gate.forward(&normed)?)?.mul(&self.widen.forward(&normed)?)?
            }
            None => self.activation.forward(&self.widen.forward(&normed)?)?,
        };
        let change = self.narrow.forward(&self.inner_dropout.forward(&inner)?)?;
        Ok((x + self.dropout.forward(&change)?)?)
    }

    fn linears(&mut self, n: usize) -> Vec<(String, &mut Linear)> {
        let (widen, gate) = inner_names(self.gate.is_some());
        let mut linears = vec![
            (format!("{ATTENTION}.q"), &mut self.attention.query),
            (format!("{ATTENTION}.k"), &mut self.attention.key),
            (format!("{ATTENTION}.v"), &mut self.attention.value),
            (format!("{ATTENTION}.o"), &mut self.attention.output),
            (format!("{FEED_FORWARD}.{widen}"), &mut self.widen),
            (format!("{FEED_FORWARD}.wo"), &mut self.narrow),
        ];
        if let (Some(name), Some(map)) = (gate, &mut self.gate) {
            linears.push((format!("{FEED_FORWARD}.{name}"), map));
        }
        for (name, _) in &mut linears {
            *name = format!("encoder.block.{n}.layer.{name}");
        }
        linears
    }
}
