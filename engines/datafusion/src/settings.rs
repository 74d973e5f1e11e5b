//! The settings `inkveil.*` of a session. `SET inkveil.preset = 'strict'` changes one.

use std::any::Any;
use std::collections::BTreeSet;
use std::path::PathBuf;

use datafusion::common::config::{ConfigEntry, ConfigExtension, ExtensionOptions};
use datafusion::common::{DataFusionError, Result};
use inkveil::privacy::Secret;
use inkveil::release::Account;
use inkveil::settings::{SettingsError, UnknownName};
use inkveil::{Epsilon, NoiseKey, TextConfig};
use toml::{Table, Value};

use crate::error::{Error, refused};

/// The name of the settings in messages.
const FILE: &str = "settings of the session";

const KEY_BYTES: usize = 33;

/// The settings that a settings file has, too: name, table, key, and whether the key takes a list.
const OF_FILES: [(&str, &str, &str, bool); 11] = [
    ("preset", "text", "preset", false),
    ("task", "text", "tasks", true),
    ("epsilon", "text", "epsilon", false),
    ("mechanism", "text", "mechanism", false),
    ("at_zero", "text", "at-zero", false),
    ("shape", "text", "shape", false),
    ("consistent", "text", "consistent", false),
    ("pack", "text", "pack", false),
    ("tier", "detect", "tier", false),
    ("language", "detect", "language", false),
    ("unsupported", "detect", "unsupported", false),
];

/// The settings of the session itself, and what they are.
const OWN: [(&str, &str); 13] = [
    ("config", "A settings file. The other settings override it"),
    ("id", "The column that veil(text) and veil_vector(vector) take the id of a row from"),
    ("ledger", "The ledger to charge; none charges nothing. INKVEIL_LEDGER by default"),
    ("dataset", "The name of the dataset in the ledger"),
    ("subject", "The person or thing that all rows are about"),
    ("key_file", "A file with the key of the noise. A fresh key for each query by default"),
    ("insecure_seed", "A fixed seed in place of a key, for tests. It protects nothing"),
    ("map", "The map that restore() uses"),
    ("map_key", "The key file of the map"),
    ("memory", "The file of the memory of styles that style_risk() uses"),
    (
        "encoder",
        "The pack with the encoder of embed(), and of vectors in tables. The pack of the texts by default",
    ),
    ("vector_epsilon", "The budget of each vector that veil_vector() veils"),
    ("vector_mask", "The mask of a concept that veil_vector() hides"),
];

/// The settings of inkveil in a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VeilOptions {
    values: std::collections::BTreeMap<&'static str, String>,
    /// A settings file that the other settings override, as text.
    base: Option<String>,
}

impl VeilOptions {
    /// The settings of a settings file.
    pub(crate) fn of_file(text: String) -> Result<Self, Error> {
        let options = Self { base: Some(text), ..Self::default() };
        options.text_config()?;
        Ok(options)
    }

    /// The value of a setting.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// Changes a setting. An empty value removes it.
    ///
    /// # Errors
    /// If there is no such setting, or the value is not one of its values.
    pub fn change(&mut self, name: &str, value: &str) -> Result<(), Error> {
        let names = || OF_FILES.iter().map(|entry| entry.0).chain(OWN.iter().map(|entry| entry.0));
        let Some(known) = names().find(|known| *known == name) else {
            return Err(refused(UnknownName::new("setting of inkveil", name, names()).to_string()));
        };
        let mut changed = self.clone();
        match value.is_empty() {
            true => changed.values.remove(known),
            false => changed.values.insert(known, value.to_owned()),
        };
        changed.check(known)?;
        *self = changed;
        Ok(())
    }

    fn check(&self, name: &str) -> Result<(), Error> {
        if OF_FILES.iter().any(|entry| entry.0 == name) || name == "config" {
            self.text_config()?;
        }
        let wrong = |message| Err(refused(message));
        match (name, self.get(name)) {
            ("insecure_seed", Some(seed)) if seed.parse::<u64>().is_err() => {
                wrong("inkveil.insecure_seed is a whole number of at least 0")
            }
            ("vector_epsilon", Some(_)) if self.vector_epsilon().is_none() => {
                wrong("inkveil.vector_epsilon is a number above 0, or inf")
            }
            ("insecure_seed" | "key_file", Some(_))
                if self.get("insecure_seed").is_some() && self.get("key_file").is_some() =>
            {
                wrong("set inkveil.key_file or inkveil.insecure_seed, not both")
            }
            _ => Ok(()),
        }
    }

    /// The settings as those of a settings file, which also identify the models to open.
    pub(crate) fn file(&self) -> Result<(String, PathBuf), Error> {
        let (mut file, path) = match (&self.base, self.get("config")) {
            (None, None) => (Table::new(), PathBuf::from(FILE)),
            (Some(text), _) => {
                let table = text.parse().map_err(|_| refused("the settings of the query are not TOML"))?;
                (table, PathBuf::from(FILE))
            }
            (None, Some(path)) => {
                let text = inkveil::settings::read_file(path)?;
                // The file is checked as such, so that messages have its lines.
                TextConfig::from_toml(&text, path)?;
                let table = text.parse().map_err(|_| refused(format!("{path}: this is not TOML")))?;
                (table, PathBuf::from(path))
            }
        };
        for (name, table, key, list) in OF_FILES {
            let Some(value) = self.get(name) else { continue };
            let value = match value.parse::<f64>() {
                Ok(number) if name == "epsilon" && number.is_finite() => Value::Float(number),
                _ => Value::String(value.to_owned()),
            };
            let value = if list { Value::Array(vec![value]) } else { value };
            let table = file.entry(table).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(table) = table {
                table.insert(key.to_owned(), value);
            }
        }
        Ok((file.to_string(), path))
    }

