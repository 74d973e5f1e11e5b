//! What to look for and how sure to be.
//!
//! [`Settings`] are plain data. They come from code or from a TOML file; what is wrong with a file is said all at once, with the line
//! and a caret.

mod file;
mod known;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use inkveil_settings::{Reader, Table};
use serde::Serialize;

use crate::Kind;

pub use inkveil_settings::{Problem, SettingsError, UnknownName};

/// What to look for, and how sure to be.
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
    /// How much work is done per text.
    pub tier: Tier,
    /// A span with a lower score is dropped.
    pub threshold: f32,
    /// Kinds with a threshold of their own.
    pub thresholds: BTreeMap<Kind, f32>,
    /// If set, the only kinds to look for.
    pub only: Option<BTreeSet<Kind>>,
    /// Kinds not to look for.
    pub disabled: BTreeSet<Kind>,
    /// What is harmless: a span that is wholly one of these is dropped, unless the deny list found it.
    pub allow: Vec<Allow>,
    /// What is always sensitive, whatever the thresholds and the kinds switched off.
    pub deny: Vec<Phrase>,
    /// Rules of the user's.
    pub rules: Vec<UserRule>,
    /// Word lists of the user's.
    pub lists: Vec<WordList>,
    /// More words that speak for a rule of ours when they stand nearby, by the rule's name. In a file, a kind's name stands for all its
    /// rules.
    pub context: BTreeMap<String, Vec<String>>,
}

impl Settings {
    /// The threshold unless another is set.
    pub const THRESHOLD: f32 = 0.5;

    /// Settings of a tier, all else as by default.
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
        }
    }

    /// Reads a settings file; `file` is its name. Files of words are looked for beside it.
    pub fn from_toml(text: &str, file: impl AsRef<Path>) -> Result<Self, SettingsError> {
        let file = file.as_ref();
        let folder = file.parent().unwrap_or(Path::new(""));
        inkveil_settings::parse(text, file, |reader, table| Self::from_table(reader, table, folder))
    }

    /// Reads the settings file at `path`.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SettingsError> {
        let path = path.as_ref();
        Self::from_toml(&inkveil_settings::read_file(path)?, path)
    }

    /// Reads a table that holds what a settings file may hold, for files that hold other settings too. What is wrong is noted by
    /// `reader`; files of words are looked for from `folder`.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use inkveil_detect::{Settings, Tier};
    ///
    /// let text = "title = \"Letters\"\n[detect]\ntier = \"rules\"\n";
    /// let settings = inkveil_settings::parse(text, "letters.toml", |reader, table| {
    ///     let detect = table.get("detect").and_then(|value| reader.table(value));
    ///     detect.map(|detect| Settings::from_table(reader, detect, Path::new("")))
    /// })?;
    /// assert_eq!(settings, Some(Settings::of(Tier::Rules)));
    /// # Ok::<(), inkveil_detect::SettingsError>(())
    /// ```
    pub fn from_table(reader: &mut Reader, table: Table<'_>, folder: &Path) -> Self {
        file::read(reader, table, folder)
    }

    /// Whether spans of this kind are looked for.
    pub fn wants(&self, kind: &Kind) -> bool {
        !self.disabled.contains(kind) && self.only.as_ref().is_none_or(|only| only.contains(kind))
    }

    /// The score that a span of this kind needs.
    pub fn threshold_of(&self, kind: &Kind) -> f32 {
        self.thresholds.get(kind).copied().unwrap_or(self.threshold)
    }

    /// The kind of a name that a user typed: one of ours, or one that these settings introduce.
    ///
    /// ```
    /// use inkveil_detect::Settings;
    ///
    /// let error = Settings::default().kind("pone").unwrap_err();
    /// assert_eq!(error.to_string(), "there is no kind \"pone\"; did you mean \"phone\"?");
    /// ```
    pub fn kind(&self, name: &str) -> Result<Kind, UnknownName> {
        let kinds = self.kinds();
        let kind = Kind::named(name);
        if kinds.contains(&kind) {
            return Ok(kind);
        }
        Err(UnknownName::new("kind", name, kinds.iter().map(Kind::name)))
    }

    /// Every kind there is with these settings: ours, then those that the user's rules, lists and phrases introduce.
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

/// How much work is done per text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// Rules and lists only: fast, in any language, blind to names that no list has.
    Rules,
    /// Rules, lists and a small tagger that reads the context.
    #[default]
    Fast,
    /// Rules, lists and a large tagger: slower, and sees more.
    Accurate,
}

