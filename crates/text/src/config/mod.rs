//! `inkveil.toml`: the settings of a text veil in a file.

mod budget;
mod meaning;
mod owner;

use std::ops::Bound::Excluded;
use std::path::Path;

use inkveil_lexicon::{CasingPolicy, LexiconKind};
use inkveil_privacy::Calibration;
use inkveil_settings::{Reader, SettingsError, Table, UnknownName, Value};

use crate::mechanism::{MechanismName, NearestBy};
use crate::{
    AtZero, Budget, Consistency, Decoding, Grouping, Identifiers, Links, Preset, Punctuation, ShapeLevel,
    TaskVector, TextSettings, Threshold,
};

/// The settings of a text veil in `inkveil.toml`. Settings that a file does not give have their
/// defaults, so an empty file is valid.
///
/// ```
/// use inkveil_text::{AtZero, Budget, Preset, TextConfig};
///
/// let config = TextConfig::from_toml(
///     r#"
///     [text]
///     pack = "en"
///     tasks = ["What helps against a sore knee?"]
///     preset = "strict"
///     at-zero = "surrogate"
///
///     [detect]
///     ignore-kinds = ["date"]
///     "#,
///     "inkveil.toml",
/// )?;
/// assert_eq!(config.pack.as_deref(), Some("en"));
/// assert_eq!(config.settings.budget, Budget::Preset(Preset::Strict));
/// assert_eq!(config.settings.at_zero, AtZero::Surrogate);
///
/// let error = TextConfig::from_toml("[text]\npreset = \"srtict\"\n", "inkveil.toml").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     r#"inkveil.toml:2:10: there is no preset "srtict"
///   |
/// 2 | preset = "srtict"
///   |          ^^^^^^^^
///   = did you mean "strict"?"#
/// );
/// # Ok::<(), inkveil_settings::SettingsError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TextConfig {
    /// The name or folder of the model pack.
    pub pack: Option<String>,
    /// The local language model that fills gaps, for [`AtZero::Fill`].
    pub model: Option<String>,
    /// All other settings.
    pub settings: TextSettings,
}

impl Default for TextConfig {
    /// The settings of an empty file: those of the default preset.
    fn default() -> Self {
        Self { pack: None, model: None, settings: TextSettings::of(Preset::default()) }
    }
}

/// The tables of a file.
const TABLES: [&str; 2] = ["text", "detect"];

/// The keys of the table `text`.
const KEYS: [&str; 28] = [
    "pack",
    "model",
    "as-published",
    "lexicon",
    "tasks",
    "task-vector",
    "relevance",
    "grouping",
    "preset",
    "epsilon",
    "budgets",
    "uniform",
    "target-survival",
    "mechanism",
    "calibration",
    "decoding",
    "nearest-by",
    "radial-epsilon",
    "ellipse",
    "failure",
    "certify",
    "at-zero",
    "shape",
    "consistent",
    "link",
    "identifiers",
    "punctuation",
    "casing",
];

impl TextConfig {
    /// A file with the defaults, and with every other choice in comments.
    pub const EXAMPLE: &str = include_str!("example.toml");

    /// Reads the file at `path`.
    ///
    /// # Errors
    /// Every mistake in the file, with its line.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SettingsError> {
        let path = path.as_ref();
        Self::from_toml(&inkveil_settings::read_file(path)?, path)
    }

    /// Reads the text of a file; `file` is its name. Files named in the settings of detection are
    /// relative to its folder.
    ///
    /// # Errors
    /// Every mistake in the text, with its line.
    pub fn from_toml(text: &str, file: impl AsRef<Path>) -> Result<Self, SettingsError> {
        let file = file.as_ref();
        let folder = file.parent().unwrap_or(Path::new(""));
        inkveil_settings::parse(text, file, |reader, table| read(reader, table, text, folder))
    }
}

