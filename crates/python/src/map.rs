//! The map from replacements to originals.

use std::path::PathBuf;

use inkveil::documents;
use inkveil::privacy::Secret;
use inkveil::restore::{MapKey, ReplacementMap, RestoreOptions, Restorer};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{Class, raised};
use crate::{document, settings, watch};

/// A map. **Private**: it holds originals.
#[pyclass(module = "inkveil._inkveil", frozen)]
pub(crate) struct Map(ReplacementMap);

impl Map {
    pub(crate) fn new(pairs: ReplacementMap) -> Self {
        Self(pairs)
    }
}

#[pymethods]
impl Map {
    /// A map of pairs: replacement, original, kind.
    #[staticmethod]
    fn of_pairs(py: Python<'_>, pairs: Vec<(String, String, String)>) -> PyResult<Self> {
        let mut builder = ReplacementMap::builder();
        for (replacement, original, kind) in &pairs {
            builder.add(replacement, original, kind).map_err(|error| raised(py, error))?;
        }
        Ok(Self(builder.build()))
    }

    /// Opens an encrypted map.
    #[staticmethod]
    #[pyo3(signature = (path, key_file, passphrase))]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        key_file: Option<PathBuf>,
        passphrase: Option<String>,
    ) -> PyResult<Self> {
        let opened = watch::run(py, None, move |_| {
            let key = key(key_file, passphrase)?;
            Ok(key.map(|key| ReplacementMap::open(&path, &key)).transpose()?)
        })?;
        opened.map(Self).ok_or_else(|| no_key(py))
    }

    /// Writes it, encrypted. A key file is made if there is none.
    #[pyo3(signature = (path, key_file, passphrase, overwrite))]
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        key_file: Option<PathBuf>,
        passphrase: Option<String>,
        overwrite: bool,
    ) -> PyResult<()> {
        let saved = watch::run(py, None, move |_| {
            let key = match (key_file, passphrase) {
                (Some(file), None) if !file.exists() => Some(MapKey::create_file(file)?),
                (None, Some(passphrase)) => Some(MapKey::from_new_passphrase(Secret::new(passphrase))?),
                (file, passphrase) => key(file, passphrase)?,
            };
            Ok(key.map(|key| self.0.save(&path, &key, overwrite)).transpose()?)
        })?;
        saved.ok_or_else(|| no_key(py))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Replacement, original and kind of each pair.
    fn pairs(&self) -> Vec<(&str, &str, &str)> {
        self.0.pairs().map(|pair| (pair.replacement(), pair.original(), pair.kind())).collect()
    }

    /// Puts originals back into a document, and returns its bytes and the number of restored replacements.
    fn restore_document<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        content: &[u8],
        parts: bool,
    ) -> PyResult<(Bound<'py, PyBytes>, u64)> {
        let format = document::format(py, name)?;
        let (bytes, report) = watch::run(py, None, move |_| {
            let restorer = Restorer::new(&self.0, RestoreOptions::default().parts(parts))?;
            documents::restore(&restorer, content, format)
        })?;
        Ok((document::bytes(py, &bytes), report.restored()))
    }

    /// Puts originals back. Returns the text, the number of restored replacements, and those that stand for several
    /// originals or would have broken the JSON, and were left.
    fn restore(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        parts: bool,
        json: bool,
    ) -> PyResult<(String, u64, Vec<String>)> {
        let text = settings::text(text, "the text")?;
        watch::run(py, None, |_| {
            let restorer = Restorer::new(&self.0, RestoreOptions::default().parts(parts).json(json))?;
            let (restored, report) = restorer.restore_text(&text);
            let left = report.ambiguous().chain(report.not_json());
            let left = left.map(|left| left.replacement.to_owned()).collect();
            Ok((restored, report.restored(), left))
        })
    }
}

fn key(file: Option<PathBuf>, passphrase: Option<String>) -> Result<Option<MapKey>, inkveil::Error> {
    match (file, passphrase) {
        (Some(file), None) => Ok(Some(MapKey::from_file(file)?)),
        (None, Some(passphrase)) => Ok(Some(MapKey::from_passphrase(Secret::new(passphrase))?)),
        _ => Ok(None),
    }
}

fn no_key(py: Python<'_>) -> PyErr {
    Class::Settings.error(py, "a map is encrypted with a key file or with a passphrase; give one of them")
}
