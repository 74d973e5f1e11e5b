//! Detection.

use inkveil::detect::{self, Span};
use inkveil::release::MaskRelease;
use inkveil::{names_folder, pack_folder};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::released::Counter;
use crate::{settings, watch};

/// A detector.
#[pyclass(module = "inkveil._inkveil", frozen)]
pub(crate) struct Detector(detect::Detector);

/// A finding: start, end, kind, score, what found it, the name of that, and the reason in words. Places are in
/// characters.
type Finding = (u64, u64, String, f32, &'static str, String, String);

#[pymethods]
impl Detector {
    /// Opens the models.
    #[new]
    #[pyo3(signature = (pack, settings))]
    fn new(py: Python<'_>, pack: &str, settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        let settings = settings::detect_settings(settings)?;
        let detector = watch::run(py, None, move |_| {
            let folder = match settings.tier {
                detect::Tier::Rules => None,
                _ => Some(names_folder(&pack_folder(pack)?)?),
            };
            Ok(detect::Detector::open(folder.as_deref(), settings)?)
        })?;
        Ok(Self(detector))
    }

    /// Finds what is sensitive in texts.
    #[pyo3(signature = (texts, progress))]
    fn detect(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyList>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Vec<Finding>>> {
        let texts = settings::texts(texts)?;
        watch::run(py, progress, |watch| {
            let mut found = Vec::with_capacity(texts.len());
            // A signal is noticed after each of these pieces.
            for piece in texts.chunks(512) {
                if watch.cancel.load(std::sync::atomic::Ordering::Relaxed) {
                    return Err(inkveil::ErrorKind::Cancelled.into());
                }
                let piece: Vec<&str> = piece.iter().map(String::as_str).collect();
                let spans = self.0.detect(&piece)?;
                found.extend(piece.iter().zip(spans).map(|(text, spans)| findings(text, &spans)));
                watch.set_done(found.len() as u64);
            }
            Ok(found)
        })
    }

    /// The kinds that it can find.
    #[getter]
    fn kinds(&self) -> Vec<String> {
        let settings = self.0.settings();
        settings
            .kinds()
            .iter()
            .filter(|kind| settings.wants(kind))
            .map(|kind| kind.name().to_owned())
            .collect()
    }
}

fn findings(text: &str, spans: &[Span]) -> Vec<Finding> {
    let mut counter = Counter::new(text);
    let mut finding = |span: &Span| {
        let (start, end) = (counter.at(span.start), counter.at(span.end));
        let reason = &span.reason;
        let (by, name) = (reason.found_by.name(), reason.name.to_string());
        (start, end, span.kind.name().to_owned(), span.rounded_score(), by, name, reason.to_string())
    };
    spans.iter().map(&mut finding).collect()
}

/// Presidio's name of each kind.
#[pyfunction]
pub(crate) fn presidio_names() -> Vec<(String, String)> {
    detect::Kind::ALL.iter().map(|kind| (kind.name().to_owned(), inkveil::presidio_name(kind))).collect()
}

/// Charges a text from which findings are taken out by other code. What detection misses stays in it.
#[pyfunction]
#[pyo3(signature = (ledger, dataset, subject))]
pub(crate) fn charge_masked(
    py: Python<'_>,
    ledger: &Bound<'_, PyAny>,
    dataset: Option<&str>,
    subject: Option<&str>,
) -> PyResult<()> {
    let account = settings::account(ledger, dataset, subject)?;
    watch::run(py, None, |watch| MaskRelease::open(&account, "texts", watch)?.confirm())
}
