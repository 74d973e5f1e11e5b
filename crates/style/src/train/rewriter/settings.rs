//! The settings file of the rewriter's training: TOML with a table for each stage, where everything
//! but the texts has a default.

use std::path::{Path, PathBuf};

use inkveil_settings::{Reader, SettingsError, Table};

use super::super::values::Values;
use super::bootstrap::BootstrapPlan;
use super::grpo::GrpoPlan;
use super::sft::SftPlan;
use crate::rewrite::{DraftSettings, RewriteRules};

/// The content of a settings file.
#[derive(Debug, Clone)]
pub struct RewriterSettings {
    /// Files of texts with authors, relative to the settings file.
    pub texts: Vec<PathBuf>,
    /// The plan of the teacher's rewrites.
    pub bootstrap: BootstrapPlan,
    /// The plan of fine-tuning on these rewrites.
    pub sft: SftPlan,
    /// The plan of fine-tuning by reward.
    pub grpo: GrpoPlan,
}

impl RewriterSettings {
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
    /// use inkveil_style::train::RewriterSettings;
    ///
    /// let text = "texts = [\"authors.jsonl\"]\n\n[grpo]\ngroup = 8\nguided = false\n";
    /// let settings = RewriterSettings::from_toml(text, "run/rewriter.toml")?;
    /// assert_eq!((settings.grpo.group, settings.grpo.reward.guided), (8, false));
    /// assert_eq!(settings.bootstrap.draft.count, 8); // the paper's
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

fn read(reader: &mut Reader, table: Table<'_>, folder: &Path) -> RewriterSettings {
    let mut from = Values { reader, table };
    from.only(&["texts", "seed", "bootstrap", "sft", "grpo"]);
    let mut settings = RewriterSettings {
        texts: from.files("texts", folder),
        bootstrap: BootstrapPlan::default(),
        sft: SftPlan::default(),
        grpo: GrpoPlan::default(),
    };
    let mut seed = settings.bootstrap.seed;
    from.whole("seed", 0.0..=9e15, &mut seed);
    (settings.bootstrap.seed, settings.sft.seed, settings.grpo.seed) = (seed, seed, seed);
    let mut part = |name: &str| table.get(name).and_then(|value| reader.table(value));
    let [bootstrap, sft, grpo] = ["bootstrap", "sft", "grpo"].map(&mut part);
    if let Some(table) = bootstrap {
        read_bootstrap(Values { reader, table }, &mut settings.bootstrap);
    }
    if let Some(table) = sft {
        read_sft(Values { reader, table }, &mut settings.sft);
    }
    if let Some(table) = grpo {
        read_grpo(Values { reader, table }, &mut settings.grpo);
    }
    settings
}

fn read_bootstrap(mut from: Values<'_, '_>, plan: &mut BootstrapPlan) {
    from.only(&[
        "texts",
        "candidates",
        "temperature",
        "top-p",
        "max-tokens",
        "meaning",
        "guidance",
        "entities",
        "batch",
    ]);
    from.size("texts", 1.0..=1e7, &mut plan.texts);
    from.size("batch", 1.0..=4096.0, &mut plan.batch);
    let DraftSettings { count, temperature, top_p, max_tokens, avoid: _ } = &mut plan.draft;
    from.size("candidates", 1.0..=64.0, count);
    from.size("max-tokens", 8.0..=4096.0, max_tokens);
    from.number("temperature", 0.0..=5.0, temperature);
    from.number("top-p", 0.01..=1.0, top_p);
    let RewriteRules { meaning, guidance, entities, .. } = &mut plan.rules;
    from.number("meaning", 0.0..=1.0, meaning);
    from.number("guidance", 0.0..=10.0, guidance);
    from.number("entities", 0.0..=10.0, entities);
}

fn read_sft(mut from: Values<'_, '_>, plan: &mut SftPlan) {
    from.only(&["epochs", "batch", "at-once", "rate", "rank", "held-out", "check-every"]);
    from.whole("epochs", 1.0..=1000.0, &mut plan.epochs);
    from.whole("check-every", 1.0..=1e7, &mut plan.check_every);
    from.size("batch", 1.0..=4096.0, &mut plan.batch);
    from.size("at-once", 1.0..=4096.0, &mut plan.at_once);
    from.size("rank", 1.0..=1024.0, &mut plan.rank);
    from.number("rate", 1e-8..=1.0, &mut plan.rate);
    from.number("held-out", 0.0..=0.9, &mut plan.held_out);
}

fn read_grpo(mut from: Values<'_, '_>, plan: &mut GrpoPlan) {
    from.only(&[
        "steps",
        "texts",
        "group",
        "temperature",
        "pool",
        "updates",
        "at-once",
        "max-tokens",
        "rate",
        "clip-norm",
        "rank",
        "clip",
        "divergence",
        "authors",
        "refresh",
        "check-every",
        "base",
        "sensitivity",
        "utility",
        "wording",
        "facts",
        "floor",
        "enough",
        "guided",
        "adaptive",
    ]);
    from.whole("steps", 1.0..=1e7, &mut plan.steps);
    from.whole("check-every", 1.0..=1e7, &mut plan.check_every);
    from.size("texts", 1.0..=4096.0, &mut plan.texts);
    from.size("group", 2.0..=256.0, &mut plan.group);
    from.size("pool", 1.0..=1e7, &mut plan.pool);
    from.size("updates", 1.0..=16.0, &mut plan.updates);
    from.size("at-once", 1.0..=4096.0, &mut plan.at_once);
    from.size("max-tokens", 8.0..=4096.0, &mut plan.max_tokens);
    from.size("rank", 1.0..=1024.0, &mut plan.rank);
    from.size("authors", 2.0..=1e5, &mut plan.authors);
    from.number("temperature", 0.01..=5.0, &mut plan.temperature);
    from.number("rate", 1e-8..=1.0, &mut plan.rate);
    from.number("clip-norm", 1e-4..=1e4, &mut plan.clip_norm);
    from.number("clip", 0.0..=1.0, &mut plan.leash.clip);
    from.number("divergence", 0.0..=100.0, &mut plan.leash.divergence);
    from.number("base", 0.0..=100.0, &mut plan.reward.base);
    from.number("sensitivity", 0.0..=100.0, &mut plan.reward.sensitivity);
    from.number("utility", 0.0..=100.0, &mut plan.reward.utility);
    from.number("wording", 0.0..=100.0, &mut plan.reward.wording);
    from.number("facts", 0.0..=100.0, &mut plan.reward.facts);
    from.number("floor", 0.0..=0.99, &mut plan.reward.floor);
    from.number("enough", 0.0..=1.0, &mut plan.reward.enough);
    from.switch("refresh", &mut plan.refresh);
    from.switch("guided", &mut plan.reward.guided);
    from.switch("adaptive", &mut plan.reward.adaptive);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_mistakes_are_reported_together() {
        let text = "seed = 1.5\n[bootstrp]\n[sft]\nrank = 0\n[grpo]\ngided = true\nadaptive = 1\n";
        let error = RewriterSettings::from_toml(text, "s.toml").unwrap_err().to_string();
        for part in [
            "not a whole number",
            "did you mean \"bootstrap\"?",
            "less than 1",
            "did you mean \"guided\"?",
            "texts",
        ] {
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}
