//! The treatment of the texts of a cell.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use inkveil_chat::LocalChat;
use inkveil_privacy::NoiseKey;
use inkveil_style::train::{Learning, Policy};
use inkveil_style::{
    ChatWriter, DraftSettings, DraftWriter, Fallback, Memory, RewriteProgress, RewriteRules, RewriteSettings,
    Rewriter, Strength,
};
use inkveil_text::Document;
use serde::Serialize;

use super::encoders::Encoders;
use super::spec::{Choice, StyleStudy};
use crate::experiment::context::RunContext;
use crate::experiment::recorder::coordinates;
use crate::experiment::text::{TextStudy, TextTreatment};
use crate::{Error, ErrorKind, Watch};

/// How often candidates are drawn until one is good enough.
const ROUNDS: usize = 3;

/// The memory of styles of a pack.
const MEMORY: &str = "style.memory";

/// The treatment of the texts of a cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) enum Method {
    /// Words are noised or replaced.
    Veiled(TextTreatment),
    /// A language model rewrites them.
    Rewritten { adapters: String, candidates: usize, wording: f64 },
    /// A language model rewrites them as `inkveil style rewrite` does.
    Strength { adapters: String, strength: Strength, choice: Choice },
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Veiled(treatment) => treatment.fmt(f),
            Self::Rewritten { adapters, candidates: 1, .. } => {
                write!(f, "rewritten, adapters: {}", public(adapters))
            }
            Self::Strength { adapters, strength, choice } => {
                write!(
                    f,
                    "rewritten, adapters: {}, {strength}, chosen by {}",
                    public(adapters),
                    choice.name()
                )
            }
            Self::Rewritten { adapters, candidates, wording } => {
                let adapters = public(adapters);
                write!(f, "rewritten, adapters: {adapters}, best of {candidates}, wording {wording}")
            }
        }
    }
}

impl Method {
    /// All methods of a study, in order.
    pub(super) fn all(study: &StyleStudy) -> Vec<Self> {
        let mut all: Vec<Self> = TextTreatment::all(&study.veils).into_iter().map(Self::Veiled).collect();
        for grid in &study.rewrites {
            for adapters in &grid.adapters {
                for &strength in &grid.strengths {
                    let with =
                        |&choice: &Choice| Self::Strength { adapters: adapters.clone(), strength, choice };
                    all.extend(grid.choices.iter().map(with));
                }
                if !grid.strengths.is_empty() {
                    continue;
                }
                for &candidates in &grid.candidates {
                    for &wording in &grid.wording {
                        let method = Self::Rewritten { adapters: adapters.clone(), candidates, wording };
                        if !all.contains(&method) {
                            all.push(method);
                        }
                    }
                }
            }
        }
        all
    }

    /// Whether a language model rewrites the texts.
    pub(super) fn rewrites(&self) -> bool {
        !matches!(self, Self::Veiled(_))
    }

    pub(super) fn at(&self, data: &str, study: &StyleStudy) -> BTreeMap<String, String> {
        let none = || "–".to_owned();
        let model = || study.model.clone().unwrap_or_else(none);
        let (method, budgets, adapters, candidates, wording) = match self {
            Self::Strength { adapters, strength, choice } => {
                return coordinates(&[
                    ("data", data.to_owned()),
                    ("method", model()),
                    ("adapters", public(adapters)),
                    ("strength", strength.to_string()),
                    ("choice", choice.name().to_owned()),
                ]);
            }
            Self::Veiled(treatment) => {
                let budgets = treatment.budgets.clone().unwrap_or_else(none);
                (treatment.mechanism.clone(), budgets, none(), none(), none())
            }
            Self::Rewritten { adapters, candidates, wording } => {
                (model(), none(), public(adapters), candidates.to_string(), wording.to_string())
            }
        };
        coordinates(&[
            ("data", data.to_owned()),
            ("method", method),
            ("budgets", budgets),
            ("adapters", adapters),
            ("candidates", candidates),
            ("wording", wording),
        ])
    }

    /// The file of the adapters, if there are any.
    pub(super) fn adapters(&self, study: &StyleStudy, context: &RunContext<'_>) -> Option<PathBuf> {
        match self {
            Self::Veiled(_) => None,
            Self::Rewritten { adapters, .. } | Self::Strength { adapters, .. } => match adapters.as_str() {
                "none" => None,
                "pack" => {
                    let model = study.model.as_deref().unwrap_or_default();
                    Some(context.names.join(format!("rewriter-{model}.safetensors")))
                }
                file => Some(PathBuf::from(file)),
            },
        }
    }

    /// How texts are rewritten.
    fn settings(&self) -> RewriteSettings {
        let settings = match self {
            Self::Veiled(_) => RewriteSettings::default(),
            Self::Strength { strength, choice, .. } => choice.apply(strength.settings()),
            Self::Rewritten { candidates, wording, .. } => RewriteSettings {
                draft: DraftSettings { count: *candidates, ..DraftSettings::default() },
                rounds: ROUNDS,
                // As in the paper.
                mixed: false,
                rules: RewriteRules { wording: *wording, ..RewriteRules::default() },
                ..RewriteSettings::default()
            },
        };
        RewriteSettings { fallback: Fallback::Closest, ..settings }
    }

