//! Veils the texts of a request, and remembers what an answer needs to be restored.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use inkveil::detect::{Detector, Gazetteer, Span, Tier};
use inkveil::documents::{DocumentFormat, ReleasedDocument, veil_decided};
use inkveil::release::{Account, ReleasedTurns, TurnPreview, TurnText, Turns};
use inkveil::restore::{ReplacementMap, RestoreOptions, Restorer};
use inkveil::{
    DEFAULT_PACK, Encoder, Error, NoiseKey, Overrides, Preset, Receipt, StyleModels, StyleVeil, TextSettings,
    VectorVeil, Veil, names_folder, pack_folder,
};

use crate::findings::Findings;
use crate::mode::Mode;
use crate::positions::{Leaf, Vault};
use crate::secret::GatewaySecret;
use crate::settings::VectorSettings;
use crate::style::{Opened, StyleTools};

/// How texts are searched and veiled.
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// The model pack.
    pub pack: String,
    /// The tier of detection.
    pub tier: Tier,
    /// A settings file of the text veil; its detection is used in every mode.
    pub detect: Option<inkveil::detect::Settings>,
    /// The findings of this many texts are kept.
    pub most_findings: usize,
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self { pack: DEFAULT_PACK.to_owned(), tier: Tier::Accurate, detect: None, most_findings: 20_000 }
    }
}

/// Veils the texts of requests.
pub struct Engine {
    settings: EngineSettings,
    secret: Arc<GatewaySecret>,
    findings: Findings,
    /// One veil for each mode in use. Opening one reads models.
    veils: Mutex<HashMap<Mode, Arc<Turns>>>,
    /// The veil for vectors of the last settings and dimension.
    vectors: Mutex<Option<(VectorSettings, Arc<VectorVeil>)>>,
    encoder: Opened<Encoder>,
    /// Finds what is sensitive while a person types.
    quick: Opened<Detector>,
    style: Opened<StyleTools>,
    rewriter: Opened<StyleVeil>,
}

/// What happened to the texts of a request.
pub struct Outcome {
    /// The texts, in the order of the leaves.
    pub texts: Vec<String>,
    /// How many sensitive spans of each kind were found.
    pub kinds: BTreeMap<String, u64>,
    /// What restores answers.
    pub restorers: Restorers,
    /// The receipt, if something was veiled.
    pub receipt: Option<Receipt>,
    released: Option<ReleasedTurns>,
}

impl Outcome {
    /// How many sensitive spans were found.
    pub fn found(&self) -> u64 {
        self.kinds.values().sum()
    }

    /// Confirms in the ledger that the request has left.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    pub fn confirm(&mut self) -> Result<(), Error> {
        self.released.as_mut().map_or(Ok(()), ReleasedTurns::confirm)
    }
}

impl std::fmt::Debug for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Outcome({} texts, {} spans)", self.texts.len(), self.found())
    }
}

/// What restores the parts of an answer.
#[derive(Debug, Clone)]
pub struct Restorers {
    /// Text: the values of the user.
    pub text: Restorer,
    /// Text that is JSON: the values of the user, with escapes.
    pub json: Restorer,
    /// Single values in the arguments of tools: the values of the user and of the tools.
    pub values: Restorer,
    /// The arguments of tools as text: the same values, with escapes.
    pub arguments: Restorer,
}

impl Restorers {
    /// Builds them from what the user's texts and the definitions of tools hold.
    ///
    /// # Errors
    /// If there are too many replacements.
    pub fn new(user: &ReplacementMap, tools: &ReplacementMap) -> Result<Self, Error> {
        let options = RestoreOptions::default().json(true);
        let json = Restorer::new(user, options)?;
        let arguments = if tools == user { json.clone() } else { Restorer::new(tools, options)? };
        Ok(Self { text: json.plain(), values: arguments.plain(), json, arguments })
    }

    /// What restores the text in this field of an answer. `json_text` says that the request asked for JSON as the text.
    pub(crate) fn of_field(&self, field: &str, json_text: bool) -> &Restorer {
        match field {
            "text" | "content" | "output_text" if json_text => &self.json,
            "partial_json" => &self.arguments,
            field if field.ends_with("arguments") => &self.arguments,
            _ => &self.text,
        }
    }

    /// Restores nothing.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn none() -> Result<Self, Error> {
        Self::new(&ReplacementMap::default(), &ReplacementMap::default())
    }
}

/// Where a request is charged, and under which key its replacements are drawn.
#[derive(Debug, Clone)]
pub struct Terms {
    /// What to do.
    pub mode: Mode,
    /// The key of the conversation.
    pub key: NoiseKey,
    /// The ledger.
    pub account: Account,
    /// The name of the route, for the ledger.
    pub route: &'static str,
}

