//! Builds a veil over style.

use std::path::PathBuf;

use inkveil_nn::Device;
use inkveil_style::{
    EarlierTexts, GoalSearch, JudgeModels, Memory, RewriteModel, RewriteSettings, StyleEncoder, StyleVeil,
};

use crate::error::{Error, ErrorKind};
use crate::language_model::{is_remote, model_path, open_recorded_model, public_model_name};
use crate::pack_folder;

/// The memory that comes with a pack.
const MEMORY: &str = "style.memory";

/// The style weights that come with a pack.
const WEIGHTS: &str = "style.safetensors";

/// Which style encoder and which memory of styles are used.
#[derive(Debug, Clone)]
pub struct StyleModels {
    /// The pack.
    pub pack: String,
    /// Weights of a style encoder, or a folder with one. That of the pack if `None`.
    pub encoder: Option<PathBuf>,
    /// A memory. That of the pack if `None`.
    pub memory: Option<PathBuf>,
}

impl Default for StyleModels {
    fn default() -> Self {
        Self { pack: crate::DEFAULT_PACK.to_owned(), encoder: None, memory: None }
    }
}

impl StyleModels {
    /// Opens the style encoder.
    ///
    /// # Errors
    /// If there is none.
    pub fn open_encoder(&self) -> Result<StyleEncoder, Error> {
        let pack = pack_folder(&self.pack)?;
        match &self.encoder {
            Some(path) if path.is_dir() => Ok(StyleEncoder::open(path)?),
            Some(file) if file.is_file() => Ok(StyleEncoder::with_weights(&pack, file)?),
            Some(file) => Err(ErrorKind::NoFile { path: file.clone() }.into()),
            None if pack.join(WEIGHTS).is_file() => Ok(StyleEncoder::open(&pack)?),
            None => Err(ErrorKind::PackLacks { pack: self.pack.clone(), what: "style encoder" }.into()),
        }
    }

    /// The file of the memory.
    ///
    /// # Errors
    /// If the pack has none and none is named.
    pub fn memory_file(&self) -> Result<PathBuf, Error> {
        if let Some(file) = &self.memory {
            return Ok(file.clone());
        }
        let file = pack_folder(&self.pack)?.join(MEMORY);
        match file.is_file() {
            true => Ok(file),
            false => Err(ErrorKind::PackLacks { pack: self.pack.clone(), what: "memory of styles" }.into()),
        }
    }

    /// Opens the encoder and a memory that was made with it.
    ///
    /// # Errors
    /// If one is missing, or they do not belong together.
    pub fn open(&self) -> Result<(StyleEncoder, Memory), Error> {
        let file = self.memory_file()?;
        let (encoder, memory) = rayon::join(|| self.open_encoder(), || Memory::open(&file));
        let (encoder, memory) = (encoder?, memory?);
        memory.check_encoder(encoder.note()).map_err(|error| Error::from(error).in_file(&file))?;
        Ok((encoder, memory))
    }

    /// Opens everything that judges rewrites.
    ///
    /// # Errors
    /// If a model is missing.
    pub fn judge(&self) -> Result<JudgeModels, Error> {
        let (encoder, memory) = self.open()?;
        Ok(JudgeModels::open(&pack_folder(&self.pack)?, encoder, memory)?)
    }
}

/// Builds a [`StyleVeil`]. Start with [`Veil::style`](crate::Veil::style).
///
/// ```no_run
/// use inkveil::Veil;
///
/// let veil = Veil::style("smollm2").build()?;
/// let rewrites = veil.rewrite_all(&["Well; I never! A most peculiar evening."], 0, 7, &mut |_| true)?;
/// println!("{}", veil.receipt(&rewrites, None, None)?.render());
/// # Ok::<(), inkveil::Error>(())
/// ```
#[derive(Clone)]
pub struct StyleVeilBuilder {
    model: String,
    allow_remote: bool,
    adapters: Adapters,
    models: StyleModels,
    settings: RewriteSettings,
    goal: Option<GoalSearch>,
    earlier: Vec<String>,
    device: Device,
}

#[derive(Debug, Clone)]
enum Adapters {
    OfPack,
    None,
    File(PathBuf),
}

