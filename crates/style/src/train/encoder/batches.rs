//! The batches of a training run: pairs by one author, among others that are hard to distinguish
//! from them.

use std::collections::BTreeMap;

use inkveil_nn::SplitMix;

use super::persona::Persona;
use crate::AuthorText;

/// The texts of a step and their writers. Equal numbers mean the same writer.
pub(crate) struct Batch {
    pub(crate) texts: Vec<String>,
    pub(crate) writers: Vec<u32>,
}

impl Batch {
    /// Adds the texts of another writer.
    fn add(&mut self, texts: [String; 2]) {
        let writer = self.writers.last().map_or(0, |last| last + 1);
        self.writers.extend([writer; 2]);
        self.texts.extend(texts);
    }
}

/// The number of authors that are hard to distinguish and come together.
const TOGETHER: usize = 6;

/// Texts by author, by topic and by source.
pub(crate) struct Pool<'a> {
    texts: &'a [AuthorText],
    authors: Vec<Vec<usize>>,
    author_of: Vec<usize>,
    /// Topics with several authors.
    shared: Vec<Vec<usize>>,
    /// The authors of each source.
    sources: Vec<Vec<usize>>,
}

impl<'a> Pool<'a> {
    /// Authors with a single text are left out, because nothing can be learnt from them.
    pub(crate) fn new(texts: &'a [AuthorText]) -> Self {
        let mut by_author: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, text) in texts.iter().enumerate() {
            by_author.entry(&text.author).or_default().push(index);
        }
        let authors: Vec<Vec<usize>> = by_author.into_values().filter(|own| own.len() > 1).collect();
        let mut author_of = vec![usize::MAX; texts.len()];
        for (author, own) in authors.iter().enumerate() {
            own.iter().for_each(|&index| author_of[index] = author);
        }
        let mut by_topic: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, text) in texts.iter().enumerate() {
            if let Some(topic) = text.topic.as_deref().filter(|_| author_of[index] != usize::MAX) {
                by_topic.entry(topic).or_default().push(index);
            }
        }
        let several = |own: &Vec<usize>| own.iter().any(|&index| author_of[index] != author_of[own[0]]);
        let shared = by_topic.into_values().filter(several).collect();
        let mut by_source: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
        for (author, own) in authors.iter().enumerate() {
            by_source.entry(texts[own[0]].source.as_deref()).or_default().push(author);
        }
        let sources = by_source.into_values().filter(|authors| authors.len() > 1).collect();
        Self { texts, authors, author_of, shared, sources }
    }

    pub(crate) fn authors(&self) -> usize {
        self.authors.len()
    }

    pub(crate) fn used_texts(&self) -> usize {
        self.authors.iter().map(Vec::len).sum()
    }

    /// Returns the batch of a step. It depends only on the seed and the step, so a run can be
    /// resumed anywhere.
    pub(crate) fn batch(&self, size: usize, personas: f64, seed: u64, step: u64) -> Batch {
        let random = &mut SplitMix::named(seed, "batch", &[step]);
        let mut batch = Batch { texts: Vec::with_capacity(size + 4), writers: Vec::with_capacity(size + 4) };
        // An author comes at most once in a batch. Two pairs of one author would count as different
        // writers.
        let mut seen = vec![false; self.authors.len()];
        while batch.texts.len() < size {
            match random.unit() {
                x if x < personas => self.twins(random, &mut batch),
                // Several authors on one topic, so that the topic does not distinguish them.
                x if x < personas + 0.1 && !self.shared.is_empty() => {
                    let topic = &self.shared[below(random, self.shared.len())];
                    for _ in 0..TOGETHER {
                        let index = topic[below(random, topic.len())];
                        self.pair(self.author_of[index], Some(index), random, &mut seen, &mut batch);
                    }
                }
                // Or of one source, chosen by its number of authors.
                x if x < personas + 0.5 && !self.sources.is_empty() => {
                    let source = self.source(random);
                    for _ in 0..TOGETHER {
                        let author = source[below(random, source.len())];
                        self.pair(author, None, random, &mut seen, &mut batch);
                    }
                }
                _ => {
                    let author = below(random, self.authors.len());
                    self.pair(author, None, random, &mut seen, &mut batch);
                }
            }
            // A corpus of few authors runs out of unseen ones.
            if seen.iter().all(|seen| *seen) && personas <= 0.0 {
                break;
            }
        }
        batch
    }

    fn source(&self, random: &mut SplitMix) -> &[usize] {
        let mut left = below(random, self.sources.iter().map(Vec::len).sum());
        for source in &self.sources {
            match left.checked_sub(source.len()) {
                Some(rest) => left = rest,
                None => return source,
            }
        }
        &self.sources[0]
    }

    /// Returns two texts of an author, on different topics if possible.
    fn pair(
        &self,
        author: usize,
        first: Option<usize>,
        random: &mut SplitMix,
        seen: &mut [bool],
        batch: &mut Batch,
    ) {
        let own = &self.authors[author];
        if std::mem::replace(&mut seen[author], true) {
            return;
        }
        let first = first.unwrap_or_else(|| own[below(random, own.len())]);
        let second = self.partner(first, own, random);
        batch.add([first, second].map(|index| cut(&self.texts[index].text, random)));
    }

    /// Returns another text of the same author, on another topic if one of a few tries finds one.
    fn partner(&self, first: usize, own: &[usize], random: &mut SplitMix) -> usize {
        let mut found = first;
        for _ in 0..8 {
            let index = own[below(random, own.len())];
            if index == first {
                continue;
            }
            found = index;
            if !self.texts[index].shares_topic(&self.texts[first]) {
                break;
            }
        }
        if found == first {
            // All tries failed, so the neighbour is taken.
            let at = own.iter().position(|&index| index == first).unwrap_or(0);
            found = own[(at + 1) % own.len()];
        }
        found
    }

    /// Adds two personas that write the same text. Each also writes another one.
    fn twins(&self, random: &mut SplitMix, batch: &mut Batch) {
        let own = &self.authors[below(random, self.authors.len())];
        let common = own[below(random, own.len())];
        let common_text = cut(&self.texts[common].text, random);
        for _ in 0..2 {
            let persona = Persona::draw(random);
            let other = self.partner(common, own, random);
            let other = cut(&self.texts[other].text, random);
            batch.add([&common_text, &other].map(|text| persona.write(text, random)));
        }
    }
}

