//! Vectors under noise, in the manner of SPARSE: what an attacker reads from them, and what cosines and searches still say.
//!
//! Each distinct sentence is encoded once, as a unit vector. Persons, places and organisations in it are what is to be hidden, or words that are
//! listed or marked. The attacker knows the words of four fifths of the sentences and their noisy vectors; what it finds is measured on the rest.
//!
//! Noise of density ∝ exp(−ε‖z‖) in n dimensions has length n/ε: at the ε of the paper nothing of a unit vector would be left. Its own figures
//! fit noise of length √n/ε ([`Scale::Root`]); the formal ε is measured beside.

mod corpus;
mod defence;
mod inversion;
mod material;
mod noise;
mod purpose;
mod rewrite;
mod seeded;
mod spec;
mod target;
mod trial;

pub use spec::{Aim, Groups, Inversion, Reading, Scale, VectorGrid, VectorStudy};

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use inkveil_nn::SentenceEncoder;
use serde::Serialize;

use super::cells::{Cells, Tell, Trial};
use super::spec::coordinates;
use super::{Bench, Store};
use crate::Error;
use crate::data::{Catalogue, SetSpec};
use corpus::Corpus;
use defence::Defence;
use material::Material;
use seeded::{Seeded, Subject};
use target::Target;

/// Measured figures change when what measures them does: raise it then.
const VERSION: u32 = 1;

