//! Sentences with replaced sensitive words.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use inkveil_detect::Kind;
use inkveil_nn::SplitMix;

use super::corpus::Corpus;
use super::defence::Defence;
use crate::Mention;

/// Draws replacements of sensitive words.
pub(super) struct Replacer<'a> {
    corpus: &'a Corpus,
    /// Every word of the corpus, as often as it occurs.
    words: Vec<&'a str>,
    /// The distinct sensitive words of each kind.
    by_kind: BTreeMap<&'a Kind, Vec<&'a str>>,
}

impl<'a> Replacer<'a> {
    pub(super) fn new(corpus: &'a Corpus) -> Self {
        let bare = |word: &'a str| word.trim_matches(|c: char| !c.is_alphanumeric());
        let words = corpus.texts.iter().flat_map(|text| text.split_whitespace()).map(bare);
        let mut by_kind: BTreeMap<&Kind, BTreeSet<&str>> = BTreeMap::new();
        for (text, mentions) in corpus.texts.iter().zip(corpus.sensitive.mentions()) {
            for mention in mentions {
                by_kind.entry(&mention.kind).or_default().insert(&text[mention.range.clone()]);
            }
        }
        Self {
            corpus,
            words: words.filter(|word| !word.is_empty()).collect(),
            by_kind: by_kind.into_iter().map(|(kind, words)| (kind, words.into_iter().collect())).collect(),
        }
    }

    /// Returns a sentence with its sensitive words replaced.
    pub(super) fn replace(&self, defence: Defence, sentence: usize, seed: u64) -> String {
        let text = &self.corpus.texts[sentence];
        let mut random = SplitMix::named(seed, defence.name(), &[sentence as u64]);
        let mut one_of = |words: &[&'a str]| match words.len() {
            0 => Cow::Borrowed("*"),
            count => Cow::Borrowed(words[(random.next() % count as u64) as usize]),
        };
        self.corpus.sensitive.replaced(sentence, text, |mention: &Mention| match defence {
            Defence::Random => one_of(&self.words),
            Defence::Semantic => one_of(&self.others_like(mention, &text[mention.range.clone()])),
            _ => "*".into(),
        })
    }

    /// Other words of the same kind.
    fn others_like(&self, mention: &Mention, word: &str) -> Vec<&'a str> {
        let all = self.by_kind.get(&mention.kind).map_or(&[][..], Vec::as_slice);
        all.iter().filter(|other| !other.eq_ignore_ascii_case(word)).copied().collect()
    }
}
