//! The cells of a run: what was measured before is taken from the store, and whoever waits is told how far it is.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::{Progress, Store};
use crate::metrics::Estimate;
use crate::report::{Cell, DataNote, Measure, Results};
use crate::{Error, ErrorKind};

/// Is told how far a run has come, and says whether to go on.
pub type Report<'a> = dyn FnMut(&Progress) -> bool + Send + 'a;

/// Is told what a measurement is at, and says whether to go on.
pub(crate) type Tell<'a> = dyn Fn(&str) -> bool + Sync + 'a;

/// Measures a cell with some seeds: a trial for each.
pub(super) type Measuring<'a> = dyn FnMut(&[u64], &Tell<'_>) -> Result<Vec<Trial>, Error> + 'a;

/// What is measured of a cell with one seed.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Trial {
    /// How many examples there were.
    pub(super) n: u64,
    /// Means, with their intervals over examples where these are known.
    pub(super) measures: BTreeMap<String, (f64, Option<(f64, f64)>)>,
}

/// What there is to say of a cell with one seed; what cannot be said of it is left out.
#[derive(Default)]
pub(super) struct Found(BTreeMap<String, (f64, Option<(f64, f64)>)>);

impl Found {
    /// A mean within its interval.
    pub(super) fn within(&mut self, name: &str, value: impl Into<Option<Estimate>>) {
        let found = value.into().map(|found| (found.mean, Some((found.low, found.high))));
        self.0.extend(found.map(|found| (name.to_owned(), found)));
    }

    /// A value whose interval is not known.
    pub(super) fn plain(&mut self, name: &str, value: impl Into<Option<f64>>) {
        let found = value.into().filter(|value| value.is_finite());
        self.0.extend(found.map(|value| (name.to_owned(), (value, None))));
    }

    /// All of it, measured on so many examples.
    pub(super) fn on(self, examples: usize) -> Trial {
        Trial { n: examples as u64, measures: self.0 }
    }
}

/// The cells of a run.
pub(super) struct Cells<'r> {
    seeds: &'r [u64],
    store: &'r Store,
    results: &'r mut Results,
    report: Mutex<&'r mut Report<'r>>,
    progress: Progress,
}

impl<'r> Cells<'r> {
    pub(super) fn new(
        seeds: &'r [u64],
        store: &'r Store,
        results: &'r mut Results,
        report: &'r mut Report<'r>,
    ) -> Self {
        let progress = Progress { done: 0, total: 0, kept: 0, now: String::new() };
        Self { seeds, store, results, report: Mutex::new(report), progress }
    }

    /// So many cells will come.
    pub(super) fn expect(&mut self, cells: usize) {
        self.progress.total += cells * self.seeds.len();
    }

    /// What the results say of the data they come from.
    pub(super) fn note(&mut self, set: &str, files: &crate::data::FileHashes, rows: usize, about: &str) {
        let note = DataNote { files: files.clone(), rows: rows as u64, about: about.to_owned() };
        self.results.data.insert(set.to_owned(), note);
    }

    /// Measures a cell with those seeds that it was not measured with before, so many of them at once, and keeps what comes out under their keys.
    ///
    /// # Errors
    /// If it cannot be measured or kept, or the run was asked to stop.
    pub(super) fn measure(
        &mut self,
        name: &str,
        at: BTreeMap<String, String>,
        key: &dyn Fn(u64) -> Result<String, Error>,
        at_once: usize,
        measure: &mut Measuring<'_>,
    ) -> Result<(), Error> {
        let (mut found, mut open) = (BTreeMap::new(), Vec::new());
        for &seed in self.seeds {
            match self.store.get::<Trial>(&key(seed)?)? {
                Some(trial) => drop(found.insert(seed, trial)),
                None => open.push(seed),
            }
        }
        self.progress.kept += found.len();
        self.progress.done += found.len();
        for seeds in open.chunks(at_once.max(1)) {
            let shown: Vec<String> = seeds.iter().map(u64::to_string).collect();
            self.progress.now = format!("{name}, seed {}", shown.join(", "));
            let tell = |what: &str| {
                let mut now = self.progress.clone();
                if !what.is_empty() {
                    now.now = format!("{}: {what}", now.now);
                }
                // If telling failed once, nobody listens any more.
                self.report.lock().is_ok_and(|mut report| report(&now))
            };
            if !tell("") {
                return Err(stopped());
            }
            let trials = measure(seeds, &tell)?;
            for (&seed, trial) in seeds.iter().zip(trials) {
                self.store.put(&key(seed)?, &trial)?;
                found.insert(seed, trial);
            }
            self.progress.done += seeds.len();
        }
        let trials: Vec<Trial> = self.seeds.iter().filter_map(|seed| found.remove(seed)).collect();
        self.results.cells.push(cell(at, &trials));
        Ok(())
    }

