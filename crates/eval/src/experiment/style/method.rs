//! What is done to texts in a cell.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use inkveil_chat::LocalChat;
use inkveil_privacy::NoiseKey;
use inkveil_style::train::{Learning, Policy};
use inkveil_style::{
    ChatWriter, DraftSettings, DraftWriter, Fallback, Memory, RewriteProgress, RewriteRules, RewriteSettings,
    Rewriter,
};
use inkveil_text::Document;
use serde::Serialize;

use super::super::cells::{Tell, stopped};
use super::super::spec::coordinates;
use super::super::text::Treated;
use super::super::{Bench, TextStudy};
use super::StyleStudy;
use super::encoders::Encoders;
use crate::Error;

/// A candidate that is not good enough is drawn again so often.
const ROUNDS: usize = 3;

/// The memory of styles that comes with a pack.
const MEMORY: &str = "style.memory";

/// What is done to texts in a cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) enum Method {
    /// Words are noised or replaced.
    Veiled(Treated),
    /// A language model writes them anew.
    Rewritten { adapters: String, candidates: usize },
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Veiled(treated) => treated.fmt(f),
            Self::Rewritten { adapters, candidates: 1 } => {
                write!(f, "rewritten, adapters: {}", public(adapters))
            }
            Self::Rewritten { adapters, candidates } => {
                write!(f, "rewritten, adapters: {}, best of {candidates}", public(adapters))
            }
        }
    }
}

impl Method {
    /// All cells of a study, in its order.
    pub(super) fn all(study: &StyleStudy) -> Vec<Self> {
        let mut all: Vec<Self> = Treated::all(&study.veils).into_iter().map(Self::Veiled).collect();
        for grid in &study.rewrites {
            for adapters in &grid.adapters {
                for &candidates in &grid.candidates {
                    let method = Self::Rewritten { adapters: adapters.clone(), candidates };
                    if !all.contains(&method) {
                        all.push(method);
                    }
                }
            }
        }
        all
    }

    pub(super) fn at(&self, data: &str, study: &StyleStudy) -> BTreeMap<String, String> {
        let none = || "–".to_owned();
        let (method, budgets, adapters, candidates) = match self {
            Self::Veiled(treated) => {
                (treated.mechanism.clone(), treated.budgets.clone().unwrap_or_else(none), none(), none())
            }
            Self::Rewritten { adapters, candidates } => {
                let model = study.model.clone().unwrap_or_else(none);
                (model, none(), public(adapters), candidates.to_string())
            }
        };
        coordinates(&[
            ("data", data.to_owned()),
            ("method", method),
            ("budgets", budgets),
            ("adapters", adapters),
            ("candidates", candidates),
        ])
    }

    /// The file of the adapters, if there are any.
    pub(super) fn adapters(&self, study: &StyleStudy, bench: &Bench<'_>) -> Option<PathBuf> {
        match self {
            Self::Veiled(_) => None,
            Self::Rewritten { adapters, .. } => match adapters.as_str() {
                "none" => None,
                "pack" => {
                    let model = study.model.as_deref().unwrap_or_default();
                    Some(bench.names.join(format!("rewriter-{model}.safetensors")))
                }
                file => Some(PathBuf::from(file)),
            },
        }
    }

