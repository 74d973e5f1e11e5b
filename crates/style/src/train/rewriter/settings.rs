//! The file that says how the rewriter is trained: TOML with a table for each stage, everything but the texts has a default.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use inkveil_settings::{Reader, SettingsError, Table};

use super::{BootstrapPlan, GrpoPlan, SftPlan};
use crate::rewrite::{DraftSettings, RewriteRules};

/// What a settings file asks for.
#[derive(Debug, Clone)]
pub struct RewriterSettings {
    /// Files of texts with authors, relative to the settings file.
    pub texts: Vec<PathBuf>,
    /// How a teacher rewrites them.
    pub bootstrap: BootstrapPlan,
    /// How a model is tuned on the teacher's rewrites.
    pub sft: SftPlan,
    /// How it is tuned by reward.
    pub grpo: GrpoPlan,
}

impl RewriterSettings {
    /// Reads settings; `file` is named in errors, and texts are looked for beside it.
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
    /// Everything that is wrong, each with its line.
    pub fn from_toml(text: &str, file: impl AsRef<Path>) -> Result<Self, SettingsError> {
        let file = file.as_ref();
        let folder = file.parent().unwrap_or(Path::new(""));
        inkveil_settings::parse(text, file, |reader, table| read(reader, table, folder))
    }
}

fn read(reader: &mut Reader, table: Table<'_>, folder: &Path) -> RewriterSettings {
    reader.only_keys(table, "setting", &["texts", "seed", "bootstrap", "sft", "grpo"]);
    let texts = reader.needed(table, "texts", "[\"authors.jsonl\"]").map(|value| {
        let names = reader.strings(value);
        if names.is_empty() {
            reader.wrong(value.span(), "there are no texts to learn from", "name at least one file");
        }
        names.into_iter().map(|name| folder.join(name)).collect()
    });
    let mut settings = RewriterSettings {
        texts: texts.unwrap_or_default(),
        bootstrap: BootstrapPlan::default(),
        sft: SftPlan::default(),
        grpo: GrpoPlan::default(),
    };
    if let Some(seed) = (Values { reader, table }).whole("seed", 0.0..=9e15) {
        (settings.bootstrap.seed, settings.sft.seed, settings.grpo.seed) = (seed, seed, seed);
    }
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
    let DraftSettings { count, temperature, top_p, max_tokens } = &mut plan.draft;
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
    plan.epochs = from.whole("epochs", 1.0..=1000.0).unwrap_or(plan.epochs);
    plan.check_every = from.whole("check-every", 1.0..=1e7).unwrap_or(plan.check_every);
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
        "floor",
        "enough",
        "guided",
        "adaptive",
    ]);
    plan.steps = from.whole("steps", 1.0..=1e7).unwrap_or(plan.steps);
    plan.check_every = from.whole("check-every", 1.0..=1e7).unwrap_or(plan.check_every);
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
    from.number("floor", 0.0..=0.99, &mut plan.reward.floor);
    from.number("enough", 0.0..=1.0, &mut plan.reward.enough);
    from.switch("refresh", &mut plan.refresh);
    from.switch("guided", &mut plan.reward.guided);
    from.switch("adaptive", &mut plan.reward.adaptive);
}

/// The values of a table.
struct Values<'r, 'v> {
    reader: &'r mut Reader,
    table: Table<'v>,
}

impl Values<'_, '_> {
    fn only(&mut self, keys: &[&str]) {
        self.reader.only_keys(self.table, "setting", keys);
    }

    fn whole(&mut self, key: &str, range: RangeInclusive<f64>) -> Option<u64> {
        let value = self.table.get(key)?;
        let number = self.reader.number(value, range)?;
        if number.fract() != 0.0 {
            self.reader.wrong(value.span(), "this is not a whole number", "write one without a point");
        }
        Some(number as u64)
    }

    fn size(&mut self, key: &str, range: RangeInclusive<f64>, into: &mut usize) {
        if let Some(number) = self.whole(key, range) {
            *into = number as usize;
        }
    }

    fn number(&mut self, key: &str, range: RangeInclusive<f64>, into: &mut f64) {
        if let Some(value) = self.table.get(key) {
            *into = self.reader.number(value, range).unwrap_or(*into);
        }
    }

    fn switch(&mut self, key: &str, into: &mut bool) {
        if let Some(value) = self.table.get(key) {
            *into = self.reader.boolean(value).unwrap_or(*into);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_mistakes_are_told_at_once() {
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