/// Reads the whole file. The text is needed to find the lines of other keys.
fn read(reader: &mut Reader, table: Table<'_>, text: &str, folder: &Path) -> TextConfig {
    for (key, _) in table.iter() {
        let name = key.name();
        if KEYS.contains(&name) {
            reader.wrong(key.span(), format!("{name} is a setting of text"), "put it below a line [text]");
        } else if inkveil_detect::Settings::KEYS.contains(&name) {
            reader.wrong(
                key.span(),
                format!("{name} is a setting of detect"),
                "put it below a line [detect]",
            );
        } else if !TABLES.contains(&name) {
            reader.unknown(key.span(), &UnknownName::new("table", name, TABLES));
        }
    }
    let section = table.get("text").and_then(|value| reader.table(value));
    let mut config = match section {
        Some(table) => Section { reader: &mut *reader, table }.read(text),
        None => TextConfig::default(),
    };
    if let Some(table) = table.get("detect").and_then(|value| reader.table(value)) {
        let tier = config.settings.detect.tier;
        config.settings.detect = inkveil_detect::Settings::from_table(reader, table, folder);
        match table.get("tier") {
            Some(_) => config.settings.second_look = false,
            None => config.settings.detect.tier = tier,
        }
    }
    config
}

/// Reads the table `text`.
struct Section<'r, 'v> {
    reader: &'r mut Reader,
    table: Table<'v>,
}

impl Section<'_, '_> {
    fn read(mut self, text: &str) -> TextConfig {
        self.reader.only_keys(self.table, "setting of text", &KEYS);
        let mut as_published = false;
        self.set("as-published", &mut as_published, |reader, value| reader.boolean(value));
        let mut settings = if as_published { TextSettings::as_published() } else { TextSettings::default() };
        match budget::read(self.reader, self.table, text) {
            Some(Budget::Preset(preset)) => settings.apply(preset),
            Some(budget) => settings.budget = budget,
            None if as_published => {}
            None => settings.apply(Preset::default()),
        }
        let mut config = TextConfig { pack: None, model: None, settings };
        self.set("pack", &mut config.pack, |reader, value| reader.string(value).map(Some));
        self.set("model", &mut config.model, |reader, value| reader.string(value).map(Some));
        self.relevance(&mut config.settings);
        self.mechanism(&mut config.settings);
        self.words(&mut config.settings);
        config
    }

