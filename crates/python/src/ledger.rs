//! The ledger.

use std::path::PathBuf;

use inkveil::Epsilon;
use inkveil::ledger::{self, BudgetScope, Filter, Limit};
use pyo3::prelude::*;

use crate::errors::{Class, raised};
use crate::watch;

/// A ledger. It is opened for each call, so that several processes can use it.
#[pyclass(module = "inkveil._inkveil", frozen)]
pub(crate) struct Ledger(PathBuf);

#[pymethods]
impl Ledger {
    /// Opens a ledger, or creates it.
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        watch::run(py, None, |_| Ok(ledger::Ledger::open(&path)?))?;
        Ok(Self(path))
    }

    /// Sets a limit, or removes it if there is no ε.
    #[pyo3(signature = (subject, dataset, epsilon, counted, delta, within))]
    #[expect(clippy::too_many_arguments, reason = "called by the package alone")]
    fn limit(
        &self,
        py: Python<'_>,
        subject: Option<String>,
        dataset: Option<String>,
        epsilon: Option<f64>,
        counted: &str,
        delta: f64,
        within: f64,
    ) -> PyResult<()> {
        let every = |name: &String| name == "*";
        let scope = match (subject, dataset) {
            (Some(name), None) if every(&name) => BudgetScope::EverySubject,
            (Some(name), None) => BudgetScope::Subject(name),
            (None, Some(name)) if every(&name) => BudgetScope::EveryDataset,
            (None, Some(name)) => BudgetScope::Dataset(name),
            _ => return Err(Class::Settings.error(py, "a limit is for a subject or for a dataset")),
        };
        watch::run(py, None, move |_| {
            let counted = counted.parse()?;
            let mut ledger = ledger::Ledger::open(&self.0)?;
            match epsilon {
                None => drop(ledger.remove_limit(&scope, counted)?),
                Some(epsilon) => {
                    let epsilon = Epsilon::new(epsilon)?;
                    ledger.set_limit(&Limit { delta, within, ..Limit::new(scope, counted, epsilon) })?;
                }
            }
            Ok(())
        })
    }

    /// The releases, one JSON object each.
    #[pyo3(signature = (subject, dataset))]
    fn releases(
        &self,
        py: Python<'_>,
        subject: Option<String>,
        dataset: Option<String>,
    ) -> PyResult<Vec<String>> {
        let entries = watch::run(py, None, move |_| {
            let ledger = ledger::Ledger::open(&self.0)?;
            let filter = Filter { subject, dataset, ..Filter::default() };
            Ok(ledger.releases(filter).collect::<Result<Vec<_>, _>>()?)
        })?;
        let line = |entry: &ledger::LedgerEntry| {
            let mut bytes = Vec::new();
            entry.write_json(&mut bytes).map_err(|error| Class::Ledger.error(py, error.to_string()))?;
            String::from_utf8(bytes).map_err(|_| Class::Ledger.error(py, "the ledger is damaged"))
        };
        entries.iter().map(line).collect()
    }

    /// The totals: scope, measure, ε, δ, releases, limit, what is left of it.
    #[pyo3(signature = (subject, dataset))]
    #[expect(clippy::type_complexity, reason = "a row of a table")]
    fn totals(
        &self,
        py: Python<'_>,
        subject: Option<String>,
        dataset: Option<String>,
    ) -> PyResult<Vec<(String, String, f64, f64, u64, Option<f64>, Option<f64>)>> {
        let totals = watch::run(py, None, move |_| {
            let filter = Filter { subject, dataset, ..Filter::default() };
            Ok(ledger::Ledger::open(&self.0)?.totals(&filter)?)
        })?;
        let row = |total: &ledger::Total| {
            let (scope, measure) = (total.scope.to_string(), total.measure.to_string());
            let (limit, left) = (total.limit.map(Epsilon::get), total.left.map(Epsilon::get));
            (scope, measure, total.epsilon.get(), total.delta, total.releases, limit, left)
        };
        Ok(totals.iter().map(row).collect())
    }

    /// What is wrong with the file.
    fn verify(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let problems = ledger::Ledger::examine(&self.0).map_err(|error| raised(py, error))?;
        Ok(problems.iter().map(ToString::to_string).collect())
    }
}
