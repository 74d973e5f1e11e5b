//! The tensor names and sizes of an encoder. BERT, RoBERTa and MPNet differ in little else.

use super::attention::DistanceBias;
use crate::layers::Activation;
use crate::models::{self, BertConfig, BertKind};
use crate::{Error, Weights};

/// The end of the name of the word table, which every encoder has.
const WORDS: &str = "embeddings.word_embeddings.weight";

/// The layout of an encoder in its weights.
pub(super) struct EncoderLayout {
    /// The prefix of every name if the encoder is part of a larger model: `bert.`.
    prefix: String,
    config: BertConfig,
    pub(super) sizes: LayerSizes,
}

/// The sizes that all layers of a model share.
#[derive(Debug, Clone, Copy)]
pub(super) struct LayerSizes {
    /// The dimension of a token's state.
    pub(super) width: usize,
    /// The dimension inside the feed-forward network.
    pub(super) inner: usize,
    pub(super) heads: usize,
    pub(super) epsilon: f32,
    pub(super) activation: Activation,
}

/// The names of a layer's tensors, without `.weight` and `.bias`.
pub(super) struct LayerNames {
    pub(super) query: String,
    pub(super) key: String,
    pub(super) value: String,
    pub(super) output: String,
    pub(super) output_norm: String,
    pub(super) up: String,
    pub(super) down: String,
    pub(super) down_norm: String,
}

impl EncoderLayout {
    pub(super) fn new(weights: &Weights, config: &BertConfig) -> Result<Self, Error> {
        config.check()?;
        let prefix = models::prefix(weights, &[WORDS])?;
        let sizes = LayerSizes {
            width: config.width,
            inner: config.inner,
            heads: config.heads,
            epsilon: config.eps as f32,
            activation: config.activation,
        };
        Ok(Self { prefix: prefix.to_owned(), config: config.clone(), sizes })
    }

    pub(super) fn vocabulary(&self) -> usize {
        self.config.vocabulary
    }

    /// Returns the largest number of tokens of a sequence.
    pub(super) fn max_tokens(&self) -> usize {
        self.config.longest()
    }

    pub(super) fn words(&self) -> String {
        format!("{}{WORDS}", self.prefix)
    }

    pub(super) fn embedding_norm(&self) -> String {
        format!("{}embeddings.LayerNorm", self.prefix)
    }

    /// Returns the names of all layers.
    pub(super) fn layers(&self) -> Vec<LayerNames> {
        (0..self.config.layers).map(|index| self.layer(index)).collect()
    }

    fn layer(&self, index: usize) -> LayerNames {
        let layer = format!("{}encoder.layer.{index}", self.prefix);
        let kind = self.config.kind;
        let [query, key, value, output] = kind.attention_names().map(|name| format!("{layer}.{name}"));
        let output_norm = format!("{layer}.{}", kind.attention_norm_name());
        let [up, down, down_norm] =
            ["intermediate.dense", "output.dense", "output.LayerNorm"].map(|name| format!("{layer}.{name}"));
        LayerNames { query, key, value, output, output_norm, up, down, down_norm }
    }

    /// Returns the rows that are added for each position: the position's row plus the row of the
    /// first token type.
    pub(super) fn position_rows(&self, weights: &Weights) -> Result<Vec<f32>, Error> {
        let width = self.config.width;
        let name = format!("{}embeddings.position_embeddings.weight", self.prefix);
        let positions = weights.values(&name, &[self.config.positions, width])?;
        // RoBERTa and MPNet do not use the rows up to that of the padding.
        let mut position_rows = positions[(self.config.positions - self.max_tokens()) * width..].to_vec();
        if self.config.types > 0 {
            let name = format!("{}embeddings.token_type_embeddings.weight", self.prefix);
            let types = weights.values(&name, &[self.config.types, width])?;
            for row in position_rows.chunks_exact_mut(width) {
                row.iter_mut().zip(&types[..width]).for_each(|(position, kind)| *position += kind);
            }
        }
        Ok(position_rows)
    }

    /// Returns the difference between each token type's row and that of the first, which is part of
    /// [`position_rows`](EncoderLayout::position_rows).
    pub(super) fn types(&self, weights: &Weights) -> Result<Vec<f32>, Error> {
        let width = self.config.width;
        if self.config.types == 0 {
            return Ok(Vec::new());
        }
        let name = format!("{}embeddings.token_type_embeddings.weight", self.prefix);
        let types = weights.values(&name, &[self.config.types, width])?;
        let differences = types.chunks_exact(width).flat_map(|row| row.iter().zip(&types[..width]));
        Ok(differences.map(|(row, first)| row - first).collect())
    }

    /// Returns the score bias for distances, for models that have it.
    pub(super) fn distances(&self, weights: &Weights) -> Result<Option<DistanceBias>, Error> {
        if self.config.kind != BertKind::Mpnet {
            return Ok(None);
        }
        let (heads, buckets) = (self.config.heads, self.config.buckets);
        let name = format!("{}encoder.relative_attention_bias.weight", self.prefix);
        let table = weights.values(&name, &[buckets, heads])?;
        let bias = |head: usize, distance: isize| {
            let bucket = models::bucket(distance as i64, buckets, models::MPNET_DISTANCE);
            table[bucket as usize * heads + head]
        };
        Ok(Some(DistanceBias::new(heads, self.max_tokens(), bias)))
    }
}
