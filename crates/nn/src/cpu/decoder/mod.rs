//! Language models built like Llama, packed for this processor.

mod attention;
mod layer;
mod past;
mod source;
mod stack;
mod steps;

use std::fmt;
use std::path::Path;

use self::layer::{Layer, Pass, Place, Room};
pub use self::past::PackedCache;
use self::source::Source;
use self::stack::{Stack, Way};
use self::steps::{Turns, rms_norm};
use crate::models::LlamaConfig;
use crate::{Error, Weights};

/// Tokens that go through the layers together at most, which bounds the memory for them.
const MOST_TOKENS: usize = 1024;
/// Vectors whose scores of all tokens are computed together.
const SCORED_TOGETHER: usize = 16;

/// A language model that writes as fast as this processor can: [`Llama`](crate::models::Llama) without training.
///
/// Matrices are kept in 4 bits where a GGUF file has them so, and in 8 bits with a scale for every 32 numbers otherwise. A text
/// of 16 new tokens or more is read in 16 bits with the processor's tiles where it has them; otherwise what is multiplied is
/// rounded to 8 bits, as in llama.cpp. Texts that are read together do not change each other's numbers, and neither does the
/// number of threads.
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
    table: Stack,
    layers: Vec<Layer>,
    norm: Vec<f32>,
    /// The output matrix, unless it is the table.
    head: Option<Stack>,
}

