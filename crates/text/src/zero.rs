//! What replaces a unit at ε = 0: a placeholder, nothing, a surrogate, or what a language model
//! writes there.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use inkveil_chat::LocalChat;
use inkveil_detect::{EntryFlags, Gazetteer, Kind};
use inkveil_entities::{Article, plain_name};
use inkveil_lexicon::{Flags, Lexicon};
use inkveil_privacy::faults::{self, Fault};
use inkveil_privacy::{Neighbours, NoiseAddress, NoiseKey, NoiseStream, Purpose, Uniform};
use inkveil_surrogates::{List, Shape, ShapeLevel, Surrogates};

use crate::entity::{self, Entity};
use crate::known::{Id, Replacements};
use crate::linked::{FormPair, Linked};
use crate::names::{Free, Numbers};
use crate::plan::{NUMBER, SYMBOL, TextPlan};
use crate::{AtZero, Consistency, Error, Links, TextSettings, Treatment};

/// Surrogates have a random stream of their own, apart from the noise of the mechanism.
const SURROGATE: Purpose = Purpose::named("surrogate");

/// How often a surrogate is drawn again because the last one could not be restored.
const SURROGATE_TRIES: u32 = 64;
/// A shorter number is likely to occur in any text.
const SHORT_NUMBER: usize = 6;
/// How often a placeholder gets another name. More tries would mean that the text holds as many
/// placeholders.
const PLACEHOLDER_TRIES: u32 = 100_000;

/// Writes the replacements at ε = 0, which depend on the kind and shape of their originals only.
pub(crate) struct Replacer {
    pub(crate) how: AtZero,
    shape: ShapeLevel,
    links: Links,
    lists: PathBuf,
    gazetteer: PathBuf,
    names: OnceLock<Option<Gazetteer>>,
    surrogates: OnceLock<Surrogates>,
    /// What the names of the lists are, in plain letters.
    listed: OnceLock<HashMap<String, EntryFlags>>,
    /// The words that may replace any word.
    words: OnceLock<Vec<u32>>,
    pub(crate) model: Option<Arc<LocalChat>>,
}

impl Replacer {
    pub(crate) fn new(
        settings: &TextSettings,
        pack: &Path,
        model: Option<Arc<LocalChat>>,
    ) -> Result<Self, Error> {
        let how = settings.at_zero;
        if how == AtZero::Fill && model.is_none() {
            return Err(Error::setting(
                "filling gaps needs a local language model, and none was named; `inkveil pull smollm2` gets a small one",
            ));
        }
        Ok(Self {
            how,
            shape: settings.shape,
            links: settings.links(),
            lists: pack.join(Surrogates::FILE),
            gazetteer: pack.join(Gazetteer::FILE),
            names: OnceLock::new(),
            surrogates: OnceLock::new(),
            listed: OnceLock::new(),
            words: OnceLock::new(),
            model,
        })
    }

    /// Returns the replacement of the unit at `index`, or of the span that starts there. If gaps
    /// are filled, this is the placeholder that the model fills later.
    pub(crate) fn write(&self, document: &mut Writing<'_, '_>, index: usize) -> Result<String, Error> {
        match self.how {
            AtZero::Drop => Ok(String::new()),
            AtZero::Mask | AtZero::Fill if document.scope == Consistency::None => {
                Ok(format!("[{}]", document.plan.label(index)))
            }
            _ if document.free.is_some() => self.restorable(document, index),
            AtZero::Mask | AtZero::Fill => {
                let entity = document.named_entity(index);
                document.numbers.placeholder(&entity, document.scope, 0, document.key)
            }
            AtZero::Surrogate => match document.linked(index) {
                Some(linked) => Ok(linked),
                None => self.surrogate(document, index, document.stream(index, 0)),
            },
        }
    }

