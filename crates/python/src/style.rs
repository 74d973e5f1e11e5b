//! The style of texts.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use inkveil::StyleModels;
use inkveil::style::{Memory, StyleAssessor, StyleEncoder};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::{settings, watch};

/// A memory of styles and its encoder.
#[pyclass(module = "inkveil._inkveil", frozen)]
pub(crate) struct StyleMemory {
    encoder: StyleEncoder,
    memory: Memory,
}

#[pymethods]
impl StyleMemory {
    /// Opens the models.
    #[new]
    #[pyo3(signature = (pack, memory, encoder))]
    fn new(
        py: Python<'_>,
        pack: String,
        memory: Option<PathBuf>,
        encoder: Option<PathBuf>,
    ) -> PyResult<Self> {
        let models = StyleModels { pack, encoder, memory };
        let (encoder, memory) = watch::run(py, None, move |_| models.open())?;
        Ok(Self { encoder, memory })
    }

    /// Measures how far the style of each text lies from the styles in the memory. Returns JSON.
    #[pyo3(signature = (texts, compare, habits, progress))]
    fn risk(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyList>,
        compare: &Bound<'_, PyList>,
        habits: usize,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<String>> {
        let (texts, compare) = (settings::texts(texts)?, settings::texts(compare)?);
        watch::run(py, progress, |watch| {
            let geometry = self.memory.geometry()?;
            let mut go_on = |done: usize| {
                watch.set_done(done as u64);
                !watch.cancel.load(Ordering::Relaxed)
            };
            let earlier: Vec<&str> = compare.iter().map(String::as_str).collect();
            let earlier = self.encoder.encode_with(&earlier, &mut go_on)?;
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let assessor =
                StyleAssessor { encoder: &self.encoder, geometry: &geometry, earlier: &earlier, habits };
            let assessed = assessor.assess(&texts, &mut go_on)?;
            Ok(texts.iter().zip(assessed).map(|(text, style)| style.to_json(text).to_string()).collect())
        })
    }
}
