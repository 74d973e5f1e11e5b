//! Documents: bytes in, bytes out.

use std::path::Path;

use inkveil::documents::{self, DocumentFormat};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::Class;
use crate::watch;

/// What was removed, and how often.
pub(crate) type Removed = Vec<(String, u64)>;

/// The format of a document by the name of its file.
pub(crate) fn format(py: Python<'_>, name: &str) -> PyResult<DocumentFormat> {
    let unknown = || {
        let known = "docx, pptx, xlsx, odt, ods, odp, html, md, eml, mbox, pdf or json";
        Class::Data.error(py, format!("the name of a document needs one of these endings: {known}"))
    };
    DocumentFormat::of(Path::new(name)).ok_or_else(unknown)
}

/// The text of a document as a release reads it, and what a release removes.
#[pyfunction]
pub(crate) fn document_text(py: Python<'_>, name: &str, content: &[u8]) -> PyResult<(String, Removed)> {
    let format = format(py, name)?;
    let read = watch::run(py, None, move |_| documents::text(content, format))?;
    Ok((read.text, read.removed.into_iter().collect()))
}

/// Bytes of Python.
pub(crate) fn bytes<'py>(py: Python<'py>, bytes: &[u8]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, bytes)
}
