//! Texts with authors and topics, for attacks on authorship.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use inkveil_nn::SplitMix;
use inkveil_style::{AuthorText, read_corpus};

use crate::{Error, Split};

/// A corpus of texts by several authors.
///
/// ```
/// use inkveil_eval::{AuthorCorpus, PairSettings};
///
/// let file = tempfile::NamedTempFile::new()?;
/// let line = |author, topic| format!("{{\"author\": \"{author}\", \"topic\": \"{topic}\", \"text\": \"About {topic}.\"}}\n");
/// std::fs::write(&file, [line("ann", "tea"), line("ann", "rain"), line("bob", "tea"), line("bob", "rain")].concat())?;
/// let corpus = AuthorCorpus::read(file.path())?;
/// assert_eq!(corpus.authors(), ["ann", "ann", "bob", "bob"]);
///
/// // One text of each author is held out, or one author with all texts.
/// assert_eq!(corpus.split_texts(0.5, 1)?.test().len(), 2);
/// assert_eq!(corpus.split_authors(0.5, 1)?.test().len(), 2);
///
/// // Two pairs by one author about different topics, and two by different authors about the same topic.
/// let pairs = corpus.pairs(&PairSettings { count: 4, ..PairSettings::default() })?;
/// assert!(pairs.iter().all(|pair| pair.same_author != pair.same_topic));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct AuthorCorpus {
    texts: Vec<AuthorText>,
}

impl AuthorCorpus {
    /// A corpus of these texts.
    pub fn new(texts: Vec<AuthorText>) -> Self {
        Self { texts }
    }

    /// Reads a file of JSON lines, as [`inkveil_style::read_corpus`] does.
    ///
    /// # Errors
    /// If the file or one of its rows cannot be read.
    pub fn read(file: &Path) -> Result<Self, Error> {
        Ok(Self { texts: read_corpus(file)? })
    }

    /// The texts with their authors and topics.
    pub fn all(&self) -> &[AuthorText] {
        &self.texts
    }

    /// The texts only.
    pub fn texts(&self) -> Vec<&str> {
        self.texts.iter().map(|text| text.text.as_str()).collect()
    }

    /// The author of each text.
    pub fn authors(&self) -> Vec<&str> {
        self.texts.iter().map(|text| text.author.as_str()).collect()
    }

    /// Draws `texts` texts of each of `authors` authors by the seed, in the order of the corpus.
    /// Authors with fewer texts are not used.
    ///
    /// # Errors
    /// If too few authors have enough texts.
    pub fn sample(&self, authors: usize, texts: usize, seed: u64) -> Result<Self, Error> {
        let mut able: Vec<Vec<usize>> =
            self.by_author().into_values().filter(|theirs| theirs.len() >= texts).collect();
        if authors == 0 || texts == 0 || able.len() < authors {
            return Err(Error::argument(format!(
                "{authors} authors are requested, but only {} have {texts} texts or more",
                able.len()
            )));
        }
        let mut random = SplitMix::named(seed, "authors", &[]);
        random.shuffle(&mut able);
        able.truncate(authors);
        let mut chosen = BTreeSet::new();
        for mut theirs in able {
            random.shuffle(&mut theirs);
            chosen.extend(theirs.into_iter().take(texts));
        }
        Ok(Self { texts: chosen.into_iter().map(|index| self.texts[index].clone()).collect() })
    }

    /// Holds out a share of the authors with all their texts. No author is on both sides.
    ///
    /// # Errors
    /// If there are fewer than two authors or the share is not between 0 and 1.
    pub fn split_authors(&self, test_share: f64, seed: u64) -> Result<Split, Error> {
        let authors: Vec<&str> = self.by_author().into_keys().collect();
        let split = Split::new(authors.len(), test_share, seed)?;
        let held: BTreeSet<&str> = split.test_of(&authors).into_iter().collect();
        Ok(Split::by(self.texts.len(), |index| held.contains(self.texts[index].author.as_str())))
    }

    /// Holds out a share of each author's texts. All authors are on both sides, except authors with
    /// one text, which is used for training.
    ///
    /// # Errors
    /// If the share is not between 0 and 1, or no author has two texts.
    pub fn split_texts(&self, test_share: f64, seed: u64) -> Result<Split, Error> {
        let mut held = BTreeSet::new();
        for (number, theirs) in (0_u64..).zip(self.by_author().values().filter(|theirs| theirs.len() > 1)) {
            // Each author has an own random stream, or the same positions would be held out for
            // all.
            let seed = SplitMix::named(seed, "author", &[number]).next();
            held.extend(Split::new(theirs.len(), test_share, seed)?.test_of(theirs));
        }
        match held.is_empty() {
            true => Err(Error::argument("no author has two texts, so none can be held out")),
            false => Ok(Split::by(self.texts.len(), |index| held.contains(&index))),
        }
    }

