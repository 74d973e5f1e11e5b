//! Language models built like Llama, packed for this processor.

mod adapted;
mod adapter;
mod attention;
mod cache;
mod layer;
mod stack;
mod steps;

use std::fmt;
use std::path::Path;

use self::adapted::AdaptedWeights;
pub use self::cache::PackedCache;
use self::layer::{Buffers, DecoderLayer, NewToken, Pass};
use self::stack::{MatrixStack, ProductMethod};
use self::steps::{Rotations, rms_norm};
use crate::models::LlamaConfig;
use crate::{Error, Weights};

/// The most tokens that pass through the layers together, which limits the memory for them.
const MOST_TOKENS: usize = 1024;
/// The number of vectors whose scores are computed together.
const SCORED_TOGETHER: usize = 16;

/// A fast language model for CPUs: [`Llama`](crate::models::Llama) without training.
///
/// Matrices are kept in 4 bits if a GGUF file stores them so, otherwise in 8 bits with a scale for
/// every 32 numbers. A text of 16 or more new tokens is read in 16 bits with the processor's tiles
/// if it has them; otherwise the inputs of products are rounded to 8 bits, as in llama.cpp. Texts
/// that are read together do not affect each other's numbers, and neither does the number of
/// threads.
///
/// ```
/// use std::path::Path;
/// use inkveil_nn::cpu::PackedLlama;
///
/// let model = PackedLlama::open(Path::new("tests/fixtures/llama-tiny"))?;
/// let mut cache = model.cache(2);
/// let logits = model.extend(&[&[5, 9, 200], &[7]], &mut cache)?; // texts may have any lengths
/// assert_eq!(logits[1].len(), model.config().vocabulary);
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub struct PackedLlama {
    config: LlamaConfig,
    table: MatrixStack,
    layers: Vec<DecoderLayer>,
    norm: Vec<f32>,
    /// The output matrix, or `None` if it is the token table.
    head: Option<MatrixStack>,
}