impl Engine {
    /// Opens the models of the modes in use.
    ///
    /// # Errors
    /// If a pack is missing or damaged.
    pub fn open(settings: EngineSettings, secret: Arc<GatewaySecret>, modes: &[Mode]) -> Result<Self, Error> {
        let engine = Self {
            findings: Findings::new(settings.most_findings),
            settings,
            secret,
            veils: Mutex::default(),
            vectors: Mutex::default(),
            encoder: Opened::default(),
            quick: Opened::default(),
            style: Opened::default(),
            rewriter: Opened::default(),
        };
        for mode in modes {
            engine.turns(*mode)?;
        }
        Ok(engine)
    }

    /// The settings.
    pub fn settings(&self) -> &EngineSettings {
        &self.settings
    }

    /// Opens the models of a mode.
    ///
    /// # Errors
    /// If a pack is missing or damaged.
    pub fn prepare(&self, mode: Mode) -> Result<(), Error> {
        self.turns(mode).map(drop)
    }

    fn turns(&self, mode: Mode) -> Result<Arc<Turns>, Error> {
        let mode = if mode.veils() { mode } else { Mode::Surrogates };
        let mut veils = self.veils.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turns) = veils.get(&mode) {
            return Ok(turns.clone());
        }
        let preset = match mode {
            Mode::Placeholders => Preset::Placeholders,
            Mode::Stamp => Preset::Strict,
            Mode::Surrogates | Mode::Detect | Mode::Block => Preset::Prompt,
        };
        let mut text = TextSettings::of(preset).for_conversation();
        if let Some(detect) = &self.settings.detect {
            text.detect = detect.clone();
        }
        text.detect.tier = self.settings.tier;
        let names = names_folder(&pack_folder(&self.settings.pack)?)?;
        let words = Gazetteer::open(&names.join(Gazetteer::FILE))?;
        let veil = Veil::text().pack(self.settings.pack.clone()).settings(text).build()?;
        let turns = Arc::new(Turns::new(Arc::new(veil), Some(words))?);
        veils.insert(mode, turns.clone());
        Ok(turns)
    }

    /// The veil for vectors of this dimension.
    ///
    /// # Errors
    /// If a mask cannot be read, or has another dimension.
    pub fn vector_veil(&self, settings: &VectorSettings, dim: usize) -> Result<Arc<VectorVeil>, Error> {
        let mut known = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, veil)) = known.as_ref().filter(|(of, veil)| of == settings && veil.dim() == dim) {
            return Ok(veil.clone());
        }
        let mut builder = Veil::vectors(settings.epsilon).floor(settings.floor);
        for mask in &settings.masks {
            builder = builder.mask(mask);
        }
        let veil = Arc::new(builder.build(dim)?);
        Ok(known.insert((settings.clone(), veil)).1.clone())
    }

    /// The encoder of the pack.
    ///
    /// # Errors
    /// If it has none.
    pub fn encoder(&self) -> Result<Arc<Encoder>, Error> {
        self.encoder.get(|| Encoder::open(&self.settings.pack))
    }

    /// What style is measured with.
    ///
    /// # Errors
    /// If the pack has no style encoder or no memory.
    pub fn style(&self) -> Result<Arc<StyleTools>, Error> {
        self.style.get(|| {
            let models = StyleModels { pack: self.settings.pack.clone(), ..StyleModels::default() };
            let (encoder, memory) = models.open()?;
            Ok(StyleTools { encoder, memory })
        })
    }

    /// The model that rewrites. Another one is used after a restart. The operator may name a server on this
    /// machine.
    ///
    /// # Errors
    /// If there is no such model on this machine.
    pub fn rewriter(&self, model: &str) -> Result<Arc<StyleVeil>, Error> {
        self.rewriter.get(|| Veil::style(model).allow_remote(is_loopback(model)).build())
    }

    /// Returns the sensitive spans of texts.
    ///
    /// # Errors
    /// If a model fails.
    pub fn find(&self, texts: &[TurnText<'_>]) -> Result<Vec<Vec<Span>>, Error> {
        let turns = self.turns(Mode::Surrogates)?;
        self.find_with(&turns, Mode::Surrogates, texts)
    }

    fn find_with(&self, turns: &Turns, mode: Mode, texts: &[TurnText<'_>]) -> Result<Vec<Vec<Span>>, Error> {
        // The mode decides which kinds are looked for.
        let mode = if mode.veils() { mode } else { Mode::Surrogates };
        let detector = format!("{} {mode}", self.settings.tier.name());
        turns.find(texts, |new| {
            let found = self.findings.find(&self.secret, &detector, new, |new| turns.search(new))?;
            Ok(found.into_iter().map(|spans| (*spans).clone()).collect())
        })
    }

    /// Returns what the fast tier finds in a text. It takes a few milliseconds for a long text.
    ///
    /// # Errors
    /// If a model is missing or fails.
    pub fn quick_marks(&self, text: &str) -> Result<Vec<Span>, Error> {
        let detector = self.quick.get(|| {
            let mut detect = self.settings.detect.clone().unwrap_or_default();
            detect.tier = if self.settings.tier == Tier::Rules { Tier::Rules } else { Tier::Fast };
            let names = names_folder(&pack_folder(&self.settings.pack)?)?;
            Ok(Detector::open(Some(&names), detect)?)
        })?;
        Ok(detector.detect(&[text])?.into_iter().next().unwrap_or_default())
    }

    /// Veils a text for its owner to see. Nothing is charged, so the result must not leave.
    ///
    /// # Errors
    /// If a model fails, or a decision is about a place that is not in the text.
    pub fn preview(
        &self,
        mode: Mode,
        text: TurnText<'_>,
        overrides: &Overrides,
        key: &NoiseKey,
    ) -> Result<TurnPreview, Error> {
        let turns = self.turns(mode)?;
        let spans = self.find_with(&turns, mode, &[text])?.into_iter().next().unwrap_or_default();
        turns.preview(text, spans, overrides, key)
    }

    /// Veils texts with decisions of their owner, and charges the ledger.
    ///
    /// # Errors
    /// As [`veil`](Self::veil).
    pub fn release(
        &self,
        texts: &[TurnText<'_>],
        overrides: &Overrides,
        terms: &Terms,
    ) -> Result<ReleasedTurns, Error> {
        let turns = self.turns(terms.mode)?;
        let spans = self.find_with(&turns, terms.mode, texts)?;
        turns.release_with(texts, spans, overrides, &terms.key, &terms.account, terms.route)
    }

    /// Veils a document with decisions of its owner, and charges the ledger.
    ///
    /// # Errors
    /// As [`veil`](Self::veil), and if the bytes are no document of this format.
    pub fn release_document(
        &self,
        document: (&[u8], DocumentFormat),
        task: Option<&str>,
        overrides: &Overrides,
        terms: &Terms,
    ) -> Result<ReleasedDocument, Error> {
        let turns = self.turns(terms.mode)?;
        let find = |text: TurnText<'_>| {
            Ok(self.find_with(&turns, terms.mode, &[text])?.into_iter().next().unwrap_or_default())
        };
        veil_decided(&turns, document, task, &find, (overrides, &terms.key), (&terms.account, terms.route))
    }

    /// Veils the texts of a request, as the mode says.
    ///
    /// # Errors
    /// If a model fails or a limit would be passed. Nothing may leave then.
    pub fn veil(&self, leaves: &[Leaf], terms: &Terms) -> Result<Outcome, Error> {
        let turns = self.turns(terms.mode)?;
        let tasks = if terms.mode == Mode::Stamp { tasks(leaves) } else { vec![None; leaves.len()] };
        let texts: Vec<TurnText<'_>> = leaves
            .iter()
            .zip(tasks)
            .map(|(leaf, task)| TurnText { text: &leaf.text, field: leaf.context.as_deref(), task })
            .collect();
        let spans = self.find_with(&turns, terms.mode, &texts)?;
        let mut kinds = BTreeMap::new();
        for span in spans.iter().flatten() {
            *kinds.entry(span.kind.name().to_owned()).or_default() += 1;
        }
        if !terms.mode.veils() {
            let texts = leaves.iter().map(|leaf| leaf.text.clone()).collect();
            return Ok(Outcome {
                texts,
                kinds,
                restorers: Restorers::none()?,
                receipt: None,
                released: None,
            });
        }
        let mut released = turns.release(&texts, spans, &terms.key, &terms.account, terms.route)?;
        let (mut user, mut tools) = (ReplacementMap::builder(), ReplacementMap::builder());
        for (leaf, turn) in leaves.iter().zip(&released.turns) {
            for pair in turn.pairs.pairs() {
                if leaf.vault == Vault::Open {
                    user.add(pair.replacement(), pair.original(), pair.kind())?;
                }
                if leaf.vault != Vault::System {
                    tools.add(pair.replacement(), pair.original(), pair.kind())?;
                }
            }
        }
        let texts = released.turns.iter_mut().map(|turn| std::mem::take(&mut turn.text)).collect();
        let receipt = Some(released.receipt.clone());
        let restorers = Restorers::new(&user.build(), &tools.build())?;
        released.turns.clear();
        Ok(Outcome { texts, kinds, restorers, receipt, released: Some(released) })
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// Whether an address is one of this machine.
fn is_loopback(model: &str) -> bool {
    url::Url::parse(model).is_ok_and(|url| match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    })
}

/// The task of each text: the turn of the user that it belongs to. A text before the first turn belongs to
/// that one. So the task of an earlier text stays the same in later requests.
fn tasks(leaves: &[Leaf]) -> Vec<Option<&str>> {
    let turn = |leaf: &Leaf| {
        let after = leaves.iter().find(|other| other.by_user && other.message >= leaf.message);
        after.or_else(|| leaves.iter().rev().find(|other| other.by_user)).map(|leaf| leaf.text.as_str())
    };
    leaves.iter().map(turn).collect()
}
