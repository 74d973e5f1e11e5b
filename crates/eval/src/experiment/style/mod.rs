//! Texts with authors, veiled or rewritten, in the manner of STAMP-R: who is still recognised, and what is left of what was said.
//!
//! Attackers learn from the originals of some texts. The others are released; the strongest of all attackers counts. What a text means, which
//! entities it keeps, whether it can be linked to its original, and how its style moved are measured beside.

mod attacks;
mod encoders;
mod method;
mod originals;
mod quality;
mod spec;
mod strata;
mod trial;

pub use spec::{RewriteGrid, StyleStudy};

use std::collections::BTreeSet;

use super::cells::{Cells, Trial, stopped};
use super::{Bench, Store};
use crate::Error;
use crate::data::{AuthoredSet, Catalogue, SetSpec};
use encoders::Encoders;
use method::Method;
use originals::Originals;

/// Measured figures change when what measures them does: raise it then.
const VERSION: u32 = 1;

pub(super) fn run(
    study: &StyleStudy,
    sets: &Catalogue,
    bench: &Bench<'_>,
    cells: &mut Cells<'_>,
) -> Result<(), Error> {
    let methods = Method::all(study);
    cells.expect(study.data.len() * methods.len());
    let encoders = Encoders::open(bench.names)?;
    for name in &study.data {
        let (mut set, reading) = (sets.authored(name, bench.data)?, sets.reading(name)?);
        set.train.truncate(study.train_rows);
        set.test.truncate(study.test_rows);
        // An author of whom nothing is known cannot be recognised.
        let known: BTreeSet<&str> = set.train.iter().map(|text| text.author.as_str()).collect();
        set.test.retain(|text| known.contains(text.author.as_str()));
        let about = format!("{}; {} texts to learn from", sets.get(name)?.about, set.train.len());
        cells.note(name, &set.files, set.test.len(), &about);
        let mut originals: Option<Originals<'_>> = None;
        for method in &methods {
            let key = |seed| key(study, (&set, &reading), method, seed, bench);
            let title = format!("{name}: {method}");
            cells.measure(&title, method.at(name, study), &key, 1, &mut |seeds, tell| {
                // Attackers learn only if something is left to measure.
                let originals = match &mut originals {
                    Some(ready) => ready,
                    None => {
                        if !tell("attackers learn") {
                            return Err(stopped());
                        }
                        originals.insert(Originals::new(&encoders, &set, study.radius)?)
                    }
                };
                let measure =
                    |&seed: &u64| trial::measure(study, originals, method, seed, (&encoders, bench), tell);
                seeds.iter().map(measure).collect::<Result<Vec<Trial>, Error>>()
            })?;
        }
    }
    Ok(())
}

/// Everything that decides a measurement.
fn key(
    study: &StyleStudy,
    (set, reading): (&AuthoredSet, &SetSpec),
    method: &Method,
    seed: u64,
    bench: &Bench<'_>,
) -> Result<String, Error> {
    let read = |file: &std::path::Path| std::fs::read(file).unwrap_or_default();
    let adapters = method.adapters(study, bench).map(|file| Store::key(&read(&file))).transpose()?;
    let models = bench.identity(matches!(method, Method::Rewritten { .. }))?;
    // What else is in the study does not matter.
    let study = StyleStudy {
        data: Vec::new(),
        veils: Vec::new(),
        rewrites: Vec::new(),
        model: study.model.clone().filter(|_| matches!(method, Method::Rewritten { .. })),
        ..study.clone()
    };
    let rows = (set.train.len(), set.test.len());
    Store::key(&(
        VERSION,
        &study,
        (&set.files, reading),
        rows,
        method.at("", &study),
        (seed, adapters, models),
    ))
}