pub(super) fn run(
    study: &VectorStudy,
    sets: &Catalogue,
    bench: &Bench<'_>,
    cells: &mut Cells<'_>,
) -> Result<(), Error> {
    let mut materials = Vec::new();
    for name in &study.data {
        let (material, words) = (Material::read(name, sets, bench.data)?, study.words.get(name));
        let all = Guarded::all(study, &material.groups(words))?;
        cells.expect(all.len());
        cells.note(name, material.files(), material.rows(), &sets.get(name)?.about);
        materials.push((name, (material, sets.reading(name)?), words, all));
    }
    let encoder = SentenceEncoder::open(bench.pack)?;
    for (name, (material, reading), words, all) in &materials {
        let mut subject: Option<(Subject<'_>, BTreeMap<u64, Seeded>)> = None;
        for guarded in all {
            let key = |seed| key((study, name), (material, reading), guarded, seed, bench);
            let title = format!("{name}: {}", guarded.name());
            cells.measure(
                &title,
                guarded.at(name, study),
                &key,
                rayon::current_num_threads(),
                &mut |seeds, tell| {
                    // Vectors are computed only if something is left to measure.
                    let (subject, seeded) = match &mut subject {
                        Some(ready) => ready,
                        None => {
                            let corpus = Corpus::new(study, *words, material, bench)?;
                            let others = inversion::others(study, sets, bench)?;
                            let ready = Subject::new(study, corpus, others, &encoder, bench)?;
                            subject.insert((ready, BTreeMap::new()))
                        }
                    };
                    for &seed in seeds {
                        if let Entry::Vacant(new) = seeded.entry(seed) {
                            new.insert(Seeded::new(subject, seed)?);
                        }
                    }
                    at_once(subject, seeded, guarded, seeds, tell)
                },
            )?;
        }
    }
    Ok(())
}

/// Measures a cell with several seeds, each on a thread of its own.
///
/// Plain threads: noise is drawn by rayon's, and a trial that waited for it on one of those would begin another meanwhile, with all its memory.
fn at_once(
    subject: &Subject<'_>,
    seeded: &mut BTreeMap<u64, Seeded>,
    guarded: &Guarded,
    seeds: &[u64],
    tell: &Tell<'_>,
) -> Result<Vec<Trial>, Error> {
    let mut found: BTreeMap<u64, Result<Trial, Error>> = std::thread::scope(|scope| {
        let now = seeded.values_mut().filter(|seeded| seeds.contains(&seeded.seed));
        let threads: Vec<_> = now
            .map(|seeded| (seeded.seed, scope.spawn(move || trial::measure(subject, seeded, guarded, tell))))
            .collect();
        let failed = || Err(Error::argument("a measurement failed"));
        threads.into_iter().map(|(seed, thread)| (seed, thread.join().unwrap_or_else(|_| failed()))).collect()
    });
    seeds.iter().filter_map(|seed| found.remove(seed)).collect()
}

/// What is done to vectors in a cell.
#[derive(Debug, Clone, PartialEq)]
struct Guarded {
    defence: Defence,
    epsilon: Option<f64>,
    lambda: Option<f64>,
    floor: Option<f64>,
    shrink: bool,
    /// What a mask is for, and what is looked at beside; all that is sensitive if absent.
    target: Option<Target>,
}

impl Guarded {
    /// All cells of a study whose words come in these groups, in the order of its grids.
    fn all(study: &VectorStudy, groups: &[String]) -> Result<Vec<Self>, Error> {
        let some = |values: &[f64], wanted: bool| match wanted {
            true => values.iter().copied().map(Some).collect(),
            false => vec![None],
        };
        let mut all: Vec<Self> = Vec::new();
        for grid in &study.grid {
            let targets = grid.targets(groups);
            for name in &grid.defences {
                let defence = Defence::named(name)?;
                for lambda in some(&grid.lambdas, defence == Defence::Sparse) {
                    for floor in some(&grid.floors, defence.has_shape()) {
                        for epsilon in some(&grid.epsilons, defence.has_noise()) {
                            for target in &targets {
                                let shrink = grid.shrink && defence.has_noise();
                                let target = target.clone();
                                let guarded = Self { defence, epsilon, lambda, floor, shrink, target };
                                if !all.contains(&guarded) {
                                    all.push(guarded);
                                }
                            }
                        }
                    }
                }
            }
        }
        Ok(all)
    }

    /// Nothing is done.
    fn clear() -> Self {
        Self { defence: Defence::None, epsilon: None, lambda: None, floor: None, shrink: false, target: None }
    }

    /// What is done to vectors: only a mask knows what it is for.
    fn done(&self) -> Self {
        Self { target: self.target.clone().filter(|_| self.defence == Defence::Sparse), ..self.clone() }
    }

    fn name(&self) -> String {
        let part = |name: &str, value: Option<f64>| {
            value.map_or_else(String::new, |value| format!(" {name} {value}"))
        };
        let shrunk = if self.shrink { ", shrunk" } else { "" };
        let target = self.target.as_ref().map_or_else(String::new, |target| format!(", {}", target.name()));
        let (lambda, epsilon) = (part("λ", self.lambda), part("at ε", self.epsilon));
        format!("{}{lambda}{epsilon}{shrunk}{target}", self.defence.name())
    }

    fn at(&self, data: &str, study: &VectorStudy) -> BTreeMap<String, String> {
        let value = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| value.to_string());
        let mut at = coordinates(&[
            ("data", data.to_owned()),
            ("defence", self.defence.name().to_owned()),
            ("epsilon", value(self.epsilon)),
            ("lambda", value(self.lambda)),
            ("floor", value(self.floor)),
            ("shrunk", if self.shrink { "yes" } else { "no" }.to_owned()),
        ]);
        if study.grid.iter().any(|grid| !grid.targets.is_empty()) {
            let target = self.target.as_ref().map_or_else(|| "–".to_owned(), Target::name);
            at.insert("target".to_owned(), target);
        }
        at
    }
}

/// Everything that decides a measurement.
fn key(
    (study, name): (&VectorStudy, &str),
    (material, reading): (&Material, &SetSpec),
    guarded: &Guarded,
    seed: u64,
    bench: &Bench<'_>,
) -> Result<String, Error> {
    #[derive(Serialize)]
    struct Decides<'a>(
        u32,
        &'a VectorStudy,
        (&'a crate::data::FileHashes, &'a SetSpec),
        BTreeMap<String, String>,
        u64,
        String,
    );
    let models = Store::key(&bench.identity(study.inversion.is_some())?)?;
    let at = guarded.at("", study);
    let words = study.words.get(name).map(|words| (String::new(), words.clone())).into_iter().collect();
    let study = VectorStudy { grid: Vec::new(), data: Vec::new(), words, ..study.clone() };
    Store::key(&Decides(VERSION, &study, (material.files(), reading), at, seed, models))
}