fn below(random: &mut SplitMix, n: usize) -> usize {
    (random.next() % n.max(1) as u64) as usize
}

/// The shortest and the longest part of a text, in words. Attention over many long texts needs too
/// much memory.
const SHORTEST: usize = 30;
const LONGEST: usize = 100;

/// Returns a part of a text. Long texts are cut to a random length at a random place, so that the
/// encoder learns all lengths.
fn cut(text: &str, random: &mut SplitMix) -> String {
    let blanks: Vec<usize> = text.match_indices(' ').map(|(at, _)| at).collect();
    let words = blanks.len() + 1;
    let shortest = SHORTEST.min(words);
    let most = words.min(LONGEST);
    let length = shortest + below(random, most - shortest + 1);
    let from = below(random, words - length + 1);
    let start = if from == 0 { 0 } else { blanks[from - 1] + 1 };
    let end = blanks.get(from + length - 1).copied().unwrap_or(text.len());
    text.get(start..end).unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus() -> Vec<AuthorText> {
        let text = |n: usize| AuthorText {
            author: format!("a{}", n % 6),
            topic: Some(format!("t{}", n / 6)),
            source: Some(format!("s{}", n % 2)),
            text: format!("number {n} ").repeat(50),
        };
        (0..36).map(text).collect()
    }

    #[test]
    fn every_writer_has_two_texts_and_batches_are_reproducible() {
        let corpus = corpus();
        let pool = Pool::new(&corpus);
        assert_eq!((pool.authors(), pool.used_texts(), pool.shared.len()), (6, 36, 6));
        assert_eq!(pool.sources, [[0, 2, 4], [1, 3, 5]]);
        for step in 0..50 {
            let batch = pool.batch(16, 0.4, 3, step);
            let again = pool.batch(16, 0.4, 3, step);
            assert_eq!(batch.texts, again.texts);
            for pair in batch.writers.chunks(2) {
                assert_eq!(pair[0], pair[1]);
            }
            assert!(batch.texts.len() >= 16);
        }
        assert_ne!(pool.batch(16, 0.4, 3, 0).texts, pool.batch(16, 0.4, 3, 1).texts);
    }

    #[test]
    fn without_personas_pairs_are_by_one_author_on_two_topics() {
        let corpus = corpus();
        let pool = Pool::new(&corpus);
        for step in 0..50 {
            let batch = pool.batch(64, 0.0, 9, step);
            assert!(batch.texts.len() <= 12, "each author once");
            for pair in batch.texts.chunks(2) {
                let number =
                    |text: &str| text.split(' ').find_map(|word| word.parse::<usize>().ok()).unwrap();
                let (a, b) = (number(&pair[0]), number(&pair[1]));
                assert_eq!(a % 6, b % 6);
                assert_ne!(a, b);
            }
        }
    }

    #[test]
    fn parts_consist_of_whole_words() {
        let text = "one two three four five ".repeat(60);
        for seed in 0..100 {
            let part = cut(text.trim_end(), &mut SplitMix::named(seed, "", &[]));
            let words = part.split(' ').count();
            assert!((SHORTEST..=LONGEST).contains(&words) && text.contains(&part), "{words}");
        }
        assert_eq!(cut("short", &mut SplitMix::named(1, "", &[])), "short");
    }
}