    /// The released texts.
    pub(super) fn release(
        &self,
        study: &StyleStudy,
        task: Option<&str>,
        texts: &[&str],
        seed: u64,
        (encoders, context): (&Encoders, &RunContext<'_>),
        watch: &Watch<'_>,
    ) -> Result<Vec<String>, Error> {
        let unchanged = || texts.iter().map(|text| (*text).to_owned()).collect();
        match self {
            Self::Veiled(treatment) => {
                let documents: Vec<Document<'_>> = texts.iter().map(|text| Document::new(text)).collect();
                let veiling = TextStudy::of_grid(study.veils.clone());
                let Some(veil) = treatment.veil(&veiling, task, &documents, context)? else {
                    return Ok(unchanged());
                };
                let veiled = veil.veil_all(&documents, 0, &NoiseKey::insecure_from_seed(seed))?;
                Ok(veiled.iter().map(|veiled| veiled.text().to_owned()).collect())
            }
            Self::Rewritten { .. } | Self::Strength { .. } => {
                let adapters = self.adapters(study, context);
                let writer = open_writer(context, adapters.as_deref())?;
                let memory = Memory::open(&context.names.join(MEMORY))?;
                memory.check_encoder(encoders.style.note())?;
                let geometry = memory.geometry()?;
                let judge = encoders.judge(&geometry);
                let rewriter = Rewriter { judge, writer: &*writer, settings: self.settings() };
                rewrite(&rewriter, texts, seed, watch)
            }
        }
    }
}

/// Rewrites texts. If no candidate is good enough, the original is released.
fn rewrite(
    rewriter: &Rewriter<'_>,
    texts: &[&str],
    seed: u64,
    watch: &Watch<'_>,
) -> Result<Vec<String>, Error> {
    let mut report = |progress: RewriteProgress<'_>| match progress {
        RewriteProgress::Passages { done, all } => {
            watch.step(&format!("rewriting, {done} of {all} passages")).is_ok()
        }
        RewriteProgress::Piece { .. } => true,
    };
    let made = rewriter.rewrite(texts, 0, seed, &mut report).map_err(|error| match error.kind() {
        inkveil_style::ErrorKind::Stopped => Error::from(ErrorKind::Cancelled),
        _ => error.into(),
    })?;
    let released = made.into_iter().zip(texts);
    Ok(released.map(|(made, text)| made.text.unwrap_or_else(|| (*text).to_owned())).collect())
}

/// Opens the language model: on a GPU as a batch writer, otherwise as a chat model.
fn open_writer(context: &RunContext<'_>, adapters: Option<&Path>) -> Result<Box<dyn DraftWriter>, Error> {
    let missing = || Error::argument("rewriting needs a language model");
    let base = context.base.ok_or_else(missing)?;
    if base.device.is_cpu() {
        return Ok(Box::new(ChatWriter(Box::new(LocalChat::open_with_adapters(&base.path, adapters)?))));
    }
    Ok(Box::new(Policy::open(&base.path, adapters, Learning::Nothing, &base.device)?))
}

/// The name of adapters in results, never a path.
fn public(adapters: &str) -> String {
    Path::new(adapters)
        .file_stem()
        .map_or_else(|| adapters.to_owned(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use inkveil_style::{Draft, DraftRequest};

    use super::*;

    /// Always writes the same text.
    struct Same(&'static str);

    impl DraftWriter for Same {
        fn write(
            &self,
            requests: &[DraftRequest],
            _: &DraftSettings,
            report: &mut dyn FnMut(usize) -> bool,
        ) -> Result<Vec<Vec<Draft>>, inkveil_style::Error> {
            match report(0) {
                true => Ok(vec![vec![Draft { text: self.0.to_owned(), cut: false }]; requests.len()]),
                false => Err(inkveil_style::ErrorKind::Stopped.into()),
            }
        }
    }

    #[test]
    fn accepted_rewrites_are_released_and_refused_ones_are_not() {
        let pack = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/en"));
        let encoders = Encoders::open(pack).unwrap();
        let memory = Memory::open(&pack.join(MEMORY)).unwrap();
        let geometry = memory.geometry().unwrap();
        let settings = RewriteSettings { fallback: Fallback::Closest, ..RewriteSettings::default() };
        let text = "Well... I never!! The coffee in that place was, like, SO good that we went twice :)";
        let with = |written: &'static str, cancelled: bool| {
            let judge = encoders.judge(&geometry);
            let progress = |step: &str| assert!(step.contains("passages"));
            let watch = Watch { progress: &progress, cancel: &AtomicBool::new(cancelled) };
            rewrite(&Rewriter { judge, writer: &Same(written), settings }, &[text], 1, &watch)
        };
        let plain = "The coffee at that place was so good that we went there twice.";
        assert_eq!(with(plain, false).unwrap(), [plain]);
        assert_eq!(with("", false).unwrap(), [text]);
        assert!(matches!(with(plain, true).unwrap_err().kind(), ErrorKind::Cancelled));
    }
}
