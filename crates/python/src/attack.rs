//! Attacks on releases, with attackers of Python or other programs beside those of the library.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use inkveil::detect::{Kind, Tier};
use inkveil::nn::SentenceEncoder;
use inkveil::style::StyleEncoder;
use inkveil::{Concept, names_folder, pack_folder};
use inkveil_eval::attack::{
    self, BaseModel, CommandAttacker, KnownText, LanguageModel, OpenTextAttack, OwnAttacker, ReleasedTexts,
    ReleasedVectors, StyleAttackModels, VectorAttackSettings, VectorAttacker,
};
use inkveil_eval::{Error, ErrorKind, OwnCommand};
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods as _};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyList;
use serde_json::Value;

use crate::errors::Class;
use crate::watch::Watch;
use crate::{settings, watch};

/// Attacks the words of released texts. Attackers of your own are functions, or commands with their arguments.
/// Returns the report as JSON.
#[pyfunction]
#[pyo3(signature = (originals, released, attackers, rows, seed, model, pack, progress))]
#[expect(clippy::too_many_arguments, reason = "called by the package alone")]
pub(crate) fn attack_text(
    py: Python<'_>,
    originals: &Bound<'_, PyList>,
    released: &Bound<'_, PyList>,
    attackers: Vec<(String, Own)>,
    rows: usize,
    seed: u64,
    model: Option<&str>,
    pack: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let (originals, released) = (settings::texts(originals)?, settings::texts(released)?);
    let raised_in_python = Mutex::new(None);
    let done = watch::run(py, progress, |watch| {
        let folder = pack_folder(pack)?;
        let names = names_folder(&folder)?;
        let model = model.map(inkveil::model_path).transpose()?;
        Ok(steps(watch, |steps| {
            let own = attackers
                .into_iter()
                .map(|(name, attacker)| attacker.open(name, &raised_in_python))
                .collect::<Result<Vec<_>, Error>>()?;
            let own: Vec<&dyn OwnAttacker> = own.iter().map(|attacker| &**attacker).collect();
            let base = model.map(|path| BaseModel { path, device: inkveil::nn::Device::Cpu });
            let language_model = base.map(|base| LanguageModel::open(&base)).transpose()?;
            let open = OpenTextAttack::open(&folder, &names)?;
            let (originals, released) = (strs(&originals), strs(&released));
            let texts = ReleasedTexts::new(&originals, &released)?;
            let report =
                attack::text(&texts, &open.models(language_model.as_ref(), &own), rows, seed, steps)?;
            let mut value = json(&report)?;
            value["advice"] = report.advice().into();
            value["verdict"] = report.verdict().name().into();
            Ok(value)
        }))
    })?;
    let failure = raised_in_python.into_inner().ok().flatten();
    match failure {
        Some(error) => Err(error),
        None => answer(py, done),
    }
}

/// Attacks the authors of released texts. Returns the report as JSON.
#[pyfunction]
#[pyo3(signature = (originals, released, authors, seed, pack, progress))]
pub(crate) fn attack_style(
    py: Python<'_>,
    originals: &Bound<'_, PyList>,
    released: &Bound<'_, PyList>,
    authors: &Bound<'_, PyList>,
    seed: u64,
    pack: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let (originals, released) = (settings::texts(originals)?, settings::texts(released)?);
    let authors = settings::texts(authors)?;
    let done = watch::run(py, progress, |watch| {
        let folder = pack_folder(pack)?;
        let (style, sentences) = (StyleEncoder::open(&folder)?, SentenceEncoder::open(&folder)?);
        Ok(steps(watch, |steps| {
            let (originals, released) = (strs(&originals), strs(&released));
            let texts = ReleasedTexts::new(&originals, &released)?;
            let models = StyleAttackModels { style: &style, sentences: &sentences };
            let report = attack::style(&texts, &strs(&authors), &models, seed, steps)?;
            let mut value = json(&report)?;
            value["chance"] = report.chance().into();
            value["remaining"] = report.remaining().into();
            Ok(value)
        }))
    })?;
    answer(py, done)
}