    /// Draws the identities of a document, if its replacements are linked.
    pub(crate) fn link(&self, document: &mut Writing<'_, '_>) -> Result<(), Error> {
        if self.links == Links::None || self.how != AtZero::Surrogate || document.only_placeholders {
            return Ok(());
        }
        let lists = self.surrogates()?.lists_in(document.plan.main_language().code());
        let Writing { plan, key, scope, record, free, .. } = document;
        let free = free.as_ref();
        let is_free = |form: &str, original: &str| {
            free.is_none_or(|free| free.is_open(form, original) && !self.is_ordinary(form))
        };
        let known = |original: &str| free.and_then(|free| free.known_form(original));
        document.linked = Linked::draw(plan, self.links, lists, key, (*scope, *record), &is_free, &known);
        Ok(())
    }

    /// Returns a replacement that can be restored: equal for equal originals, different for
    /// different ones, and not in the rest of the released text. What is rejected depends on the
    /// released text alone, so it reveals nothing more of the private text.
    fn restorable(&self, document: &mut Writing<'_, '_>, index: usize) -> Result<String, Error> {
        let plan = document.plan;
        let id = Id::new(plan.label(index), &plan.text()[plan.replaced(index)]);
        let placeholders = self.how != AtZero::Surrogate || document.only_placeholders;
        let fits = |document: &Writing<'_, '_>, replacement: &str| {
            document.free.as_ref().is_some_and(|free| free.may_be(replacement, id))
        };
        let linked = if placeholders { None } else { document.linked(index) };
        if let Some(linked) = linked.filter(|linked| fits(document, linked)) {
            document.take(&linked, id);
            return Ok(linked);
        }
        let known = document.free.as_ref().and_then(|free| free.known(id)).map(str::to_owned);
        if let Some(known) = known.filter(|known| !document.only_placeholders || known.starts_with('[')) {
            document.take(&known, id);
            return Ok(known);
        }
        let surrogates = if placeholders { 0 } else { SURROGATE_TRIES };
        for attempt in 0..surrogates {
            let surrogate = self.surrogate(document, index, document.stream(index, attempt))?;
            if fits(document, &surrogate) && !self.is_everyday(document, index, &surrogate) {
                document.take(&surrogate, id);
                return Ok(surrogate);
            }
        }
        let entity = document.named_entity(index);
        for attempt in 0..PLACEHOLDER_TRIES {
            let placeholder = document.numbers.placeholder(&entity, document.scope, attempt, document.key)?;
            if fits(document, &placeholder) {
                document.take(&placeholder, id);
                return Ok(placeholder);
            }
        }
        Err(Error::setting(
            "a text contains too many placeholders of its own to be restorable; veil it separately and without a map",
        ))
    }

    /// Returns whether a surrogate is likely to occur in other texts: a name that is also an
    /// ordinary word, such as Will or May, and, if one map serves many documents, any ordinary word
    /// and any short number. Restoring could not tell such an occurrence from the surrogate.
    fn is_everyday(&self, document: &Writing<'_, '_>, index: usize, surrogate: &str) -> bool {
        let many = document.scope == Consistency::Job;
        let name = document.plan.units[index].kind == Some(Kind::Person);
        if surrogate.contains(char::is_whitespace) || !(many || name) {
            return false;
        }
        if surrogate.len() < SHORT_NUMBER && !surrogate.contains(char::is_alphabetic) {
            return many;
        }
        self.is_ordinary(surrogate)
    }

    /// Returns whether a word is a common English word.
    fn is_ordinary(&self, surrogate: &str) -> bool {
        self.flags(surrogate).contains(EntryFlags::ORDINARY)
    }

    /// Returns what the gazetteer knows of a word.
    pub(crate) fn flags(&self, word: &str) -> EntryFlags {
        let names = self.names.get_or_init(|| Gazetteer::open(&self.gazetteer).ok());
        names.as_ref().map(|names| names.flags(word)).unwrap_or_default()
    }

    /// Returns what the gazetteer and the lists know of a word. A fifth of the names is not in the gazetteer.
    pub(crate) fn known_flags(&self, word: &str) -> EntryFlags {
        let listed = self.listed.get_or_init(|| self.surrogates().map(names_of_lists).unwrap_or_default());
        self.flags(word) | listed.get(&plain_name(word)).copied().unwrap_or_default()
    }

