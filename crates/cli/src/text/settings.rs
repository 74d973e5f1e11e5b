//! From options and a settings file to the settings of a veil. An option that would do nothing is
//! refused, because the user expects it to do something.

use std::path::PathBuf;

use anyhow::{bail, ensure};
use inkveil::{
    AtZero, Budget, Consistency, Grouping, MechanismName, Preset, TextConfig, TextSettings, TextVeil,
    TextVeilBuilder, Threshold, Veil,
};

use crate::args::{TextArgs, replace};
use crate::{config, progress};

/// Everything that a veil is opened with.
pub(super) struct Setup {
    /// The settings file in use.
    pub(super) config: Option<PathBuf>,
    pack: Option<String>,
    model: Option<String>,
    settings: TextSettings,
}

impl Setup {
    pub(super) fn new(args: &TextArgs) -> anyhow::Result<Self> {
        let mut setup = match args.words.as_published {
            true => Self::of(TextSettings::as_published()),
            false => match config::find(args.config.as_deref(), args.output.quiet) {
                Some(path) => {
                    let TextConfig { pack, model, settings, .. } = config::open(&path)?;
                    Self { config: Some(path), pack, model, settings }
                }
                // Budgets of your own start from plain placeholders.
                None if budget(args).is_some() => Self::of(TextSettings::default()),
                None => Self::of(TextSettings::of(Preset::default())),
            },
        };
        setup.pack = args.words.pack.clone().or(setup.pack);
        setup.override_with(args);
        setup.check(args)?;
        if setup.settings.at_zero == AtZero::Fill {
            setup.model = args.words.model.clone().or(setup.model);
        } else {
            setup.model = None;
        }
        Ok(setup)
    }

    fn of(settings: TextSettings) -> Self {
        Self { config: None, pack: None, model: None, settings }
    }

    fn override_with(&mut self, args: &TextArgs) {
        let settings = &mut self.settings;
        if !args.tasks.is_empty() {
            settings.tasks.clone_from(&args.tasks);
        }
        match budget(args) {
            Some(Budget::Preset(preset)) => settings.apply(preset),
            Some(budget) => settings.budget = budget,
            None => {}
        }
        let groups = &args.groups;
        replace(&mut settings.grouping, groups.grouping);
        replace(&mut settings.task_vector, groups.task_vector);
        replace(&mut settings.detect.tier, groups.tier);
        replace(&mut settings.detect.language, groups.language.map(|language| language.0));
        replace(&mut settings.detect.unsupported, groups.unsupported);
        settings.second_look &= groups.tier.is_none();
        let threshold = groups.threshold.map(Threshold::Cosine).or(groups.quantile.map(Threshold::Quantile));
        settings.threshold = threshold.or(settings.threshold);
        let words = &args.words;
        replace(&mut settings.mechanism.name, words.mechanism);
        replace(&mut settings.mechanism.calibration, words.calibration);
        replace(&mut settings.mechanism.nearest_by, words.nearest_by);
        settings.certify |= words.certify;
        settings.decoding = words.decoding.or(settings.decoding);
        replace(&mut settings.at_zero, words.at_zero);
        replace(&mut settings.shape, words.shape);
        replace(&mut settings.consistent, words.consistent);
        replace(&mut settings.link, words.link);
        if args.map.keeps() {
            settings.restorable = true;
            // One map serves all documents, so a replacement must mean the same in all of them.
            settings.consistent = Consistency::Job;
        }
        replace(&mut settings.identifiers, words.identifiers);
        replace(&mut settings.punctuation, words.punctuation);
        replace(&mut settings.casing, words.casing);
        settings.lexicon = words.lexicon.or(settings.lexicon);
    }

    /// Refuses options that would do nothing.
    fn check(&self, args: &TextArgs) -> anyhow::Result<()> {
        use MechanismName::{LaplaceL1, Polar, PolarRadial};
        let settings = &self.settings;
        let mechanism = settings.mechanism.name;
        if args.words.calibration.is_some() && !matches!(mechanism, Polar | PolarRadial) {
            bail!("--calibration does nothing with {mechanism}; it is for polar and polar-radial");
        }
        if args.words.nearest_by.is_some() && mechanism != LaplaceL1 {
            bail!("--nearest-by does nothing with {mechanism}; it is for laplace-l1");
        }
        use MechanismName::{Exponential, RandomizedResponse, TruncatedExponential};
        ensure!(
            !args.words.certify
                || matches!(mechanism, Exponential | TruncatedExponential | RandomizedResponse),
            "--certify cannot be used with {mechanism}; it is for exponential, tem and randomized-response"
        );
        ensure!(
            !(args.words.certify && args.output.dry_run),
            "--certify does nothing with --dry-run, which writes no receipt"
        );
        ensure!(
            args.words.shape.is_none() || settings.at_zero == AtZero::Surrogate,
            "--shape does nothing without --at-zero surrogate"
        );
        ensure!(
            args.words.link.is_none()
                || matches!(settings.at_zero, AtZero::Surrogate | AtZero::Mask)
                    && (settings.restorable || settings.consistent != Consistency::None),
            "--link does nothing without --at-zero surrogate or mask and --consistent, --map or --session"
        );
        ensure!(
            args.words.model.is_none() || settings.at_zero == AtZero::Fill,
            "--model does nothing without --at-zero fill"
        );
        ensure!(
            !args.map.keeps() || args.words.repair.is_none(),
            "--map and --session cannot be combined with --repair: a model may write replacements in other words"
        );
        ensure!(
            settings.grouping == Grouping::Text
                || args.groups.tier.is_none()
                    && args.groups.language.is_none()
                    && args.groups.unsupported.is_none(),
            "--tier, --language and --unsupported do nothing with --grouping public, which looks at each word alone"
        );
        let groups = &args.groups;
        let about_tasks =
            groups.threshold.is_some() || groups.quantile.is_some() || groups.task_vector.is_some();
        ensure!(
            !about_tasks || !settings.tasks.is_empty(),
            "--threshold, --quantile and --task-vector do nothing without a task; give one with --task"
        );
        Ok(())
    }

