//! Attacks on the words of released texts.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use inkveil_detect::{Detector, Settings, Span};
use inkveil_lexicon::Lexicon;
use inkveil_nn::SentenceEncoder;
use inkveil_style::is_function_word;
use rayon::prelude::*;
use serde::{Serialize, Serializer};

use super::own::{KnownText, OwnAttacker};
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
const MOST_LINKED: usize = 1_000;

/// The number of texts in which values are detected together, between two reports of progress.
const BATCH: usize = 200;

/// The channel of sensitive words, and the channel of other words.
const SENSITIVE: usize = 0;
const OTHER: usize = 1;

/// The least share that counts as leakage, and the share from which it is high.
const SOME: f64 = 0.02;
const HIGH: f64 = 0.1;

/// The models of attackers on released texts.
#[derive(Clone, Copy)]
pub struct TextAttackModels<'a> {
    /// Finds the sensitive values.
    pub detector: &'a Detector,
    /// The words that attackers know.
    pub lexicon: &'a Arc<Lexicon>,
    /// Links texts to their originals.
    pub encoder: &'a SentenceEncoder,
    /// The language model of one more attacker.
    pub language_model: Option<&'a LanguageModel>,
    /// Attackers of your own.
    pub own: &'a [&'a dyn OwnAttacker],
}

/// The models of attackers on released texts, opened from a pack.
pub struct OpenTextAttack {
    detector: Detector,
    lexicon: Arc<Lexicon>,
    encoder: SentenceEncoder,
}

impl OpenTextAttack {
    /// Opens the words of one pack, and the taggers and the encoder of a pack with names.
    ///
    /// # Errors
    /// If a model is missing or damaged.
    pub fn open(pack: &Path, names: &Path) -> Result<Self, Error> {
        Ok(Self {
            detector: Detector::open(Some(names), Settings::default())?,
            lexicon: Arc::new(Lexicon::open(pack)?),
            encoder: SentenceEncoder::open(names)?,
        })
    }

    /// The models, with attackers of your own.
    pub fn models<'a>(
        &'a self,
        language_model: Option<&'a LanguageModel>,
        own: &'a [&'a dyn OwnAttacker],
    ) -> TextAttackModels<'a> {
        let Self { detector, lexicon, encoder } = self;
        TextAttackModels { detector, lexicon, encoder, language_model, own }
    }
}

/// The result of [`text`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextAttackReport {
    /// The number of texts of the release.
    pub texts: usize,
    /// The number of attacked texts, drawn at random. The attackers know the originals of as many others.
    pub attacked_texts: usize,
    /// The number of sensitive values in them: names, addresses, numbers.
    pub sensitive_values: u32,
    /// The share of sensitive values that survive unchanged, as a whole.
    #[serde(rename = "survived")]
    pub survival: Estimate,
    /// The share of sensitive values that each attacker finds: every word of the value.
    #[serde(serialize_with = "by_name")]
    pub found: Vec<(TokenAttacker, Estimate)>,
    /// The same for attackers of your own, by name.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "by_own_name")]
    pub found_by_own: Vec<(String, Estimate)>,
    /// The share of values made of words alone, such as names, of which the best attacker finds a
    /// word that is not a function word. None if there are no such values.
    pub found_in_part: Option<Estimate>,
    /// The counts of each kind, for the best attacker.
    pub kinds: BTreeMap<String, KindCount>,
    /// The number of released texts that were compared with all originals.
    #[serde(skip)]
    pub linked_texts: usize,
    /// The share of released texts that are most similar to their own original.
    pub linked_to_original: f64,
}

/// The sensitive values of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct KindCount {
    /// The number of values.
    pub values: u32,
    /// The number of values that the best attacker finds as a whole.
    pub found: u32,
}

/// How serious the leakage of a release is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextVerdict {
    /// Attackers find hardly any sensitive value.
    Little,
    /// No sensitive value survives; some are guessed from the context.
    ContextOnly,
    /// Attackers find some sensitive values.
    Some,
    /// Attackers find many sensitive values.
    High,
}

impl TextVerdict {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Little => "hardly any leakage",
            Self::ContextOnly => "leakage by context only",
            Self::Some => "some leakage",
            Self::High => "high leakage",
        }
    }
}

