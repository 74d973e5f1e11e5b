//! A layer of Llama: attention with shared keys, then a gated feed-forward sublayer.

use super::LlamaConfig;
use super::cache::join;
use crate::layers::{
    Activation, Angles, Linear, RmsNorm, attention, fused_attention, merge_heads, split_heads,
};
use crate::{Error, Scope, Tensor};

const QUERY: &str = "self_attn.q_proj";
const KEY: &str = "self_attn.k_proj";
const VALUE: &str = "self_attn.v_proj";
const OUTPUT: &str = "self_attn.o_proj";
const GATE: &str = "mlp.gate_proj";
const UP: &str = "mlp.up_proj";
const DOWN: &str = "mlp.down_proj";

/// The cached keys and values of one layer.
pub(super) type LayerCache = Option<(Tensor, Tensor)>;

pub(super) struct LlamaLayer {
    attention_norm: RmsNorm,
    attention: Attention,
    feed_forward_norm: RmsNorm,
    gate: Linear,
    up: Linear,
    down: Linear,
}

struct Attention {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    heads: usize,
    key_heads: usize,
    head_width: usize,
}

impl LlamaLayer {
    pub(super) fn new(scope: &Scope, config: &LlamaConfig) -> Result<Self, Error> {
        let (width, inner) = (config.width, config.inner_width);
        let linear = |name, inputs, outputs| Linear::new(&scope.enter(name), inputs, outputs, false);
        let biased = |name, inputs, outputs| Linear::new(&scope.enter(name), inputs, outputs, config.bias);
        let (queries, keys) = (config.heads * config.head_width, config.key_heads * config.head_width);
        Ok(LlamaLayer {
            attention_norm: RmsNorm::new(&scope.enter("input_layernorm"), width, config.norm_eps)?,
            attention: Attention {
                query: biased(QUERY, width, queries)?,
                key: biased(KEY, width, keys)?,
                value: biased(VALUE, width, keys)?,
                output: linear(OUTPUT, queries, width)?,
                heads: config.heads,
                key_heads: config.key_heads,
                head_width: config.head_width,
            },
            feed_forward_norm: RmsNorm::new(
                &scope.enter("post_attention_layernorm"),
                width,
                config.norm_eps,
            )?,
            gate: linear(GATE, width, inner)?,
            up: linear(UP, width, inner)?,
            down: linear(DOWN, inner, width)?,
        })
    }

    /// Applies the layer. `past` holds the keys and values of the earlier tokens, and is extended
    /// by the new ones.
    pub(super) fn forward(
        &self,
        x: &Tensor,
        angles: &Angles,
        mask: Option<&Tensor>,
        past: Option<&mut LayerCache>,
    ) -> Result<Tensor, Error> {
        let x = (x + self.attention.forward(&self.attention_norm.forward(x)?, angles, mask, past)?)?;
        let y = self.feed_forward_norm.forward(&x)?;
        let y = (Activation::Silu.forward(&self.gate.forward(&y)?)? * self.up.forward(&y)?)?;
        Ok((x + self.down.forward(&y)?)?)
    }

    /// Like [`forward`](Self::forward) with fused operations and without gradients. `remember`
    /// takes the new keys and values and returns those to attend to.
    pub(super) fn forward_fused(
        &self,
        x: &Tensor,
        angles: &Angles,
        mask: Option<&Tensor>,
        remember: impl FnOnce(Tensor, Tensor) -> Result<(Tensor, Tensor), Error>,
    ) -> Result<Tensor, Error> {
        let y = self.attention_norm.forward_fused(x)?;
        let x = (x + self.attention.forward_fused(&y, angles, mask, remember)?)?;
        let y = self.feed_forward_norm.forward_fused(&x)?;
        let y = (Activation::Silu.forward(&self.gate.forward(&y)?)? * self.up.forward(&y)?)?;
        Ok((x + self.down.forward(&y)?)?)
    }

