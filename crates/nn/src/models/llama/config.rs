//! The settings of a language model, from `config.json` or a GGUF header.

use std::path::Path;

use serde::Deserialize;

use crate::layers::RopeStyle;
use crate::weights::{gguf::Metadata, read_small};
use crate::{Error, ErrorKind, Weights};

/// The largest config accepted.
const LONGEST_FILE: u64 = 1 << 20;

/// The settings of a model built like Llama. They are valid: sizes are above 0, consistent and
/// within limits.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LlamaConfig {
    /// The number of rows of the token table.
    pub vocabulary: usize,
    /// The number of columns of the states.
    pub width: usize,
    /// The dimension inside the feed-forward sublayer.
    pub inner_width: usize,
    /// The number of layers.
    pub layers: usize,
    /// The number of query heads.
    pub heads: usize,
    /// The number of key and value heads; each serves the same number of query heads.
    pub key_heads: usize,
    /// The dimension of each head.
    pub head_width: usize,
    /// The longest text in tokens.
    pub context: usize,
    /// The base of the rotary embeddings.
    pub rope_base: f64,
    /// Which numbers the rotary embeddings rotate together.
    pub rope_style: RopeStyle,
    /// The eps of the norms.
    pub norm_eps: f64,
    /// Whether queries, keys and values have a bias (Qwen 2).
    pub bias: bool,
    /// Whether the token table is also the output matrix.
    pub tied: bool,
}

impl LlamaConfig {
    /// Reads the settings of the model in a folder with `config.json`, in a GGUF file, or in a
    /// folder with one.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let json = path.join("config.json");
        match json.exists() {
            true => {
                Self::from_json(&read_small(&json, "config", LONGEST_FILE)?).map_err(|e| e.in_file(&json))
            }
            false => Self::from_gguf(&Weights::open(path)?),
        }
    }

    /// Reads the settings in a `config.json`.
    ///
    /// ```
    /// use inkveil_nn::models::LlamaConfig;
    ///
    /// let config = LlamaConfig::from_json(br#"{
    ///     "model_type": "llama", "vocab_size": 100, "hidden_size": 64, "intermediate_size": 96,
    ///     "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    ///     "max_position_embeddings": 128, "rms_norm_eps": 1e-5
    /// }"#)?;
    /// assert_eq!((config.head_width, config.key_heads), (16, 2));
    /// # Ok::<(), inkveil_nn::Error>(())
    /// ```
    pub fn from_json(bytes: &[u8]) -> Result<Self, Error> {
        let file: File = serde_json::from_slice(bytes)
            .map_err(|e| Error::corrupt("config", format!("it does not have the expected structure: {e}")))?;
        file.refuse_variants()?;
        let rope = file.rope_parameters.as_ref().or(file.rope_scaling.as_ref());
        let heads = file.num_attention_heads;
        LlamaConfig {
            vocabulary: file.vocab_size,
            width: file.hidden_size,
            inner_width: file.intermediate_size,
            layers: file.num_hidden_layers,
            heads,
            key_heads: file.num_key_value_heads.unwrap_or(heads),
            head_width: file.head_dim.unwrap_or_else(|| file.hidden_size.checked_div(heads).unwrap_or(0)),
            context: file.max_position_embeddings,
            rope_base: file.rope_theta.or(rope.and_then(|rope| rope.rope_theta)).unwrap_or(10_000.0),
            rope_style: RopeStyle::Halves,
            norm_eps: file.rms_norm_eps,
            bias: file.model_type == "qwen2" || file.attention_bias.unwrap_or(false),
            tied: file.tie_word_embeddings.unwrap_or(false),
        }
        .checked()
    }

    /// Reads the settings in the header of a GGUF file.
    pub fn from_gguf(weights: &Weights) -> Result<Self, Error> {
        let Some(metadata) = weights.metadata() else {
            return Err(weights.with_path(Error::argument(
                "these weights contain no settings; a config.json is needed in the same folder",
            )));
        };
        read_header(metadata, weights).and_then(Self::checked).map_err(|e| weights.with_path(e))
    }

    fn checked(self) -> Result<Self, Error> {
        let sizes = [
            ("vocab_size", self.vocabulary, 1 << 22),
            ("hidden_size", self.width, 1 << 16),
            ("intermediate_size", self.inner_width, 1 << 18),
            ("num_hidden_layers", self.layers, 1 << 10),
            ("num_attention_heads", self.heads, 1 << 10),
            ("num_key_value_heads", self.key_heads, 1 << 10),
            ("head_dim", self.head_width, 1 << 10),
            ("max_position_embeddings", self.context, 1 << 24),
        ];
        for (field, size, most) in sizes {
            if !(1..=most).contains(&size) {
                return Err(setting(field, format!("is {size}, but must be from 1 to {most}")));
            }
        }
        if !self.heads.is_multiple_of(self.key_heads) {
            return Err(setting("num_key_value_heads", "must divide num_attention_heads"));
        }
        if !self.head_width.is_multiple_of(2) {
            return Err(setting("head_dim", "must be even"));
        }
        if !(self.rope_base.is_finite() && self.rope_base > 0.0) {
            return Err(setting("rope_theta", "must be above 0"));
        }
        if !(0.0..1.0).contains(&self.norm_eps) {
            return Err(setting("rms_norm_eps", "must be from 0 to 1"));
        }
        Ok(self)
    }
}