impl StyleVeilBuilder {
    pub(crate) fn new(model: &str) -> Self {
        Self {
            model: model.to_owned(),
            allow_remote: false,
            adapters: Adapters::OfPack,
            models: StyleModels::default(),
            settings: RewriteSettings::default(),
            goal: None,
            earlier: Vec::new(),
            device: Device::Cpu,
        }
    }

    /// Allows a model behind an address. Its server then sees the text before it is rewritten, and the
    /// receipt says so.
    pub fn allow_remote(mut self, allow: bool) -> Self {
        self.allow_remote = allow;
        self
    }

    /// Uses no adapters.
    pub fn without_adapters(mut self) -> Self {
        self.adapters = Adapters::None;
        self
    }

    /// Uses these adapters instead of those of the pack.
    pub fn adapters(mut self, file: impl Into<PathBuf>) -> Self {
        self.adapters = Adapters::File(file.into());
        self
    }

    /// Uses this style encoder and this memory.
    pub fn models(mut self, models: StyleModels) -> Self {
        self.models = models;
        self
    }

    /// Sets how candidates are drawn and chosen. A model behind an address cannot avoid words of the original, so
    /// its penalty for them is 0.
    pub fn settings(mut self, settings: RewriteSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Rewrites each text with the weakest strength that reaches this goal, if there is one. The settings are then those
    /// of the strengths.
    pub fn goal(mut self, goal: Option<GoalSearch>) -> Self {
        self.goal = goal;
        self
    }

    /// Texts that the writer has published. Candidates are preferred that are less like them, and the receipt says how
    /// well the result can be linked to them. They stay on this machine.
    pub fn earlier(mut self, texts: Vec<String>) -> Self {
        self.earlier = texts;
        self
    }

    /// Computes on this device.
    pub fn device(mut self, device: Device) -> Self {
        self.device = device;
        self
    }

    /// Opens the models.
    ///
    /// # Errors
    /// If a model is missing, or a model behind an address was not allowed.
    pub fn build(self) -> Result<StyleVeil, Error> {
        let remote = is_remote(&self.model);
        if remote && !self.allow_remote {
            return Err(ErrorKind::RemoteNotAllowed.into());
        }
        let adapters = match self.adapters {
            Adapters::None => None,
            Adapters::File(_) if remote => {
                return Err(
                    ErrorKind::Contradiction("adapters are for a local model; a server has its own").into()
                );
            }
            Adapters::File(file) if !file.is_file() => return Err(ErrorKind::NoFile { path: file }.into()),
            Adapters::File(file) => Some(file),
            Adapters::OfPack => {
                let file =
                    pack_folder(&self.models.pack)?.join(format!("rewriter-{}.safetensors", self.model));
                Some(file).filter(|file| !remote && file.is_file())
            }
        };
        let name = public_model_name(&self.model);
        let model = match remote {
            true => RewriteModel::behind_address(&name, open_recorded_model(&self.model)?),
            false => {
                RewriteModel::local(&name, &model_path(&self.model)?, adapters.as_deref(), &self.device)?
            }
        };
        let (mut settings, mut goal) = (self.settings, self.goal);
        if remote {
            settings.draft.avoid = 0.0;
            goal = goal.map(GoalSearch::without_avoiding);
        }
        let judge = self.models.judge()?;
        let earlier: Vec<&str> = self.earlier.iter().map(String::as_str).collect();
        let earlier = match earlier.is_empty() {
            true => None,
            false => Some(EarlierTexts::read(&judge, &earlier, &mut |_| true)?),
        };
        let veil = StyleVeil::new(model, judge.with_earlier(earlier), settings)?;
        Ok(match goal {
            Some(goal) => veil.with_goal(goal)?,
            None => veil,
        })
    }
}

/// Shows no earlier text.
impl std::fmt::Debug for StyleVeilBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StyleVeilBuilder")
            .field("model", &self.model)
            .field("adapters", &self.adapters)
            .field("models", &self.models)
            .field("settings", &self.settings)
            .field("earlier", &self.earlier.len())
            .finish_non_exhaustive()
    }
}