    /// Draws pairs of texts: half by one author, half by two. Authors, and topics if they count,
    /// take turns; no pair is repeated.
    ///
    /// # Errors
    /// If there are fewer such pairs than requested.
    pub fn pairs(&self, settings: &PairSettings) -> Result<Vec<TextPair>, Error> {
        let half = settings.count / 2;
        let of_author = self.by_author().into_values().collect();
        let same = self.draw_pairs(of_author, half, settings.seed, |first, second| {
            !settings.cross_topic || matches!((&first.topic, &second.topic), (Some(a), Some(b)) if a != b)
        });
        let groups = match settings.same_topic {
            true => self.grouped(|text| text.topic.as_ref()).into_values().collect(),
            false => vec![(0..self.texts.len()).collect()],
        };
        let apart =
            self.draw_pairs(groups, half, settings.seed, |first, second| first.author != second.author);
        if same.len() < half || apart.len() < half || half == 0 {
            return Err(Error::argument(format!(
                "{half} pairs of each kind are requested, but there are {} by one author and {} by two; request fewer, at least 2 in all",
                same.len(),
                apart.len()
            )));
        }
        Ok([same, apart].concat())
    }

    fn by_author(&self) -> BTreeMap<&str, Vec<usize>> {
        self.grouped(|text| Some(&text.author))
    }

    /// The positions of the texts with each value.
    fn grouped<'a>(
        &'a self,
        value: impl Fn(&'a AuthorText) -> Option<&'a String>,
    ) -> BTreeMap<&'a str, Vec<usize>> {
        let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, text) in self.texts.iter().enumerate() {
            if let Some(value) = value(text) {
                groups.entry(value).or_default().push(index);
            }
        }
        groups
    }

    /// Up to `count` valid pairs within groups. The groups take turns.
    fn draw_pairs(
        &self,
        mut groups: Vec<Vec<usize>>,
        count: usize,
        seed: u64,
        fits: impl Fn(&AuthorText, &AuthorText) -> bool,
    ) -> Vec<TextPair> {
        let mut random = SplitMix::named(seed, "pairs", &[]);
        random.shuffle(&mut groups);
        let mut sources: Vec<_> = groups
            .into_iter()
            .map(|mut group| {
                random.shuffle(&mut group);
                all_pairs(group)
            })
            .collect();
        let mut pairs = Vec::with_capacity(count.min(self.texts.len()));
        while pairs.len() < count && !sources.is_empty() {
            sources.retain_mut(|source| {
                let found = source.find(|&(a, b)| fits(&self.texts[a], &self.texts[b]));
                found.inspect(|&(first, second)| pairs.push(self.pair(first, second))).is_some()
            });
        }
        pairs.truncate(count);
        pairs
    }

    fn pair(&self, first: usize, second: usize) -> TextPair {
        let (a, b) = (&self.texts[first], &self.texts[second]);
        TextPair { first, second, same_author: a.author == b.author, same_topic: a.shares_topic(b) }
    }
}

impl fmt::Debug for AuthorCorpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AuthorCorpus({} texts of {} authors)", self.texts.len(), self.by_author().len())
    }
}

/// Every pair of a shuffled group once, neighbours first, so that the first pairs share few texts.
fn all_pairs(group: Vec<usize>) -> impl Iterator<Item = (usize, usize)> {
    let count = group.len();
    let places = (1..count).flat_map(move |lag| (0..count - lag).map(move |at| (at, at + lag)));
    places.map(move |(a, b)| (group[a], group[b]))
}

/// The settings of [`AuthorCorpus::pairs`].
///
/// ```
/// use inkveil_eval::PairSettings;
///
/// let settings = PairSettings { count: 200, same_topic: false, ..PairSettings::default() };
/// assert!(settings.cross_topic);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairSettings {
    /// The number of pairs, half of them by one author.
    pub count: usize,
    /// Whether two texts by one author are about different topics. Otherwise the topic can reveal
    /// the author.
    pub cross_topic: bool,
    /// Whether two texts by different authors are about the same topic. Then the topic suggests one
    /// author, and only the style can separate the authors.
    pub same_topic: bool,
    /// Determines the pairs.
    pub seed: u64,
}

impl Default for PairSettings {
    /// A thousand pairs with misleading topics.
    fn default() -> Self {
        Self { count: 1000, cross_topic: true, same_topic: true, seed: 0 }
    }
}

