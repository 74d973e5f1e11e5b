//! Setting up a veil over words.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use inkveil_chat::LocalChat;
use inkveil_detect::Gazetteer;
use inkveil_lexicon::Kind;
use inkveil_pack::{DEFAULT_PACK, MANIFEST, Sha256Sum, find_pack, folder_with_file};
use inkveil_privacy::Epsilon;
use inkveil_text::mechanism::Name;
use inkveil_text::{
    AtZero, Budget, Budgets, Consistency, Grouping, MechanismSettings, Preset, TextSettings, TextVeil,
    Threshold,
};

use crate::Error;

/// The folder with the taggers and lists of names for a pack: the pack itself, or the default pack if it has none.
///
/// # Errors
/// If the default pack is needed but not found.
pub fn names_folder(pack: &Path) -> Result<PathBuf, Error> {
    Ok(folder_with_file(pack, Gazetteer::FILE)?)
}

/// Sets up a [`TextVeil`]; begin with [`Veil::text`](crate::Veil::text). What is not said is as the pack recommends.
#[derive(Debug, Clone)]
pub struct TextVeilBuilder {
    pack: String,
    model: Option<String>,
    settings: TextSettings,
}

impl Default for TextVeilBuilder {
    fn default() -> Self {
        Self { pack: DEFAULT_PACK.to_owned(), model: None, settings: TextSettings::default() }
    }
}

impl TextVeilBuilder {
    /// The model pack: the name of an installed or pulled pack, or a folder. `en` by default.
    pub fn pack(mut self, name: impl Into<String>) -> Self {
        self.pack = name.into();
        self
    }

    /// All settings at once, for example from a file; what is said after this changes them.
    pub fn settings(mut self, settings: TextSettings) -> Self {
        self.settings = settings;
        self
    }

    /// What the text is for; several count each for itself.
    pub fn task(mut self, task: impl Into<String>) -> Self {
        self.settings.tasks.push(task.into());
        self
    }

    /// How much may be given away.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.settings.budget = budget;
        self
    }

    /// Budgets with a name.
    pub fn preset(self, preset: Preset) -> Self {
        self.budget(Budget::Preset(preset))
    }

    /// A base budget times 2 : 1 : 4 : 3.
    pub fn epsilon(self, base: Epsilon) -> Self {
        self.budget(Budget::Base(base))
    }

    /// One budget for each group.
    pub fn budgets(self, budgets: Budgets) -> Self {
        self.budget(Budget::Each(budgets))
    }

    /// How words are noised, with the usual choices.
    pub fn mechanism(mut self, name: Name) -> Self {
        self.settings.mechanism = MechanismSettings::of(name);
        self
    }

    /// What is written where the budget is 0.
    pub fn at_zero(mut self, how: AtZero) -> Self {
        self.settings.at_zero = how;
        self
    }

    /// Where the same is replaced by the same.
    pub fn consistent(mut self, scope: Consistency) -> Self {
        self.settings.consistent = scope;
        self
    }

    /// Replacements that can be put back: see [`TextSettings::restorable`].
    pub fn restorable(mut self, restorable: bool) -> Self {
        self.settings.restorable = restorable;
        self
    }

    /// What the groups are a function of.
    pub fn grouping(mut self, grouping: Grouping) -> Self {
        self.settings.grouping = grouping;
        self
    }

    /// Words or tokens.
    pub fn lexicon(mut self, kind: Kind) -> Self {
        self.settings.lexicon = Some(kind);
        self
    }

    /// From which relevance on a word is needed.
    pub fn threshold(mut self, threshold: Threshold) -> Self {
        self.settings.threshold = Some(threshold);
        self
    }

    /// What is sensitive.
    pub fn detect(mut self, settings: inkveil_detect::Settings) -> Self {
        self.settings.detect = settings;
        self
    }

    /// The local language model that fills gaps, for [`AtZero::Fill`].
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.model = Some(name.into());
        self
    }

    /// Opens the models.
    ///
    /// # Errors
    /// If a pack is not there, lacks what is needed, or settings do not fit together.
    pub fn build(self) -> Result<TextVeil, Error> {
        let pack = find_pack(&self.pack)?;
        let model = match &self.model {
            Some(name) => Some(Arc::new(LocalChat::open(find_pack(name)?.folder())?)),
            None => None,
        };
        let names = names_folder(pack.folder())?;
        let veil = TextVeil::open_with(pack.folder(), &names, self.settings, model)?;
        let Some(manifest) = pack.manifest() else { return Ok(veil) };
        // The manifest has the sums of all files, so its own names them all.
        let (sum, _) = Sha256Sum::of_file(&pack.folder().join(MANIFEST), &mut |_| Ok(()))?;
        Ok(veil.with_pack_name(manifest.name().as_str(), &sum.to_string()))
    }
}
