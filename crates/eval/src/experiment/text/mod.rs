//! Words under noise: what a model still makes of texts, and what attackers make of their words.

mod findings;
mod model;
mod subject;
mod treatment;
mod trial;
mod tuned;
mod words;

use std::collections::BTreeMap;

use inkveil_nn::SentenceEncoder;

use super::spec::coordinates;
use super::{Bench, Progress, Store, TaskModel, TextStudy, Trial, cell, note, stopped};
use crate::Error;
use crate::data::Catalogue;
use crate::report::Results;
use model::Models;
use subject::{Subject, TestSet};
use treatment::Treated;
use trial::measure;
use words::Attackers;

/// Measured figures change when what measures them does: raise it then.
const VERSION: u32 = 3;

pub(super) fn run(
    study: &TextStudy,
    sets: &Catalogue,
    seeds: &[u64],
    bench: &Bench<'_>,
    store: &Store,
    results: &mut Results,
    report: &mut dyn FnMut(&Progress) -> bool,
) -> Result<(), Error> {
    let treatments = Treated::all(study);
    let total = study.data.len() * treatments.len() * seeds.len();
    let mut progress = Progress { done: 0, total, kept: 0, now: String::new() };
    let asks = study.data.iter().any(|name| sets.get(name).is_ok_and(|set| !set.questions.is_empty()));
    let encoder = match asks || study.models.contains(&TaskModel::Encoder) {
        true => Some(SentenceEncoder::open(bench.names)?),
        false => None,
    };
    let mut attackers = Attackers::default();
    for name in &study.data {
        let set = TestSet::read(sets, name, bench)?;
        let (rows, more) = set.size();
        let about = format!("{}; {more}", sets.get(name)?.about);
        results.data.insert(name.clone(), note(set.files(), rows, &about));
        let mut subject: Option<Subject<'_>> = None;
        for treated in &treatments {
            let mut trials = Vec::new();
            for &seed in seeds {
                progress.now = format!("{name}: {treated}, seed {seed}");
                if !report(&progress) {
                    return Err(stopped());
                }
                let key = key(study, &set, treated, seed, bench)?;
                let trial = match store.get::<Trial>(&key)? {
                    Some(trial) => {
                        progress.kept += 1;
                        trial
                    }
                    None => {
                        // Models are trained only if something is left to measure.
                        let ready = match subject.take() {
                            Some(ready) => ready,
                            None => Subject::new(study, &set, bench, encoder.as_ref())?,
                        };
                        let trial = measure(study, &ready, treated, seed, bench, &mut attackers)?;
                        store.put(&key, &trial)?;
                        subject = Some(ready);
                        trial
                    }
                };
                trials.push(trial);
                progress.done += 1;
            }
            results.cells.push(cell(at(name, treated), &trials));
        }
    }
    if let Some(model) = study.models.first() {
        results.findings = findings::findings(&results.cells, &format!("accuracy-{}", model.name()));
    }
    progress.now.clear();
    report(&progress);
    Ok(())
}

fn at(data: &str, treated: &Treated) -> BTreeMap<String, String> {
    coordinates(&[
        ("data", data.to_owned()),
        ("mechanism", treated.mechanism.clone()),
        ("allocation", treated.allocation.map_or("–", |allocation| allocation.name()).to_owned()),
        ("budgets", treated.budgets.clone().unwrap_or_else(|| "–".to_owned())),
        // The budget of what is sensitive and not needed, which the paper calls the base.
        (
            "base",
            treated
                .budgets
                .as_deref()
                .and_then(|budgets| budgets.split(',').nth(1))
                .unwrap_or("–")
                .to_owned(),
        ),
        ("threshold", treated.threshold.map_or_else(|| "–".to_owned(), |threshold| threshold.to_string())),
    ])
}

/// Everything that decides a measurement.
fn key(
    study: &TextStudy,
    set: &TestSet,
    treated: &Treated,
    seed: u64,
    bench: &Bench<'_>,
) -> Result<String, Error> {
    // Which pack it is, its manifest says; what else is in the grid does not matter.
    let manifest = std::fs::read(bench.pack.join("manifest.json")).unwrap_or_default();
    let mut study = TextStudy { grid: Vec::new(), data: Vec::new(), ..study.clone() };
    if let TestSet::Labelled(_) = set {
        // Nobody is asked about these.
        (study.reader, study.question_rows) = (None, None);
    }
    Store::key(&(VERSION, study, set.files(), treated, seed, Store::key(&manifest)?))
}
