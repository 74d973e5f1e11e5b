//! The knowledge of attackers on words, computed once for each set, mechanism and budget.

use std::collections::HashMap;
use std::sync::Arc;

use inkveil_lexicon::{Lexicon, LexiconKind, PriorBuilder};
use inkveil_nn::SplitMix;
use inkveil_privacy::{Epsilon, NoiseKey};
use inkveil_text::mechanism::{LikelyOriginals, Token};
use inkveil_text::{Decoding, Document, PlannedUnit, TextVeil, Treatment, Veiled};

use super::reading::Originals;
use crate::Error;
use crate::attack::{
    LanguageModel, ObservedWord, SensitiveWordCounts, TokenChannel, TokenSpace, Trigrams, Unigrams,
};
use crate::experiment::context::RunContext;

/// The number of draws that a channel is estimated from.
const DRAWS: usize = 2_000;

/// The number of texts that show which words are sensitive.
const LABELLED: usize = 2_000;

/// The knowledge of attackers so far.
#[derive(Default)]
pub(super) struct Attackers {
    space: Option<Arc<TokenSpace>>,
    channels: HashMap<(String, u64), Arc<TokenChannel>>,
    languages: HashMap<String, Arc<Trigrams>>,
    sensitive: HashMap<String, Arc<SensitiveWordCounts>>,
    model: Option<Arc<LanguageModel>>,
    originals: HashMap<String, Originals>,
}

impl Attackers {
    /// All words. All cells of a study have the same lexicon.
    pub(super) fn space(&mut self, lexicon: &Arc<Lexicon>) -> Arc<TokenSpace> {
        Arc::clone(self.space.get_or_insert_with(|| Arc::new(TokenSpace::new(lexicon))))
    }

    /// The language model of a set, from training texts.
    pub(super) fn language(
        &mut self,
        set: &str,
        lexicon: &Arc<Lexicon>,
        texts: &[String],
    ) -> Result<Arc<Trigrams>, Error> {
        let space = self.space(lexicon);
        if let Some(known) = self.languages.get(set) {
            return Ok(Arc::clone(known));
        }
        let mut read: Vec<Vec<Option<usize>>> = Vec::with_capacity(texts.len());
        for text in texts {
            let alignment = lexicon.align(text)?;
            read.push(
                alignment.units().iter().map(|unit| unit.id().and_then(|id| space.number(id))).collect(),
            );
        }
        let unigrams = Unigrams::count(space.len(), read.iter().flatten().flatten().copied());
        let language = Arc::new(Trigrams::count(unigrams, read.iter().map(Vec::as_slice)));
        self.languages.insert(set.to_owned(), Arc::clone(&language));
        Ok(language)
    }

    /// How often words are sensitive, from training texts. It is the same in all cells of a study.
    pub(super) fn sensitive(
        &mut self,
        set: &str,
        veil: &TextVeil,
        texts: &[String],
    ) -> Result<Arc<SensitiveWordCounts>, Error> {
        let space = self.space(veil.lexicon());
        if let Some(known) = self.sensitive.get(set) {
            return Ok(Arc::clone(known));
        }
        let documents: Vec<Document<'_>> =
            texts.iter().take(LABELLED).map(|text| Document::new(text)).collect();
        let plans = veil.plan(&documents)?;
        let units = plans.iter().flat_map(|plan| plan.units());
        let words = units.filter_map(|unit| Some((space.number(unit.id?)?, unit.group.is_sensitive())));
        let counts = Arc::new(SensitiveWordCounts::count(words));
        self.sensitive.insert(set.to_owned(), Arc::clone(&counts));
        Ok(counts)
    }

    /// Joint decoding with a prior from training texts; none if the lexicon is not one of words.
    pub(super) fn originals(
        &mut self,
        set: &str,
        lexicon: &Arc<Lexicon>,
        texts: &[String],
    ) -> Result<Option<Originals>, Error> {
        if lexicon.kind() != LexiconKind::Words {
            return Ok(None);
        }
        if let Some(known) = self.originals.get(set) {
            return Ok(Some(Arc::clone(known)));
        }
        let mut builder = PriorBuilder::new(lexicon)?;
        for text in texts {
            builder.add(text)?;
        }
        let originals = Arc::new(LikelyOriginals::new(Arc::clone(lexicon), Arc::new(builder.build(1)))?);
        self.originals.insert(set.to_owned(), Arc::clone(&originals));
        Ok(Some(originals))
    }

    /// The neural language model.
    pub(super) fn model(&mut self, context: &RunContext<'_>) -> Result<Arc<LanguageModel>, Error> {
        if let Some(open) = &self.model {
            return Ok(Arc::clone(open));
        }
        let missing = || Error::argument("the neural attacker needs a language model");
        let model = Arc::new(LanguageModel::open(context.base.ok_or_else(missing)?)?);
        Ok(Arc::clone(self.model.insert(model)))
    }