    fn surrogate(
        &self,
        document: &Writing<'_, '_>,
        index: usize,
        mut stream: NoiseStream,
    ) -> Result<String, Error> {
        let (plan, lexicon) = (document.plan, document.lexicon);
        let Some(kind) = kind_of_surrogate(plan, index) else {
            if plan.label(index) == SYMBOL {
                return Ok(String::new());
            }
            let words = self.words.get_or_init(|| plain_words(lexicon));
            let word = words[Uniform::new(words.len())?.sample(&mut stream)?];
            return Ok(lexicon.vocabulary().text(word).unwrap_or_default().to_owned());
        };
        let article = Article::before(plan.text(), plan.replaced(index).start);
        if let Some(topic) = plan.units[index].topic {
            let below = |end: usize| stream.below(end as u64).map_or(0, |number| number as usize);
            if let Some(drawn) = topic.draw(article, plan.original(index), below) {
                return Ok(drawn);
            }
        }
        // The generator receives the shape and never the original.
        let level = if faults::is(Fault::ShapeByCharacter) { ShapeLevel::Exact } else { self.shape };
        let shape = Shape::of(plan.original(index), &kind, level);
        // The article is kept, so what is drawn must fit it.
        let fits = |drawn: &str| article.fits(drawn);
        let language = plan.language_at(plan.replaced(index).start).code();
        let words = move || stream.next_u64();
        Ok(self.surrogates()?.draw_in(language, plan.original(index), &shape, words, fits))
    }

    fn surrogates(&self) -> Result<&Surrogates, Error> {
        if let Some(surrogates) = self.surrogates.get() {
            return Ok(surrogates);
        }
        let opened = Surrogates::open(&self.lists)?;
        Ok(self.surrogates.get_or_init(|| opened))
    }

    /// Returns what a replacement reveals, for the receipt.
    pub(crate) fn reveals(&self, scope: Consistency) -> &'static str {
        match (self.how, self.shape) {
            (AtZero::Mask, _) => match scope {
                Consistency::None => "a placeholder with the kind; it reveals the kind of the original",
                _ if self.links != Links::None => {
                    "a placeholder with the kind and a number or code; it reveals the kind of the original, its repetitions, and which mentions are of one person, organisation or place"
                }
                _ => {
                    "a placeholder with the kind and a number or code; it reveals the kind of the original and its repetitions"
                }
            },
            (AtZero::Drop, _) => "left out; gaps in the text may reveal the place",
            (AtZero::Surrogate, _) if self.links != Links::None => {
                "surrogates that are forms of one identity for each person, organisation or place; others have the same kind and shape"
            }
            (AtZero::Surrogate, ShapeLevel::Kind) => "a surrogate of the same kind; it reveals the kind",
            (AtZero::Surrogate, _) => {
                "a surrogate of the same kind and shape; it reveals the kind, and the shape as listed by kind"
            }
            (AtZero::Fill, _) => {
                "filled by a local language model from the released text before it; where the model finds no words, a placeholder reveals the kind"
            }
        }
    }

    /// Returns which originals have the same replacements.
    pub(crate) fn neighbours(&self) -> Neighbours {
        match (self.how, self.shape) {
            (AtZero::Drop, _) => Neighbours::SameLayout,
            // What an identity keeps is a part of the layout.
            (AtZero::Surrogate | AtZero::Mask, _) if self.links != Links::None => Neighbours::SameLayout,
            (AtZero::Surrogate, ShapeLevel::Coarse | ShapeLevel::Exact) => Neighbours::SameShape,
            (AtZero::Mask | AtZero::Fill, _) | (AtZero::Surrogate, ShapeLevel::Kind) => Neighbours::SameKind,
        }
    }
}

/// Returns the given names and family names of all lists, in plain letters.
fn names_of_lists(surrogates: &Surrogates) -> HashMap<String, EntryFlags> {
    let mut names: HashMap<String, EntryFlags> = HashMap::new();
    for list in List::ALL {
        let flag = match list.name().split_once('-') {
            Some(("given", _)) => EntryFlags::GIVEN,
            Some(("family", _)) => EntryFlags::FAMILY,
            _ => continue,
        };
        for entry in surrogates.lists().of(*list) {
            // Almost all names are ASCII, and this runs before the first text.
            let plain = match entry.text.is_ascii() {
                true => entry.text.to_ascii_lowercase(),
                false => plain_name(&entry.text),
            };
            *names.entry(plain).or_default() |= flag;
        }
    }
    names
}