/// Attacks the words of a concept in released vectors. Returns the report as JSON.
#[pyfunction]
#[pyo3(signature = (originals, released, texts, kinds, words, patterns, min_count, epochs, seed, progress))]
#[expect(clippy::too_many_arguments, reason = "called by the package alone")]
pub(crate) fn attack_vectors(
    py: Python<'_>,
    originals: PyReadonlyArray2<'_, f32>,
    released: PyReadonlyArray2<'_, f32>,
    texts: &Bound<'_, PyList>,
    kinds: Vec<String>,
    words: Vec<String>,
    patterns: Vec<String>,
    min_count: usize,
    epochs: Option<usize>,
    seed: u64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let texts = settings::texts(texts)?;
    let shape = originals.shape();
    if shape != released.shape() || shape[0] != texts.len() {
        let what = "there must be one original and one released vector of the same length for each text";
        return Err(Class::Data.error(py, what));
    }
    let dim = shape[1];
    let contiguous = |_| Class::Data.error(py, "vectors must be rows without gaps");
    let [before, after] = [&originals, &released].map(|rows| rows.as_slice().map(<[f32]>::to_vec));
    let (before, after) = (before.map_err(contiguous)?, after.map_err(contiguous)?);
    let known = inkveil::detect::Settings::default();
    let unknown = |error: inkveil::detect::UnknownName| Class::Settings.error(py, error.to_string());
    let kinds =
        kinds.iter().map(|kind| known.kind(kind)).collect::<Result<Vec<Kind>, _>>().map_err(unknown)?;
    let concept = Concept::of(kinds, words, patterns, Tier::Accurate);
    let done = watch::run(py, progress, |watch| {
        let finder = concept.finder(Some(&names_folder(&pack_folder("en")?)?))?;
        let texts = strs(&texts);
        let spans = finder.spans(&texts)?;
        Ok(steps(watch, |steps| {
            let vectors =
                ReleasedVectors { dim, originals: &before, released: &after, texts: &texts, spans: &spans };
            let settings = VectorAttackSettings {
                min_count,
                epochs,
                attackers: VectorAttacker::ALL.to_vec(),
                seed,
                save_attacker: false,
            };
            json(&attack::vector(&vectors, &settings, steps)?)
        }))
    })?;
    answer(py, done)
}

/// An attacker of your own.
#[derive(FromPyObject)]
pub(crate) enum Own {
    Command(Vec<String>),
    Function(Py<PyAny>),
}

impl Own {
    fn open<'a>(
        self,
        name: String,
        raised: &'a Mutex<Option<PyErr>>,
    ) -> Result<Box<dyn OwnAttacker + 'a>, Error> {
        Ok(match self {
            Self::Command(words) => Box::new(CommandAttacker::new(name, OwnCommand::new(words)?)),
            Self::Function(function) => Box::new(FunctionAttacker { name, function, raised }),
        })
    }
}

/// An attacker that is a function of Python: it gets the known pairs and the released texts.
struct FunctionAttacker<'a> {
    name: String,
    function: Py<PyAny>,
    /// An exception of the function, which is raised as it is.
    raised: &'a Mutex<Option<PyErr>>,
}

impl OwnAttacker for FunctionAttacker<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn guess(&self, known: &[KnownText<'_>], released: &[&str]) -> Result<Vec<String>, Error> {
        let known: Vec<(&str, &str)> = known.iter().map(|text| (text.original, text.released)).collect();
        let called = Python::attach(|py| {
            let guessed = self.function.bind(py).call1((known, released.to_vec()))?;
            guessed
                .try_iter()?
                .enumerate()
                .map(|(index, text)| settings::text(&text?, &format!("guess {index}")))
                .collect::<PyResult<Vec<String>>>()
        });
        called.map_err(|error| {
            if let Ok(mut raised) = self.raised.lock() {
                *raised = Some(error);
            }
            ErrorKind::Argument { what: "an attacker of your own failed".to_owned() }.into()
        })
    }
}

/// Runs an attack. Progress is the number of its steps.
fn steps<T>(watch: &Watch, work: impl FnOnce(&inkveil_eval::Watch<'_>) -> T) -> T {
    let count = AtomicU64::new(0);
    let progress = |_: &str| watch.set_done(count.fetch_add(1, Ordering::Relaxed) + 1);
    work(&inkveil_eval::Watch { progress: &progress, cancel: &watch.cancel })
}

fn strs(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

fn json(report: &impl serde::Serialize) -> Result<Value, Error> {
    let failed = |_| ErrorKind::Argument { what: "the report cannot be written as JSON".to_owned() }.into();
    serde_json::to_value(report).map_err(failed)
}

fn answer(py: Python<'_>, done: Result<Value, Error>) -> PyResult<String> {
    done.map(|value| value.to_string()).map_err(|error| match error.kind() {
        ErrorKind::Cancelled => PyKeyboardInterrupt::new_err("the work was cancelled"),
        ErrorKind::Argument { .. } | ErrorKind::Format { .. } | ErrorKind::Io { .. } => {
            Class::Data.error(py, format!("{error:#}"))
        }
        ErrorKind::Model(_) | ErrorKind::Lexicon(_) | ErrorKind::Detection(_) => {
            Class::Model.error(py, format!("{error:#}"))
        }
        _ => Class::Inkveil.error(py, format!("{error:#}")),
    })
}