/// The relevant fields of `config.json`.
#[derive(Deserialize)]
struct File {
    model_type: String,
    vocab_size: usize,
    hidden_size: usize,
    intermediate_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    num_key_value_heads: Option<usize>,
    head_dim: Option<usize>,
    max_position_embeddings: usize,
    rms_norm_eps: f64,
    rope_theta: Option<f64>,
    rope_parameters: Option<RopeSettings>,
    rope_scaling: Option<RopeSettings>,
    hidden_act: Option<String>,
    attention_bias: Option<bool>,
    mlp_bias: Option<bool>,
    use_sliding_window: Option<bool>,
    tie_word_embeddings: Option<bool>,
}

#[derive(Deserialize)]
struct RopeSettings {
    rope_theta: Option<f64>,
    #[serde(alias = "type")]
    rope_type: Option<String>,
}

impl File {
    /// Refuses variants that compute something else: they would run with wrong results.
    fn refuse_variants(&self) -> Result<(), Error> {
        let rope = [&self.rope_parameters, &self.rope_scaling].into_iter().flatten();
        let scaled = rope.filter_map(|rope| rope.rope_type.as_deref()).find(|&kind| kind != "default");
        let what = if !matches!(self.model_type.as_str(), "llama" | "qwen2") {
            format!("a language model of type {:?}", self.model_type)
        } else if let Some(kind) = scaled {
            format!("a language model with rotary embeddings of type {kind:?}")
        } else if self.hidden_act.as_deref().is_some_and(|name| name != "silu") {
            "a language model with an activation other than silu".to_owned()
        } else if self.mlp_bias == Some(true)
            || (self.attention_bias == Some(true) && self.model_type == "llama")
        {
            "a Llama with biases".to_owned()
        } else if self.use_sliding_window == Some(true) {
            "a language model with sliding windows".to_owned()
        } else {
            return Ok(());
        };
        Err(unsupported(what))
    }
}