    /// Reads the value of a key, if it is present and valid.
    fn set<T>(&mut self, key: &str, place: &mut T, read: impl FnOnce(&mut Reader, Value<'_>) -> Option<T>) {
        if let Some(value) = self.table.get(key).and_then(|value| read(self.reader, value)) {
            *place = value;
        }
    }

    /// Reads the settings of words and their relevance.
    fn relevance(&mut self, settings: &mut TextSettings) {
        self.set("lexicon", &mut settings.lexicon, |reader, value| {
            let kinds = [LexiconKind::Words, LexiconKind::Subword].map(|kind| (kind.name(), Some(kind)));
            reader.choice(value, "lexicon", kinds)
        });
        self.set("tasks", &mut settings.tasks, |reader, value| Some(reader.strings(value)));
        self.set("task-vector", &mut settings.task_vector, |reader, value| {
            reader.choice(value, "task vector", TaskVector::ALL.map(|by| (by.name(), by)))
        });
        self.set("relevance", &mut settings.threshold, |reader, value| threshold(reader, value).map(Some));
        self.set("grouping", &mut settings.grouping, |reader, value| {
            reader.choice(value, "grouping", Grouping::ALL.map(|by| (by.name(), by)))
        });
        if let (Some(value), TaskVector::Sentence, Some(LexiconKind::Subword)) =
            (self.table.get("task-vector"), settings.task_vector, settings.lexicon)
        {
            let what = "the sentence vector of a task needs a lexicon of words, but the lexicon is subword";
            let advice = "choose lexicon = \"words\", or task-vector = \"tokens\"";
            self.reader.wrong(value.span(), what, advice);
        }
    }

    /// Reads the settings of the mechanism.
    fn mechanism(&mut self, settings: &mut TextSettings) {
        let mechanism = &mut settings.mechanism;
        self.set("mechanism", &mut mechanism.name, |reader, value| {
            reader.choice(value, "mechanism", MechanismName::ALL.iter().map(|name| (name.name(), *name)))
        });
        self.set("calibration", &mut mechanism.calibration, |reader, value| {
            reader.choice(value, "calibration", Calibration::ALL.map(|c| (c.name(), c)))
        });
        self.set("nearest-by", &mut mechanism.nearest_by, |reader, value| {
            reader.choice(value, "way to find the nearest word", NearestBy::ALL.map(|by| (by.name(), by)))
        });
        self.set("radial-epsilon", &mut mechanism.radial_epsilon, budget::above_zero);
        self.set("ellipse", &mut mechanism.ellipse, |reader, value| reader.number(value, 0.0..1.0));
        self.set("failure", &mut mechanism.failure, |reader, value| {
            reader.number(value, (Excluded(0.0), Excluded(1.0)))
        });
        self.set("certify", &mut settings.certify, |reader, value| reader.boolean(value));
        self.set("decoding", &mut settings.decoding, |reader, value| {
            reader.choice(value, "decoding", Decoding::ALL.map(|how| (how.name(), Some(how))))
        });
        owner::check(self.reader, self.table);
    }

    /// Reads the settings of replacements.
    fn words(&mut self, settings: &mut TextSettings) {
        self.set("at-zero", &mut settings.at_zero, |reader, value| {
            reader.choice(value, "way to replace", AtZero::ALL.map(|how| (how.name(), how)))
        });
        self.set("shape", &mut settings.shape, |reader, value| {
            reader.choice(value, "shape", ShapeLevel::ALL.map(|level| (level.name(), level)))
        });
        self.set("consistent", &mut settings.consistent, |reader, value| {
            let all = Consistency::ALL.map(|scope| (scope.name(), scope));
            reader.choice(value, "scope of consistent replacements", all)
        });
        self.set("link", &mut settings.link, |reader, value| {
            reader.choice(value, "links between replacements", Links::ALL.map(|links| (links.name(), links)))
        });
        if let (Some(value), AtZero::Drop | AtZero::Fill, Consistency::Document | Consistency::Job) =
            (self.table.get("consistent"), settings.at_zero, settings.consistent)
        {
            let what =
                format!("replacements cannot be consistent with at-zero = \"{}\"", settings.at_zero.name());
            self.reader.wrong(value.span(), what, "choose at-zero = \"mask\" or \"surrogate\"");
        }
        self.set("identifiers", &mut settings.identifiers, |reader, value| {
            let all = Identifiers::ALL.map(|how| (how.name(), how));
            reader.choice(value, "treatment of identifiers", all)
        });
        self.set("punctuation", &mut settings.punctuation, |reader, value| {
            let all = Punctuation::ALL.map(|how| (how.name(), how));
            reader.choice(value, "treatment of punctuation", all)
        });
        self.set("casing", &mut settings.casing, |reader, value| {
            let all = [("original", CasingPolicy::AsOriginal), ("vocabulary", CasingPolicy::AsVocabulary)];
            reader.choice(value, "casing", all)
        });
    }
}

/// Reads `{ quantile = 0.9 }` or `{ cosine = 0.5 }`.
fn threshold(reader: &mut Reader, value: Value<'_>) -> Option<Threshold> {
    let table = reader.table(value)?;
    reader.only_keys(table, "measure of relevance", &["quantile", "cosine"]);
    match (table.get("quantile"), table.get("cosine")) {
        (Some(share), None) => reader.number(share, 0.0..=1.0).map(Threshold::Quantile),
        (None, Some(cosine)) => reader.number(cosine, -1.0..=1.0).map(Threshold::Cosine),
        _ => {
            let advice = "write { quantile = 0.9 } or { cosine = 0.5 }";
            reader.wrong(value.span(), "relevance is a quantile or a cosine", advice);
            None
        }
    }
}

#[cfg(test)]
mod example_tests;
#[cfg(test)]
mod tests;