impl TextAttackReport {
    /// The result of the best attacker.
    pub fn best(&self) -> Estimate {
        let own = self.found_by_own.iter().map(|(_, found)| *found);
        let best =
            self.found.iter().map(|(_, found)| *found).chain(own).max_by(|a, b| a.mean.total_cmp(&b.mean));
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

    /// What would be safer, in words.
    pub fn advice(&self) -> String {
        let advice = match self.verdict() {
            TextVerdict::ContextOnly => {
                "No value that detection marked as sensitive survives. What attackers find is guessed from the context. Noise on the \
                 other words makes this harder (--preset strict)."
            }
            TextVerdict::High => {
                "Safer: replace sensitive words instead of adding noise (`inkveil text --preset strict`, or --budgets 0,0,… with \
                 --at-zero surrogate), or lower the budgets of groups 1 and 2. `inkveil curves` shows the survival at each ε."
            }
            TextVerdict::Some => {
                "Attackers find some sensitive values. If none may be found, replace them: `inkveil text --preset strict`."
            }
            TextVerdict::Little => {
                return "These attackers find almost nothing. Other attackers may know more about the people in the texts."
                    .to_owned();
            }
        };
        let weakest =
            self.weakest_kind().map_or_else(String::new, |kind| format!(" The weakest kind is {kind}."));
        format!("{advice}{weakest}")
    }

    /// The kind of which the best attacker finds the largest share, among kinds with ten values or
    /// more.
    pub fn weakest_kind(&self) -> Option<&str> {
        let share = |count: &KindCount| f64::from(count.found) / f64::from(count.values);
        let frequent = self.kinds.iter().filter(|(_, count)| count.values >= 10 && count.found > 0);
        frequent.max_by(|a, b| share(a.1).total_cmp(&share(b.1))).map(|(kind, _)| kind.as_str())
    }
}

fn by_name<S: Serializer>(found: &[(TokenAttacker, Estimate)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(found.iter().map(|(attacker, estimate)| (attacker.name(), estimate)))
}

fn by_own_name<S: Serializer>(found: &[(String, Estimate)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(found.iter().map(|(name, estimate)| (name, estimate)))
}

/// Attacks released texts. At most `most` texts are drawn at random. Attackers know the originals of
/// half of them, which the seed chooses, and guess the sensitive values of the others.
///
/// # Errors
/// If too few words can be aligned, no attacked text has sensitive words, a model fails, or the
/// attack was cancelled.
pub fn text(
    texts: &ReleasedTexts<'_>,
    models: &TextAttackModels<'_>,
    most: usize,
    seed: u64,
    watch: &Watch<'_>,
) -> Result<TextAttackReport, Error> {
    let all = texts.count();
    let drawn = sample(all, most.max(2), seed);
    let [originals, released] = [texts.originals(), texts.released()]
        .map(|texts| drawn.iter().map(|&at| texts[at]).collect::<Vec<&str>>());
    let texts = &ReleasedTexts::new(&originals, &released)?;
    let mut spans = Vec::with_capacity(texts.count());
    for batch in texts.originals().chunks(BATCH) {
        watch.step(&format!("detecting sensitive values: text {} of {}", spans.len(), texts.count()))?;
        spans.extend(models.detector.detect(batch)?);
    }
    watch.step("aligning words")?;
    let release = AlignedRelease::new(models.lexicon, texts, &spans)?;
    let split = Split::new(texts.count(), 0.5, seed)?;
    let mut report = release.attack(&split, models.language_model, models.own, watch)?;
    report.texts = all;
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

/// Draws at most `most` of `count` texts, in order.
fn sample(count: usize, most: usize, seed: u64) -> Vec<usize> {
    let mut all: Vec<usize> = (0..count).collect();
    if count > most {
        inkveil_nn::SplitMix::named(seed, "attacked texts", &[]).shuffle(&mut all);
        all.truncate(most);
        all.sort_unstable();
    }
    all
}

/// Released texts aligned with their originals, word by word.
struct AlignedRelease<'a> {
    originals: &'a [&'a str],
    lexicon: &'a Lexicon,
    space: TokenSpace,
    words: Vec<Vec<PairedWord>>,
    released: &'a [&'a str],
    spans: &'a [Vec<Span>],
}

/// The guesses of an attacker, for each attacked text.
enum Guesses {
    /// Words by number.
    Words(Vec<GuessedWords>),
    /// Whole texts, and their words beside those of the originals.
    Texts(Vec<(String, Vec<PairedWord>)>),
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
        let pairs = texts.originals().par_iter().zip(texts.released());
        let words = pairs.map(|(original, released)| pair_words(lexicon, &space, original, released));
        let words = words.collect::<Result<_, _>>()?;
        let (originals, released) = (texts.originals(), texts.released());
        Ok(Self { originals, lexicon, space, words, released, spans })
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
        own: &[&dyn OwnAttacker],
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
        let mut guesses: Vec<Guesses> =
            attack.run(&attackers, &observed)?.into_iter().map(Guesses::Words).collect();
        for attacker in own {
            watch.step(&format!("attacking: {}", attacker.name()))?;
            guesses.push(self.guesses_of(*attacker, split)?);
        }
        let names: Vec<&str> = own.iter().map(|attacker| attacker.name()).collect();
        self.report(split.test(), &attackers, &names, &guesses)
    }

