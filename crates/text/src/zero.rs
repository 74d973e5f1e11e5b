//! What is written where nothing may be told: placeholders, nothing, fresh values, or what a language model would write there.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use inkveil_chat::LocalChat;
use inkveil_detect::Kind;
use inkveil_detect::fresh::{Shape, Surrogates};

use inkveil_lexicon::{Flags, Lexicon};
use inkveil_privacy::{NoiseKey, Place, Purpose, Uniform};

use crate::plan::{Plan, PlannedUnit};
use crate::{AtZero, Error};

/// The random choices of surrogates are apart from the noise of the mechanism.
const SURROGATE: Purpose = Purpose::named("surrogate");

/// What replaced words are called that are no entity.
const WORD: &str = "word";
const NUMBER: &str = "number";
const SYMBOL: &str = "symbol";

/// Writes what stands in for units that are replaced.
pub(crate) struct Replacer {
    pub(crate) how: AtZero,
    lists: PathBuf,
    surrogates: OnceLock<Surrogates>,
    /// The words that may stand for any word.
    words: OnceLock<Vec<u32>>,
    pub(crate) model: Option<Arc<LocalChat>>,
}

impl Replacer {
    pub(crate) fn new(how: AtZero, pack: &Path, model: Option<Arc<LocalChat>>) -> Result<Self, Error> {
        if how == AtZero::Fill && model.is_none() {
            return Err(Error::setting(
                "to fill gaps needs a local language model; after `inkveil pull smollm2` name it: --model smollm2, or model = \"smollm2\"",
            ));
        }
        Ok(Self {
            how,
            lists: pack.join(Surrogates::FILE),
            surrogates: OnceLock::new(),
            words: OnceLock::new(),
            model,
        })
    }

    /// What stands in for the unit at `index`, or for the span that it begins. Where gaps are filled, this is the placeholder that is
    /// filled later.
    pub(crate) fn write(
        &self,
        lexicon: &Lexicon,
        plan: &Plan<'_>,
        index: usize,
        record: u64,
        key: &NoiseKey,
    ) -> Result<String, Error> {
        let unit = &plan.units[index];
        Ok(match self.how {
            AtZero::Mask | AtZero::Fill => format!("[{}]", label(plan, unit)),
            AtZero::Drop => String::new(),
            AtZero::Surrogate => {
                self.surrogate(lexicon, plan, unit, Place::record(record).position(index as u64), key)?
            }
        })
    }

    fn surrogate(
        &self,
        lexicon: &Lexicon,
        plan: &Plan<'_>,
        unit: &PlannedUnit,
        place: Place,
        key: &NoiseKey,
    ) -> Result<String, Error> {
        let range = unit.span.map_or(unit.range.clone(), |span| plan.spans[span].range());
        let text = &plan.text()[range];
        let mut stream = place.purpose(SURROGATE).stream(key);
        let kind = match (&unit.kind, label(plan, unit)) {
            (Some(kind), _) => kind.clone(),
            (None, NUMBER) => Kind::Id,
            (None, SYMBOL) => return Ok(String::new()),
            (None, _) => {
                let words = self.words.get_or_init(|| plain_words(lexicon));
                let word = words[Uniform::new(words.len())?.sample(&mut stream)?];
                return Ok(lexicon.vocabulary().text(word).unwrap_or_default().to_owned());
            }
        };
        let shape = Shape::of(text, &kind);
        Ok(self.surrogates()?.draw(&kind, &shape, move || stream.next_u64()))
    }

    fn surrogates(&self) -> Result<&Surrogates, Error> {
        if let Some(surrogates) = self.surrogates.get() {
            return Ok(surrogates);
        }
        let opened = Surrogates::open(&self.lists)?;
        Ok(self.surrogates.get_or_init(|| opened))
    }

    /// What is let through of what is replaced, for the receipt.
    pub(crate) fn lets_through(&self) -> &'static str {
        match self.how {
            AtZero::Mask => "a placeholder with the kind: that something of this kind stood here",
            AtZero::Drop => "left out: the text shows where something may be missing",
            AtZero::Surrogate => {
                "a fresh value of the same kind and format: kind and format show (digits, separators, number of words, casing)"
            }
            AtZero::Fill => {
                "filled by a local language model from the released text before it: that something stood here"
            }
        }
    }
}

/// The name of what is replaced.
fn label<'p>(plan: &'p Plan<'_>, unit: &'p PlannedUnit) -> &'p str {
    match &unit.kind {
        Some(kind) => kind.name(),
        None => {
            let text = &plan.text()[unit.range.clone()];
            let letters = text.contains(char::is_alphabetic);
            match (letters, text.contains(char::is_numeric)) {
                (true, _) => WORD,
                (false, true) => NUMBER,
                (false, false) => SYMBOL,
            }
        }
    }
}

/// Words in lower case: any of them can stand in any place.
fn plain_words(lexicon: &Lexicon) -> Vec<u32> {
    let vocabulary = lexicon.vocabulary();
    let plain = Flags::WORD_START | Flags::ALPHABETIC | Flags::LOWER;
    let long = |id: u32| vocabulary.text(id).is_some_and(|text| text.chars().count() > 2);
    let words: Vec<u32> = lexicon
        .allowed()
        .iter()
        .copied()
        .filter(|&id| vocabulary.flags(id).contains(plain) && long(id))
        .collect();
    if words.is_empty() { lexicon.allowed().to_vec() } else { words }
}
