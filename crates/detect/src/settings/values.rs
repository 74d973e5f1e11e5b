//! Settings as plain data.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use inkveil_settings::UnknownName;
use serde::Serialize;

use crate::kind::Kind;
use crate::language::{Language, Unsupported};

/// What to find, and with which confidence.
///
/// ```
/// use inkveil_detect::{Kind, Phrase, Settings, Tier};
///
/// let mut settings = Settings::of(Tier::Rules);
/// settings.disabled.insert(Kind::Date);
/// settings.thresholds.insert(Kind::Phone, 0.8);
/// settings.deny.push(Phrase::new("Blue Heron", Kind::named("project")));
///
/// let same = Settings::from_toml(
///     r#"
///     tier = "rules"
///     ignore-kinds = ["date"]
///     deny = [{ text = "Blue Heron", kind = "project" }]
///
///     [thresholds]
///     phone = 0.8
///     "#,
///     "settings.toml",
/// )?;
/// assert_eq!(settings, same);
/// # Ok::<(), inkveil_detect::SettingsError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// The effort per text.
    pub tier: Tier,
    /// Spans with a lower score are dropped.
    pub threshold: f32,
    /// Thresholds of single kinds.
    pub thresholds: BTreeMap<Kind, f32>,
    /// The only kinds to find, if given.
    pub only: Option<BTreeSet<Kind>>,
    /// Kinds to ignore.
    pub disabled: BTreeSet<Kind>,
    /// Harmless texts: a span that equals one of them is dropped, unless the deny list found it.
    pub allow: Vec<Allow>,
    /// Texts that are always sensitive, regardless of thresholds and ignored kinds.
    pub deny: Vec<Phrase>,
    /// Rules of the user.
    pub rules: Vec<UserRule>,
    /// Word lists of the user.
    pub lists: Vec<WordList>,
    /// Additional context words of built-in rules, by the name of the rule. In a file, the name of a kind
    /// means all its rules.
    pub context: BTreeMap<String, Vec<String>>,
    /// The language of all texts. If not given, the language of each passage is found.
    pub language: Option<Language>,
    /// What to do with passages in a language without a tagger.
    pub unsupported: Unsupported,
}

impl Settings {
    /// The default threshold.
    pub const THRESHOLD: f32 = 0.5;

    /// Returns the default settings with this tier.
    pub fn of(tier: Tier) -> Self {
        Self {
            tier,
            threshold: Self::THRESHOLD,
            thresholds: BTreeMap::new(),
            only: None,
            disabled: BTreeSet::new(),
            allow: Vec::new(),
            deny: Vec::new(),
            rules: Vec::new(),
            lists: Vec::new(),
            context: BTreeMap::new(),
            language: None,
            unsupported: Unsupported::default(),
        }
    }

    /// Returns whether spans of this kind are wanted.
    pub fn wants(&self, kind: &Kind) -> bool {
        !self.disabled.contains(kind) && self.only.as_ref().is_none_or(|only| only.contains(kind))
    }

    /// Returns the threshold of this kind.
    pub fn threshold_of(&self, kind: &Kind) -> f32 {
        self.thresholds.get(kind).copied().unwrap_or(self.threshold)
    }

    /// Returns the kind of this name: a built-in kind, or one that these settings define.
    ///
    /// ```
    /// use inkveil_detect::Settings;
    ///
    /// let error = Settings::default().kind("pone").unwrap_err();
    /// assert_eq!(error.to_string(), "there is no kind \"pone\"; did you mean \"phone\"?");
    /// ```
    ///
    /// # Errors
    /// Fails for an unknown name, with the most similar known one.
    pub fn kind(&self, name: &str) -> Result<Kind, UnknownName> {
        let kinds = self.kinds();
        let kind = Kind::named(name);
        if kinds.contains(&kind) {
            return Ok(kind);
        }
        Err(UnknownName::new("kind", name, kinds.iter().map(Kind::name)))
    }

    /// Returns all kinds: the built-in ones, then those of the user's rules, lists and phrases.
    pub fn kinds(&self) -> Vec<Kind> {
        let rules = self.rules.iter().map(|rule| &rule.kind);
        let lists = self.lists.iter().map(|list| &list.kind);
        let phrases = self.deny.iter().map(|phrase| &phrase.kind);
        let own: BTreeSet<&Kind> =
            rules.chain(lists).chain(phrases).filter(|kind| matches!(kind, Kind::Custom(_))).collect();
        Kind::ALL.iter().chain(own).cloned().collect()
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::of(Tier::default())
    }
}

/// The effort per text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// Rules and lists: fast, works in any language, misses most names.
    Rules,
    /// Rules, lists and a small tagger, which reads the context.
    #[default]
    Fast,
    /// Rules, lists and a large tagger: slower, finds more.
    Accurate,
}

