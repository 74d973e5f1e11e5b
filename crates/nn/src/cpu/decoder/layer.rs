//! One layer of a packed language model.

use rayon::prelude::*;

use super::attention::Query;
use super::past::PackedCache;
use super::source::Source;
use super::stack::{Stack, Way};
use super::steps::{Turns, gated, rms_norm};
use crate::Error;
use crate::models::LlamaConfig;

pub(super) struct Layer {
    attention_norm: Vec<f32>,
    /// Queries, keys and values.
    projections: Stack,
    /// Of the projections; empty if they have none.
    bias: Vec<f32>,
    output: Stack,
    inner_norm: Vec<f32>,
    /// The gate, and what goes through it.
    gate: Stack,
    down: Stack,
}

/// A token that is read: which text it belongs to, and where it stands in it.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) row: usize,
    pub(super) position: usize,
    /// Counted from the first that is new.
    pub(super) new: usize,
}

/// Tokens that go through the layers together.
pub(super) struct Pass {
    pub(super) way: Way,
    pub(super) places: Vec<Place>,
    pub(super) turns: Turns,
}

/// Room for a pass, kept from layer to layer.
#[derive(Default)]
pub(super) struct Room {
    normed: Vec<f32>,
    projected: Vec<f32>,
    attended: Vec<f32>,
    wide: Vec<f32>,
    inner: Vec<f32>,
    change: Vec<f32>,
    spare: Vec<f32>,
}

impl Layer {
    pub(super) fn open(source: &Source<'_>, config: &LlamaConfig, index: usize) -> Result<Self, Error> {
        let (width, inner) = (config.width, config.inner_width);
        let (queries, keys) = (config.heads * config.head_width, config.key_heads * config.head_width);
        let name = |part: &str| format!("model.layers.{index}.{part}");
        let matrix = |part: &str, shape| source.matrix(&name(part), shape);
        let projections = [("q_proj", queries), ("k_proj", keys), ("v_proj", keys)];
        let mut bias = Vec::new();
        if config.bias {
            for (part, outputs) in projections {
                bias.extend(source.vector(&name(&format!("self_attn.{part}.bias")), outputs)?);
            }
        }
        let projections =
            projections.map(|(part, outputs)| matrix(&format!("self_attn.{part}"), [outputs, width]));
        Ok(Layer {
            attention_norm: source.vector(&name("input_layernorm.weight"), width)?,
            projections: Stack::new(projections.into_iter().collect::<Result<_, _>>()?),
            bias,
            output: Stack::new(vec![matrix("self_attn.o_proj", [width, queries])?]),
            inner_norm: source.vector(&name("post_attention_layernorm.weight"), width)?,
            gate: Stack::new(vec![
                matrix("mlp.gate_proj", [inner, width])?,
                matrix("mlp.up_proj", [inner, width])?,
            ]),
            down: Stack::new(vec![matrix("mlp.down_proj", [width, inner])?]),
        })
    }

    /// Takes the vectors `x` of a pass through this layer, which is number `index`.
    pub(super) fn apply(
        &self,
        config: &LlamaConfig,
        index: usize,
        pass: &Pass,
        cache: &mut PackedCache,
        x: &mut [f32],
        room: &mut Room,
    ) -> Result<(), Error> {
        let Room { normed, projected, attended, wide, inner, change, spare } = room;
        self.norm(config, &self.attention_norm, x, normed);
        self.projections.product(pass.way, normed, projected, spare)?;
        self.remember(config, index, pass, cache, projected);
        self.attend(config, index, pass, cache, projected, attended);
        self.output.product(pass.way, attended, change, spare)?;
        add(x, change);

        self.norm(config, &self.inner_norm, x, normed);
        self.gate.product(pass.way, normed, wide, spare)?;
        let width = config.inner_width;
        inner.resize(wide.len() / 2, 0.0);
        let rows = inner.par_chunks_mut(width).zip(wide.par_chunks(2 * width)).with_min_len(FEW_ROWS);
        rows.for_each(|(inner, wide)| gated(wide, width, inner));
        self.down.product(pass.way, inner, change, spare)?;
        add(x, change);
        Ok(())
    }

    fn norm(&self, config: &LlamaConfig, gain: &[f32], x: &[f32], normed: &mut Vec<f32>) {
        normed.resize(x.len(), 0.0);
        let epsilon = config.norm_eps as f32;
        let rows = normed.par_chunks_mut(config.width).zip(x.par_chunks(config.width)).with_min_len(FEW_ROWS);
        rows.for_each(|(normed, x)| rms_norm(x, gain, epsilon, normed));
    }

    /// Adds biases, turns queries and keys, and puts keys and values into the cache.
    fn remember(
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
            pass.turns.apply(at, &mut row[..queries + keys]);
        });
        for (place, row) in pass.places.iter().zip(projected.chunks_exact(outputs)) {
            let (new_keys, new_values) = row[queries..].split_at(keys);
            let pairs = new_keys.chunks_exact(head).zip(new_values.chunks_exact(head));
            for (number, (key, value)) in pairs.enumerate() {
                cache.texts[place.row].push(index * config.key_heads + number, place.new, key, value);
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
        // The query heads that share a key head stand side by side.
        let sharing = config.heads / config.key_heads * width;
        attended.resize(pass.places.len() * config.heads * width, 0.0);
        attended.par_chunks_mut(sharing).enumerate().for_each(|(at, out)| {
            let (token, head) = (at / config.key_heads, at % config.key_heads);
            let place = pass.places[token];
            Query {
                text: &cache.texts[place.row],
                head: index * config.key_heads + head,
                visible: place.position + 1,
                queries: &projected[token * outputs + head * sharing..][..sharing],
                width,
                out,
            }
            .attend();
        });
    }
}

/// Fewer rows than this are not worth another thread.
const FEW_ROWS: usize = 16;

fn add(x: &mut [f32], change: &[f32]) {
    x.iter_mut().zip(change).for_each(|(x, change)| *x += change);
}
