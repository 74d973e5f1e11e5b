//! The sensitivity of words: from the whole text, or from each word alone.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{PoisonError, RwLock};

use inkveil_detect::{Detector, EntryFlags, Gazetteer, Kind, Settings, Span, Tier};
use inkveil_lexicon::Lexicon;

use crate::Error;
use crate::choice::choice;

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
    Text(Detector),
    Public(WordAlone),
}

impl Sensitivity {
    pub(crate) fn open(pack: &Path, grouping: Grouping, settings: Settings) -> Result<Self, Error> {
        Ok(match grouping {
            Grouping::Text => Sensitivity::Text(Detector::open(Some(pack), settings)?),
            Grouping::Public => Sensitivity::Public(WordAlone::open(pack, settings)?),
        })
    }

    /// Returns the sensitive spans of each text that depend on more than single words.
    pub(crate) fn spans(&self, texts: &[&str]) -> Result<Vec<Vec<Span>>, Error> {
        match self {
            Sensitivity::Text(detector) => Ok(detector.detect(texts)?),
            Sensitivity::Public(_) => Ok(vec![Vec::new(); texts.len()]),
        }
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