impl Tier {
    /// All tiers, the fastest first.
    pub const ALL: [Tier; 3] = [Tier::Rules, Tier::Fast, Tier::Accurate];

    /// Returns its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Tier::Rules => "rules",
            Tier::Fast => "fast",
            Tier::Accurate => "accurate",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Tier {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let found = Tier::ALL.into_iter().find(|tier| tier.name() == name);
        found.ok_or_else(|| UnknownName::new("tier", name, Tier::ALL.map(Tier::name)))
    }
}

/// A text that is harmless although it looks sensitive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Allow {
    /// The text of a span.
    Text {
        /// The text.
        text: String,
        /// Whether case is ignored.
        ignore_case: bool,
    },
    /// A regular expression that matches a whole span.
    Pattern(String),
}

/// A phrase that is always sensitive, found as whole words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    /// The phrase.
    pub text: String,
    /// Its kind.
    pub kind: Kind,
    /// Whether case is ignored, which is the default.
    pub ignore_case: bool,
}

impl Phrase {
    /// A phrase that ignores case.
    pub fn new(text: impl Into<String>, kind: Kind) -> Self {
        Self { text: text.into(), kind, ignore_case: true }
    }
}

/// A rule of the user.
#[derive(Debug, Clone, PartialEq)]
pub struct UserRule {
    /// Its name, which reasons show.
    pub name: String,
    /// The kind that it finds.
    pub kind: Kind,
    /// Regular expressions. A match of one of them is found. If the expression has groups, the first group
    /// that matches is found instead.
    pub patterns: Vec<String>,
    /// The score of a match, from 0 to 1.
    pub score: f32,
    /// Context words, which raise the score of a match nearby.
    pub context: Vec<String>,
    /// The score of a match with a context word nearby.
    pub context_score: f32,
    /// Whether a match without a context word nearby is dropped.
    pub needs_context: bool,
    /// The name of a check that a match must pass, for example `"luhn"`.
    pub validator: Option<String>,
}

impl UserRule {
    /// The default score.
    pub const SCORE: f32 = 0.9;

    /// The default score with a context word nearby.
    pub const CONTEXT_SCORE: f32 = 0.95;

    /// A rule with one pattern, without context words and check.
    pub fn new(name: impl Into<String>, kind: Kind, pattern: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind,
            patterns: vec![pattern.into()],
            score: Self::SCORE,
            context: Vec::new(),
            context_score: Self::CONTEXT_SCORE,
            needs_context: false,
            validator: None,
        }
    }
}

/// A list of words or phrases of the user, found as whole words.
#[derive(Debug, Clone, PartialEq)]
pub struct WordList {
    /// Its name, which reasons show.
    pub name: String,
    /// The kind of its words.
    pub kind: Kind,
    /// The words or phrases.
    pub words: Vec<String>,
    /// The score of a match, from 0 to 1.
    pub score: f32,
    /// Whether case is ignored, which is the default.
    pub ignore_case: bool,
}

impl WordList {
    /// The default score.
    pub const SCORE: f32 = 0.9;

    /// A list that ignores case.
    pub fn new(name: impl Into<String>, kind: Kind, words: Vec<String>) -> Self {
        Self { name: name.into(), kind, words, score: Self::SCORE, ignore_case: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_wanted_unless_ignored() {
        let mut settings = Settings::default();
        assert!(settings.wants(&Kind::Email));
        settings.disabled.insert(Kind::Email);
        assert!(!settings.wants(&Kind::Email) && settings.wants(&Kind::Phone));
        settings.only = Some([Kind::Email, Kind::Iban].into());
        assert!(
            !settings.wants(&Kind::Email) && !settings.wants(&Kind::Phone) && settings.wants(&Kind::Iban)
        );
    }

    #[test]
    fn a_kind_may_have_its_own_threshold() {
        let mut settings = Settings::default();
        settings.thresholds.insert(Kind::Person, 0.9);
        assert_eq!(settings.threshold_of(&Kind::Person), 0.9);
        assert_eq!(settings.threshold_of(&Kind::Email), Settings::THRESHOLD);
    }

    #[test]
    fn kinds_of_the_user_are_known_by_name() {
        let mut settings = Settings::default();
        assert!(settings.kind("ticket").is_err());
        settings.rules.push(UserRule::new("ticket", Kind::named("ticket"), "T-[0-9]+"));
        assert_eq!(settings.kind("ticket"), Ok(Kind::named("ticket")));
        assert_eq!(settings.kind("email"), Ok(Kind::Email));
    }

    #[test]
    fn tiers_have_names() {
        for tier in Tier::ALL {
            assert_eq!(tier.name().parse(), Ok(tier));
        }
        let error = "acurate".parse::<Tier>().unwrap_err();
        assert_eq!(error.to_string(), "there is no tier \"acurate\"; did you mean \"accurate\"?");
    }
}