    /// The channel of a mechanism with a budget, estimated from words drawn by their frequency.
    pub(super) fn channel(
        &mut self,
        veil: &TextVeil,
        epsilon: Epsilon,
        language: &Trigrams,
        texts: &[String],
    ) -> Result<Arc<TokenChannel>, Error> {
        let joint = veil.decoding() == Decoding::Joint;
        // Jointly decoded words depend on the budgets of their neighbours too.
        let neighbours = if joint { veil.budgets().to_string() } else { String::new() };
        let key = (format!("{} {neighbours}", veil.mechanism().name()), epsilon.get().to_bits());
        if let Some(known) = self.channels.get(&key) {
            return Ok(Arc::clone(known));
        }
        let space = self.space(veil.lexicon());
        if joint {
            let pairs = decoded_pairs(veil, epsilon, &space, texts)?;
            if pairs.len() >= FEWEST {
                let channel = Arc::new(TokenChannel::learn(&space, &pairs)?);
                self.channels.insert(key, Arc::clone(&channel));
                return Ok(channel);
            }
        }
        let mut random = SplitMix::named(0, "channel", &[]);
        let words = sample(language.unigrams(), space.len(), DRAWS, &mut random);
        let tokens: Vec<Token> = words
            .iter()
            .zip(0..)
            .filter_map(|(&word, record)| {
                Some(Token {
                    id: space.id(word)?,
                    epsilon,
                    place: inkveil_privacy::NoiseAddress::record(record),
                })
            })
            .collect();
        // The attacker's own draws. No release uses this key.
        let drawn = veil.mechanism().draw(&tokens, &NoiseKey::insecure_from_seed(u64::MAX))?;
        let pairs: Vec<(usize, usize)> =
            words.iter().zip(drawn).filter_map(|(&word, drawn)| Some((word, space.number(drawn)?))).collect();
        let channel = Arc::new(TokenChannel::learn(&space, &pairs)?);
        self.channels.insert(key, Arc::clone(&channel));
        Ok(channel)
    }
}

/// The least number of pairs that a channel is learnt from.
const FEWEST: usize = 100;

/// Words of training texts and what the veil makes of them, for an attacker who knows the decoder.
fn decoded_pairs(
    veil: &TextVeil,
    epsilon: Epsilon,
    space: &TokenSpace,
    texts: &[String],
) -> Result<Vec<(usize, usize)>, Error> {
    // The attacker's own draws. No release uses this key.
    let key = NoiseKey::insecure_from_seed(u64::MAX);
    let mut pairs = Vec::new();
    for (batch, first) in texts.chunks(100).zip((0..).step_by(100)).take(20) {
        let documents: Vec<Document<'_>> = batch.iter().map(|text| Document::new(text)).collect();
        for veiled in veil.veil_all(&documents, first, &key)? {
            for (index, unit) in veiled.plan().units().iter().enumerate() {
                if unit.treatment == Treatment::Noise && unit.epsilon == epsilon {
                    let released = veil.lexicon().find(veiled.replacement(index));
                    let pair =
                        unit.id.and_then(|id| space.number(id)).zip(released.and_then(|id| space.number(id)));
                    pairs.extend(pair);
                }
            }
        }
        if pairs.len() >= DRAWS {
            break;
        }
    }
    pairs.truncate(DRAWS);
    Ok(pairs)
}

/// Draws words by their frequency.
fn sample(unigrams: &Unigrams, size: usize, count: usize, random: &mut SplitMix) -> Vec<usize> {
    let mut sums = Vec::with_capacity(size);
    let mut sum = 0.0;
    for word in 0..size {
        sum += f64::from(unigrams.log_probability(word)).exp();
        sums.push(sum);
    }
    (0..count)
        .map(|_| {
            let at = (random.next() >> 11) as f64 / (1_u64 << 53) as f64 * sum;
            sums.partition_point(|&below| below < at).min(size.saturating_sub(1))
        })
        .collect()
}

/// A unit of a released text as attackers see it, and its original.
pub(super) struct ObservedUnit {
    pub(super) observed: ObservedWord,
    /// The number of the original word, if it has one.
    original: Option<usize>,
    /// Whether the unit counts as sensitive.
    pub(super) secret: bool,
    survived: bool,
}

impl ObservedUnit {
    /// Whether this guess is right. Where attackers have no candidates, they take the released word
    /// at face value.
    pub(super) fn found(&self, guess: Option<usize>) -> bool {
        match self.observed {
            ObservedWord::Other => self.survived,
            _ => self.original.is_some() && self.original == guess,
        }
    }
}

/// Whether a unit counts as sensitive.
pub(super) fn is_secret(unit: &PlannedUnit) -> bool {
    unit.group.is_sensitive() && !matches!(unit.treatment, Treatment::Punctuation | Treatment::Clitic)
}

/// The units of a released text as attackers see them.
pub(super) fn observed_units(
    veiled: &Veiled<'_>,
    lexicon: &Lexicon,
    space: &TokenSpace,
    channel: &mut impl FnMut(Epsilon) -> Result<usize, Error>,
) -> Result<Vec<ObservedUnit>, Error> {
    let mut all = Vec::with_capacity(veiled.plan().units().len());
    for (index, unit) in veiled.plan().units().iter().enumerate() {
        let original = unit.id.and_then(|id| space.number(id));
        let released = || lexicon.find(veiled.replacement(index)).and_then(|id| space.number(id));
        let observed = match unit.treatment {
            Treatment::Noise => match released() {
                Some(word) => ObservedWord::Drawn(word, channel(unit.epsilon)?),
                None => ObservedWord::Other,
            },
            Treatment::Kept => original.map_or(ObservedWord::Other, ObservedWord::Kept),
            Treatment::Replaced(_) | Treatment::Joined if unit.group.is_sensitive() => ObservedWord::Gap,
            Treatment::Replaced(_) | Treatment::Joined | Treatment::Punctuation | Treatment::Clitic => {
                ObservedWord::Other
            }
        };
        all.push(ObservedUnit {
            observed,
            original,
            secret: is_secret(unit),
            survived: veiled.survived(index),
        });
    }
    Ok(all)
}
