//! The cache of a packed language model: keys and values of the tokens read so far.

use std::fmt;
use std::sync::Arc;

use half::bf16;

use crate::Error;

/// The number of positions whose keys are stored together.
pub(super) const GROUP: usize = 16;
/// Value vectors are padded to a multiple of this.
pub(super) const LANES: usize = 32;

/// The keys and values of the texts that a [`PackedLlama`](super::PackedLlama) reads. Each text has
/// its own length. Copies of a text share the part that they have in common.
///
/// ```
/// use std::path::Path;
/// use inkveil_nn::cpu::PackedLlama;
///
/// let model = PackedLlama::open(Path::new("tests/fixtures/llama-tiny"))?;
/// let mut cache = model.cache(1);
/// model.extend(&[&[5, 9, 200]], &mut cache)?; // the prompt is read once …
/// cache.select(&[0, 0])?; // … and continued twice
/// model.extend(&[&[1, 2], &[3]], &mut cache)?;
/// assert_eq!((cache.rows(), cache.length(0), cache.length(1)), (2, 5, 4));
/// # Ok::<(), inkveil_nn::Error>(())
/// ```
pub struct PackedCache {
    pub(super) texts: Vec<TextCache>,
    heads: usize,
}

/// The cache of one text.
#[derive(Clone)]
pub(super) struct TextCache {
    /// Segments that other texts may share.
    shared: Vec<Arc<CacheSegment>>,
    own: CacheSegment,
    /// The number of tokens in the shared segments.
    before: usize,
}

/// Some positions of a text in all layers.
#[derive(Clone, Default)]
struct CacheSegment {
    length: usize,
    /// By layer, and by key head in each.
    heads: Vec<HeadCache>,
}

/// The keys and values of one head.
#[derive(Clone, Default)]
pub(super) struct HeadCache {
    /// In groups of sixteen positions. Each group stores the first number of all its keys, then the
    /// second, and so on, so that the scores of sixteen positions are computed in parallel.
    pub(super) keys: Vec<bf16>,
    /// Position by position.
    pub(super) values: Vec<bf16>,
}

impl PackedCache {
    pub(super) fn new(rows: usize, heads: usize) -> Self {
        let text = || TextCache { shared: Vec::new(), own: CacheSegment::new(heads), before: 0 };
        PackedCache { texts: std::iter::repeat_with(text).take(rows).collect(), heads }
    }

    /// Returns the number of texts.
    pub fn rows(&self) -> usize {
        self.texts.len()
    }

    /// Returns the number of tokens of a text read so far; 0 if there is no such text.
    pub fn length(&self, row: usize) -> usize {
        self.texts.get(row).map_or(0, TextCache::length)
    }

    /// Keeps only these texts, in this order. A text may occur several times, to be continued in
    /// several ways; its cache is not copied.
    pub fn select(&mut self, rows: &[usize]) -> Result<(), Error> {
        if let Some(row) = rows.iter().find(|&&row| row >= self.rows()) {
            return Err(Error::argument(format!("there is no text {row} in a batch of {}", self.rows())));
        }
        let mut times = vec![0; self.rows()];
        rows.iter().for_each(|&row| times[row] += 1);
        for (text, times) in self.texts.iter_mut().zip(times) {
            if times > 1 {
                text.share(self.heads);
            }
        }
        let mut texts: Vec<Option<TextCache>> =
            std::mem::take(&mut self.texts).into_iter().map(Some).collect();
        let mut left = rows.to_vec();
        left.reverse();
        while let Some(row) = left.pop() {
            let text = if left.contains(&row) { texts[row].clone() } else { texts[row].take() };
            self.texts.extend(text);
        }
        Ok(())
    }
}

/// The content is private, so `Debug` prints only lengths.
impl fmt::Debug for PackedCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lengths: Vec<usize> = self.texts.iter().map(TextCache::length).collect();
        write!(f, "PackedCache({lengths:?} tokens)")
    }
}

impl TextCache {
    pub(super) fn length(&self) -> usize {
        self.before + self.own.length
    }