    /// What can be said of all cells.
    pub(super) fn find(&mut self, of: impl FnOnce(&[Cell]) -> Vec<String>) {
        self.results.findings = of(&self.results.cells);
    }

    /// Says that all is done.
    pub(super) fn finish(mut self) {
        self.progress.now.clear();
        if let Ok(report) = self.report.get_mut() {
            report(&self.progress);
        }
    }
}

/// The cell that trials with different seeds make up.
fn cell(at: BTreeMap<String, String>, trials: &[Trial]) -> Cell {
    let mut measures = BTreeMap::new();
    let names = trials.first().map(|trial| trial.measures.keys()).into_iter().flatten();
    for name in names {
        let found: Vec<_> = trials.iter().filter_map(|trial| trial.measures.get(name)).collect();
        let values: Vec<f64> = found.iter().map(|(value, _)| *value).collect();
        let mut measure = Measure::of(&values);
        let ends: Vec<(f64, f64)> = found.iter().filter_map(|(_, interval)| *interval).collect();
        if !ends.is_empty() && ends.len() == found.len() {
            let mean = |of: fn(&(f64, f64)) -> f64| ends.iter().map(of).sum::<f64>() / ends.len() as f64;
            measure = measure.within(mean(|ends| ends.0), mean(|ends| ends.1));
        }
        measures.insert(name.clone(), measure);
    }
    Cell { at, n: trials.first().map_or(0, |trial| trial.n), measures, note: None }
}

/// The error of a run that was asked to stop.
pub(super) fn stopped() -> Error {
    ErrorKind::Stopped.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs two cells with two seeds; measuring the second stops if it is told to.
    fn run(store: &Store, go_on: bool, measured: &mut Vec<u64>) -> (Result<(), Error>, Vec<Progress>) {
        let (mut results, mut told) = (Results::default(), Vec::new());
        let mut report = |progress: &Progress| {
            told.push(progress.clone());
            go_on || !progress.now.contains("second")
        };
        let mut cells = Cells::new(&[5, 6], store, &mut results, &mut report);
        cells.expect(2);
        let mut both = || {
            for (name, value) in [("first", 1.0), ("second", 2.0)] {
                let key = |seed| Store::key(&(name, seed));
                cells.measure(name, BTreeMap::new(), &key, 1, &mut |seeds, tell| {
                    measured.extend(seeds);
                    if !tell("half") {
                        return Err(stopped());
                    }
                    let measures = BTreeMap::from([("value".to_owned(), (value, None))]);
                    Ok(vec![Trial { n: 3, measures }; seeds.len()])
                })?;
            }
            Ok(())
        };
        let done = both();
        cells.finish();
        if done.is_ok() {
            assert_eq!(results.cells.len(), 2);
        }
        (done, told)
    }

    #[test]
    fn a_run_that_was_stopped_goes_on_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let mut measured = Vec::new();
        let (stopped, told) = run(&store, false, &mut measured);
        assert!(matches!(stopped.unwrap_err().kind(), ErrorKind::Stopped));
        assert_eq!(measured, [5, 6]);
        assert!(told.iter().any(|progress| progress.now == "first, seed 6: half" && progress.done == 1));
        let (done, told) = run(&store, true, &mut measured);
        assert!(done.is_ok());
        assert_eq!(measured, [5, 6, 5, 6]);
        assert!(told.last().is_some_and(|end| (end.done, end.total, end.kept) == (4, 4, 2)));
    }
}
