//! BERT, RoBERTa and MPNet: encoders with the norm after each sublayer.

use std::path::Path;

use super::batch::TokenBatch;
use super::config_file::{ConfigFile, wrong};
use super::limits::{MAX_LAYERS, MAX_VOCABULARY, MAX_WIDTH};
use super::position::RelativeBias;
use super::self_attention::SelfAttention;
use crate::layers::{Activation, Dropout, Embedding, LayerNorm, Linear, padding_mask};
use crate::{Error, ErrorKind, Scope, Tensor};

/// The largest distance that MPNet distinguishes; its config does not contain it.
pub(crate) const MPNET_DISTANCE: usize = 128;

/// The model type within the BERT family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BertKind {
    /// BERT: positions from 0, and token types.
    Bert,
    /// RoBERTa and related models: positions from the padding's id + 1.
    Roberta,
    /// MPNet: like RoBERTa, with a bias for the distance of two tokens that all layers share.
    Mpnet,
}

impl BertKind {
    /// Returns the kind with this `model_type` in a config, if it is one of these.
    pub(super) fn named(model_type: &str) -> Option<Self> {
        match model_type {
            "bert" => Some(BertKind::Bert),
            "roberta" | "xlm-roberta" | "camembert" => Some(BertKind::Roberta),
            "mpnet" => Some(BertKind::Mpnet),
            _ => None,
        }
    }

    /// Returns the names of a layer's attention maps: queries, keys, values, output.
    pub(crate) fn attention_names(self) -> [&'static str; 4] {
        match self {
            BertKind::Mpnet => {
                ["attention.attn.q", "attention.attn.k", "attention.attn.v", "attention.attn.o"]
            }
            BertKind::Bert | BertKind::Roberta => [
                "attention.self.query",
                "attention.self.key",
                "attention.self.value",
                "attention.output.dense",
            ],
        }
    }

    /// Returns the name of the norm after a layer's attention.
    pub(crate) fn attention_norm_name(self) -> &'static str {
        match self {
            BertKind::Mpnet => "attention.LayerNorm",
            BertKind::Bert | BertKind::Roberta => "attention.output.LayerNorm",
        }
    }
}

/// The settings of a [`Bert`].
///
/// ```
/// use inkveil_nn::models::{Bert, BertConfig, BertKind, TokenBatch};
/// use inkveil_nn::{Device, Scope};
///
/// let config = BertConfig { layers: 1, width: 8, heads: 2, inner: 16, vocabulary: 50, ..BertConfig::default() };
/// let model = Bert::new(&Scope::trainable(None, &Device::Cpu, 7), &config)?;
/// let states = model.hidden_states(&TokenBatch::new(&[[1, 2, 3]], 0)?)?;
/// assert_eq!(states.dims(), [1, 3, 8]);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BertConfig {
    /// The model type.
    pub kind: BertKind,
    /// The number of tokens in the vocabulary.
    pub vocabulary: usize,
    /// The dimension of its hidden states.
    pub width: usize,
    /// The number of layers.
    pub layers: usize,
    /// The number of attention heads.
    pub heads: usize,
    /// The dimension inside the feed-forward sublayer.
    pub inner: usize,
    /// The number of rows of the position table.
    pub positions: usize,
    /// The number of token types; 0 if the model has none.
    pub types: usize,
    /// The id of padding.
    pub padding: u32,
    /// The number of distance buckets of MPNet.
    pub buckets: usize,
    /// The norms' eps.
    pub eps: f64,
    /// The activation of the feed-forward sublayer.
    pub activation: Activation,
    /// The dropout rate of states in training.
    pub dropout: f64,
    /// The dropout rate of attention weights in training.
    pub attention_dropout: f64,
}

impl Default for BertConfig {
    /// The settings of BERT base.
    fn default() -> Self {
        BertConfig {
            kind: BertKind::Bert,
            vocabulary: 30_522,
            width: 768,
            layers: 12,
            heads: 12,
            inner: 3072,
            positions: 512,
            types: 2,
            padding: 0,
            buckets: 32,
            eps: 1e-12,
            activation: Activation::Gelu,
            dropout: 0.1,
            attention_dropout: 0.1,
        }
    }
}

