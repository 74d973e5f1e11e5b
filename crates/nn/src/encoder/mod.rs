//! Sentence encoders: tokenizer, packed encoder and pooling in one.

mod note;
mod pooling;
mod settings;

use std::fmt;
use std::path::Path;

use rayon::prelude::*;

pub use self::note::EncoderNote;
use self::pooling::normalise;
use self::settings::EncoderSettings;
use crate::cpu::{PackedEncoder, Precision};
use crate::{Error, Tokenizer};

/// Tokens between two progress calls: some tenths of a second of work.
const BATCH: usize = 1 << 14;

/// A sentence encoder: computes one vector per text, on all cores.
///
/// It opens a folder in the layout of Sentence Transformers or of a plain encoder: weights (`f32`,
/// 16-bit or [8-bit](crate::quantise)), `config.json`, a tokenizer, and the pooling settings. The
/// encoder must be a BERT, RoBERTa or MPNet.
///
/// ```no_run
/// use std::path::Path;
///
/// use inkveil_nn::SentenceEncoder;
///
/// let encoder = SentenceEncoder::open(Path::new("models/en"))?;
/// let vectors = encoder.encode(&["A quiet street.", "It is calm here.", "Invoice no. 7"])?;
/// let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
/// assert!(dot(&vectors[0], &vectors[1]) > dot(&vectors[0], &vectors[2]));
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub struct SentenceEncoder {
    tokenizer: Tokenizer,
    encoder: PackedEncoder,
    settings: EncoderSettings,
    max_tokens: usize,
    /// The special tokens after a text, which are kept when it is truncated.
    closing: Vec<u32>,
}

impl SentenceEncoder {
    /// Opens a model's folder, in the fastest precision for vectors on this machine.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        Self::open_with(folder, Precision::fastest_for_vectors())
    }

    /// Opens a model's folder in the given precision.
    pub fn open_with(folder: &Path, precision: Precision) -> Result<Self, Error> {
        let settings = EncoderSettings::open(folder)?;
        let (tokenizer, encoder) =
            rayon::join(|| Tokenizer::open(folder), || PackedEncoder::open(folder, precision));
        let (tokenizer, encoder) = (tokenizer?, encoder?);
        let closing = closing_tokens(&tokenizer)?;
        let max_tokens = settings.max_tokens.unwrap_or(usize::MAX).min(encoder.max_tokens());
        if max_tokens <= closing.len() {
            return Err(Error::argument(
                "this model cannot encode text: its special tokens alone reach its length limit",
            )
            .in_file(folder));
        }
        Ok(Self { tokenizer, encoder, settings, max_tokens, closing })
    }

    /// Returns the number of columns of a vector.
    pub fn width(&self) -> usize {
        self.encoder.width()
    }

    /// Returns the largest number of tokens of a text, including special ones; longer texts are
    /// truncated.
    pub fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    /// Returns the tokenizer.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Returns the underlying encoder, for the states of single tokens.
    pub fn encoder(&self) -> &PackedEncoder {
        &self.encoder
    }

    /// Encodes texts and returns their vectors in the same order. The empty text has a vector too,
    /// that of its special tokens.
    pub fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Error> {
        self.encode_with(texts, &mut |_, _| ())
    }

    /// Like [`encode`](Self::encode), and calls `progress` after every batch with the number of
    /// finished texts and the total.
    pub fn encode_with(
        &self,
        texts: &[&str],
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Vec<Vec<f32>>, Error> {
        let tokens: Vec<Vec<u32>> =
            texts.par_iter().map(|text| self.tokens(text)).collect::<Result<_, _>>()?;
        let mut order: Vec<usize> = (0..texts.len()).collect();
        // Texts of similar length are batched together. The longest come first, so that no thread
        // finishes late.
        order.sort_by_key(|&index| std::cmp::Reverse(tokens[index].len()));
        let mut vectors = vec![Vec::new(); texts.len()];
        let mut done = 0;
        while done < order.len() {
            let batch =
                &order[done..done + batch_size(order[done..].iter().map(|&index| tokens[index].len()))];
            let sequences: Vec<&[u32]> = batch.iter().map(|&index| tokens[index].as_slice()).collect();
            let pooled = self.encoder.map(&sequences, |_, states| self.pool(states))?;
            batch.iter().zip(pooled).for_each(|(&index, vector)| vectors[index] = vector);
            done += batch.len();
            progress(done, texts.len());
        }
        Ok(vectors)
    }

    /// Returns the tokens of a text as the encoder receives them, truncated to
    /// [`max_tokens`](Self::max_tokens).
    pub fn tokens(&self, text: &str) -> Result<Vec<u32>, Error> {
        let mut ids = self.tokenizer.encode(text, true)?.ids;
        if ids.len() > self.max_tokens {
            ids.truncate(self.max_tokens - self.closing.len());
            ids.extend(&self.closing);
        }
        Ok(ids)
    }

    fn pool(&self, states: &[f32]) -> Vec<f32> {
        let mut vector = self.settings.pooling.apply(states, self.width());
        if self.settings.normalise {
            normalise(&mut vector);
        }
        vector
    }
}

impl fmt::Debug for SentenceEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SentenceEncoder(width {}, up to {} tokens)", self.width(), self.max_tokens)
    }
}

/// Returns how many of these sequences form a batch; at least one.
fn batch_size(lengths: impl Iterator<Item = usize>) -> usize {
    let mut tokens = 0;
    let fits = |length: &usize| {
        let fits = tokens < BATCH;
        tokens += length;
        fits
    };
    lengths.take_while(fits).count()
}

/// Returns the special tokens that are added after a text.
fn closing_tokens(tokenizer: &Tokenizer) -> Result<Vec<u32>, Error> {
    let (bare, whole) = (tokenizer.encode("a", false)?.ids, tokenizer.encode("a", true)?.ids);
    let at = whole.windows(bare.len().max(1)).position(|window| window == bare);
    Ok(at.map_or_else(Vec::new, |at| whole[at + bare.len()..].to_vec()))
}