    /// Returns a copy for inference, with merged adapters and without gradients.
    pub(super) fn for_inference(&self) -> Result<Self, Error> {
        let attention = &self.attention;
        Ok(LlamaLayer {
            attention_norm: self.attention_norm.clone(),
            attention: Attention {
                query: attention.query.for_inference()?,
                key: attention.key.for_inference()?,
                value: attention.value.for_inference()?,
                output: attention.output.for_inference()?,
                ..*attention
            },
            feed_forward_norm: self.feed_forward_norm.clone(),
            gate: self.gate.for_inference()?,
            up: self.up.for_inference()?,
            down: self.down.for_inference()?,
        })
    }

    /// Returns its matrices by name.
    pub(super) fn linears(&mut self) -> impl Iterator<Item = (&'static str, &mut Linear)> {
        let attention = &mut self.attention;
        [
            (QUERY, &mut attention.query),
            (KEY, &mut attention.key),
            (VALUE, &mut attention.value),
            (OUTPUT, &mut attention.output),
            (GATE, &mut self.gate),
            (UP, &mut self.up),
            (DOWN, &mut self.down),
        ]
        .into_iter()
    }
}

impl Attention {
    fn forward(
        &self,
        x: &Tensor,
        angles: &Angles,
        mask: Option<&Tensor>,
        past: Option<&mut LayerCache>,
    ) -> Result<Tensor, Error> {
        let (batch, length, _) = x.dims3()?;
        let q = angles.apply(&split_heads(&self.query.forward(x)?, self.heads)?)?;
        let mut k = angles.apply(&split_heads(&self.key.forward(x)?, self.key_heads)?)?;
        let mut v = split_heads(&self.value.forward(x)?, self.key_heads)?;
        if let Some(past) = past {
            let (old_keys, old_values) = past.take().unzip();
            k = join(old_keys, &k)?;
            v = join(old_values, &v)?;
            *past = Some((k.clone(), v.clone()));
        }
        let (q, mask) = self.share_keys(&q, mask)?;
        let y = attention(&q, &k, &v, mask.as_ref(), self.scale())?;
        self.output.forward(&merge_heads(&y.reshape((batch, self.heads, length, self.head_width))?)?)
    }

    fn forward_fused(
        &self,
        x: &Tensor,
        angles: &Angles,
        mask: Option<&Tensor>,
        remember: impl FnOnce(Tensor, Tensor) -> Result<(Tensor, Tensor), Error>,
    ) -> Result<Tensor, Error> {
        let (batch, length, _) = x.dims3()?;
        let q = angles.apply_fused(&split_heads(&self.query.forward(x)?, self.heads)?)?;
        let k = angles.apply_fused(&split_heads(&self.key.forward(x)?, self.key_heads)?)?;
        let v = split_heads(&self.value.forward(x)?, self.key_heads)?;
        let (k, v) = remember(k, v)?;
        let (q, mask) = self.share_keys(&q, mask)?;
        let y = fused_attention(&q, &k, &v, mask.as_ref(), self.scale())?;
        self.output.forward(&merge_heads(&y.reshape((batch, self.heads, length, self.head_width))?)?)
    }

    /// Concatenates the query heads that share a key head, so that keys and values are not copied
    /// for each.
    fn share_keys(&self, q: &Tensor, mask: Option<&Tensor>) -> Result<(Tensor, Option<Tensor>), Error> {
        let (batch, _, length, _) = q.dims4()?;
        let sharing = self.heads / self.key_heads;
        let q = q.reshape((batch, self.key_heads, sharing * length, self.head_width))?;
        let mask = match mask {
            Some(mask) if length > 1 && sharing > 1 => Some(Tensor::cat(&vec![mask; sharing], 2)?),
            mask => mask.cloned(),
        };
        Ok((q, mask))
    }

    fn scale(&self) -> f64 {
        1.0 / (self.head_width as f64).sqrt()
    }
}