    /// The settings of the veil.
    pub(crate) fn text_config(&self) -> Result<TextConfig, Error> {
        let (text, path) = self.file()?;
        TextConfig::from_toml(&text, path).map_err(|error| refused(first_problem(&error)))
    }

    /// The budget of a vector.
    pub(crate) fn vector_epsilon(&self) -> Option<Epsilon> {
        self.get("vector_epsilon")?.parse::<Epsilon>().ok().filter(|epsilon| *epsilon > Epsilon::ZERO)
    }

    /// The ledger to charge.
    pub(crate) fn account(&self) -> Account {
        let mut account = match self.get("ledger") {
            None => Account::from_environment(),
            Some("none") => Account::none(),
            Some(path) => Account::new(path),
        };
        if let Some(dataset) = self.get("dataset") {
            account = account.dataset(dataset);
        }
        match self.get("subject") {
            Some(subject) => account.subject(subject),
            None => account,
        }
    }

    /// Whether a repeated query draws the same noise.
    pub(crate) fn keeps_key(&self) -> bool {
        self.get("key_file").is_some() || self.get("insecure_seed").is_some()
    }

    /// The key of the noise.
    pub(crate) fn key(&self) -> Result<NoiseKey, Error> {
        if let Some(seed) = self.get("insecure_seed").and_then(|seed| seed.parse().ok()) {
            return Ok(NoiseKey::insecure_from_seed(seed));
        }
        let Some(path) = self.get("key_file") else { return NoiseKey::fresh().map_err(library) };
        let bytes = Secret::new(std::fs::read(path).map_err(|_| refused(format!("cannot read {path}")))?);
        let wrong =
            || refused(format!("{path} is not the key of noise; make one with `inkveil-sql new-key`"));
        let mut kept = Secret::new([0; KEY_BYTES]);
        match bytes.expose().len() == KEY_BYTES {
            true => kept.expose_mut().copy_from_slice(bytes.expose()),
            false => return Err(wrong()),
        }
        NoiseKey::from_kept(&kept).map_err(|_| wrong())
    }
}

/// The setting of a policy that this one could undo: itself, or one that it works together with. With another dataset, the
/// limit of a ledger would not count, and with another budget, a preset would not protect.
pub(crate) fn undone<'d>(name: &str, decided: &'d BTreeSet<String>) -> Option<&'d str> {
    let of_veil: Vec<&str> = OF_FILES.iter().map(|entry| entry.0).chain(["config"]).collect();
    let together = [
        of_veil.as_slice(),
        &["ledger", "dataset", "subject"],
        &["key_file", "insecure_seed"],
        &["vector_epsilon", "vector_mask", "encoder"],
    ];
    let work_together =
        |one: &str| together.iter().any(|group| group.contains(&name) && group.contains(&one));
    let same = decided.get(name);
    same.or_else(|| decided.iter().find(|one| work_together(one))).map(String::as_str)
}

/// Writes a fresh key of noise to a file that only its owner may read.
///
/// # Errors
/// If the file exists or cannot be written.
pub fn new_key_file(path: &std::path::Path) -> Result<(), Error> {
    let key = NoiseKey::fresh().map_err(library)?;
    Ok(inkveil::files::write_private(path, key.keep().expose(), false)?)
}

/// An error of a crate below the facade.
pub(crate) fn library(error: impl Into<inkveil::Error>) -> Error {
    Error::Inkveil(error.into())
}

/// The first problem in words. The file is made here, so its lines would tell the user nothing.
fn first_problem(error: &SettingsError) -> String {
    let problem = error.problems().first();
    let what = problem.map_or_else(|| error.to_string(), |problem| problem.what().to_owned());
    match problem.and_then(|problem| problem.advice()) {
        Some(advice) => format!("{what}; {advice}"),
        None => what,
    }
}

impl ConfigExtension for VeilOptions {
    const PREFIX: &'static str = "inkveil";
}

impl ExtensionOptions for VeilOptions {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn cloned(&self) -> Box<dyn ExtensionOptions> {
        Box::new(self.clone())
    }

    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        self.change(key, value).map_err(DataFusionError::from)
    }

    fn entries(&self) -> Vec<ConfigEntry> {
        let of_files = OF_FILES.iter().map(|entry| (entry.0, "As in a settings file"));
        let entry = |(name, description): (&'static str, &'static str)| ConfigEntry {
            key: format!("{}.{name}", Self::PREFIX),
            value: self.get(name).map(str::to_owned),
            description,
        };
        of_files.chain(OWN).map(entry).collect()
    }
}