    /// Opens the models. `quiet` shows no progress of what takes long.
    pub(super) fn open(&self, quiet: bool) -> anyhow::Result<TextVeil> {
        let builder = self.builder();
        if !self.settings.certify {
            return Ok(builder.build()?);
        }
        let template = "certifying the worst case {bar:26} {percent} %  {eta} left";
        let bar = progress::bar(Some(1000), template, quiet);
        let built = builder.build_with(&|share| bar.set_position((1000.0 * share) as u64));
        bar.finish_and_clear();
        Ok(built?)
    }

    /// Opens the models for a dry run, which writes no receipt.
    pub(super) fn open_without_receipts(&self) -> anyhow::Result<TextVeil> {
        Ok(self.builder().certify(false).build()?)
    }

    fn builder(&self) -> TextVeilBuilder {
        let mut builder = Veil::text().settings(self.settings.clone());
        if let Some(pack) = &self.pack {
            builder = builder.pack(pack);
        }
        if let Some(model) = &self.model {
            builder = builder.model(model);
        }
        builder
    }
}

fn budget(args: &TextArgs) -> Option<Budget> {
    let budget = &args.budget;
    // Clap has checked that at most one is given.
    let preset = budget.preset.map(Budget::Preset);
    let base = budget.epsilon.map(Budget::Base);
    let each = budget.budgets.map(Budget::Each);
    let uniform = budget.uniform.map(Budget::Uniform);
    let target = budget.target_survival.map(Budget::TargetSurvival);
    preset.or(base).or(each).or(uniform).or(target)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use inkveil::lexicon::LexiconKind;
    use inkveil::{Identifiers, Punctuation};

    use super::*;

    fn setup(flags: &str) -> anyhow::Result<Setup> {
        let args = TextArgs::try_parse_from(["text"].into_iter().chain(flags.split_whitespace()))?;
        Setup::new(&args)
    }

    #[test]
    fn options_override_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("inkveil.toml");
        let file = "[text]\npack = \"mine\"\ntasks = [\"one\"]\npreset = \"corpus\"\nat-zero = \"drop\"\nmodel = \"m\"\n";
        std::fs::write(&path, file).unwrap();
        let config = format!("--config {}", path.display());
        let from_file = setup(&config).unwrap();
        assert_eq!((from_file.pack.as_deref(), from_file.model.as_deref()), (Some("mine"), None));
        assert_eq!(from_file.settings.budget, Budget::Preset(Preset::Corpus));
        let flags = "--task two --preset strict --pack ./en --at-zero fill --tier rules --quantile 0.8";
        let both = setup(&format!("{config} {flags}")).unwrap();
        assert_eq!((both.pack.as_deref(), both.model.as_deref()), (Some("./en"), Some("m")));
        assert_eq!(both.settings.tasks, ["two"]);
        assert_eq!(both.settings.budget, Budget::Preset(Preset::Strict));
        assert_eq!(both.settings.at_zero, AtZero::Fill);
        assert_eq!(both.settings.threshold, Some(Threshold::Quantile(0.8)));
        assert_eq!(both.settings.detect.tier, inkveil::detect::Tier::Rules);
    }

    #[test]
    fn published_settings_are_a_starting_point() {
        let published = setup("--as-published --punctuation keep --epsilon 50").unwrap().settings;
        assert_eq!(published.identifiers, Identifiers::Noise);
        assert_eq!(published.punctuation, Punctuation::Keep);
        assert_eq!(published.threshold, Some(Threshold::Cosine(0.5)));
        assert_eq!(published.lexicon, Some(LexiconKind::Subword));
        assert!(setup("--as-published --config x.toml").is_err());
    }

    #[test]
    fn options_that_do_nothing_are_refused() {
        for flags in [
            "--mechanism tem --calibration pure",
            "--mechanism tem --nearest-by cosine",
            "--certify",
            "--certify --mechanism tem --dry-run",
            "--nearest-by cosine",
            "--model smollm2",
            "--preset strict --shape kind",
            "--preset strict --link names",
            "--preset strict --at-zero surrogate --link none",
            "--tier fast --grouping public",
            "--threshold 0.3",
            "--quantile 0.3",
            "--task-vector sentence",
        ] {
            assert!(setup(flags).is_err(), "{flags}");
        }
        assert!(setup("--mechanism laplace-l1 --nearest-by euclidean").is_ok());
        let exact = setup("--at-zero surrogate --shape exact").unwrap().settings;
        assert_eq!(exact.shape, inkveil::ShapeLevel::Exact);
    }
}
