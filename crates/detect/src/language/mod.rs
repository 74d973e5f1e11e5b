//! Languages: which one a passage is in, and how far detection supports it.
//!
//! `votes.rs` counts function words of the seven languages with a tagger, `identify.rs` decides for one
//! passage, and `passages.rs` splits a text and settles passages that are too short to decide.

mod identify;
mod passages;
mod votes;

use std::fmt;
use std::str::FromStr;

use inkveil_settings::UnknownName;
use serde::{Serialize, Serializer};

use crate::listed::ListedSpeech;

pub use passages::{Passage, passages, sentences};
pub(crate) use votes::is_function_word;

/// A language of texts. Seven have a tagger, all others have the rules, and some of these have lists of names.
///
/// ```
/// use inkveil_detect::Language;
///
/// let german: Language = "de".parse()?;
/// assert_eq!((german, german.name(), german.has_tagger()), (Language::German, "German", true));
/// assert!("pl".parse::<Language>().is_err());
/// # Ok::<(), inkveil_detect::UnknownName>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// English.
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
    /// Italian.
    Italian,
    /// Portuguese.
    Portuguese,
    /// Dutch.
    Dutch,
    /// Another language.
    Other {
        /// Its code of ISO 639-3, in three letters.
        code: &'static str,
        /// Its English name.
        name: &'static str,
    },
}

impl Language {
    /// The languages with a tagger.
    pub const TAGGED: [Language; 7] = [
        Language::English,
        Language::German,
        Language::French,
        Language::Spanish,
        Language::Italian,
        Language::Portuguese,
        Language::Dutch,
    ];

    /// Returns its code: two letters, or three for a language without a tagger.
    pub fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::German => "de",
            Language::French => "fr",
            Language::Spanish => "es",
            Language::Italian => "it",
            Language::Portuguese => "pt",
            Language::Dutch => "nl",
            Language::Other { code, .. } => code,
        }
    }

    /// Returns its English name.
    pub fn name(self) -> &'static str {
        match self {
            Language::English => "English",
            Language::German => "German",
            Language::French => "French",
            Language::Spanish => "Spanish",
            Language::Italian => "Italian",
            Language::Portuguese => "Portuguese",
            Language::Dutch => "Dutch",
            Language::Other { name, .. } => name,
        }
    }

    /// Returns whether a tagger was trained on it. Other languages have the rules.
    pub fn has_tagger(self) -> bool {
        !matches!(self, Language::Other { .. })
    }

    /// Returns what finds names and numbers in a language without a tagger, given by its English name, for messages.
    ///
    /// ```
    /// use inkveil_detect::Language;
    ///
    /// assert_eq!(Language::support_of("Polish"), "by rules only");
    /// assert_eq!(Language::support_of("Russian"), "by rules and lists of names only");
    /// ```
    pub fn support_of(name: &str) -> &'static str {
        match ListedSpeech::named(name) {
            Some(_) => "by rules and lists of names only",
            None => "by rules only",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Language {
    type Err = UnknownName;

    fn from_str(code: &str) -> Result<Self, UnknownName> {
        let found = Language::TAGGED.into_iter().find(|language| language.code() == code);
        found.ok_or_else(|| UnknownName::new("language", code, Language::TAGGED.map(Language::code)))
    }
}

impl Serialize for Language {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

/// What to do with passages in a language without a tagger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Unsupported {
    /// Fail, so that nothing is released.
    Refuse,
    /// Use the rules and lists alone.
    Rules,
    /// Use the tagger of the other languages as well as it can, and report the passages.
    #[default]
    Warn,
}

impl Unsupported {
    /// All choices.
    pub const ALL: [Unsupported; 3] = [Unsupported::Refuse, Unsupported::Rules, Unsupported::Warn];

    /// Returns its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Unsupported::Refuse => "refuse",
            Unsupported::Rules => "rules",
            Unsupported::Warn => "warn",
        }
    }
}

impl FromStr for Unsupported {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let found = Unsupported::ALL.into_iter().find(|choice| choice.name() == name);
        let names = Unsupported::ALL.map(Unsupported::name);
        found.ok_or_else(|| UnknownName::new("treatment of other languages", name, names))
    }
}