impl PackedLlama {
    /// Opens the model in a GGUF file, or in a folder with `config.json` and safetensors.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_with_adapters(path, None)
    }

    /// The same with low-rank adapters, a safetensors file with tensors `X.lora_A.weight` and `X.lora_B.weight`, folded in: `X.weight`
    /// becomes `X.weight + lora_B·lora_A`, as in [`with_adapters`](crate::with_adapters).
    pub fn open_with_adapters(path: &Path, adapters: Option<&Path>) -> Result<Self, Error> {
        let weights = Weights::open(path)?;
        let config = match weights.metadata() {
            Some(_) => LlamaConfig::from_gguf(&weights)?,
            None => LlamaConfig::open(path)?,
        };
        let adapters = adapters.map(crate::open_adapters).transpose()?;
        Self::with_adapters(&weights, adapters.as_ref(), &config).map_err(|e| weights.here(e))
    }

    /// Packs the weights of a model, which are named as Hugging Face does.
    pub fn new(weights: &Weights, config: &LlamaConfig) -> Result<Self, Error> {
        Self::with_adapters(weights, None, config)
    }

    /// Packs the weights of a model with low-rank adapters folded in.
    pub fn with_adapters(
        weights: &Weights,
        adapters: Option<&Weights>,
        config: &LlamaConfig,
    ) -> Result<Self, Error> {
        let source = Source::new(weights, adapters);
        source.check()?;
        let table = [config.vocabulary, config.width];
        Ok(PackedLlama {
            table: Stack::new(vec![source.matrix("model.embed_tokens", table)?]),
            layers: (0..config.layers)
                .map(|index| Layer::open(&source, config, index))
                .collect::<Result<_, _>>()?,
            norm: source.vector("model.norm.weight", config.width)?,
            head: match config.tied {
                true => None,
                false => Some(Stack::new(vec![source.matrix("lm_head", table)?])),
            },
            config: config.clone(),
        })
    }

    /// Its settings.
    pub fn config(&self) -> &LlamaConfig {
        &self.config
    }

    /// An empty cache for so many texts.
    pub fn cache(&self, rows: usize) -> PackedCache {
        PackedCache::new(rows, self.config.layers * self.config.key_heads)
    }

    /// Reads on: each text gets its new tokens, at least one. Gives the scores of all tokens as the next one of each text.
    pub fn extend(&self, texts: &[&[u32]], cache: &mut PackedCache) -> Result<Vec<Vec<f32>>, Error> {
        // On a thread of the pool, so that sharing out the work of each step wakes nobody.
        rayon::scope(|_| {
            let hidden = self.read(texts, cache)?;
            let mut end = 0;
            let mut last = Vec::with_capacity(texts.len() * self.config.width);
            for text in texts {
                end += text.len();
                last.extend_from_slice(&hidden[(end - 1) * self.config.width..end * self.config.width]);
            }
            let (mut logits, mut room) = (Vec::new(), (Vec::new(), Vec::new()));
            self.logits(&last, &mut logits, &mut room)?;
            match texts.len() {
                1 => Ok(vec![logits]),
                _ => Ok(logits.chunks_exact(self.config.vocabulary).map(<[f32]>::to_vec).collect()),
            }
        })
    }

    /// Reads on, and gives the scores of all tokens as the next one after every new token to `visit`, with the numbers of the text
    /// and of the new token.
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
            let (mut logits, mut room) = (Vec::new(), (Vec::new(), Vec::new()));
            let some = hidden.chunks(SCORED_TOGETHER * self.config.width).zip(places.chunks(SCORED_TOGETHER));
            for (hidden, places) in some {
                self.logits(hidden, &mut logits, &mut room)?;
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
        self.head.as_ref().unwrap_or(&self.table).product(Way::Codes, normed, out, spare)
    }

    /// The vectors of all new tokens, text after text, before the last normalisation.
    fn read(&self, texts: &[&[u32]], cache: &mut PackedCache) -> Result<Vec<f32>, Error> {
        self.check(texts, cache)?;
        let width = self.config.width;
        let mut hidden = vec![0.0; texts.iter().map(|text| text.len()).sum::<usize>() * width];
        let mut room = Room::default();
        for pass in passes(texts) {
            let mut x = vec![0.0; pass.iter().map(|piece| piece.length).sum::<usize>() * width];
            let ids =
                pass.iter().flat_map(|piece| &texts[piece.row][piece.start..piece.start + piece.length]);
            ids.zip(x.chunks_exact_mut(width)).for_each(|(&id, x)| self.table.row(id as usize, x));
            self.run(&pass, cache, &mut x, &mut room)?;
            let mut rest = x.as_slice();
            for piece in pass {
                cache.texts[piece.row].add_tokens(piece.length);
                let (part, others) = rest.split_at(piece.length * width);
                hidden[(piece.first + piece.start) * width..][..part.len()].copy_from_slice(part);
                rest = others;
            }
        }
        Ok(hidden)
    }

    fn run(
        &self,
        pieces: &[Piece],
        cache: &mut PackedCache,
        x: &mut [f32],
        room: &mut Room,
    ) -> Result<(), Error> {
        let place = |piece: &Piece| {
            let (row, past) = (piece.row, cache.length(piece.row));
            (0..piece.length).map(move |new| Place { row, position: past + new, new })
        };
        let places: Vec<Place> = pieces.iter().flat_map(place).collect();
        let LlamaConfig { head_width, rope_base, rope_style, .. } = self.config;
        let pass = Pass {
            way: pieces.first().map_or(Way::Codes, |piece| piece.way),
            turns: Turns::new(places.iter().map(|place| place.position), head_width, rope_base, rope_style),
            places,
        };
        for (index, layer) in self.layers.iter().enumerate() {
            layer.apply(&self.config, index, &pass, cache, x, room)?;
        }
        Ok(())
    }

    fn check(&self, texts: &[&[u32]], cache: &PackedCache) -> Result<(), Error> {
        if texts.len() != cache.rows() {
            return Err(Error::argument(format!(
                "{} texts do not fit a cache of {}",
                texts.len(),
                cache.rows()
            )));
        }
        let (most, rows) = (self.config.context, self.config.vocabulary);
        for (row, text) in texts.iter().enumerate() {
            let total = cache.length(row) + text.len();
            if text.is_empty() || total > most {
                return Err(Error::argument(format!(
                    "a text of {total} tokens, {} of them new, does not fit the model; use 1 to {most}",
                    text.len()
                )));
            }
            if text.iter().any(|&id| id as usize >= rows) {
                return Err(Error::argument(format!(
                    "there are ids outside the model's {rows} tokens; use its own tokenizer"
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

/// New tokens of one text that go through the layers together.
struct Piece {
    row: usize,
    way: Way,
    /// Which of the new tokens of its text is its first.
    start: usize,
    length: usize,
    /// How many new tokens stand in the texts before.
    first: usize,
}

/// Shares the new tokens out into passes that are not too long. A text is read in the same way alone and with others.
fn passes(texts: &[&[u32]]) -> Vec<Vec<Piece>> {
    let mut all: Vec<Vec<Piece>> = Vec::new();
    for way in [Way::Tiles, Way::Codes] {
        let (mut pass, mut free, mut first) = (Vec::new(), MOST_TOKENS, 0);
        for (row, text) in texts.iter().enumerate() {
            let mut start = 0;
            while Way::of(text.len()) == way && start < text.len() {
                let length = free.min(text.len() - start);
                pass.push(Piece { row, way, start, length, first });
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