/// Two texts of a corpus, by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPair {
    /// The position of the first text.
    pub first: usize,
    /// The position of the second text.
    pub second: usize,
    /// Whether both are by one author.
    pub same_author: bool,
    /// Whether both are known to be about one topic.
    pub same_topic: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(author: usize, topic: Option<usize>) -> AuthorText {
        let topic = topic.map(|topic| format!("topic {topic}"));
        AuthorText { author: format!("author {author}"), topic, source: None, text: "some text".into() }
    }

    /// Eight authors with twelve texts each about four topics.
    fn corpus() -> AuthorCorpus {
        AuthorCorpus::new((0..96).map(|i| text(i % 8, Some(i / 8 % 4))).collect())
    }

    #[test]
    fn splits_hold_out_authors_or_texts() {
        let corpus = corpus();
        let authors = corpus.authors();
        let of = |items: &[usize]| items.iter().map(|&i| authors[i]).collect::<BTreeSet<_>>();
        let split = corpus.split_authors(0.25, 3).unwrap();
        assert_eq!((split.train().len(), split.test().len()), (72, 24));
        assert!(of(split.train()).is_disjoint(&of(split.test())));
        assert_ne!(split, corpus.split_authors(0.25, 4).unwrap());
        let split = corpus.split_texts(0.25, 3).unwrap();
        assert_eq!((split.train().len(), split.test().len()), (72, 24));
        assert_eq!((of(split.train()).len(), of(split.test()).len()), (8, 8));
        let rounds: BTreeSet<usize> = split.test().iter().map(|i| i / 8).collect();
        assert!(rounds.len() > 3, "not the same positions for all authors");
        assert_eq!(split, corpus.split_texts(0.25, 3).unwrap());
        let single = AuthorCorpus::new(vec![text(0, None), text(1, None)]);
        assert!(single.split_texts(0.5, 1).is_err() && single.split_authors(f64::NAN, 1).is_err());
        assert!(corpus.split_texts(f64::NAN, 1).is_err());
    }

    #[test]
    fn samples_are_even() {
        let sample = corpus().sample(3, 5, 1).unwrap();
        let sizes: Vec<usize> = sample.by_author().values().map(Vec::len).collect();
        assert_eq!(sizes, [5, 5, 5]);
        assert_ne!(sample.authors(), corpus().sample(3, 5, 2).unwrap().authors());
        assert!(corpus().sample(9, 5, 1).is_err() && corpus().sample(3, 13, 1).is_err());
    }

    #[test]
    fn pairs_follow_the_settings() {
        let corpus = corpus();
        let settings = PairSettings { count: 160, ..PairSettings::default() };
        let pairs = corpus.pairs(&settings).unwrap();
        assert_eq!(pairs.iter().filter(|pair| pair.same_author).count(), 80);
        assert!(pairs.iter().all(|pair| pair.same_author != pair.same_topic));
        let distinct: BTreeSet<(usize, usize)> =
            pairs.iter().map(|pair| (pair.first.min(pair.second), pair.first.max(pair.second))).collect();
        assert_eq!(distinct.len(), 160);
        // All authors have the same number of pairs.
        let mut by_author = BTreeMap::new();
        for pair in pairs.iter().filter(|pair| pair.same_author) {
            *by_author.entry(&corpus.all()[pair.first].author).or_insert(0) += 1;
        }
        assert!(by_author.len() == 8 && by_author.values().all(|&count| count == 10), "{by_author:?}");
        assert_eq!(pairs, corpus.pairs(&settings).unwrap());
        assert_ne!(pairs, corpus.pairs(&PairSettings { seed: 1, ..settings.clone() }).unwrap());
        // Without this control most negatives are about different topics.
        let free = corpus.pairs(&PairSettings { same_topic: false, ..settings }).unwrap();
        let shared = free.iter().filter(|pair| !pair.same_author && pair.same_topic).count();
        assert!((5..40).contains(&shared), "{shared}");
    }

    #[test]
    fn all_valid_pairs_are_found() {
        // One author has texts about 0, 0, 1: two pairs cross topics. With the other author's text
        // about 0, two pairs share one.
        let corpus = AuthorCorpus::new(vec![
            text(0, Some(0)),
            text(0, Some(0)),
            text(0, Some(1)),
            text(1, Some(0)),
            text(1, None),
        ]);
        let pairs = |count| corpus.pairs(&PairSettings { count, ..PairSettings::default() });
        assert_eq!(pairs(4).unwrap().len(), 4);
        assert!(pairs(6).is_err() && pairs(1).is_err());
        let any = PairSettings { count: 8, cross_topic: false, same_topic: false, seed: 0 };
        assert_eq!(corpus.pairs(&any).unwrap().len(), 8);
        assert_eq!(all_pairs(vec![7, 8, 9]).collect::<Vec<_>>(), [(7, 8), (8, 9), (7, 9)]);
    }
}