/// Returns the kind of the surrogate of the unit at `index`; none if any word or nothing replaces it.
pub(crate) fn kind_of_surrogate(plan: &TextPlan<'_>, index: usize) -> Option<Kind> {
    match (plan.units.get(index).and_then(|unit| unit.kind.clone()), plan.label(index)) {
        (Some(kind), _) => Some(kind),
        (None, NUMBER) => Some(Kind::Id),
        (None, _) => None,
    }
}

/// A document whose replacements are being written.
pub(crate) struct Writing<'w, 't> {
    plan: &'w TextPlan<'t>,
    lexicon: &'w Lexicon,
    record: u64,
    key: &'w NoiseKey,
    scope: Consistency,
    numbers: Numbers,
    /// The replacements that are free, if all must be restorable.
    free: Option<Free<'w>>,
    only_placeholders: bool,
    /// The identities of its entities, if replacements are linked.
    linked: Option<Linked>,
}

impl<'w, 't> Writing<'w, 't> {
    pub(crate) fn new(
        plan: &'w TextPlan<'t>,
        lexicon: &'w Lexicon,
        record: u64,
        key: &'w NoiseKey,
        scope: Consistency,
    ) -> Self {
        let numbers = Numbers::default();
        Self {
            plan,
            lexicon,
            record,
            key,
            scope,
            numbers,
            free: None,
            only_placeholders: false,
            linked: None,
        }
    }

    /// Makes all replacements restorable, given those that were released before and the `rest` of
    /// the released text.
    pub(crate) fn restorable(
        mut self,
        before: &'w Replacements,
        rest: &str,
        only_placeholders: bool,
    ) -> Self {
        let rest = if faults::is(Fault::PrivateRejection) { self.plan.text() } else { rest };
        self.free = Some(Free::new(before, rest));
        self.only_placeholders = only_placeholders;
        self
    }

    /// Returns whether the unit at `index` is replaced.
    pub(crate) fn is_replaced(&self, index: usize) -> bool {
        matches!(self.plan.units[index].treatment, Treatment::Replaced(_))
    }

    fn entity(&self, index: usize) -> Entity {
        let document = (self.scope == Consistency::Document).then_some(self.record);
        let kind = self.plan.units[index].kind.as_ref();
        Entity::new(self.plan.label(index), kind, self.plan.original(index), document)
    }

    /// Returns the entity of a placeholder: mentions of one person, organisation or place share it.
    fn named_entity(&self, index: usize) -> Entity {
        let linked = self.plan.entities.as_ref().zip(self.plan.units[index].span);
        match linked.and_then(|(entities, span)| entities.name_of(span)) {
            Some(name) => {
                let document = (self.scope == Consistency::Document).then_some(self.record);
                let kind = self.plan.units[index].kind.as_ref();
                Entity::new(self.plan.label(index), kind, &name, document)
            }
            None => self.entity(index),
        }
    }

    /// Returns the random stream of a surrogate: that of its place or that of its entity.
    fn stream(&self, index: usize, attempt: u32) -> NoiseStream {
        match self.scope {
            Consistency::None => {
                let address = NoiseAddress::record(self.record).position(index as u64).purpose(SURROGATE);
                // The draw uses nothing of the original, so there is no input.
                self.key.stream(address, &())
            }
            _ => self.entity(index).stream(self.key, entity::SURROGATE, attempt),
        }
    }

    fn linked(&self, index: usize) -> Option<String> {
        self.linked.as_ref()?.replacement(self.plan, index)
    }

    /// Returns the forms of the identities that an answer may use.
    pub(crate) fn forms(&self) -> Vec<FormPair> {
        self.linked.as_ref().map(Linked::forms).unwrap_or_default()
    }

    fn take(&mut self, replacement: &str, id: Id) {
        if let Some(free) = &mut self.free {
            free.take(replacement, id);
        }
    }
}

/// Returns words in lower case, which fit in any place.
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
