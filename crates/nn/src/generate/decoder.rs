//! The common interface of language models for generating text.

use crate::cpu::{PackedCache, PackedLlama};
use crate::models::{Llama, LlamaCache, LlamaConfig};
use crate::{DType, Error, Tensor};

/// A language model that reads texts and scores the next token: [`Llama`], which also trains and
/// runs on a GPU, or [`PackedLlama`], which is the fastest on a CPU.
///
/// ```
/// use std::path::Path;
///
/// use inkveil_nn::cpu::PackedLlama;
/// use inkveil_nn::generate::Decoder;
///
/// /// Returns the likeliest next token.
/// fn next(model: &impl Decoder, text: &[u32]) -> Result<Option<usize>, inkveil_nn::Error> {
///     let (_, logits) = model.begin(&[text])?;
///     Ok((0..logits[0].len()).max_by(|&a, &b| logits[0][a].total_cmp(&logits[0][b])))
/// }
///
/// let model = PackedLlama::open(Path::new("tests/fixtures/llama-tiny"))?;
/// assert!(next(&model, &[5, 9, 200])?.is_some());
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub trait Decoder: Sync {
    /// The cache of the texts it reads.
    type Cache;

    /// Returns its settings.
    fn config(&self) -> &LlamaConfig;

    /// Reads texts of at least one token, and returns the scores of all tokens as the next one of
    /// each.
    fn begin(&self, texts: &[&[u32]]) -> Result<(Self::Cache, Vec<Vec<f32>>), Error>;

    /// Reads one more token of each text, and returns the scores of all tokens as the next one.
    fn step(&self, ids: &[u32], cache: &mut Self::Cache) -> Result<Vec<Vec<f32>>, Error>;

    /// Keeps only these texts, in this order. A text may occur several times.
    fn select(&self, cache: &mut Self::Cache, rows: &[usize]) -> Result<(), Error>;

    /// Returns the number of positions that a text takes in the model's context.
    fn length(&self, cache: &Self::Cache, row: usize) -> usize;

    /// Reads at least one more token of each text. For each new token, calls `visit` with the
    /// indices of text and token and the scores of all tokens as the next one.
    fn extend_scoring(
        &self,
        texts: &[&[u32]],
        cache: Self::Cache,
        visit: &mut (dyn FnMut(usize, usize, &[f32]) + Send),
    ) -> Result<(), Error>;
}

impl Decoder for PackedLlama {
    type Cache = PackedCache;

    fn config(&self) -> &LlamaConfig {
        PackedLlama::config(self)
    }

    fn begin(&self, texts: &[&[u32]]) -> Result<(PackedCache, Vec<Vec<f32>>), Error> {
        let mut cache = self.cache(texts.len());
        let logits = self.extend(texts, &mut cache)?;
        Ok((cache, logits))
    }

    fn step(&self, ids: &[u32], cache: &mut PackedCache) -> Result<Vec<Vec<f32>>, Error> {
        self.extend(&ids.chunks(1).collect::<Vec<_>>(), cache)
    }

    fn select(&self, cache: &mut PackedCache, rows: &[usize]) -> Result<(), Error> {
        cache.select(rows)
    }

    fn length(&self, cache: &PackedCache, row: usize) -> usize {
        cache.length(row)
    }

    fn extend_scoring(
        &self,
        texts: &[&[u32]],
        mut cache: PackedCache,
        visit: &mut (dyn FnMut(usize, usize, &[f32]) + Send),
    ) -> Result<(), Error> {
        PackedLlama::extend_scoring(self, texts, &mut cache, visit)
    }
}

impl Decoder for Llama {
    type Cache = LlamaCache;

    fn config(&self) -> &LlamaConfig {
        Llama::config(self)
    }

    /// Texts are padded on the left.
    fn begin(&self, texts: &[&[u32]]) -> Result<(LlamaCache, Vec<Vec<f32>>), Error> {
        let (ids, padding) = left_padded(self, texts)?;
        let mut cache = self.cache(padding);
        let hidden = self.extend(&ids, &mut cache)?;
        let logits = last_logits(self, &hidden)?;
        Ok((cache, logits))
    }

    fn step(&self, ids: &[u32], cache: &mut LlamaCache) -> Result<Vec<Vec<f32>>, Error> {
        let ids = Tensor::new(ids, self.device())?.unsqueeze(1)?;
        last_logits(self, &self.extend(&ids, cache)?)
    }

    fn select(&self, cache: &mut LlamaCache, rows: &[usize]) -> Result<(), Error> {
        cache.select(rows)
    }

    fn length(&self, cache: &LlamaCache, _: usize) -> usize {
        cache.length()
    }

    /// Texts are padded on the right; the scores after shorter ones are ignored.
    fn extend_scoring(
        &self,
        texts: &[&[u32]],
        mut cache: LlamaCache,
        visit: &mut (dyn FnMut(usize, usize, &[f32]) + Send),
    ) -> Result<(), Error> {
        let longest = texts.iter().map(|text| text.len()).max().unwrap_or(0);
        let rows = texts
            .iter()
            .flat_map(|text| text.iter().copied().chain(std::iter::repeat_n(0, longest - text.len())));
        let ids = Tensor::from_iter(rows, self.device())?.reshape((texts.len(), longest))?;
        let hidden = self.extend(&ids, &mut cache)?;
        // One text at a time: the scores for every position of every text may not fit into memory.
        for (row, text) in texts.iter().enumerate() {
            let logits = self.logits(&hidden.get(row)?.narrow(0, 0, text.len())?)?;
            let logits: Vec<Vec<f32>> = logits.to_dtype(DType::F32)?.to_vec2()?;
            logits.iter().enumerate().for_each(|(token, logits)| visit(row, token, logits));
        }
        Ok(())
    }
}

/// Pads texts on the left, so that all of them end at the same position. Returns the ids and the
/// padding of each.
pub(super) fn left_padded(model: &Llama, texts: &[&[u32]]) -> Result<(Tensor, Vec<usize>), Error> {
    let longest = texts.iter().map(|text| text.len()).max().unwrap_or(0);
    let padding: Vec<usize> = texts.iter().map(|text| longest - text.len()).collect();
    let rows = texts.iter().zip(&padding);
    let ids = rows.flat_map(|(text, &padding)| std::iter::repeat_n(0, padding).chain(text.iter().copied()));
    let ids = Tensor::from_iter(ids, model.device())?.reshape((texts.len(), longest))?;
    Ok((ids, padding))
}

/// Returns the scores after the last position of each text.
fn last_logits(model: &Llama, hidden: &Tensor) -> Result<Vec<Vec<f32>>, Error> {
    let (_, length, _) = hidden.dims3()?;
    let last = hidden.narrow(1, length - 1, 1)?.squeeze(1)?.contiguous()?;
    Ok(model.logits(&last)?.to_dtype(DType::F32)?.to_vec2()?)
}