impl PackedLlama {
    /// Opens the model in a GGUF file, or in a folder with `config.json` and safetensors.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_with_adapters(path, None)
    }

    /// Like [`open`](Self::open), with low-rank adapters: a safetensors file with tensors
    /// `X.lora_A.weight` and `X.lora_B.weight`. `X.weight` becomes `X.weight + lora_B·lora_A`, as
    /// in [`with_adapters`](crate::with_adapters), but both stay apart, so that matrices in 4 bits keep
    /// them.
    pub fn open_with_adapters(path: &Path, adapters: Option<&Path>) -> Result<Self, Error> {
        let weights = Weights::open(path)?;
        let config = match weights.metadata() {
            Some(_) => LlamaConfig::from_gguf(&weights)?,
            None => LlamaConfig::open(path)?,
        };
        let adapters = adapters.map(crate::open_adapters).transpose()?;
        Self::with_adapters(&weights, adapters.as_ref(), &config).map_err(|e| weights.with_path(e))
    }

    /// Packs the weights of a model, which have Hugging Face's names.
    pub fn new(weights: &Weights, config: &LlamaConfig) -> Result<Self, Error> {
        Self::with_adapters(weights, None, config)
    }

    /// Packs the weights of a model with low-rank adapters.
    pub fn with_adapters(
        weights: &Weights,
        adapters: Option<&Weights>,
        config: &LlamaConfig,
    ) -> Result<Self, Error> {
        let weights = AdaptedWeights::new(weights, adapters);
        weights.check()?;
        let table = [config.vocabulary, config.width];
        Ok(PackedLlama {
            table: MatrixStack::new(vec![weights.matrix("model.embed_tokens", table)?])?,
            layers: (0..config.layers)
                .map(|index| DecoderLayer::open(&weights, config, index))
                .collect::<Result<_, _>>()?,
            norm: weights.vector("model.norm.weight", config.width)?,
            head: match config.tied {
                true => None,
                false => Some(MatrixStack::new(vec![weights.matrix("lm_head", table)?])?),
            },
            config: config.clone(),
        })
    }

    /// Returns its settings.
    pub fn config(&self) -> &LlamaConfig {
        &self.config
    }

    /// Creates an empty cache for `rows` texts.
    pub fn cache(&self, rows: usize) -> PackedCache {
        PackedCache::new(rows, self.config.layers * self.config.key_heads)
    }

    /// Reads at least one new token of each text. Returns the scores of all tokens as the next
    /// one of each text.
    pub fn extend(&self, texts: &[&[u32]], cache: &mut PackedCache) -> Result<Vec<Vec<f32>>, Error> {
        // On a thread of the pool, so that distributing the work of each step wakes no other
        // thread.
        rayon::scope(|_| {
            let hidden = self.read(texts, cache)?;
            let mut end = 0;
            let mut last = Vec::with_capacity(texts.len() * self.config.width);
            for text in texts {
                end += text.len();
                last.extend_from_slice(&hidden[(end - 1) * self.config.width..end * self.config.width]);
            }
            let (mut logits, mut buffers) = (Vec::new(), (Vec::new(), Vec::new()));
            self.logits(&last, &mut logits, &mut buffers)?;
            match texts.len() {
                1 => Ok(vec![logits]),
                _ => Ok(logits.chunks_exact(self.config.vocabulary).map(<[f32]>::to_vec).collect()),
            }
        })
    }

    /// Reads at least one new token of each text. For each new token, calls `visit` with the
    /// indices of text and token and the scores of all tokens as the next one.
    ///
    /// ```
    /// # use std::path::Path;
    /// # use inkveil_nn::cpu::PackedLlama;
    /// # let model = PackedLlama::open(Path::new("tests/fixtures/llama-tiny"))?;
    /// let mut seen = Vec::new();
    /// model.extend_scoring(&[&[5, 9], &[7]], &mut model.cache(2), |text, token, _| seen.push((text, token)))?;
    /// assert_eq!(seen, [(0, 0), (0, 1), (1, 0)]);
    /// # Ok::<(), inkveil_nn::Error>(())
    /// ```
    pub fn extend_scoring(
        &self,
        texts: &[&[u32]],
        cache: &mut PackedCache,
        mut visit: impl FnMut(usize, usize, &[f32]) + Send,
    ) -> Result<(), Error> {
        rayon::scope(|_| {
            let hidden = self.read(texts, cache)?;
            let places = texts
                .iter()
                .enumerate()
                .flat_map(|(text, ids)| (0..ids.len()).map(move |token| (text, token)));
            let places: Vec<(usize, usize)> = places.collect();
            let (mut logits, mut buffers) = (Vec::new(), (Vec::new(), Vec::new()));
            let some = hidden.chunks(SCORED_TOGETHER * self.config.width).zip(places.chunks(SCORED_TOGETHER));
            for (hidden, places) in some {
                self.logits(hidden, &mut logits, &mut buffers)?;
                for (&(text, token), logits) in places.iter().zip(logits.chunks_exact(self.config.vocabulary))
                {
                    visit(text, token, logits);
                }
            }
            Ok(())
        })
    }

    fn logits(
        &self,
        hidden: &[f32],
        out: &mut Vec<f32>,
        (normed, spare): &mut (Vec<f32>, Vec<f32>),
    ) -> Result<(), Error> {
        normed.resize(hidden.len(), 0.0);
        rms_norm(hidden, &self.norm, self.config.norm_eps as f32, normed);
        self.head.as_ref().unwrap_or(&self.table).product(ProductMethod::Quantised, normed, out, spare)
    }

    /// Returns the vectors of all new tokens, text by text, before the last normalisation.
    fn read(&self, texts: &[&[u32]], cache: &mut PackedCache) -> Result<Vec<f32>, Error> {
        self.check(texts, cache)?;
        let width = self.config.width;
        let mut hidden = vec![0.0; texts.iter().map(|text| text.len()).sum::<usize>() * width];
        let mut buffers = Buffers::default();
        for pass in passes(texts) {
            let mut x = vec![0.0; pass.iter().map(|run| run.length).sum::<usize>() * width];
            let ids = pass.iter().flat_map(|run| &texts[run.row][run.start..run.start + run.length]);
            ids.zip(x.chunks_exact_mut(width)).for_each(|(&id, x)| self.table.row(id as usize, x));
            self.run(&pass, cache, &mut x, &mut buffers)?;
            let mut rest = x.as_slice();
            for run in pass {
                cache.texts[run.row].add_tokens(run.length);
                let (part, others) = rest.split_at(run.length * width);
                hidden[(run.first + run.start) * width..][..part.len()].copy_from_slice(part);
                rest = others;
            }
        }
        Ok(hidden)
    }

    fn run(
        &self,
        runs: &[TokenRun],
        cache: &mut PackedCache,
        x: &mut [f32],
        buffers: &mut Buffers,
    ) -> Result<(), Error> {
        let new_tokens = |run: &TokenRun| {
            let (row, past) = (run.row, cache.length(run.row));
            (0..run.length).map(move |new| NewToken { row, position: past + new, new })
        };
        let tokens: Vec<NewToken> = runs.iter().flat_map(new_tokens).collect();
        let LlamaConfig { head_width, rope_base, rope_style, .. } = self.config;
        let pass = Pass {
            method: runs.first().map_or(ProductMethod::Quantised, |run| run.method),
            rotations: Rotations::new(
                tokens.iter().map(|token| token.position),
                head_width,
                rope_base,
                rope_style,
            ),
            tokens,
        };
        for (index, layer) in self.layers.iter().enumerate() {
            layer.apply(&self.config, index, &pass, cache, x, buffers)?;
        }
        Ok(())
    }

    fn check(&self, texts: &[&[u32]], cache: &PackedCache) -> Result<(), Error> {
        if texts.len() != cache.rows() {
            return Err(Error::argument(format!(
                "{} texts do not match a cache for {}",
                texts.len(),
                cache.rows()
            )));
        }
        let (most, rows) = (self.config.context, self.config.vocabulary);
        for (row, text) in texts.iter().enumerate() {
            let total = cache.length(row) + text.len();
            if text.is_empty() || total > most {
                return Err(Error::argument(format!(
                    "a text of {total} tokens, {} of them new, does not fit the model; use 1 to {most} tokens",
                    text.len()
                )));
            }
            if text.iter().any(|&id| id as usize >= rows) {
                return Err(Error::argument(format!(
                    "a text contains ids outside the model's {rows} tokens; use the model's own tokenizer"
                )));
            }
        }
        Ok(())
    }
}

