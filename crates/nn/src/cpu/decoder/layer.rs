//! One layer of a packed language model.

use rayon::prelude::*;

use super::adapted::AdaptedWeights;
use super::attention::HeadQueries;
use super::cache::PackedCache;
use super::stack::{MatrixStack, ProductMethod};
use super::steps::{Rotations, gated, rms_norm};
use crate::Error;
use crate::models::LlamaConfig;

pub(super) struct DecoderLayer {
    attention_norm: Vec<f32>,
    /// Queries, keys and values.
    projections: MatrixStack,
    /// The bias of the projections; empty if they have none.
    bias: Vec<f32>,
    output: MatrixStack,
    inner_norm: Vec<f32>,
    /// The gate and the gated values.
    gate: MatrixStack,
    down: MatrixStack,
}

/// A token that is being read: its text and its position in it.
#[derive(Clone, Copy)]
pub(super) struct NewToken {
    pub(super) row: usize,
    pub(super) position: usize,
    /// Its index among the new tokens of its text in this pass.
    pub(super) new: usize,
}

/// Tokens that pass through the layers together.
pub(super) struct Pass {
    pub(super) method: ProductMethod,
    pub(super) tokens: Vec<NewToken>,
    pub(super) rotations: Rotations,
}

/// Buffers of a pass, reused from layer to layer.
#[derive(Default)]
pub(super) struct Buffers {
    normed: Vec<f32>,
    projected: Vec<f32>,
    attended: Vec<f32>,
    wide: Vec<f32>,
    inner: Vec<f32>,
    change: Vec<f32>,
    spare: Vec<f32>,
}

impl DecoderLayer {
    pub(super) fn open(
        weights: &AdaptedWeights<'_>,
        config: &LlamaConfig,
        index: usize,
    ) -> Result<Self, Error> {
        let (width, inner) = (config.width, config.inner_width);
        let (queries, keys) = (config.heads * config.head_width, config.key_heads * config.head_width);
        let name = |part: &str| format!("model.layers.{index}.{part}");
        let matrix = |part: &str, shape| weights.matrix(&name(part), shape);
        let projections = [("q_proj", queries), ("k_proj", keys), ("v_proj", keys)];
        let mut bias = Vec::new();
        if config.bias {
            for (part, outputs) in projections {
                bias.extend(weights.vector(&name(&format!("self_attn.{part}.bias")), outputs)?);
            }
        }
        let projections =
            projections.map(|(part, outputs)| matrix(&format!("self_attn.{part}"), [outputs, width]));
        Ok(DecoderLayer {
            attention_norm: weights.vector(&name("input_layernorm.weight"), width)?,
            projections: MatrixStack::new(projections.into_iter().collect::<Result<_, _>>()?)?,
            bias,
            output: MatrixStack::new(vec![matrix("self_attn.o_proj", [width, queries])?])?,
            inner_norm: weights.vector(&name("post_attention_layernorm.weight"), width)?,
            gate: MatrixStack::new(vec![
                matrix("mlp.gate_proj", [inner, width])?,
                matrix("mlp.up_proj", [inner, width])?,
            ])?,
            down: MatrixStack::new(vec![matrix("mlp.down_proj", [width, inner])?])?,
        })
    }

    /// Applies this layer, which has the number `index`, to the vectors `x` of a pass.
    pub(super) fn apply(
        &self,
        config: &LlamaConfig,
        index: usize,
        pass: &Pass,
        cache: &mut PackedCache,
        x: &mut [f32],
        buffers: &mut Buffers,
    ) -> Result<(), Error> {
        let Buffers { normed, projected, attended, wide, inner, change, spare } = buffers;
        self.norm(config, &self.attention_norm, x, normed);
        self.projections.product(pass.method, normed, projected, spare)?;
        self.add_to_cache(config, index, pass, cache, projected);
        self.attend(config, index, pass, cache, projected, attended);
        self.output.product(pass.method, attended, change, spare)?;
        add(x, change);

        self.norm(config, &self.inner_norm, x, normed);
        self.gate.product(pass.method, normed, wide, spare)?;
        let width = config.inner_width;
        inner.resize(wide.len() / 2, 0.0);
        let rows = inner.par_chunks_mut(width).zip(wide.par_chunks(2 * width)).with_min_len(FEW_ROWS);
        rows.for_each(|(inner, wide)| gated(wide, width, inner));
        self.down.product(pass.method, inner, change, spare)?;
        add(x, change);
        Ok(())
    }

    fn norm(&self, config: &LlamaConfig, gain: &[f32], x: &[f32], normed: &mut Vec<f32>) {
        normed.resize(x.len(), 0.0);
        let epsilon = config.norm_eps as f32;
        let rows = normed.par_chunks_mut(config.width).zip(x.par_chunks(config.width)).with_min_len(FEW_ROWS);
        rows.for_each(|(normed, x)| rms_norm(x, gain, epsilon, normed));
    }

    /// Adds biases, rotates queries and keys, and puts keys and values into the cache.
    fn add_to_cache(
        &self,
        config: &LlamaConfig,
        index: usize,
        pass: &Pass,
        cache: &mut PackedCache,
        projected: &mut [f32],
    ) {
        let (head, outputs) = (config.head_width, self.projections.outputs());
        let queries = config.heads * head;
        let keys = config.key_heads * head;
        let rows = projected.par_chunks_mut(outputs).enumerate().with_min_len(FEW_ROWS);
        rows.for_each(|(at, row)| {
            add(row, &self.bias);
            pass.rotations.apply(at, &mut row[..queries + keys]);
        });
        for (token, row) in pass.tokens.iter().zip(projected.chunks_exact(outputs)) {
            let (new_keys, new_values) = row[queries..].split_at(keys);
            let pairs = new_keys.chunks_exact(head).zip(new_values.chunks_exact(head));
            for (number, (key, value)) in pairs.enumerate() {
                cache.texts[token.row].push(index * config.key_heads + number, token.new, key, value);
            }
        }
    }

    fn attend(
        &self,
        config: &LlamaConfig,
        index: usize,
        pass: &Pass,
        cache: &PackedCache,
        projected: &[f32],
        attended: &mut Vec<f32>,
    ) {
        let (outputs, width) = (self.projections.outputs(), config.head_width);
        // The query heads that share a key head are adjacent.
        let sharing = config.heads / config.key_heads * width;
        attended.resize(pass.tokens.len() * config.heads * width, 0.0);
        attended.par_chunks_mut(sharing).enumerate().for_each(|(at, out)| {
            let (number, head) = (at / config.key_heads, at % config.key_heads);
            let token = pass.tokens[number];
            HeadQueries {
                text: &cache.texts[token.row],
                head: index * config.key_heads + head,
                visible: token.position + 1,
                queries: &projected[number * outputs + head * sharing..][..sharing],
                width,
                out,
            }
            .attend();
        });
    }
}

/// With fewer rows than this, another thread does not pay off.
const FEW_ROWS: usize = 16;

fn add(x: &mut [f32], change: &[f32]) {
    x.iter_mut().zip(change).for_each(|(x, change)| *x += change);
}