impl BertConfig {
    /// Reads the `config.json` of a folder.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let path = folder.join("config.json");
        ConfigFile::open(&path)
            .and_then(|settings| match BertKind::named(settings.text("model_type")?) {
                Some(kind) => BertConfig::read(&settings, kind),
                None => {
                    let what = "this model_type".to_owned();
                    let advice = "use a bert, roberta, xlm-roberta, camembert or mpnet";
                    Err(ErrorKind::Unsupported { what, advice }.into())
                }
            })
            .map_err(|e| e.in_file(&path))
    }

    pub(super) fn read(settings: &ConfigFile, kind: BertKind) -> Result<Self, Error> {
        if settings.text_or("position_embedding_type", "absolute")? != "absolute" {
            return Err(wrong("position_embedding_type", "must be \"absolute\"".to_owned()));
        }
        let vocabulary = settings.size("vocab_size", 1..=MAX_VOCABULARY)?;
        let config = BertConfig {
            kind,
            vocabulary,
            width: settings.size("hidden_size", 1..=MAX_WIDTH)?,
            layers: settings.size("num_hidden_layers", 1..=MAX_LAYERS)?,
            heads: settings.size("num_attention_heads", 1..=MAX_WIDTH)?,
            inner: settings.size("intermediate_size", 1..=MAX_WIDTH)?,
            positions: settings.size("max_position_embeddings", 3..=MAX_VOCABULARY)?,
            types: match kind {
                BertKind::Mpnet => 0,
                _ => settings.size_or("type_vocab_size", 0..=MAX_WIDTH, 2)?,
            },
            padding: match kind {
                BertKind::Bert => settings.size_or("pad_token_id", 0..=vocabulary - 1, 0)? as u32,
                BertKind::Roberta => settings.size_or("pad_token_id", 0..=vocabulary - 1, 1)? as u32,
                // Fixed regardless of its config: the position table was trained with this padding.
                BertKind::Mpnet => 1,
            },
            buckets: settings.size_or("relative_attention_num_buckets", 4..=MAX_WIDTH, 32)?,
            eps: settings.number_or("layer_norm_eps", 0.0..=1.0, 1e-12)?,
            activation: Activation::from_config("hidden_act", settings.text_or("hidden_act", "gelu")?)?,
            dropout: settings.number_or("hidden_dropout_prob", 0.0..=0.99, 0.1)?,
            attention_dropout: settings.number_or("attention_probs_dropout_prob", 0.0..=0.99, 0.1)?,
        };
        config.check()?;
        Ok(config)
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.width == 0 || self.heads == 0 || !self.width.is_multiple_of(self.heads) {
            let what = format!("must divide the hidden size, {}, which must be above 0", self.width);
            return Err(wrong("num_attention_heads", what));
        }
        if self.inner == 0 {
            return Err(wrong("intermediate_size", "must be above 0".to_owned()));
        }
        if self.longest() == 0 {
            return Err(wrong("max_position_embeddings", "must be above the padding's id + 1".to_owned()));
        }
        if self.kind == BertKind::Mpnet && self.buckets < 4 {
            return Err(wrong("relative_attention_num_buckets", "must be at least 4".to_owned()));
        }
        Ok(())
    }

    /// Returns the largest number of tokens of a text.
    pub fn longest(&self) -> usize {
        match self.kind {
            BertKind::Bert => self.positions,
            BertKind::Roberta | BertKind::Mpnet => self.positions.saturating_sub(self.padding as usize + 1),
        }
    }
}

/// An encoder of the BERT family.
pub struct Bert {
    words: Embedding,
    positions: Embedding,
    types: Option<Embedding>,
    norm: LayerNorm,
    dropout: Dropout,
    bias: Option<RelativeBias>,
    layers: Vec<BertLayer>,
    config: BertConfig,
}

struct BertLayer {
    attention: SelfAttention,
    attention_norm: LayerNorm,
    widen: Linear,
    narrow: Linear,
    norm: LayerNorm,
    attention_dropout: Dropout,
    dropout: Dropout,
    activation: Activation,
}

impl Bert {
    /// Takes the parameters under their names in Hugging Face's files, without the prefix of a task
    /// model.
    pub fn new(scope: &Scope, config: &BertConfig) -> Result<Self, Error> {
        config.check()?;
        let (embeddings, encoder) = (scope.enter("embeddings"), scope.enter("encoder"));
        let table = |name: &str, rows| Embedding::new(&embeddings.enter(name), rows, config.width);
        let bias = match config.kind {
            BertKind::Mpnet => {
                let scope = encoder.enter("relative_attention_bias");
                Some(RelativeBias::new(&scope, config.buckets, MPNET_DISTANCE, config.heads)?)
            }
            _ => None,
        };
        let layers = (0..config.layers).map(|n| BertLayer::new(&encoder.enter("layer").enter(n), config));
        Ok(Bert {
            words: table("word_embeddings", config.vocabulary)?,
            positions: table("position_embeddings", config.positions)?,
            types: (config.types > 0).then(|| table("token_type_embeddings", config.types)).transpose()?,
            norm: LayerNorm::new(&embeddings.enter("LayerNorm"), config.width, config.eps)?,
            dropout: Dropout::new(&embeddings.enter("dropout"), config.dropout)?,
            bias,
            layers: layers.collect::<Result<_, _>>()?,
            config: config.clone(),
        })
    }

