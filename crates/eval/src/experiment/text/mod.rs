//! Noise on words: the utility that is left for a task, and the words that attackers find.

mod attackers;
mod findings;
mod fine_tuned;
mod measure;
mod models;
mod own;
mod prepared;
mod reading;
mod spec;
mod treatment;

use std::collections::BTreeMap;

use inkveil_nn::SentenceEncoder;

use super::context::RunContext;
use super::recorder::{CellRecorder, SeedResult, coordinates};
use super::store::MeasurementStore;
use crate::data::{Catalogue, SetSpec};
use crate::{Error, OwnCommand};
use attackers::Attackers;
use measure::measure;
use prepared::{PreparedSet, TestSet};
pub use spec::{Allocation, TaskModel, TextGrid, TextStudy};
pub(super) use treatment::TextTreatment;

/// Part of every key. Raise it if a change of the code changes the figures.
const VERSION: u32 = 4;

pub(super) fn run(
    study: &TextStudy,
    sets: &Catalogue,
    context: &RunContext<'_>,
    recorder: &mut CellRecorder<'_>,
) -> Result<(), Error> {
    let treatments = TextTreatment::all(&study.grid);
    recorder.expect(study.data.len() * treatments.len());
    let has_questions =
        study.data.iter().any(|name| sets.get(name).is_ok_and(|set| !set.questions.is_empty()));
    let encoder = match has_questions || study.models.contains(&TaskModel::Encoder) {
        true => Some(SentenceEncoder::open(context.names)?),
        false => None,
    };
    let mut attackers = Attackers::default();
    for name in &study.data {
        let (set, layout) = (TestSet::read(sets, name, context)?, sets.layout(name)?);
        let (rows, more) = set.size();
        recorder.note(name, set.files(), rows, &format!("{}; {more}", sets.get(name)?.about));
        let mut prepared: Option<PreparedSet<'_>> = None;
        for treatment in &treatments {
            let key = |seed| key(study, (&set, &layout), treatment, seed, context);
            recorder.measure(
                &format!("{name}: {treatment}"),
                at(name, treatment),
                &key,
                1,
                &mut |seeds, watch| {
                    // Models are trained only if there is something to measure.
                    let prepared = match &mut prepared {
                        Some(ready) => ready,
                        None => {
                            prepared.insert(PreparedSet::new(study, &set, context, encoder.as_ref(), watch)?)
                        }
                    };
                    let measured = seeds.iter().map(|&seed| {
                        measure(study, prepared, treatment, seed, context, &mut attackers, watch)
                    });
                    measured.collect::<Result<Vec<SeedResult>, Error>>()
                },
            )?;
        }
    }
    if let Some(model) = study.models.first() {
        recorder.set_findings(|cells| findings::findings(cells, &format!("accuracy-{}", model.name())));
    }
    Ok(())
}

fn at(data: &str, treatment: &TextTreatment) -> BTreeMap<String, String> {
    let number = |number: Option<f64>| number.map_or_else(|| "–".to_owned(), |number| number.to_string());
    coordinates(&[
        ("data", data.to_owned()),
        ("mechanism", treatment.mechanism.clone()),
        ("allocation", treatment.allocation.map_or("–", |allocation| allocation.name()).to_owned()),
        ("budgets", treatment.budgets.clone().unwrap_or_else(|| "–".to_owned())),
        // The budget of sensitive words that are not needed, which the paper calls the base.
        (
            "base",
            treatment
                .budgets
                .as_deref()
                .and_then(|budgets| budgets.split(',').nth(1))
                .unwrap_or("–")
                .to_owned(),
        ),
        ("decoding", treatment.decoding.clone().unwrap_or_else(|| spec::NEAREST.to_owned())),
        ("threshold", number(treatment.threshold)),
        ("quantile", number(treatment.quantile)),
        ("relevance", treatment.task_vector.clone().unwrap_or_else(|| "–".to_owned())),
    ])
}

/// The key of a measurement, from everything that determines it.
fn key(
    study: &TextStudy,
    (set, layout): (&TestSet, &SetSpec),
    treatment: &TextTreatment,
    seed: u64,
    context: &RunContext<'_>,
) -> Result<String, Error> {
    // Other values of the grid do not matter.
    let mut study = TextStudy { grid: Vec::new(), data: Vec::new(), ..study.clone() };
    if let TestSet::Labelled(_) = set {
        // This set has no questions.
        (study.reader, study.question_rows) = (None, None);
    }
    // Only commands that take part in this measurement matter.
    let attackers = study.attackers.clone();
    study.commands.retain(|name, _| *name == treatment.mechanism || attackers.contains(name));
    let scripts: Vec<String> = study.commands.values().flat_map(OwnCommand::checksums).collect();
    let models = context.checksums(study.attack_model.is_some())?;
    let parts = (VERSION, study, (set.files(), layout), treatment, seed, models);
    match scripts.is_empty() {
        true => MeasurementStore::key(&parts),
        false => MeasurementStore::key(&(parts, scripts)),
    }
}
