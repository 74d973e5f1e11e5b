//! Sentences with something else in the place of their sensitive words.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use inkveil_detect::Kind;
use inkveil_nn::SplitMix;

use super::corpus::Corpus;
use super::defence::Defence;
use crate::Mention;

/// Draws what stands in the place of sensitive words.
pub(super) struct Rewriter<'a> {
    corpus: &'a Corpus,
    /// Every word of the corpus, as often as it stands there.
    words: Vec<&'a str>,
    /// The sensitive words of each kind, each once.
    by_kind: BTreeMap<&'a Kind, Vec<&'a str>>,
}

impl<'a> Rewriter<'a> {
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

    /// The sentence as the defence leaves it.
    pub(super) fn rewrite(&self, defence: Defence, sentence: usize, seed: u64) -> String {
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

    /// Words of the same kind, but for the word itself.
    fn others_like(&self, mention: &Mention, word: &str) -> Vec<&'a str> {
        let all = self.by_kind.get(&mention.kind).map_or(&[][..], Vec::as_slice);
        all.iter().filter(|other| !other.eq_ignore_ascii_case(word)).copied().collect()
    }
}
