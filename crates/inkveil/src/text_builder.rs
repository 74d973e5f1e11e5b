//! Builds a veil over words.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use inkveil_chat::LocalChat;
use inkveil_detect::Gazetteer;
use inkveil_files::Sha256Sum;
use inkveil_lexicon::LexiconKind;
pub use inkveil_pack::DEFAULT_PACK;
use inkveil_pack::{MANIFEST, find_pack, folder_with_file};
use inkveil_privacy::Epsilon;
use inkveil_text::MechanismName;
use inkveil_text::{
    AtZero, Budget, Budgets, Consistency, Grouping, Links, MechanismSettings, Preset, ShapeLevel,
    TextSettings, TextVeil, Threshold,
};

use crate::Error;

/// The folder of a pack: one that is installed or was pulled, or a folder.
///
/// # Errors
/// If there is no such pack.
pub fn pack_folder(name: &str) -> Result<PathBuf, Error> {
    Ok(find_pack(name)?.folder().to_owned())
}

/// Where the taggers and lists of names for a pack are: in the pack, or else in the default pack. A pack
/// that was made for something else is only a lexicon.
///
/// # Errors
/// If neither has them.
pub fn names_folder(pack: &Path) -> Result<PathBuf, Error> {
    Ok(folder_with_file(pack, Gazetteer::FILE)?)
}

/// Builds a [`TextVeil`]. Start with [`Veil::text`](crate::Veil::text). The pack recommends the defaults.
#[derive(Debug, Clone)]
pub struct TextVeilBuilder {
    pack: String,
    model: Option<String>,
    settings: TextSettings,
}

impl Default for TextVeilBuilder {
    fn default() -> Self {
        Self { pack: DEFAULT_PACK.to_owned(), model: None, settings: TextSettings::of(Preset::default()) }
    }
}

impl TextVeilBuilder {
    /// The model pack: a name, or a folder. [`DEFAULT_PACK`] by default.
    pub fn pack(mut self, name: impl Into<String>) -> Self {
        self.pack = name.into();
        self
    }

    /// Sets all settings at once, for example from a file. Later calls change them.
    pub fn settings(mut self, settings: TextSettings) -> Self {
        self.settings = settings;
        self
    }

    /// What the text is for. A word is needed if one of several tasks needs it.
    pub fn task(mut self, task: impl Into<String>) -> Self {
        self.settings.tasks.push(task.into());
        self
    }

    /// The budgets.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.settings.budget = budget;
        self
    }

    /// The settings of a purpose: budgets, the way to replace, consistency and the tier of detection.
    /// Later calls change them. [`Preset::Prompt`] by default.
    pub fn preset(mut self, preset: Preset) -> Self {
        self.settings.apply(preset);
        self
    }

    /// A base budget times 2 : 1 : 4 : 3.
    pub fn epsilon(self, base: Epsilon) -> Self {
        self.budget(Budget::Base(base))
    }

    /// One budget for each group.
    pub fn budgets(self, budgets: Budgets) -> Self {
        self.budget(Budget::Each(budgets))
    }

    /// The mechanism, with its default parameters.
    pub fn mechanism(mut self, name: MechanismName) -> Self {
        self.settings.mechanism = MechanismSettings::of(name);
        self
    }

    /// The replacement of words with a budget of 0.
    pub fn at_zero(mut self, how: AtZero) -> Self {
        self.settings.at_zero = how;
        self
    }

    /// How much of an original's format its surrogate keeps.
    pub fn shape(mut self, level: ShapeLevel) -> Self {
        self.settings.shape = level;
        self
    }

    /// Which surrogates belong together, if they are consistent.
    pub fn link(mut self, links: Links) -> Self {
        self.settings.link = links;
        self
    }

    /// Where an entity gets the same replacement each time.
    pub fn consistent(mut self, scope: Consistency) -> Self {
        self.settings.consistent = scope;
        self
    }

    /// Makes replacements restorable; see [`TextSettings::restorable`].
    pub fn restorable(mut self, restorable: bool) -> Self {
        self.settings.restorable = restorable;
        self
    }

    /// Makes replacements the same in all texts of a conversation, and restorable.
    pub fn conversation(mut self) -> Self {
        self.settings = self.settings.for_conversation();
        self
    }

    /// States the true worst case of noised words on receipts; see [`TextSettings::certify`].
    pub fn certify(mut self, certify: bool) -> Self {
        self.settings.certify = certify;
        self
    }

    /// What decides the groups.
    pub fn grouping(mut self, grouping: Grouping) -> Self {
        self.settings.grouping = grouping;
        self
    }

    /// Words or tokens.
    pub fn lexicon(mut self, kind: LexiconKind) -> Self {
        self.settings.lexicon = Some(kind);
        self
    }

    /// The relevance from which a word is needed.
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
    /// If a pack is missing or incomplete, or settings contradict each other.
    pub fn build(self) -> Result<TextVeil, Error> {
        self.build_with(&|_| ())
    }

    /// Opens the models as [`build`](Self::build) does. If receipts state the true worst case,
    /// `progress` receives the share of it that is computed.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_with(mut self, progress: &(dyn Fn(f64) + Sync)) -> Result<TextVeil, Error> {
        let certify = std::mem::take(&mut self.settings.certify);
        let pack = find_pack(&self.pack)?;
        let model = match &self.model {
            Some(name) => Some(Arc::new(LocalChat::open(find_pack(name)?.folder())?)),
            None => None,
        };
        let names = names_folder(pack.folder())?;
        let mut veil = TextVeil::open_with(pack.folder(), &names, self.settings, model)?;
        if certify {
            veil = veil.certify(progress)?;
        }
        let Some(manifest) = pack.manifest() else { return Ok(veil) };
        // The manifest has the checksums of all files, so its checksum identifies all of them.
        let sum = Sha256Sum::of_file(&pack.folder().join(MANIFEST))?;
        Ok(veil.with_pack_name(manifest.name().as_str(), &sum.to_string()))
    }
}