fn read_header(metadata: &Metadata, weights: &Weights) -> Result<LlamaConfig, Error> {
    let (family, rope_style) = match metadata.text("general.architecture") {
        // The converter has reordered Llama's queries and keys, so that neighbouring numbers are
        // rotated together.
        Some("llama") => ("llama", RopeStyle::Interleaved),
        Some("qwen2") => ("qwen2", RopeStyle::Halves),
        Some(other) => return Err(unsupported(format!("a language model of type {other:?}"))),
        None => return Err(setting("general.architecture", "is missing")),
    };
    if metadata.text(&format!("{family}.rope.scaling.type")).is_some_and(|kind| kind != "none")
        || weights.shape("rope_freqs.weight").is_some()
    {
        return Err(unsupported("a language model with scaled rotary embeddings".to_owned()));
    }
    let size = |field: &'static str, key: &str| {
        let found = metadata.unsigned(&format!("{family}.{key}"));
        let found = found.ok_or_else(|| setting(field, "is missing from the GGUF header"))?;
        usize::try_from(found).map_err(|_| setting(field, "is too large"))
    };
    let (width, heads) =
        (size("hidden_size", "embedding_length")?, size("num_attention_heads", "attention.head_count")?);
    let head_width = match metadata.unsigned(&format!("{family}.attention.key_length")) {
        Some(_) => size("head_dim", "attention.key_length")?,
        None => width.checked_div(heads).unwrap_or(0),
    };
    let turned = metadata.unsigned(&format!("{family}.rope.dimension_count"));
    if turned.is_some_and(|turned| turned != head_width as u64) {
        return Err(unsupported("a language model that rotates only a part of each head".to_owned()));
    }
    let table = weights.shape("model.embed_tokens.weight");
    let Some(&[vocabulary, _]) = table else {
        return Err(ErrorKind::MissingTensor { name: "token_embd.weight".to_owned() }.into());
    };
    Ok(LlamaConfig {
        vocabulary,
        width,
        inner_width: size("intermediate_size", "feed_forward_length")?,
        layers: size("num_hidden_layers", "block_count")?,
        heads,
        key_heads: size("num_key_value_heads", "attention.head_count_kv").unwrap_or(heads),
        head_width,
        context: size("max_position_embeddings", "context_length")?,
        rope_base: metadata.float(&format!("{family}.rope.freq_base")).unwrap_or(10_000.0),
        rope_style,
        norm_eps: metadata
            .float(&format!("{family}.attention.layer_norm_rms_epsilon"))
            .ok_or_else(|| setting("rms_norm_eps", "is missing from the GGUF header"))?,
        bias: family == "qwen2",
        tied: weights.shape("lm_head.weight").is_none(),
    })
}

fn setting(field: &'static str, what: impl Into<String>) -> Error {
    ErrorKind::Config { field, what: what.into() }.into()
}

fn unsupported(what: String) -> Error {
    ErrorKind::Unsupported { what, advice: "use a Llama, SmolLM2 or Qwen 2 / 2.5 model" }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(changes: serde_json::Value) -> Result<LlamaConfig, Error> {
        let mut config = serde_json::json!({
            "model_type": "llama", "vocab_size": 100, "hidden_size": 64, "intermediate_size": 96,
            "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
            "max_position_embeddings": 128, "rms_norm_eps": 1e-5,
        });
        for (key, value) in changes.as_object().unwrap() {
            config[key] = value.clone();
        }
        LlamaConfig::from_json(config.to_string().as_bytes())
    }

    #[test]
    fn both_spellings_of_the_rope_base_are_read() {
        let rope_base = |changes| with(changes).unwrap().rope_base;
        assert_eq!(rope_base(serde_json::json!({})), 1e4);
        assert_eq!(rope_base(serde_json::json!({"rope_theta": 1e6})), 1e6);
        assert_eq!(
            rope_base(serde_json::json!({"rope_parameters": {"rope_theta": 5e5, "rope_type": "default"}})),
            5e5
        );
    }

    #[test]
    fn errors_name_the_invalid_setting() {
        for (changes, field) in [
            (serde_json::json!({"num_hidden_layers": 0}), "num_hidden_layers"),
            (serde_json::json!({"hidden_size": 1_u64 << 40}), "hidden_size"),
            (serde_json::json!({"num_key_value_heads": 3}), "num_key_value_heads"),
            (serde_json::json!({"num_attention_heads": 0, "num_key_value_heads": 0}), "num_attention_heads"),
            (serde_json::json!({"head_dim": 7}), "head_dim"),
            (serde_json::json!({"rope_theta": -1.0}), "rope_theta"),
            (serde_json::json!({"rms_norm_eps": 7.0}), "rms_norm_eps"),
        ] {
            let error = with(changes).unwrap_err();
            assert!(
                matches!(error.kind(), ErrorKind::Config { field: found, .. } if *found == field),
                "{error}"
            );
        }
    }

    #[test]
    fn unsupported_variants_are_refused() {
        for changes in [
            serde_json::json!({"model_type": "gemma"}),
            serde_json::json!({"hidden_act": "gelu"}),
            serde_json::json!({"rope_scaling": {"type": "linear", "factor": 2.0}}),
            serde_json::json!({"mlp_bias": true}),
            serde_json::json!({"attention_bias": true}),
            serde_json::json!({"model_type": "qwen2", "use_sliding_window": true}),
        ] {
            let error = with(changes).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
        }
    }
}
