//! Which words are sensitive: by the whole text, or by the word alone.

use std::collections::HashMap;
use std::path::Path;
use std::str::FromStr;
use std::sync::{PoisonError, RwLock};

use inkveil_detect::{Detector, EntryFlags, Gazetteer, Kind, Settings, Span, Tier};
use inkveil_lexicon::Lexicon;
use inkveil_settings::UnknownName;

use crate::Error;

/// What the groups are a function of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Grouping {
    /// Of the text: words are found sensitive by their context, which is far better. Then which group a word is in is itself a
    /// function of the private text, and the promise compares only texts with the same groups.
    #[default]
    Text,
    /// Of each word alone: lists of names, patterns, and the word's relevance. The groups are a public function of the vocabulary.
    Public,
}

impl Grouping {
    /// Both.
    pub const ALL: [Grouping; 2] = [Grouping::Text, Grouping::Public];

    /// Its name: `text` or `public`.
    pub fn name(self) -> &'static str {
        match self {
            Grouping::Text => "text",
            Grouping::Public => "public",
        }
    }
}

impl FromStr for Grouping {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let found = Self::ALL.into_iter().find(|grouping| grouping.name() == name);
        found.ok_or_else(|| UnknownName::new("grouping", name, Self::ALL.iter().map(|g| g.name())))
    }
}

/// Finds what is sensitive.
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

    /// The sensitive spans of each text, as far as they depend on more than single words.
    pub(crate) fn spans(&self, texts: &[&str]) -> Result<Vec<Vec<Span>>, Error> {
        match self {
            Sensitivity::Text(detector) => Ok(detector.detect(texts)?),
            Sensitivity::Public(_) => Ok(vec![Vec::new(); texts.len()]),
        }
    }
}

/// Says of single words whether they are sensitive.
pub(crate) struct WordAlone {
    rules: Detector,
    names: Gazetteer,
    /// What entries of the lexicon were found to be: there are as many as the vocabulary has, and texts repeat them.
    known: RwLock<HashMap<u32, Option<Kind>>>,
}

/// What the lists call a name, a place or a condition, unless it is an ordinary word as well.
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

    /// What an entry of the lexicon is, if it is sensitive whatever stands around it.
    pub(crate) fn kind_of(&self, lexicon: &Lexicon, id: u32) -> Result<Option<Kind>, Error> {
        if let Some(kind) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&id) {
            return Ok(kind.clone());
        }
        let kind = self.kind(lexicon.vocabulary().text(id).unwrap_or_default())?;
        self.known.write().unwrap_or_else(PoisonError::into_inner).insert(id, kind.clone());
        Ok(kind)
    }

    /// What a word is if it is sensitive whatever stands around it. A word with a digit is: who knows what it counts.
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
