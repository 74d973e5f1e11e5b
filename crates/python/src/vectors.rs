//! The vector veil.

use std::path::PathBuf;
use std::sync::Arc;

use inkveil::detect::{Kind, Tier};
use inkveil::fit::{FitEvent, FitMethod, FitTarget, FitTexts, VectorFit};
use inkveil::release::MemoryVectors;
use inkveil::vectors::FitSettings;
use inkveil::{AfterNoise, Bound as VectorBound, Concept, Epsilon, VectorNoise, Veil};
use numpy::{PyArray2, PyArrayMethods as _, PyUntypedArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::errors::{Class, raised};
use crate::process::PerProcess;
use crate::veil::RowId;
use crate::{settings, watch};

/// A veil over vectors of one dimension, and where it is charged.
#[pyclass(module = "inkveil._inkveil", frozen)]
pub(crate) struct VectorVeil {
    veil: Arc<inkveil::VectorVeil>,
    release: PerProcess<MemoryVectors>,
}

/// The name in the ledger if none is given.
const DATASET: &str = "vectors";

#[pymethods]
impl VectorVeil {
    /// Opens the masks and the ledger.
    #[new]
    #[pyo3(signature = (dim, epsilon, noise, masks, floor, axes, bound, after, key, seed, ledger, dataset, subject, copied))]
    #[expect(clippy::too_many_arguments, reason = "called by the package alone")]
    fn new(
        py: Python<'_>,
        dim: usize,
        epsilon: f64,
        noise: Option<&str>,
        masks: Vec<PathBuf>,
        floor: Option<f64>,
        axes: Option<usize>,
        bound: Option<f64>,
        after: Option<&str>,
        key: Option<&[u8]>,
        seed: Option<u64>,
        ledger: &Bound<'_, PyAny>,
        dataset: Option<&str>,
        subject: Option<&str>,
        copied: bool,
    ) -> PyResult<Self> {
        let unknown = |what: &str| Class::Settings.error(py, what.to_owned());
        let epsilon = Epsilon::new(epsilon).map_err(|error| raised(py, error))?;
        let noise = match noise {
            None => VectorNoise::ByMasks,
            Some("erased") => VectorNoise::Erased,
            Some("masked") => VectorNoise::Masked,
            Some("round") => VectorNoise::Round,
            Some("turning") => VectorNoise::Turning,
            Some(_) => return Err(unknown("noise is erased, masked, round or turning")),
        };
        let mut builder = Veil::vectors(epsilon).noise(noise);
        for mask in masks {
            builder = builder.mask(mask);
        }
        if let Some(floor) = floor {
            builder = builder.floor(floor);
        }
        if let Some(axes) = axes {
            builder = builder.axes(axes);
        }
        if let Some(length) = bound {
            builder = builder.bound(VectorBound::Clip(length));
        }
        builder = match after {
            None => builder,
            Some("as-is") => builder.after(AfterNoise::AsIs),
            Some("unit") => builder.after(AfterNoise::Unit),
            Some("shrink") => builder.after(AfterNoise::Shrink),
            Some(_) => return Err(unknown("after is as-is, unit or shrink")),
        };
        let key = settings::key(py, key, seed)?;
        let account = settings::account(ledger, dataset, subject)?;
        watch::run(py, None, move |_| {
            let veil = Arc::new(builder.build(dim)?);
            let release = PerProcess::open(key, account, copied, |key, account| {
                MemoryVectors::open(veil.clone(), key, account, DATASET)
            })?;
            Ok(Self { veil, release })
        })
    }

    /// Veils vectors in place: rows of 32-bit numbers, one after the other. Returns the receipt as JSON.
    #[pyo3(signature = (rows, ids, progress))]
    fn apply(
        &self,
        py: Python<'_>,
        rows: &Bound<'_, PyArray2<f32>>,
        ids: Option<Vec<RowId>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        if !rows.is_c_contiguous() || rows.shape()[1] != self.veil.dim() {
            return Err(Class::Data.error(py, "the vectors do not have the dimension of the veil"));
        }
        self.release.check_ids(py, ids.is_some())?;
        let release = self
            .release
            .get(py, |_, key, account| MemoryVectors::open(self.veil.clone(), key, account, DATASET))?;
        let records: Option<Vec<u64>> = ids.map(|ids| ids.iter().map(RowId::record).collect());
        let busy = |_| Class::Data.error(py, "the vectors are in use elsewhere");
        let mut rows = rows.try_readwrite().map_err(busy)?;
        let values =
            rows.as_slice_mut().map_err(|_| Class::Data.error(py, "the vectors are not in one piece"))?;
        let receipt = watch::run(py, progress, |watch| {
            release.release(values, records.as_deref(), watch, &watch.cancel)
        })?;
        Ok(receipt.to_line())
    }
}

/// Fits a mask, writes it to a file, and returns its dimension, the number of erased directions and the share of open
/// gates.
#[pyfunction]
#[pyo3(signature = (texts, output, method, kinds, words, patterns, name, tier, pack, public, epochs, seed, overwrite, progress))]
#[expect(clippy::too_many_arguments, reason = "called by the package alone")]
pub(crate) fn fit_mask(
    py: Python<'_>,
    texts: &Bound<'_, PyList>,
    output: PathBuf,
    method: &str,
    kinds: Vec<String>,
    words: Vec<String>,
    patterns: Vec<String>,
    name: Option<String>,
    tier: &str,
    pack: String,
    public: bool,
    epochs: usize,
    seed: u64,
    overwrite: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(usize, usize, f64)> {
    let method = match method {
        "erase" => FitMethod::Erase,
        "mask" => FitMethod::Mask,
        "both" => FitMethod::Both,
        _ => return Err(Class::Settings.error(py, "method is erase, mask or both")),
    };
    let texts = settings::texts(texts)?;
    let known = inkveil::detect::Settings::default();
    let unknown = |error: inkveil::detect::UnknownName| Class::Settings.error(py, error.to_string());
    let kinds =
        kinds.iter().map(|kind| known.kind(kind)).collect::<Result<Vec<Kind>, _>>().map_err(unknown)?;
    let tier: Tier = tier.parse().map_err(unknown)?;
    let mut concept = Concept::of(kinds, words, patterns, tier);
    if let Some(name) = name {
        concept.name = name;
    }
    let gates = FitSettings { epochs, seed, ..FitSettings::default() };
    let fit = VectorFit { pack, public, method, gates, ..VectorFit::default() };
    let masks = watch::run(py, progress, |watch| {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let target = FitTarget::concept(concept, &output, overwrite)?;
        let all = texts.len() as u64;
        let percent = |done: u64, all: u64| watch.set_done(100 * done / all.max(1));
        fit.run(vec![target], &FitTexts::Memory(&texts), &watch.cancel, &mut |event| match event {
            FitEvent::Read { texts } => percent(texts, all),
            FitEvent::Epoch { epoch, of } => percent(epoch.number as u64, of as u64),
            _ => (),
        })
    })?;
    let Some(mask) = masks.first() else { return Err(Class::Settings.error(py, "no mask was fitted")) };
    let erased = mask.eraser.as_ref().map_or(0, |eraser| eraser.directions());
    Ok((mask.dim(), erased, if mask.has_gates() { mask.open_share() } else { 0.0 }))
}

/// Returns the vectors of texts.
#[pyfunction]
#[pyo3(signature = (texts, pack, progress))]
pub(crate) fn encode<'py>(
    py: Python<'py>,
    texts: &Bound<'py, PyList>,
    pack: &str,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let texts = settings::texts(texts)?;
    let (vectors, dim) = watch::run(py, progress, |watch| {
        let encoder = inkveil::Encoder::open(pack)?;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = encoder.encode(&texts, &watch.cancel, |done| watch.set_done(done))?;
        Ok((vectors, encoder.model.width()))
    })?;
    let rows = vectors.len() / dim.max(1);
    numpy::PyArray1::from_vec(py, vectors).reshape([rows, dim])
}