    /// The guesses of an attacker of your own, aligned with the originals.
    fn guesses_of(&self, attacker: &dyn OwnAttacker, split: &Split) -> Result<Guesses, Error> {
        let known: Vec<KnownText<'_>> = split
            .train()
            .iter()
            .map(|&text| KnownText { original: self.originals[text], released: self.released[text] })
            .collect();
        let released: Vec<&str> = split.test().iter().map(|&text| self.released[text]).collect();
        let guessed = attacker.guess(&known, &released)?;
        if guessed.len() != released.len() {
            let counts = (guessed.len(), released.len());
            return Err(Error::argument(format!(
                "the attacker {} returned {} texts for {} released texts",
                attacker.name(),
                counts.0,
                counts.1
            )));
        }
        let texts = guessed.into_iter().zip(split.test()).map(|(guess, &text)| {
            let words = pair_words(self.lexicon, &self.space, self.originals[text], &guess)?;
            Ok((guess, words))
        });
        Ok(Guesses::Texts(texts.collect::<Result<_, Error>>()?))
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
        own: &[&str],
        guesses: &[Guesses],
    ) -> Result<TextAttackReport, Error> {
        // For each text, how many sensitive values are hit.
        let tally = |is_hit: &dyn Fn(usize, usize, &Span) -> Option<bool>| -> Vec<ValueSum> {
            let of_text = |(position, &text): (usize, &usize)| {
                let hits = self.spans[text].iter().filter_map(|span| is_hit(position, text, span));
                hits.fold(ValueSum::default(), |tally, hit| ValueSum {
                    sum: tally.sum + f64::from(u8::from(hit)),
                    count: tally.count + 1,
                })
            };
            attacked.iter().enumerate().map(of_text).collect()
        };
        let none =
            || Error::argument("no sensitive value was detected in the attacked texts; give more texts");
        let estimate = |tallies: &[ValueSum]| Bootstrap::default().mean(tallies);
        let survived = tally(&|_, text, span| Some(self.survives(text, span)));
        let mut shares = Vec::new();
        for guesses in guesses {
            let whole = |position: usize, text: usize, span: &Span| {
                Some(self.is_found(text, span, guesses, position, true))
            };
            shares.push(estimate(&tally(&whole)).ok_or_else(none)?);
        }
        let best = (0..shares.len()).max_by(|&a, &b| shares[a].mean.total_cmp(&shares[b].mean));
        let best = best.map(|best| &guesses[best]);
        let in_part = tally(&|position, text, span| {
            let guesses = best.filter(|_| self.has_words_only(text, span))?;
            Some(self.is_found(text, span, guesses, position, false))
        });
        let mut kinds: BTreeMap<String, KindCount> = BTreeMap::new();
        for (position, &text) in attacked.iter().enumerate() {
            for span in &self.spans[text] {
                let hit = best.is_some_and(|best| self.is_found(text, span, best, position, true));
                let count = kinds.entry(span.kind.name().to_owned()).or_default();
                count.values += 1;
                count.found += u32::from(hit);
            }
        }
        let found = attackers.iter().copied().zip(shares.iter().copied()).collect();
        let own = own.iter().map(|name| (*name).to_owned());
        let found_by_own = own.zip(shares.iter().copied().skip(attackers.len())).collect();
        Ok(TextAttackReport {
            texts: self.words.len(),
            attacked_texts: attacked.len(),
            sensitive_values: survived.iter().map(|tally| tally.count).sum(),
            survival: estimate(&survived).ok_or_else(none)?,
            found,
            found_by_own,
            found_in_part: estimate(&in_part),
            kinds,
            linked_texts: 0,
            linked_to_original: 0.0,
        })
    }

