//! Attacks on the words of released texts.

use std::collections::BTreeMap;
use std::sync::Arc;

use inkveil_detect::{Detector, Span};
use inkveil_lexicon::Lexicon;
use inkveil_nn::SentenceEncoder;
use serde::{Serialize, Serializer};

use super::texts::ReleasedTexts;
use crate::attack::linkage::Similarities;
use crate::attack::model::LanguageModel;
use crate::attack::token::{
    ChannelUse, ContinuationQuery, GuessedWords, NeuralInput, ObservedWord, PairedWord, SensitiveWordCounts,
    TokenAttack, TokenAttacker, TokenChannel, TokenSpace, Trigrams, Unigrams, pair_words,
};
use crate::metrics::{Bootstrap, Estimate, ValueSum};
use crate::{Error, Split, Watch};

/// The least number of word pairs that a channel is estimated from.
const LEAST_DRAWS: usize = 30;

/// The most texts that are linked to their originals. The work grows with their square.
const MOST_LINKED: usize = 3_000;

/// The channel of sensitive words, and the channel of other words.
const SENSITIVE: usize = 0;
const OTHER: usize = 1;

/// The least share that counts as leakage, and the share from which it is high.
const SOME: f64 = 0.02;
const HIGH: f64 = 0.1;

/// The models of attackers on released texts.
#[derive(Clone, Copy)]
pub struct TextAttackModels<'a> {
    /// Finds the sensitive words.
    pub detector: &'a Detector,
    /// The words that attackers know.
    pub lexicon: &'a Arc<Lexicon>,
    /// Links texts to their originals.
    pub encoder: &'a SentenceEncoder,
    /// The language model of one more attacker.
    pub language_model: Option<&'a LanguageModel>,
}

/// The result of [`text`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextAttackReport {
    /// The number of attacked texts. The attackers know the originals of the others.
    pub attacked_texts: usize,
    /// The number of sensitive words in them.
    pub sensitive_words: u32,
    /// The share of sensitive words that survive unchanged.
    #[serde(rename = "survived")]
    pub survival: Estimate,
    /// The share of sensitive words that each attacker finds.
    #[serde(serialize_with = "by_name")]
    pub found: Vec<(TokenAttacker, Estimate)>,
    /// The counts of each kind, for the best attacker.
    pub kinds: BTreeMap<String, KindCount>,
    /// The number of released texts that were compared with all originals.
    #[serde(skip)]
    pub linked_texts: usize,
    /// The share of released texts that are most similar to their own original.
    pub linked_to_original: f64,
}

/// The sensitive words of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct KindCount {
    /// The number of words.
    pub words: u32,
    /// The number of words that the best attacker finds.
    pub found: u32,
}

/// How serious the leakage of a release is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextVerdict {
    /// Attackers find hardly any sensitive word.
    Little,
    /// No sensitive word survives; some are guessed from the context.
    ContextOnly,
    /// Attackers find some sensitive words.
    Some,
    /// Attackers find many sensitive words.
    High,
}

impl TextAttackReport {
    /// The result of the best attacker.
    pub fn best(&self) -> Estimate {
        let best = self.found.iter().map(|(_, found)| *found).max_by(|a, b| a.mean.total_cmp(&b.mean));
        best.unwrap_or(self.survival)
    }

    /// The seriousness of the leakage, by the upper end of the best attacker's interval.
    pub fn verdict(&self) -> TextVerdict {
        match self.best().high {
            share if share >= SOME && self.survival.high < SOME => TextVerdict::ContextOnly,
            share if share >= HIGH => TextVerdict::High,
            share if share >= SOME => TextVerdict::Some,
            _ => TextVerdict::Little,
        }
    }

    /// The kind of which the best attacker finds the largest share, among kinds with ten words or
    /// more.
    pub fn weakest_kind(&self) -> Option<&str> {
        let share = |count: &KindCount| f64::from(count.found) / f64::from(count.words);
        let frequent = self.kinds.iter().filter(|(_, count)| count.words >= 10 && count.found > 0);
        frequent.max_by(|a, b| share(a.1).total_cmp(&share(b.1))).map(|(kind, _)| kind.as_str())
    }
}

