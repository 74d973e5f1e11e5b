//! Records the cells of a run: takes stored measurements, measures the others, and reports
//! progress.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::store::MeasurementStore;
use crate::metrics::Estimate;
use crate::results::{DataNote, Measurement, ResultCell, Results};
use crate::{Error, Watch};

/// The progress of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunProgress {
    /// The number of finished measurements.
    pub done: usize,
    /// The number of all measurements.
    pub total: usize,
    /// The number of finished measurements that were stored before.
    pub stored: usize,
    /// What is measured now.
    pub now: String,
}

/// Measures a cell with some seeds and returns a result for each.
pub(super) type MeasureSeeds<'a> = dyn FnMut(&[u64], &Watch<'_>) -> Result<Vec<SeedResult>, Error> + 'a;

/// A cell that is to be measured.
pub(super) struct PlannedCell {
    /// Its name, for progress.
    pub(super) name: String,
    /// Its coordinates.
    pub(super) at: BTreeMap<String, String>,
}

/// The measurements of a cell with one seed.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct SeedResult {
    /// The number of examples.
    pub(super) n: u64,
    /// Means, with their intervals over examples if these are known.
    pub(super) measures: BTreeMap<String, (f64, Option<(f64, f64)>)>,
}

/// Collects the measurements of a cell with one seed. A measurement without a value is left out.
#[derive(Default)]
pub(super) struct SeedMeasures(BTreeMap<String, (f64, Option<(f64, f64)>)>);

impl SeedMeasures {
    /// Adds a mean with its interval.
    pub(super) fn estimate(&mut self, name: &str, value: impl Into<Option<Estimate>>) {
        let found = value.into().map(|found| (found.mean, Some((found.low, found.high))));
        self.0.extend(found.map(|found| (name.to_owned(), found)));
    }

    /// Adds a value without an interval.
    pub(super) fn value(&mut self, name: &str, value: impl Into<Option<f64>>) {
        let found = value.into().filter(|value| value.is_finite());
        self.0.extend(found.map(|value| (name.to_owned(), (value, None))));
    }

    /// The result, measured on this number of examples.
    pub(super) fn result(self, examples: usize) -> SeedResult {
        SeedResult { n: examples as u64, measures: self.0 }
    }
}