    /// Counts tokens whose keys and values were added.
    pub(super) fn add_tokens(&mut self, count: usize) {
        self.own.length += count;
    }

    /// Adds the key and the value of a new position of a head. `at` is the index among the new
    /// positions.
    pub(super) fn push(&mut self, head: usize, at: usize, key: &[f32], value: &[f32]) {
        let at = self.own.length + at;
        self.own.heads[head].push(at, key, value);
    }

    /// Returns the keys and values of a head in pieces, with the number of positions of each, for a
    /// query that sees the first `visible` positions.
    pub(super) fn seen(&self, head: usize, visible: usize) -> impl Iterator<Item = (&HeadCache, usize)> {
        let shared = self.shared.iter().map(|segment| (&segment.heads, segment.length));
        // New positions are not counted while they are being read.
        let own = (&self.own.heads, usize::MAX);
        let mut left = visible;
        shared.chain([own]).map_while(move |(heads, length)| {
            let length = length.min(left);
            left -= length;
            (length > 0).then(|| (&heads[head], length))
        })
    }

    /// Makes the tokens read so far shareable between clones.
    fn share(&mut self, heads: usize) {
        if self.own.length > 0 {
            let own = std::mem::replace(&mut self.own, CacheSegment::new(heads));
            self.before += own.length;
            self.shared.push(Arc::new(own));
        }
    }
}

impl CacheSegment {
    fn new(heads: usize) -> Self {
        CacheSegment { length: 0, heads: vec![HeadCache::default(); heads] }
    }
}

impl HeadCache {
    fn push(&mut self, at: usize, key: &[f32], value: &[f32]) {
        let (group, lane) = (at / GROUP, at % GROUP);
        // A failed pass may have left data behind.
        self.keys.resize((group + 1) * GROUP * key.len(), bf16::ZERO);
        let keys = &mut self.keys[group * GROUP * key.len()..];
        for (keys, &key) in keys.chunks_exact_mut(GROUP).zip(key) {
            keys[lane] = bf16::from_f32(key);
        }
        let stride = value.len().next_multiple_of(LANES);
        self.values.resize((at + 1) * stride, bf16::ZERO);
        for (out, &value) in self.values[at * stride..].iter_mut().zip(value) {
            *out = bf16::from_f32(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(cache: &mut PackedCache, row: usize, value: f32) {
        cache.texts[row].push(0, 0, &[value], &[value]);
        cache.texts[row].add_tokens(1);
    }

    fn values(cache: &PackedCache, row: usize, visible: usize) -> Vec<f32> {
        let pieces = cache.texts[row].seen(0, visible);
        pieces
            .flat_map(|(head, length)| head.values.chunks(LANES).take(length).map(|value| value[0].to_f32()))
            .collect()
    }

    #[test]
    fn copied_texts_share_their_beginning() {
        let mut cache = PackedCache::new(1, 1);
        (0..20).for_each(|i| push(&mut cache, 0, i as f32));
        cache.select(&[0, 0, 0]).unwrap();
        assert_eq!(Arc::strong_count(&cache.texts[0].shared[0]), 3);
        push(&mut cache, 0, 100.0);
        push(&mut cache, 2, 200.0);
        push(&mut cache, 2, 201.0);
        cache.select(&[2, 0, 2]).unwrap();
        push(&mut cache, 0, 300.0);
        assert_eq!([0, 1, 2].map(|row| cache.length(row)), [23, 21, 22]);
        assert_eq!(values(&cache, 0, 23)[18..], [18.0, 19.0, 200.0, 201.0, 300.0]);
        assert_eq!(values(&cache, 1, 21)[18..], [18.0, 19.0, 100.0]);
        assert_eq!(values(&cache, 2, 21)[18..], [18.0, 19.0, 200.0]);
        assert_eq!(values(&cache, 2, 3), [0.0, 1.0, 2.0]);
        assert!(cache.select(&[3]).is_err());
        cache.select(&[]).unwrap();
        assert_eq!((cache.rows(), cache.length(0)), (0, 0));
    }
}