fn by_name<S: Serializer>(found: &[(TokenAttacker, Estimate)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(found.iter().map(|(attacker, estimate)| (attacker.name(), estimate)))
}

/// Attacks released texts. Attackers know the originals of half of the texts, which the seed
/// chooses, and guess the sensitive words of the others.
///
/// # Errors
/// If too few words can be aligned, no attacked text has sensitive words, a model fails, or the
/// attack was cancelled.
pub fn text(
    texts: &ReleasedTexts<'_>,
    models: &TextAttackModels<'_>,
    seed: u64,
    watch: &Watch<'_>,
) -> Result<TextAttackReport, Error> {
    watch.step("detecting sensitive words")?;
    let spans = models.detector.detect(texts.originals())?;
    watch.step("aligning words")?;
    let release = AlignedRelease::new(models.lexicon, texts, &spans)?;
    let split = Split::new(texts.count(), 0.5, seed)?;
    let mut report = release.attack(&split, models.language_model, watch)?;
    watch.step("linking texts to their originals")?;
    let linked = texts.count().min(MOST_LINKED);
    let encode = |texts: &[&str]| Ok::<_, Error>(models.encoder.encode(&texts[..linked])?.concat());
    let similarities = Similarities::of_vectors(
        models.encoder.width(),
        &encode(texts.released())?,
        &encode(texts.originals())?,
    )?;
    report.linked_texts = linked;
    report.linked_to_original = similarities.exposure().unwrap_or(0.0);
    Ok(report)
}

/// Released texts aligned with their originals, word by word.
struct AlignedRelease<'a> {
    lexicon: &'a Lexicon,
    space: TokenSpace,
    words: Vec<Vec<PairedWord>>,
    released: &'a [&'a str],
    spans: &'a [Vec<Span>],
}

/// What attackers learn from the texts that they know.
struct Knowledge {
    channels: [(Arc<TokenChannel>, ChannelUse); 2],
    language: Trigrams,
    sensitive: SensitiveWordCounts,
}

impl<'a> AlignedRelease<'a> {
    fn new(
        lexicon: &'a Arc<Lexicon>,
        texts: &ReleasedTexts<'a>,
        spans: &'a [Vec<Span>],
    ) -> Result<Self, Error> {
        let space = TokenSpace::new(lexicon);
        let pairs = texts.originals().iter().zip(texts.released());
        let words = pairs.map(|(original, released)| pair_words(lexicon, &space, original, released));
        let words = words.collect::<Result<_, _>>()?;
        Ok(Self { lexicon, space, words, released: texts.released(), spans })
    }

    /// The kind of a word, if it is sensitive.
    fn kind(&self, text: usize, word: &PairedWord) -> Option<&str> {
        let within = |span: &&Span| span.start < word.range.end && word.range.start < span.end;
        self.spans[text].iter().find(within).map(|span| span.kind.name())
    }

    fn channel_of(&self, text: usize, word: &PairedWord) -> usize {
        if self.kind(text, word).is_some() { SENSITIVE } else { OTHER }
    }

    fn attack(
        &self,
        split: &Split,
        model: Option<&LanguageModel>,
        watch: &Watch<'_>,
    ) -> Result<TextAttackReport, Error> {
        watch.step("training attackers")?;
        let knowledge = self.knowledge(split.train())?;
        let surfaces: Vec<Vec<String>> = split.test().iter().map(|&text| self.surfaces(text)).collect();
        let scores = |queries: &[ContinuationQuery]| {
            watch.step("a language model scores words")?;
            model.map_or_else(|| Ok(Vec::new()), |model| model.scores(queries))
        };
        let neural = NeuralInput { scores: &scores, surfaces: &surfaces, lexicon: self.lexicon };
        let attack = TokenAttack {
            space: &self.space,
            channels: &knowledge.channels,
            language: &knowledge.language,
            sensitive: &knowledge.sensitive,
            neural: model.map(|_| neural),
        };
        let is_available = |attacker: &TokenAttacker| model.is_some() || *attacker != TokenAttacker::Neural;
        let attackers: Vec<TokenAttacker> = TokenAttacker::ALL.into_iter().filter(is_available).collect();
        watch.step("attacking")?;
        let observed: Vec<Vec<ObservedWord>> = split.test().iter().map(|&text| self.observed(text)).collect();
        let guesses = attack.run(&attackers, &observed)?;
        self.report(split.test(), &attackers, &guesses)
    }

    fn knowledge(&self, known: &[usize]) -> Result<Knowledge, Error> {
        let mut draws = [Vec::new(), Vec::new()];
        for &text in known {
            for word in &self.words[text] {
                if let (Some(original), Some(released)) = (word.original, word.released) {
                    draws[self.channel_of(text, word)].push((original, released));
                }
            }
        }
        // Sensitive words may be left out everywhere. Then the other words show the mechanism.
        let all = draws.concat();
        if all.len() < LEAST_DRAWS {
            return Err(Error::argument(
                "too few words of the originals can be aligned with the release; give more texts, in the same order",
            ));
        }
        let learn = |draws: &Vec<(usize, usize)>| {
            TokenChannel::learn(&self.space, if draws.len() < LEAST_DRAWS { &all } else { draws })
        };
        let channels = [
            (Arc::new(learn(&draws[SENSITIVE])?), ChannelUse::SensitiveWords),
            (Arc::new(learn(&draws[OTHER])?), ChannelUse::OtherWords),
        ];
        let originals: Vec<Vec<Option<usize>>> =
            known.iter().map(|&text| self.words[text].iter().map(|word| word.original).collect()).collect();
        let unigrams = Unigrams::count(self.space.len(), originals.iter().flatten().flatten().copied());
        let language = Trigrams::count(unigrams, originals.iter().map(Vec::as_slice));
        let labelled = |&text: &usize| {
            let words = self.words[text].iter();
            words.filter_map(move |word| Some((word.original?, self.kind(text, word).is_some())))
        };
        let sensitive = SensitiveWordCounts::count(known.iter().flat_map(labelled));
        Ok(Knowledge { channels, language, sensitive })
    }