/// The coordinates of a cell.
pub(super) fn coordinates(pairs: &[(&str, String)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

/// Where run progress goes.
type Progress<'r> = dyn FnMut(&RunProgress) + Send + 'r;

/// Records the cells of a run.
pub(super) struct CellRecorder<'r> {
    seeds: &'r [u64],
    store: &'r MeasurementStore,
    results: &'r mut Results,
    report: Mutex<&'r mut Progress<'r>>,
    cancel: &'r AtomicBool,
    progress: RunProgress,
}

impl<'r> CellRecorder<'r> {
    pub(super) fn new(
        seeds: &'r [u64],
        store: &'r MeasurementStore,
        results: &'r mut Results,
        report: &'r mut Progress<'r>,
        cancel: &'r AtomicBool,
    ) -> Self {
        Self { seeds, store, results, report: Mutex::new(report), cancel, progress: RunProgress::default() }
    }

    /// Announces this number of cells.
    pub(super) fn expect(&mut self, cells: usize) {
        self.progress.total += cells * self.seeds.len();
    }

    /// Notes the data of the results.
    pub(super) fn note(&mut self, set: &str, files: &crate::data::FileHashes, rows: usize, about: &str) {
        let note = DataNote { files: files.clone(), rows: rows as u64, about: about.to_owned() };
        self.results.data.insert(set.to_owned(), note);
    }

    /// Measures a cell with the seeds that have no stored measurement, up to `at_once` seeds
    /// together, and stores the results under their keys.
    ///
    /// # Errors
    /// If a measurement fails or cannot be stored, or the run was cancelled.
    pub(super) fn measure(
        &mut self,
        name: &str,
        at: BTreeMap<String, String>,
        key: &dyn Fn(u64) -> Result<String, Error>,
        at_once: usize,
        measure: &mut MeasureSeeds<'_>,
    ) -> Result<(), Error> {
        let (mut found, mut open) = (BTreeMap::new(), Vec::new());
        for &seed in self.seeds {
            match self.store.get::<SeedResult>(&key(seed)?)? {
                Some(result) => drop(found.insert(seed, result)),
                None => open.push(seed),
            }
        }
        self.progress.stored += found.len();
        self.progress.done += found.len();
        for seeds in open.chunks(at_once.max(1)) {
            let shown: Vec<String> = seeds.iter().map(u64::to_string).collect();
            self.progress.now = format!("{name}, seed {}", shown.join(", "));
            let progress = |what: &str| {
                let mut now = self.progress.clone();
                if !what.is_empty() {
                    now.now = format!("{}: {what}", now.now);
                }
                // A poisoned lock means that an earlier call panicked, so there is nothing to
                // report to.
                if let Ok(mut report) = self.report.lock() {
                    report(&now);
                }
            };
            let watch = Watch { progress: &progress, cancel: self.cancel };
            watch.step("")?;
            let results = measure(seeds, &watch)?;
            for (&seed, result) in seeds.iter().zip(results) {
                self.store.put(&key(seed)?, &result)?;
                found.insert(seed, result);
            }
            self.progress.done += seeds.len();
        }
        let results: Vec<SeedResult> = self.seeds.iter().filter_map(|seed| found.remove(seed)).collect();
        self.results.cells.push(cell(at, &results));
        Ok(())
    }

    /// The seeds of the run.
    pub(super) fn seeds(&self) -> &[u64] {
        self.seeds
    }

    /// Measures many cells with all seeds that have no stored measurement, up to `at_once` together,
    /// and stores each result under its key. `prepare` is called with the open measurements, if there
    /// are any, and returns what measures one of them.
    ///
    /// Measurements run on plain threads. Rayon's threads draw the noise; a measurement that waited
    /// for it on one of them would start another measurement meanwhile, with all its memory.
    ///
    /// # Errors
    /// If a measurement fails or cannot be stored, or the run was cancelled.
    pub(super) fn measure_all<M>(
        &mut self,
        cells: &[PlannedCell],
        key: &(dyn Fn(usize, u64) -> Result<String, Error> + '_),
        at_once: usize,
        prepare: impl FnOnce(&[(usize, u64)]) -> Result<M, Error>,
    ) -> Result<(), Error>
    where
        M: Fn(usize, u64, &Watch<'_>) -> Result<SeedResult, Error> + Sync,
    {
        let mut found: BTreeMap<(usize, u64), SeedResult> = BTreeMap::new();
        let (mut open, mut keys) = (Vec::new(), Vec::new());
        for cell in 0..cells.len() {
            for &seed in self.seeds {
                let key = key(cell, seed)?;
                match self.store.get::<SeedResult>(&key)? {
                    Some(result) => drop(found.insert((cell, seed), result)),
                    None => {
                        open.push((cell, seed));
                        keys.push(key);
                    }
                }
            }
        }
        self.progress.stored += found.len();
        self.progress.done += found.len();
        if !open.is_empty() {
            let measured = self.measure_open(cells, &open, &keys, at_once, &prepare(&open)?)?;
            self.progress.done += measured.len();
            found.extend(measured);
        }
        for (index, planned) in cells.iter().enumerate() {
            let of_seed = |seed: &u64| found.remove(&(index, *seed));
            let results: Vec<SeedResult> = self.seeds.iter().filter_map(of_seed).collect();
            self.results.cells.push(cell(planned.at.clone(), &results));
        }
        Ok(())
    }

    fn measure_open(
        &self,
        cells: &[PlannedCell],
        open: &[(usize, u64)],
        keys: &[String],
        at_once: usize,
        measure: &(impl Fn(usize, u64, &Watch<'_>) -> Result<SeedResult, Error> + Sync),
    ) -> Result<BTreeMap<(usize, u64), SeedResult>, Error> {
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        type Done = ((usize, u64), Result<SeedResult, Error>);
        let done: Mutex<Vec<Done>> = Mutex::new(Vec::new());
        let count = || done.lock().map_or(0, |done| done.len());
        let work = || {
            while !failed.load(Ordering::Relaxed) {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let (Some(&(cell, seed)), Some(key)) = (open.get(index), keys.get(index)) else { return };
                let name = format!("{}, seed {seed}", cells[cell].name);
                let progress = |what: &str| {
                    let mut now = self.progress.clone();
                    now.done += count();
                    now.now = if what.is_empty() { name.clone() } else { format!("{name}: {what}") };
                    // A poisoned lock means that an earlier call panicked, so there is nothing to
                    // report to.
                    if let Ok(mut report) = self.report.lock() {
                        report(&now);
                    }
                };
                let watch = Watch { progress: &progress, cancel: self.cancel };
                let one = || -> Result<SeedResult, Error> {
                    watch.step("")?;
                    let result = measure(cell, seed, &watch)?;
                    self.store.put(key, &result)?;
                    Ok(result)
                };
                let result = one();
                failed.fetch_or(result.is_err(), Ordering::Relaxed);
                if let Ok(mut done) = done.lock() {
                    done.push(((cell, seed), result));
                }
            }
        };
        let threads = at_once.clamp(1, open.len().max(1));
        let panicked = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            threads.into_iter().any(|thread| thread.join().is_err())
        });
        let done = done.into_inner().unwrap_or_default();
        if panicked {
            return Err(Error::argument("a measurement panicked"));
        }
        done.into_iter().map(|(at, result)| Ok((at, result?))).collect()
    }

    /// Sets the findings from all cells.
    pub(super) fn set_findings(&mut self, of: impl FnOnce(&[ResultCell]) -> Vec<String>) {
        self.results.findings = of(&self.results.cells);
    }

    /// Reports that all is done.
    pub(super) fn finish(mut self) {
        self.progress.now.clear();
        if let Ok(report) = self.report.get_mut() {
            report(&self.progress);
        }
    }
}

/// Combines the results of several seeds into a cell.
fn cell(at: BTreeMap<String, String>, results: &[SeedResult]) -> ResultCell {
    let mut measures = BTreeMap::new();
    let names = results.first().map(|result| result.measures.keys()).into_iter().flatten();
    for name in names {
        let found: Vec<_> = results.iter().filter_map(|result| result.measures.get(name)).collect();
        let values: Vec<f64> = found.iter().map(|(value, _)| *value).collect();
        let mut measure = Measurement::of(&values);
        let ends: Vec<(f64, f64)> = found.iter().filter_map(|(_, interval)| *interval).collect();
        if !ends.is_empty() && ends.len() == found.len() {
            let mean = |of: fn(&(f64, f64)) -> f64| ends.iter().map(of).sum::<f64>() / ends.len() as f64;
            measure = measure.within(mean(|ends| ends.0), mean(|ends| ends.1));
        }
        measures.insert(name.clone(), measure);
    }
    ResultCell { at, n: results.first().map_or(0, |result| result.n), measures, note: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    /// Runs two cells with two seeds. If `cancelled`, the run is cancelled when the second cell
    /// starts.
    fn run(
        store: &MeasurementStore,
        cancelled: bool,
        measured: &mut Vec<u64>,
    ) -> (Result<(), Error>, Vec<RunProgress>) {
        let (mut results, mut reported) = (Results::default(), Vec::new());
        let cancel = AtomicBool::new(false);
        let mut report = |progress: &RunProgress| {
            reported.push(progress.clone());
            cancel.fetch_or(cancelled && progress.now.contains("second"), Ordering::Relaxed);
        };
        let mut recorder = CellRecorder::new(&[5, 6], store, &mut results, &mut report, &cancel);
        recorder.expect(2);
        let mut both = || {
            for (name, value) in [("first", 1.0), ("second", 2.0)] {
                let key = |seed| MeasurementStore::key(&(name, seed));
                recorder.measure(name, BTreeMap::new(), &key, 1, &mut |seeds, watch| {
                    watch.step("half")?;
                    measured.extend(seeds);
                    let measures = BTreeMap::from([("value".to_owned(), (value, None))]);
                    Ok(vec![SeedResult { n: 3, measures }; seeds.len()])
                })?;
            }
            Ok(())
        };
        let done = both();
        recorder.finish();
        if done.is_ok() {
            assert_eq!(results.cells.len(), 2);
        }
        (done, reported)
    }

    #[test]
    fn many_cells_are_measured_at_once_and_once_only() {
        let folder = tempfile::tempdir().unwrap();
        let store = MeasurementStore::open(folder.path()).unwrap();
        let cells: Vec<PlannedCell> = (0..7)
            .map(|cell| PlannedCell {
                name: format!("cell {cell}"),
                at: BTreeMap::from([("cell".into(), cell.to_string())]),
            })
            .collect();
        let (cancel, measured) = (AtomicBool::new(false), AtomicUsize::new(0));
        let run = |fails: bool| {
            let (mut results, mut report) = (Results::default(), |_: &RunProgress| {});
            let mut recorder = CellRecorder::new(&[5, 6], &store, &mut results, &mut report, &cancel);
            let key = |cell: usize, seed: u64| MeasurementStore::key(&(cell, seed));
            let done = recorder.measure_all(&cells, &key, 4, |_| {
                Ok(|cell: usize, seed: u64, _: &Watch<'_>| {
                    measured.fetch_add(1, Ordering::Relaxed);
                    if fails && cell == 3 {
                        return Err(Error::argument("no"));
                    }
                    let measures = BTreeMap::from([("value".to_owned(), (cell as f64 + seed as f64, None))]);
                    Ok(SeedResult { n: 1, measures })
                })
            });
            done.map(|()| results)
        };
        assert!(run(true).is_err());
        let before = measured.load(Ordering::Relaxed);
        let results = run(false).unwrap();
        assert!(measured.load(Ordering::Relaxed) - before < 14, "finished measurements are stored");
        let found: Vec<(String, f64)> =
            results.cells.iter().map(|cell| (cell.at["cell"].clone(), cell.measures["value"].mean)).collect();
        assert_eq!(found[0], ("0".to_owned(), 5.5));
        assert_eq!(found[6], ("6".to_owned(), 11.5));
    }

    #[test]
    fn a_cancelled_run_resumes() {
        let folder = tempfile::tempdir().unwrap();
        let store = MeasurementStore::open(folder.path()).unwrap();
        let mut measured = Vec::new();
        let (cancelled, reported) = run(&store, true, &mut measured);
        assert!(matches!(cancelled.unwrap_err().kind(), ErrorKind::Cancelled));
        assert_eq!(measured, [5, 6]);
        assert!(reported.iter().any(|progress| progress.now == "first, seed 6: half" && progress.done == 1));
        let (done, reported) = run(&store, false, &mut measured);
        assert!(done.is_ok());
        assert_eq!(measured, [5, 6, 5, 6]);
        assert!(reported.last().is_some_and(|end| (end.done, end.total, end.stored) == (4, 4, 2)));
    }
}