    /// The words of a value, with their places in the text. Punctuation does not count.
    fn words_of(&self, text: usize, span: &Span) -> impl Iterator<Item = (usize, &PairedWord)> {
        let range = span.range();
        self.words[text].iter().enumerate().filter(move |(_, word)| {
            let within = range.start < word.range.end && word.range.start < range.end;
            within && self.original(text, word).contains(char::is_alphanumeric)
        })
    }

    fn original(&self, text: usize, word: &PairedWord) -> &str {
        self.originals[text].get(word.range.clone()).unwrap_or_default()
    }

    /// Whether the release has the same word in its place.
    fn is_same(&self, text: usize, word: &PairedWord) -> bool {
        let released = self.released[text].get(word.released_range.clone()).unwrap_or_default();
        released.to_lowercase() == self.original(text, word).to_lowercase()
    }

    /// Whether a whole value survives: parts of an address or number that any replacement has, such as
    /// "com", do not count.
    fn survives(&self, text: usize, span: &Span) -> bool {
        let mut words = self.words_of(text, span).peekable();
        words.peek().is_some() && words.all(|(_, word)| self.is_same(text, word))
    }

    /// Whether the guesses contain all words of a value, or one that is not a function word.
    fn is_found(&self, text: usize, span: &Span, guesses: &Guesses, position: usize, all: bool) -> bool {
        let is_hit = |(index, word): (usize, &PairedWord)| match guesses {
            Guesses::Words(guesses) => match word.original {
                Some(original) => guesses[position].get(index).copied().flatten() == Some(original),
                // Attackers guess words of the lexicon only. They take others at face value.
                None => self.is_same(text, word),
            },
            Guesses::Texts(guesses) => {
                let (guess, words) = &guesses[position];
                let guessed = words.get(index).and_then(|word| guess.get(word.released_range.clone()));
                guessed.is_some_and(|guess| guess.to_lowercase() == self.original(text, word).to_lowercase())
            }
        };
        let mut words = self.words_of(text, span).peekable();
        if all {
            return words.peek().is_some() && words.all(is_hit);
        }
        let counts = |word: &PairedWord| !is_function_word(&self.original(text, word).to_lowercase());
        words.any(|(index, word)| counts(word) && is_hit((index, word)))
    }

    /// Whether a value consists of words, as a name does. Parts of other values mean little.
    fn has_words_only(&self, text: usize, span: &Span) -> bool {
        let value = self.originals[text].get(span.range()).unwrap_or_default();
        value.contains(char::is_alphabetic)
            && value
                .chars()
                .all(|c| c.is_alphabetic() || c.is_whitespace() || matches!(c, '.' | ',' | '-' | '\'' | '’'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(survival: f64, best: f64) -> TextAttackReport {
        let estimate = |mean: f64| Estimate { mean, low: mean, high: mean };
        let count = |values, found| KindCount { values, found };
        TextAttackReport {
            texts: 10,
            attacked_texts: 5,
            sensitive_values: 100,
            found_by_own: Vec::new(),
            found_in_part: None,
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
    fn the_weakest_kind_has_ten_values_or_more() {
        assert_eq!(report(0.0, 0.3).weakest_kind(), Some("city"));
    }

    #[test]
    fn attackers_are_serialised_by_name() {
        let mut report = report(0.0, 0.5);
        report.found_by_own.push(("mine".to_owned(), Estimate { mean: 0.7, low: 0.6, high: 0.8 }));
        assert_eq!(report.best().mean, 0.7);
        let json = serde_json::to_value(report).unwrap();
        assert_eq!(json["found_by_own"]["mine"]["mean"], 0.7);
        assert_eq!(json["found"]["unigram"]["mean"], 0.5);
        assert_eq!(json["survived"]["mean"], 0.0);
        assert_eq!(json["kinds"]["person"]["values"], 50);
    }
}
