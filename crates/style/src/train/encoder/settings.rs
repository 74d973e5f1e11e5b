//! The settings file of a training run: TOML, where everything but the texts has a default.

use std::path::{Path, PathBuf};

use inkveil_settings::{Reader, SettingsError, Table};

use super::super::values::Values;
use super::model::Parts;
use super::plan::EncoderPlan;

/// The content of a settings file.
#[derive(Debug, Clone)]
pub struct EncoderSettings {
    /// Files of texts with authors, relative to the settings file.
    pub texts: Vec<PathBuf>,
    /// The plan of the run.
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
    /// Opens a settings file.
    ///
    /// # Errors
    /// If it cannot be read; otherwise every mistake, with its line.
    pub fn open(file: &Path) -> Result<Self, SettingsError> {
        Self::from_toml(&inkveil_settings::read_file(file)?, file)
    }

    /// Reads settings. `file` is named in errors, and texts are relative to its folder.
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
    /// Every mistake, with its line.
    pub fn from_toml(text: &str, file: impl AsRef<Path>) -> Result<Self, SettingsError> {
        let file = file.as_ref();
        let folder = file.parent().unwrap_or(Path::new(""));
        inkveil_settings::parse(text, file, |reader, table| read(reader, table, folder))
    }
}

fn read(reader: &mut Reader, table: Table<'_>, folder: &Path) -> EncoderSettings {
    let mut plan = EncoderPlan::default();
    let mut from = Values { reader, table };
    from.only(&KEYS);
    let texts = from.files("texts", folder);
    from.whole("steps", 1.0..=1e7, &mut plan.steps);
    from.size("batch", 8.0..=4096.0, &mut plan.batch);
    from.whole("check-every", 1.0..=1e7, &mut plan.check_every);
    from.whole("seed", 0.0..=9e15, &mut plan.seed);
    from.number("rate", 1e-7..=1.0, &mut plan.rate);
    from.number("temperature", 0.001..=10.0, &mut plan.temperature);
    from.number("personas", 0.0..=1.0, &mut plan.personas);
    from.number("held-out", 0.01..=0.9, &mut plan.held_out);
    if let Some(value) = table.get("parts") {
        let known = [("both", Parts::Both), ("trunk", Parts::Trunk), ("surface", Parts::Surface)];
        plan.parts = reader.choice(value, "part", known).unwrap_or(plan.parts);
    }
    EncoderSettings { texts, plan }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_mistakes_are_reported_together() {
        let text = "steps = 1.5\nparts = \"trnk\"\nbatches = 3\n";
        let error = EncoderSettings::from_toml(text, "s.toml").unwrap_err().to_string();
        for part in ["not a whole number", "did you mean \"trunk\"?", "did you mean \"batch\"?", "texts"] {
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}