    /// The words of a text as attackers see them.
    fn observed(&self, text: usize) -> Vec<ObservedWord> {
        let observe = |word: &PairedWord| match word.released {
            Some(released) => ObservedWord::Drawn(released, self.channel_of(text, word)),
            None if self.kind(text, word).is_some() => ObservedWord::Gap,
            None => ObservedWord::Other,
        };
        self.words[text].iter().map(observe).collect()
    }

    /// The released forms of the words of a text.
    fn surfaces(&self, text: usize) -> Vec<String> {
        let surface = |word: &PairedWord| {
            self.released[text].get(word.released_range.clone()).unwrap_or_default().to_owned()
        };
        self.words[text].iter().map(surface).collect()
    }

    fn report(
        &self,
        attacked: &[usize],
        attackers: &[TokenAttacker],
        guesses: &[Vec<GuessedWords>],
    ) -> Result<TextAttackReport, Error> {
        let is_hit =
            |word: &PairedWord, guess: Option<usize>| word.original.is_some() && word.original == guess;
        // For each text, how many sensitive words are hit.
        let tally = |guess: &dyn Fn(usize, usize, &PairedWord) -> Option<usize>| -> Vec<ValueSum> {
            let of_text = |(position, &text): (usize, &usize)| {
                let mut tally = ValueSum::default();
                for (index, word) in self.words[text].iter().enumerate() {
                    if self.kind(text, word).is_some() {
                        tally.count += 1;
                        tally.sum += f64::from(u8::from(is_hit(word, guess(position, index, word))));
                    }
                }
                tally
            };
            attacked.iter().enumerate().map(of_text).collect()
        };
        let estimate = |tallies: &[ValueSum]| {
            Bootstrap::default().mean(tallies).ok_or_else(|| {
                Error::argument("no sensitive word was detected in the attacked texts; give more texts")
            })
        };
        let survived = tally(&|_, _, word| word.released);
        let mut found = Vec::new();
        for (attacker, guesses) in attackers.iter().zip(guesses) {
            found.push((*attacker, estimate(&tally(&|position, index, _| guesses[position][index]))?));
        }
        let best = (0..found.len()).max_by(|&a, &b| found[a].1.mean.total_cmp(&found[b].1.mean));
        let mut kinds: BTreeMap<String, KindCount> = BTreeMap::new();
        for (position, &text) in attacked.iter().enumerate() {
            for (index, word) in self.words[text].iter().enumerate() {
                if let Some(kind) = self.kind(text, word) {
                    let hit = best.is_some_and(|best| is_hit(word, guesses[best][position][index]));
                    let count = kinds.entry(kind.to_owned()).or_default();
                    count.words += 1;
                    count.found += u32::from(hit);
                }
            }
        }
        Ok(TextAttackReport {
            attacked_texts: attacked.len(),
            sensitive_words: survived.iter().map(|tally| tally.count).sum(),
            survival: estimate(&survived)?,
            found,
            kinds,
            linked_texts: 0,
            linked_to_original: 0.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(survival: f64, best: f64) -> TextAttackReport {
        let estimate = |mean: f64| Estimate { mean, low: mean, high: mean };
        let count = |words, found| KindCount { words, found };
        TextAttackReport {
            attacked_texts: 5,
            sensitive_words: 100,
            survival: estimate(survival),
            found: vec![
                (TokenAttacker::Likelihood, estimate(best / 2.0)),
                (TokenAttacker::Unigram, estimate(best)),
            ],
            kinds: [("person", count(50, 10)), ("date", count(9, 9)), ("city", count(20, 6))]
                .map(|(kind, count)| (kind.to_owned(), count))
                .into(),
            linked_texts: 5,
            linked_to_original: 1.0,
        }
    }

    #[test]
    fn the_verdict_follows_the_best_attacker() {
        assert_eq!(report(0.0, 0.01).verdict(), TextVerdict::Little);
        assert_eq!(report(0.0, 0.3).verdict(), TextVerdict::ContextOnly);
        assert_eq!(report(0.05, 0.06).verdict(), TextVerdict::Some);
        assert_eq!(report(0.05, 0.3).verdict(), TextVerdict::High);
        assert_eq!(report(0.05, 0.3).best().mean, 0.3);
    }

    #[test]
    fn the_weakest_kind_has_ten_words_or_more() {
        assert_eq!(report(0.0, 0.3).weakest_kind(), Some("city"));
    }

    #[test]
    fn attackers_are_serialised_by_name() {
        let json = serde_json::to_value(report(0.0, 0.5)).unwrap();
        assert_eq!(json["found"]["unigram"]["mean"], 0.5);
        assert_eq!(json["survived"]["mean"], 0.0);
        assert_eq!(json["kinds"]["person"]["words"], 50);
    }
}
