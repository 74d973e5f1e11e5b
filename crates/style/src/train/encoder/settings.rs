//! The file that says how to train: TOML, everything but the texts has a default.

use std::path::{Path, PathBuf};

use inkveil_settings::{Reader, SettingsError, Table};

use super::{EncoderPlan, Parts};

/// What a settings file asks for.
#[derive(Debug, Clone)]
pub struct EncoderSettings {
    /// Files of texts with authors, relative to the settings file.
    pub texts: Vec<PathBuf>,
    /// How to train on them.
    pub plan: EncoderPlan,
}

const KEYS: [&str; 10] = [
    "texts",
    "steps",
    "batch",
    "rate",
    "temperature",
    "personas",
    "held-out",
    "parts",
    "check-every",
    "seed",
];

impl EncoderSettings {
    /// Reads settings; `file` is named in errors, and texts are looked for beside it.
    ///
    /// ```
    /// use inkveil_style::train::EncoderSettings;
    ///
    /// let settings = EncoderSettings::from_toml("texts = [\"authors.jsonl\"]\nsteps = 500\n", "run/style.toml")?;
    /// assert_eq!(settings.plan.steps, 500);
    /// assert_eq!(settings.texts[0].to_str(), Some("run/authors.jsonl"));
    /// # Ok::<(), inkveil_settings::SettingsError>(())
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong, each with its line.
    pub fn from_toml(text: &str, file: impl AsRef<Path>) -> Result<Self, SettingsError> {
        let file = file.as_ref();
        let folder = file.parent().unwrap_or(Path::new(""));
        inkveil_settings::parse(text, file, |reader, table| read(reader, table, folder))
    }
}

fn read(reader: &mut Reader, table: Table<'_>, folder: &Path) -> EncoderSettings {
    reader.only_keys(table, "setting", &KEYS);
    let texts = reader.needed(table, "texts", "[\"authors.jsonl\"]").map(|value| {
        let names = reader.strings(value);
        if names.is_empty() {
            reader.wrong(value.span(), "there are no texts to learn from", "name at least one file");
        }
        names.into_iter().map(|name| folder.join(name)).collect()
    });
    let mut plan = EncoderPlan::default();
    let whole = |reader: &mut Reader, key: &str, range: std::ops::RangeInclusive<f64>| {
        table.get(key).and_then(|value| {
            let number = reader.number(value, range)?;
            if number.fract() != 0.0 {
                reader.wrong(value.span(), "this is not a whole number", "write one without a point");
            }
            Some(number as u64)
        })
    };
    plan.steps = whole(reader, "steps", 1.0..=1e7).unwrap_or(plan.steps);
    plan.batch = whole(reader, "batch", 8.0..=4096.0).map_or(plan.batch, |batch| batch as usize);
    plan.check_every = whole(reader, "check-every", 1.0..=1e7).unwrap_or(plan.check_every);
    plan.seed = whole(reader, "seed", 0.0..=9e15).unwrap_or(plan.seed);
    let number = |reader: &mut Reader, key: &str, range: std::ops::RangeInclusive<f64>, usual: f64| {
        table.get(key).and_then(|value| reader.number(value, range)).unwrap_or(usual)
    };
    plan.rate = number(reader, "rate", 1e-7..=1.0, plan.rate);
    plan.temperature = number(reader, "temperature", 0.001..=10.0, plan.temperature);
    plan.personas = number(reader, "personas", 0.0..=1.0, plan.personas);
    plan.held_out = number(reader, "held-out", 0.01..=0.9, plan.held_out);
    if let Some(value) = table.get("parts") {
        let known = [("both", Parts::Both), ("trunk", Parts::Trunk), ("surface", Parts::Surface)];
        plan.parts = reader.choice(value, "part", known).unwrap_or(plan.parts);
    }
    EncoderSettings { texts: texts.unwrap_or_default(), plan }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_mistakes_are_told_at_once() {
        let text = "steps = 1.5\nparts = \"trnk\"\nbatches = 3\n";
        let error = EncoderSettings::from_toml(text, "s.toml").unwrap_err().to_string();
        for part in ["not a whole number", "did you mean \"trunk\"?", "did you mean \"batch\"?", "texts"] {
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}