impl fmt::Debug for PackedLlama {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PackedLlama({} layers of width {})", self.config.layers, self.config.width)
    }
}

/// New tokens of one text that pass through the layers together.
struct TokenRun {
    row: usize,
    method: ProductMethod,
    /// The index of its first token among the new tokens of its text.
    start: usize,
    length: usize,
    /// The number of new tokens in the preceding texts.
    first: usize,
}

/// Divides the new tokens into passes of limited length. A text is read by the same method alone
/// and with others.
fn passes(texts: &[&[u32]]) -> Vec<Vec<TokenRun>> {
    let mut all: Vec<Vec<TokenRun>> = Vec::new();
    for method in [ProductMethod::Tiles, ProductMethod::Quantised] {
        let (mut pass, mut free, mut first) = (Vec::new(), MOST_TOKENS, 0);
        for (row, text) in texts.iter().enumerate() {
            let mut start = 0;
            while ProductMethod::of(text.len()) == method && start < text.len() {
                let length = free.min(text.len() - start);
                pass.push(TokenRun { row, method, start, length, first });
                (start, free) = (start + length, free - length);
                if free == 0 {
                    all.push(std::mem::take(&mut pass));
                    free = MOST_TOKENS;
                }
            }
            first += text.len();
        }
        all.extend(Some(pass).filter(|pass| !pass.is_empty()));
    }
    all
}
