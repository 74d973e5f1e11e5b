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

use super::cells::{Cells, Trial};
use super::spec::coordinates;
use super::{Bench, Store, TaskModel, TextStudy};
use crate::Error;
use crate::data::{Catalogue, SetSpec};
use model::Models;
use subject::{Subject, TestSet};
pub(super) use treatment::Treated;
use trial::measure;
use words::Attackers;

/// Measured figures change when what measures them does: raise it then.
const VERSION: u32 = 4;

pub(super) fn run(
    study: &TextStudy,
    sets: &Catalogue,
    bench: &Bench<'_>,
    cells: &mut Cells<'_>,
) -> Result<(), Error> {
    let treatments = Treated::all(&study.grid);
    cells.expect(study.data.len() * treatments.len());
    let asks = study.data.iter().any(|name| sets.get(name).is_ok_and(|set| !set.questions.is_empty()));
    let encoder = match asks || study.models.contains(&TaskModel::Encoder) {
        true => Some(SentenceEncoder::open(bench.names)?),
        false => None,
    };
    let mut attackers = Attackers::default();
    for name in &study.data {
        let (set, reading) = (TestSet::read(sets, name, bench)?, sets.reading(name)?);
        let (rows, more) = set.size();
        cells.note(name, set.files(), rows, &format!("{}; {more}", sets.get(name)?.about));
        let mut subject: Option<Subject<'_>> = None;
        for treated in &treatments {
            let key = |seed| key(study, (&set, &reading), treated, seed, bench);
            cells.measure(
                &format!("{name}: {treated}"),
                at(name, treated),
                &key,
                1,
                &mut |seeds, tell| {
                    // Models are trained only if something is left to measure.
                    let subject = match &mut subject {
                        Some(ready) => ready,
                        None => subject.insert(Subject::new(study, &set, bench, encoder.as_ref(), tell)?),
                    };
                    let measured = seeds
                        .iter()
                        .map(|&seed| measure(study, subject, treated, seed, bench, &mut attackers, tell));
                    measured.collect::<Result<Vec<Trial>, Error>>()
                },
            )?;
        }
    }
    if let Some(model) = study.models.first() {
        cells.find(|cells| findings::findings(cells, &format!("accuracy-{}", model.name())));
    }
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
    (set, reading): (&TestSet, &SetSpec),
    treated: &Treated,
    seed: u64,
    bench: &Bench<'_>,
) -> Result<String, Error> {
    // What else is in the grid does not matter.
    let mut study = TextStudy { grid: Vec::new(), data: Vec::new(), ..study.clone() };
    if let TestSet::Labelled(_) = set {
        // Nobody is asked about these.
        (study.reader, study.question_rows) = (None, None);
    }
    let models = bench.identity(study.attack_model.is_some())?;
    Store::key(&(VERSION, study, (set.files(), reading), treated, seed, models))
}
