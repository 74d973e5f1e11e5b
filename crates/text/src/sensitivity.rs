//! The sensitivity of words: from the whole text, or from each word alone.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{PoisonError, RwLock};

use inkveil_detect::{Detector, EntryFlags, Gazetteer, Kind, Settings, Span, Tier};
use inkveil_entities::corrected;
use inkveil_lexicon::Lexicon;

use crate::Error;
use crate::choice::choice;
use crate::doubt::Doubt;

choice! {
    /// What the groups depend on.
    Grouping "grouping" {
        /// On the text. Context makes detection far better. But the group of a word is then a
        /// function of the private text.
        #[default]
        Text "text",
        /// On each word alone: lists of names, patterns, and the word's relevance. The group of a word
        /// is a public function of the word. The sequence of groups still depends on the text.
        Public "public",
    }
}

/// Finds sensitive words.
pub(crate) enum Sensitivity {
    Text(Box<WholeText>),
    Public(Box<WordAlone>),
}

impl Sensitivity {
    pub(crate) fn open(
        pack: &Path,
        grouping: Grouping,
        settings: Settings,
        second_look: bool,
    ) -> Result<Self, Error> {
        Ok(match grouping {
            Grouping::Text => Sensitivity::Text(Box::new(WholeText::open(pack, settings, second_look)?)),
            Grouping::Public => Sensitivity::Public(Box::new(WordAlone::open(pack, settings)?)),
        })
    }

    /// Returns the sensitive spans of each text that depend on more than single words.
    pub(crate) fn spans(&self, texts: &[&str]) -> Result<Vec<Vec<Span>>, Error> {
        match self {
            Sensitivity::Text(text) => text.spans(texts),
            Sensitivity::Public(_) => Ok(vec![Vec::new(); texts.len()]),
        }
    }
}

/// Finds sensitive words in their context. Texts that leave a doubt get a second look.
pub(crate) struct WholeText {
    pub(crate) first: Detector,
    second: Option<(Detector, Doubt)>,
}

impl WholeText {
    fn open(pack: &Path, mut settings: Settings, second_look: bool) -> Result<Self, Error> {
        let first = Detector::open(Some(pack), settings.clone())?;
        settings.tier = Tier::Accurate;
        let second = match second_look {
            true => Some((Detector::open(Some(pack), settings)?, Doubt::open(pack)?)),
            false => None,
        };
        Ok(Self { first, second })
    }

    fn spans(&self, texts: &[&str]) -> Result<Vec<Vec<Span>>, Error> {
        let mut spans = self.first.detect(texts)?;
        let Some((second, doubt)) = &self.second else { return Ok(spans) };
        // A name that was taken for something else, and is left because of that, needs the second look most.
        let is_doubtful = |at: &usize| {
            let (text, found) = (texts[*at], spans[*at].clone());
            doubt.is_doubtful(text, &corrected(text, found, &|word| doubt.flags(word)))
        };
        let doubtful: Vec<usize> = (0..texts.len()).filter(is_doubtful).collect();
        let again: Vec<&str> = doubtful.iter().map(|&at| texts[at]).collect();
        for (at, found) in doubtful.into_iter().zip(second.detect(&again)?) {
            let first = std::mem::replace(&mut spans[at], found);
            let overlaps = |one: &Span, other: &Span| one.start < other.end && other.start < one.end;
            let missing: Vec<Span> = first
                .into_iter()
                .filter(|span| !spans[at].iter().any(|other| overlaps(span, other)))
                .collect();
            spans[at].extend(missing);
            spans[at].sort_by_key(|span| span.start);
        }
        Ok(spans)
    }
}

/// Decides for single words whether they are sensitive.
pub(crate) struct WordAlone {
    rules: Detector,
    names: Gazetteer,
    /// The kinds of entries found so far. There are at most as many as entries, and texts repeat
    /// them.
    known: RwLock<HashMap<u32, Option<Kind>>>,
}

/// Lists of names, places and conditions that are not ordinary words as well.
const NAMES: [(EntryFlags, Kind); 7] = [
    (EntryFlags::GIVEN, Kind::Person),
    (EntryFlags::FAMILY, Kind::Person),
    (EntryFlags::CITY, Kind::Location),
    (EntryFlags::COUNTRY, Kind::Location),
    (EntryFlags::REGION, Kind::Location),
    (EntryFlags::DISEASE, Kind::Health),
    (EntryFlags::DRUG, Kind::Medication),
];

impl WordAlone {
    pub(crate) fn open(pack: &Path, mut settings: Settings) -> Result<Self, Error> {
        settings.tier = Tier::Rules;
        let names = Gazetteer::open(&pack.join(Gazetteer::FILE))?;
        Ok(Self { rules: Detector::open(None, settings)?, names, known: RwLock::default() })
    }

    /// Returns the kind of an entry that is sensitive in any context.
    pub(crate) fn kind_of(&self, lexicon: &Lexicon, id: u32) -> Result<Option<Kind>, Error> {
        if let Some(kind) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&id) {
            return Ok(kind.clone());
        }
        let kind = self.kind(lexicon.vocabulary().text(id).unwrap_or_default())?;
        self.known.write().unwrap_or_else(PoisonError::into_inner).insert(id, kind.clone());
        Ok(kind)
    }

    /// Returns the kind of a word that is sensitive in any context. A word with a digit always is,
    /// because its meaning is not known.
    fn kind(&self, word: &str) -> Result<Option<Kind>, Error> {
        if let Some(span) = self.rules.detect(&[word])?.into_iter().flatten().next() {
            return Ok(Some(span.kind));
        }
        if word.contains(char::is_numeric) {
            return Ok(Some(Kind::Id));
        }
        let flags = self.names.flags(word);
        let ordinary = flags.contains(EntryFlags::ORDINARY);
        let name = NAMES.iter().find(|(entry, _)| flags.contains(*entry) && !ordinary);
        Ok(name.map(|(_, kind)| kind.clone()))
    }
}