impl Tier {
    /// All of them, from the fastest.
    pub const ALL: [Tier; 3] = [Tier::Rules, Tier::Fast, Tier::Accurate];

    /// Its name in settings and on the command line.
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

/// What is harmless though it looks sensitive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Allow {
    /// Words that a span may consist of.
    Text {
        /// The words.
        text: String,
        /// Whether `ANA` is `Ana`.
        ignore_case: bool,
    },
    /// A regular expression that matches a whole span.
    Pattern(String),
}

/// Words that are always sensitive, wherever they stand as whole words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    /// The words.
    pub text: String,
    /// What they are.
    pub kind: Kind,
    /// Whether `ANA` is `Ana`; by default it is, so that more is found.
    pub ignore_case: bool,
}

impl Phrase {
    /// A phrase in any case.
    pub fn new(text: impl Into<String>, kind: Kind) -> Self {
        Self { text: text.into(), kind, ignore_case: true }
    }
}

/// A rule of the user's.
#[derive(Debug, Clone, PartialEq)]
pub struct UserRule {
    /// Its name, for reasons.
    pub name: String,
    /// What it finds.
    pub kind: Kind,
    /// Regular expressions; what one of them matches is found. If it has groups, the first that takes part in the match is found.
    pub patterns: Vec<String>,
    /// How sure a match is, from 0 to 1.
    pub score: f32,
    /// Words that speak for a match when they stand nearby.
    pub context: Vec<String>,
    /// How sure a match is with such a word nearby.
    pub context_score: f32,
    /// Whether a match counts only with such a word nearby.
    pub needs_context: bool,
    /// The name of a check that a match must pass, for example `"luhn"`.
    pub validator: Option<String>,
}

impl UserRule {
    /// The score unless another is set.
    pub const SCORE: f32 = 0.9;

    /// The score with a context word nearby unless another is set.
    pub const CONTEXT_SCORE: f32 = 0.95;

    /// A rule with one pattern, which needs no context and no check.
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

/// A list of words or phrases of the user's, found as whole words.
#[derive(Debug, Clone, PartialEq)]
pub struct WordList {
    /// Its name, for reasons.
    pub name: String,
    /// What its words are.
    pub kind: Kind,
    /// The words or phrases.
    pub words: Vec<String>,
    /// How sure a match is, from 0 to 1.
    pub score: f32,
    /// Whether `ANA` is `Ana`; by default it is, so that more is found.
    pub ignore_case: bool,
}

impl WordList {
    /// The score unless another is set.
    pub const SCORE: f32 = 0.9;

    /// A list in any case.
    pub fn new(name: impl Into<String>, kind: Kind, words: Vec<String>) -> Self {
        Self { name: name.into(), kind, words, score: Self::SCORE, ignore_case: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_wanted_unless_switched_off() {
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
    fn own_kinds_are_known_by_name() {
        let mut settings = Settings::default();
        assert!(settings.kind("ticket").is_err());
        settings.rules.push(UserRule::new("ticket", Kind::named("ticket"), "T-[0-9]+"));
        assert_eq!(settings.kind("ticket"), Ok(Kind::named("ticket")));
        assert_eq!(settings.kind("email"), Ok(Kind::Email));
    }

    #[test]
    fn settings_can_be_a_part_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("birds.txt"), "Snipe\n").unwrap();
        let read = |text: &str| {
            inkveil_settings::parse(text, "all.toml", |reader, table| {
                let part = table.get("detect").and_then(|value| reader.table(value)).unwrap();
                Settings::from_table(reader, part, folder.path())
            })
        };
        let list = "[[detect.list]]\nname = \"birds\"\nkind = \"bird\"\nfile = \"birds.txt\"\n";
        let mut expected = Settings::of(Tier::Rules);
        expected.lists.push(WordList::new("birds", Kind::named("bird"), vec!["Snipe".into()]));
        assert_eq!(read(&format!("x = 1\n[detect]\ntier = \"rules\"\n{list}")), Ok(expected));

        let error = read("x = 1\n[detect]\ntier = \"fsat\"\n").unwrap_err();
        let [problem] = error.problems() else { panic!("{error}") };
        assert_eq!((problem.line(), problem.column()), (Some(3), Some(8)));
        assert_eq!(problem.what(), "there is no tier \"fsat\"");
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