    /// What is released instead of texts.
    pub(super) fn release(
        &self,
        study: &StyleStudy,
        task: Option<&str>,
        texts: &[&str],
        seed: u64,
        (encoders, bench): (&Encoders, &Bench<'_>),
        tell: &Tell<'_>,
    ) -> Result<Vec<String>, Error> {
        let unchanged = || texts.iter().map(|text| (*text).to_owned()).collect();
        match self {
            Self::Veiled(treated) => {
                let documents: Vec<Document<'_>> = texts.iter().map(|text| Document::new(text)).collect();
                let veiling = TextStudy::veiling(study.veils.clone());
                let Some(veil) = treated.veil(&veiling, task, &documents, bench)? else {
                    return Ok(unchanged());
                };
                let veiled = veil.veil_all(&documents, 0, &NoiseKey::insecure_from_seed(seed))?;
                Ok(veiled.iter().map(|veiled| veiled.text().to_owned()).collect())
            }
            Self::Rewritten { candidates, .. } => {
                let adapters = self.adapters(study, bench);
                let writer = open_writer(bench, adapters.as_deref())?;
                let memory = Memory::open(&bench.names.join(MEMORY))?;
                memory.check_encoder(encoders.style.note())?;
                let settings = RewriteSettings {
                    draft: DraftSettings { count: *candidates, ..DraftSettings::default() },
                    rounds: ROUNDS,
                    rules: RewriteRules::default(),
                    fallback: Fallback::Closest,
                };
                let geometry = memory.geometry()?;
                let judge = encoders.judge(&geometry);
                rewrite(&Rewriter { judge, writer: &*writer, settings }, texts, seed, tell)
            }
        }
    }
}

/// Rewrites texts. Where a rewrite is refused, its user would release the original.
fn rewrite(
    rewriter: &Rewriter<'_>,
    texts: &[&str],
    seed: u64,
    tell: &Tell<'_>,
) -> Result<Vec<String>, Error> {
    let mut report = |progress: RewriteProgress<'_>| match progress {
        RewriteProgress::Passages { done, all } => tell(&format!("rewriting, {done} of {all} passages")),
        RewriteProgress::Piece { .. } => true,
    };
    let made = rewriter.rewrite(texts, 0, seed, &mut report).map_err(|error| match error.kind() {
        inkveil_style::ErrorKind::Stopped => stopped(),
        _ => error.into(),
    })?;
    let released = made.into_iter().zip(texts);
    Ok(released.map(|(made, text)| made.text.unwrap_or_else(|| (*text).to_owned())).collect())
}

/// The language model as a writer: on a GPU one that writes many texts at once, otherwise one that chats.
fn open_writer(bench: &Bench<'_>, adapters: Option<&Path>) -> Result<Box<dyn DraftWriter>, Error> {
    let missing = || Error::argument("rewriting needs a language model");
    let base = bench.base.ok_or_else(missing)?;
    if base.device.is_cpu() {
        return Ok(Box::new(ChatWriter(Box::new(LocalChat::open_with_adapters(&base.path, adapters)?))));
    }
    Ok(Box::new(Policy::open(&base.path, adapters, Learning::Nothing, &base.device)?))
}

/// The name of adapters in results: never the path of a file.
fn public(adapters: &str) -> String {
    Path::new(adapters)
        .file_stem()
        .map_or_else(|| adapters.to_owned(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use inkveil_style::{Draft, DraftRequest};

    use super::*;

    /// Writes the same, whatever it is asked; nothing if it has nothing to say.
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
    fn what_is_rewritten_is_released_and_what_is_refused_is_not() {
        let pack = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/en"));
        let encoders = Encoders::open(pack).unwrap();
        let memory = Memory::open(&pack.join(MEMORY)).unwrap();
        let geometry = memory.geometry().unwrap();
        let settings = RewriteSettings { fallback: Fallback::Closest, ..RewriteSettings::default() };
        let text = "Well... I never!! The coffee in that place was, like, SO good that we went twice :)";
        let with = |says: &'static str, go_on: bool| {
            let judge = encoders.judge(&geometry);
            rewrite(&Rewriter { judge, writer: &Same(says), settings }, &[text], 1, &|told: &str| {
                assert!(told.contains("passages"));
                go_on
            })
        };
        let plain = "The coffee at that place was so good that we went there twice.";
        assert_eq!(with(plain, true).unwrap(), [plain]);
        assert_eq!(with("", true).unwrap(), [text]);
        assert!(matches!(with(plain, false).unwrap_err().kind(), crate::ErrorKind::Stopped));
    }
}
