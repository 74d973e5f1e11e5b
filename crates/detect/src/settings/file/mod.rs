//! Settings from a TOML file, or from one of its tables.

use std::collections::BTreeSet;
use std::path::Path;

use inkveil_settings::{Reader, SettingsError, Table, UnknownName, Value};
use regex_automata::meta;

use super::known;
use super::values::{Allow, Phrase, Settings, Tier, UserRule, WordList};
use crate::kind::Kind;
use crate::language::{Language, Unsupported};

/// The kind of denied phrases without a kind.
const DENIED: &str = "private";

/// The keys of a rule.
const RULE: [&str; 9] = [
    "name",
    "kind",
    "pattern",
    "patterns",
    "score",
    "context",
    "context-score",
    "needs-context",
    "validator",
];

/// A placeholder for a text in advice.
const TEXT: &str = "\"…\"";

impl Settings {
    /// The keys of settings in a file.
    pub const KEYS: [&'static str; 12] = [
        "tier",
        "language",
        "unsupported",
        "threshold",
        "thresholds",
        "kinds",
        "ignore-kinds",
        "allow",
        "deny",
        "rule",
        "list",
        "context",
    ];

    /// Reads settings from the top level of a TOML text. `file` is its name, for errors and to find files of
    /// words beside it.
    ///
    /// # Errors
    /// Fails with all problems of the text.
    pub fn from_toml(text: &str, file: impl AsRef<Path>) -> Result<Self, SettingsError> {
        let file = file.as_ref();
        let folder = file.parent().unwrap_or(Path::new(""));
        inkveil_settings::parse(text, file, |reader, table| Self::from_table(reader, table, folder))
    }

    /// Reads settings from the top level of a TOML file.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or with all its problems.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SettingsError> {
        let path = path.as_ref();
        Self::from_toml(&inkveil_settings::read_file(path)?, path)
    }

    /// Reads settings from a table of a larger file, such as `[detect]`. `reader` collects the problems, and
    /// files of words are in `folder`.
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
        let mut sections = Sections { reader, folder, settings: Settings::default(), names: BTreeSet::new() };
        sections.read(table);
        sections.settings
    }
}

struct Sections<'r> {
    reader: &'r mut Reader,
    /// The folder of files of words.
    folder: &'r Path,
    settings: Settings,
    /// The names of rules and lists so far. Reasons show them, so they must be unique.
    names: BTreeSet<String>,
}

