//! Texts with authors, veiled or rewritten as in STAMP-R: which authors are still recognised, and
//! how much of the meaning is kept.
//!
//! Attackers train on the originals of some texts. The others are released, and the strongest
//! attacker counts. Also measured are meaning, entities, linkage to the original, and the movement
//! of style.

mod attacks;
mod encoders;
mod measure;
mod method;
mod originals;
mod quality;
mod spec;
mod strata;

pub use spec::{Choice, RewriteGrid, StyleStudy};

use std::collections::BTreeSet;

use super::context::RunContext;
use super::recorder::{CellRecorder, SeedResult};
use super::store::MeasurementStore;
use crate::Error;
use crate::data::{AuthoredSet, Catalogue, SetSpec};
use encoders::Encoders;
use method::Method;
use originals::Originals;

/// Part of every key. Raise it if a change of the code changes the figures.
const VERSION: u32 = 3;

pub(super) fn run(
    study: &StyleStudy,
    sets: &Catalogue,
    context: &RunContext<'_>,
    recorder: &mut CellRecorder<'_>,
) -> Result<(), Error> {
    let methods = Method::all(study);
    recorder.expect(study.data.len() * methods.len());
    let encoders = Encoders::open(context.names)?;
    for name in &study.data {
        let (mut set, layout) = (sets.authored(name, context.data)?, sets.layout(name)?);
        set.train.truncate(study.train_rows);
        set.test.truncate(study.test_rows);
        // An author without training texts cannot be recognised.
        let known: BTreeSet<&str> = set.train.iter().map(|text| text.author.as_str()).collect();
        set.test.retain(|text| known.contains(text.author.as_str()));
        let about = format!("{}; {} training texts", sets.get(name)?.about, set.train.len());
        recorder.note(name, &set.files, set.test.len(), &about);
        let mut originals: Option<Originals<'_>> = None;
        for method in &methods {
            let key = |seed| key(study, (&set, &layout), method, seed, context);
            let title = format!("{name}: {method}");
            recorder.measure(&title, method.at(name, study), &key, 1, &mut |seeds, watch| {
                // Attackers are trained only if there is something to measure.
                let originals = match &mut originals {
                    Some(ready) => ready,
                    None => {
                        watch.step("training attackers")?;
                        originals.insert(Originals::new(&encoders, &set, study.radius)?)
                    }
                };
                let measure = |&seed: &u64| {
                    measure::measure(study, originals, method, seed, (&encoders, context), watch)
                };
                seeds.iter().map(measure).collect::<Result<Vec<SeedResult>, Error>>()
            })?;
        }
    }
    Ok(())
}

/// The key of a measurement, from everything that determines it.
fn key(
    study: &StyleStudy,
    (set, layout): (&AuthoredSet, &SetSpec),
    method: &Method,
    seed: u64,
    context: &RunContext<'_>,
) -> Result<String, Error> {
    let read = |file: &std::path::Path| std::fs::read(file).unwrap_or_default();
    let adapters =
        method.adapters(study, context).map(|file| MeasurementStore::key(&read(&file))).transpose()?;
    let models = context.checksums(method.rewrites())?;
    // Other values of the study do not matter.
    let study = StyleStudy {
        data: Vec::new(),
        veils: Vec::new(),
        rewrites: Vec::new(),
        model: study.model.clone().filter(|_| method.rewrites()),
        ..study.clone()
    };
    let rows = (set.train.len(), set.test.len());
    MeasurementStore::key(&(
        VERSION,
        &study,
        (&set.files, layout),
        rows,
        method.at("", &study),
        (seed, adapters, models),
    ))
}
