//! The extension module `inkveil._inkveil` of the Python package `inkveil`.
//!
//! It hands texts, tables and vectors to the facade [`inkveil`] and holds no rule about privacy. The package in
//! `python/inkveil` gives it the interface that users see.
//!
//! # Files
//! - `veil.rs`, `released.rs`, `reader.rs`: the word veil, what it returns, and streams of Arrow tables.
//! - `attack.rs`: attacks on releases. `document.rs`: documents.
//! - `detector.rs`, `map.rs`, `ledger.rs`, `vectors.rs`, `style.rs`: the other classes.
//! - `watch.rs`: work beside Python: threads, Ctrl-C, progress. `process.rs`: forked processes.
//!   `settings.rs`: settings and texts of Python. `errors.rs`: exceptions.
#![forbid(unsafe_code)]

mod attack;
mod detector;
mod document;
mod errors;
mod ledger;
mod map;
mod process;
mod reader;
mod released;
mod settings;
mod style;
mod vectors;
mod veil;
mod watch;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command `inkveil` and returns its exit code.
#[pyfunction]
fn run_command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| inkveil_cli::run(words))
}

#[pymodule(gil_used = false)]
fn _inkveil(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // The hook belongs to this library alone: Python and other extensions have their own.
    inkveil::files::hide_panic_messages();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<veil::TextVeil>()?;
    module.add_class::<released::Released>()?;
    module.add_class::<detector::Detector>()?;
    module.add_class::<map::Map>()?;
    module.add_class::<ledger::Ledger>()?;
    module.add_class::<vectors::VectorVeil>()?;
    module.add_class::<style::StyleMemory>()?;
    module.add_function(wrap_pyfunction!(veil::set_models_folder, module)?)?;
    module.add_function(wrap_pyfunction!(veil::new_key, module)?)?;
    module.add_function(wrap_pyfunction!(document::document_text, module)?)?;
    module.add_function(wrap_pyfunction!(run_command, module)?)?;
    module.add_function(wrap_pyfunction!(attack::attack_text, module)?)?;
    module.add_function(wrap_pyfunction!(attack::attack_style, module)?)?;
    module.add_function(wrap_pyfunction!(attack::attack_vectors, module)?)?;
    module.add_function(wrap_pyfunction!(detector::presidio_names, module)?)?;
    module.add_function(wrap_pyfunction!(detector::charge_masked, module)?)?;
    module.add_function(wrap_pyfunction!(vectors::fit_mask, module)?)?;
    module.add_function(wrap_pyfunction!(vectors::encode, module)?)?;
    Ok(())
}