impl Sections<'_> {
    fn read(&mut self, table: Table<'_>) {
        self.reader.only_keys(table, "setting", &Settings::KEYS);
        if let Some(value) = table.get("tier") {
            let tiers = Tier::ALL.map(|tier| (tier.name(), tier));
            self.settings.tier = self.reader.choice(value, "tier", tiers).unwrap_or_default();
        }
        if let Some(value) = table.get("language") {
            let codes = Language::TAGGED.map(|language| (language.code(), Some(language)));
            let choices = [("auto", None)].into_iter().chain(codes);
            self.settings.language = self.reader.choice(value, "language", choices).flatten();
        }
        if let Some(value) = table.get("unsupported") {
            let choices = Unsupported::ALL.map(|choice| (choice.name(), choice));
            self.settings.unsupported =
                self.reader.choice(value, "treatment of other languages", choices).unwrap_or_default();
        }
        if let Some(value) = table.get("threshold") {
            self.settings.threshold = self.reader.share(value).unwrap_or(Settings::THRESHOLD);
        }
        for item in self.items(table.get("allow")) {
            let allow = self.allow(item);
            self.settings.allow.extend(allow);
        }
        for item in self.items(table.get("deny")) {
            let phrase = self.deny(item);
            self.settings.deny.extend(phrase);
        }
        for item in self.items(table.get("rule")) {
            let rule = self.rule(item);
            self.settings.rules.extend(rule);
        }
        for item in self.items(table.get("list")) {
            let list = self.list(item);
            self.settings.lists.extend(list);
        }
        if let Some(value) = table.get("context") {
            self.context(value);
        }
        // After everything that can define a kind.
        if let Some(value) = table.get("kinds") {
            let kinds = self.kinds(value);
            self.settings.only = Some(kinds);
        }
        if let Some(value) = table.get("ignore-kinds") {
            self.settings.disabled = self.kinds(value);
        }
        if let Some(value) = table.get("thresholds") {
            self.thresholds(value);
        }
    }

    /// Returns the items of an optional list.
    fn items<'v>(&mut self, value: Option<Value<'v>>) -> Vec<Value<'v>> {
        value.and_then(|value| self.reader.array(value)).unwrap_or_default()
    }

    /// Reads `"some words"`, `{ text = …, ignore-case = … }` or `{ pattern = … }`.
    fn allow(&mut self, value: Value<'_>) -> Option<Allow> {
        if value.as_str().is_some() {
            return Some(Allow::Text { text: self.reader.string(value)?, ignore_case: false });
        }
        let table = self.reader.table(value)?;
        self.reader.only_keys(table, "setting of allow", &["text", "ignore-case", "pattern"]);
        let ignore_case = table.get("ignore-case").and_then(|value| self.reader.boolean(value));
        match (table.get("text"), table.get("pattern")) {
            (Some(text), None) => Some(Allow::Text {
                text: self.reader.string(text)?,
                ignore_case: ignore_case.unwrap_or(false),
            }),
            (None, Some(pattern)) if ignore_case.is_none() => Some(Allow::Pattern(self.pattern(pattern)?)),
            (None, Some(_)) => {
                let advice = "start the pattern with (?i) instead";
                self.reader.wrong(value.span(), "ignore-case is for texts, not for patterns", advice);
                None
            }
            _ => {
                let advice = "write text = \"…\" or pattern = '…'";
                self.reader.wrong(value.span(), "an entry of allow must be a text or a pattern", advice);
                None
            }
        }
    }

    /// Reads `"some words"` or `{ text = …, kind = …, ignore-case = … }`.
    fn deny(&mut self, value: Value<'_>) -> Option<Phrase> {
        if value.as_str().is_some() {
            return Some(Phrase::new(self.reader.string(value)?, Kind::named(DENIED)));
        }
        let table = self.reader.table(value)?;
        self.reader.only_keys(table, "setting of deny", &["text", "kind", "ignore-case"]);
        let kind = match table.get("kind") {
            Some(kind) => self.own_kind(kind)?,
            None => Kind::named(DENIED),
        };
        let text = self.reader.needed(table, "text", TEXT)?;
        let mut phrase = Phrase::new(self.reader.string(text)?, kind);
        if let Some(value) = table.get("ignore-case") {
            phrase.ignore_case = self.reader.boolean(value)?;
        }
        Some(phrase)
    }

    fn rule(&mut self, value: Value<'_>) -> Option<UserRule> {
        let table = self.reader.table(value)?;
        self.reader.only_keys(table, "setting of a rule", &RULE);
        let name = self.name(table);
        let kind = self.reader.needed(table, "kind", TEXT).and_then(|kind| self.own_kind(kind));
        let mut patterns = Vec::new();
        if let Some(pattern) = table.get("pattern") {
            patterns.extend(self.pattern(pattern));
        }
        for pattern in self.items(table.get("patterns")) {
            patterns.extend(self.pattern(pattern));
        }
        if table.get("pattern").is_none() && table.get("patterns").is_none() {
            let advice = "add pattern = '…' or patterns = ['…', '…']";
            self.reader.wrong(value.span(), "this rule has no pattern", advice);
        }
        let mut rule = UserRule::new(name?, kind?, "");
        rule.patterns = patterns;
        if let Some(value) = table.get("score") {
            rule.score = self.reader.share(value)?;
        }
        if let Some(value) = table.get("context") {
            rule.context = self.reader.strings(value);
        }
        if let Some(value) = table.get("context-score") {
            rule.context_score = self.reader.share(value)?;
        }
        if let Some(value) = table.get("needs-context") {
            rule.needs_context = self.reader.boolean(value)?;
            if rule.needs_context && rule.context.is_empty() {
                let what = "the rule needs context but has no context words, so it would find nothing";
                self.reader.wrong(value.span(), what, "add context = [\"…\"]");
            }
        }
        if let Some(value) = table.get("validator") {
            let name = self.reader.string(value)?;
            let known = known::validator_names();
            if !known.iter().any(|known| known.eq_ignore_ascii_case(&name)) {
                self.reader.unknown(value.span(), &UnknownName::new("validator", &name, known));
            }
            rule.validator = Some(name);
        }
        Some(rule)
    }

    fn list(&mut self, value: Value<'_>) -> Option<WordList> {
        let table = self.reader.table(value)?;
        let known = ["name", "kind", "words", "file", "score", "ignore-case"];
        self.reader.only_keys(table, "setting of a list", &known);
        let name = self.name(table);
        let kind = self.reader.needed(table, "kind", TEXT).and_then(|kind| self.own_kind(kind));
        let mut words = Vec::new();
        if let Some(inline) = table.get("words") {
            words = self.reader.strings(inline);
        }
        if let Some(file) = table.get("file") {
            words.extend(self.words_of(file)?);
        }
        if words.is_empty() {
            let advice = "add words = [\"…\"], or file = \"…\" with one word or phrase per line";
            self.reader.wrong(value.span(), "this list has no words", advice);
        }
        let mut list = WordList::new(name?, kind?, words);
        if let Some(value) = table.get("score") {
            list.score = self.reader.share(value)?;
        }
        if let Some(value) = table.get("ignore-case") {
            list.ignore_case = self.reader.boolean(value)?;
        }
        Some(list)
    }

    /// Reads the words of a file: one per line, without blank lines and lines that start with `#`.
    fn words_of(&mut self, value: Value<'_>) -> Option<Vec<String>> {
        let text = self.reader.file_text(value, self.folder)?;
        let lines = text.trim_start_matches('\u{FEFF}').lines().map(str::trim);
        Some(lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect())
    }

    /// Reads context words by the name of a rule, or of a kind for all its rules.
    fn context(&mut self, value: Value<'_>) {
        let Some(table) = self.reader.table(value) else { return };
        for (key, value) in table.iter() {
            let name = key.name();
            let rules = known::rules_called(name);
            if rules.is_empty() {
                self.reader.unknown(key.span(), &UnknownName::new("rule", name, known::rule_names()));
            }
            let words = self.reader.strings(value);
            for rule in rules {
                self.settings.context.entry(rule.to_owned()).or_default().extend(words.iter().cloned());
            }
        }
    }

    fn thresholds(&mut self, value: Value<'_>) {
        let Some(table) = self.reader.table(value) else { return };
        for (key, value) in table.iter() {
            let threshold = self.reader.share(value);
            match (self.settings.kind(key.name()), threshold) {
                (Ok(kind), Some(threshold)) => {
                    self.settings.thresholds.insert(kind, threshold);
                }
                (Err(unknown), _) => self.reader.unknown(key.span(), &unknown),
                (Ok(_), None) => {}
            }
        }
    }

    /// Reads kinds, which must exist.
    fn kinds(&mut self, value: Value<'_>) -> BTreeSet<Kind> {
        let mut kinds = BTreeSet::new();
        for item in self.items(Some(value)) {
            match self.reader.string(item).map(|name| self.settings.kind(&name)) {
                Some(Ok(kind)) => {
                    kinds.insert(kind);
                }
                Some(Err(unknown)) => self.reader.unknown(item.span(), &unknown),
                None => {}
            }
        }
        kinds
    }

    /// Reads a kind, which may be new.
    fn own_kind(&mut self, value: Value<'_>) -> Option<Kind> {
        let name = self.reader.string(value)?;
        let part = |part: &str| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        };
        if !name.split('-').all(part) {
            let advice = "write lower-case words joined by hyphens, such as \"project-code\"";
            self.reader.wrong(value.span(), "this is not a valid name of a kind", advice);
            return None;
        }
        Some(Kind::named(&name))
    }

    /// Reads the name of a rule or list, which must be unique.
    fn name(&mut self, table: Table<'_>) -> Option<String> {
        let value = self.reader.needed(table, "name", TEXT)?;
        let name = self.reader.string(value)?;
        if name.chars().any(char::is_control) {
            self.reader.wrong(value.span(), "this name contains a control character", "remove it");
            return None;
        }
        if known::rule_names().contains(&name.as_str()) || !self.names.insert(name.clone()) {
            let advice = "choose another, so that reasons are unambiguous";
            self.reader.wrong(value.span(), "another rule or list has this name", advice);
            return None;
        }
        Some(name)
    }

    /// Reads a regular expression, which must compile and not match the empty text.
    fn pattern(&mut self, value: Value<'_>) -> Option<String> {
        let pattern = self.reader.string(value)?;
        match meta::Regex::new(&pattern) {
            Ok(regex) if regex.is_match("") => {
                let advice = "a pattern must match at least one character: use + instead of *";
                self.reader.wrong(value.span(), "this pattern matches the empty text", advice);
                None
            }
            Ok(_) => Some(pattern),
            Err(error) => {
                let words = match error.syntax_error() {
                    Some(error) => error.to_string(),
                    None => error.to_string(),
                };
                // The library also draws the pattern and a caret. Its last line states the problem.
                let last = words.lines().last().unwrap_or_default();
                let what = format!("this pattern is invalid: {}", last.trim_start_matches("error: "));
                let advice = "in TOML, put patterns in 'single quotes', where \\ needs no escaping";
                self.reader.wrong(value.span(), what, advice);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests;