    /// Returns the settings.
    pub fn config(&self) -> &BertConfig {
        &self.config
    }

    /// Returns the table of token vectors, of shape (vocabulary, width).
    pub fn table(&self) -> &Tensor {
        self.words.table()
    }

    /// Returns the input of the first layer, of shape (rows, length, width).
    pub fn embed(&self, batch: &TokenBatch) -> Result<Tensor, Error> {
        let device = self.words.table().device();
        let ids = batch.ids(self.config.vocabulary, Some(self.config.longest()), device)?;
        let positions = match self.config.kind {
            BertKind::Bert => {
                Tensor::arange(0, batch.length() as u32, device)?.reshape((1, batch.length()))?
            }
            BertKind::Roberta | BertKind::Mpnet => batch.positions_after(self.config.padding, device)?,
        };
        let mut sum = self.words.forward(&ids)?.broadcast_add(&self.positions.forward(&positions)?)?;
        if let Some(types) = &self.types {
            sum = (sum + types.forward(&batch.types(self.config.types, device)?)?)?;
        }
        self.dropout.forward(&self.norm.forward(&sum)?)
    }

    /// Returns the last layer's states for the output of [`embed`](Bert::embed), of shape (rows,
    /// length, width).
    pub fn encode(&self, embedded: &Tensor, batch: &TokenBatch) -> Result<Tensor, Error> {
        let mut mask = padding_mask(&batch.keep_tensor(embedded.device())?, embedded.dtype())?;
        if let Some(bias) = &self.bias {
            mask = bias.forward(batch.length())?.broadcast_add(&mask)?;
        }
        let mut states = embedded.clone();
        for layer in &self.layers {
            states = layer.forward(&states, &mask)?;
        }
        Ok(states)
    }

    /// Returns the last layer's states, of shape (rows, length, width). The states of padding are
    /// meaningless.
    pub fn hidden_states(&self, batch: &TokenBatch) -> Result<Tensor, Error> {
        self.encode(&self.embed(batch)?, batch)
    }

    /// Returns the linear maps and their names, without prefix.
    pub(super) fn linears(&mut self) -> Vec<(String, &mut Linear)> {
        let kind = self.config.kind;
        let layers = self.layers.iter_mut().enumerate();
        layers.flat_map(|(n, layer)| layer.linears(n, kind)).collect()
    }
}

impl BertLayer {
    fn new(scope: &Scope, config: &BertConfig) -> Result<Self, Error> {
        let width = config.width;
        let [query, key, value, output] = config.kind.attention_names();
        let map = |name: &str| Linear::new(&scope.enter(name), width, width, true);
        let attention = SelfAttention {
            query: map(query)?,
            key: map(key)?,
            value: map(value)?,
            output: map(output)?,
            heads: config.heads,
            scale: 1.0 / ((width / config.heads) as f64).sqrt(),
            dropout: Dropout::new(&scope.enter("attention.weights"), config.attention_dropout)?,
        };
        Ok(BertLayer {
            attention,
            attention_norm: LayerNorm::new(
                &scope.enter(config.kind.attention_norm_name()),
                width,
                config.eps,
            )?,
            widen: Linear::new(&scope.enter("intermediate.dense"), width, config.inner, true)?,
            narrow: Linear::new(&scope.enter("output.dense"), config.inner, width, true)?,
            norm: LayerNorm::new(&scope.enter("output.LayerNorm"), width, config.eps)?,
            attention_dropout: Dropout::new(&scope.enter("attention.output"), config.dropout)?,
            dropout: Dropout::new(&scope.enter("output"), config.dropout)?,
            activation: config.activation,
        })
    }

    fn forward(&self, x: &Tensor, mask: &Tensor) -> Result<Tensor, Error> {
        let seen = self.attention_dropout.forward(&self.attention.forward(x, mask)?)?;
        let x = self.attention_norm.forward(&(seen + x)?)?;
        let inner = self.activation.forward(&self.widen.forward(&x)?)?;
        let change = self.dropout.forward(&self.narrow.forward(&inner)?)?;
        self.norm.forward(&(change + x)?)
    }

    fn linears(&mut self, n: usize, kind: BertKind) -> [(String, &mut Linear); 6] {
        let [query, key, value, output] = kind.attention_names();
        [
            (query, &mut self.attention.query),
            (key, &mut self.attention.key),
            (value, &mut self.attention.value),
            (output, &mut self.attention.output),
            ("intermediate.dense", &mut self.widen),
            ("output.dense", &mut self.narrow),
        ]
        .map(|(name, linear)| (format!("encoder.layer.{n}.{name}"), linear))
    }
}
