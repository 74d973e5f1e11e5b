//! Noise on vectors as in SPARSE: the words that an attacker infers, and the quality of cosines and
//! searches.
//!
//! Each distinct sentence is encoded once, as a unit vector. The sensitive words are persons,
//! places and organisations, or words that are listed or marked. Attackers know the words, the clean
//! and the noisy vectors of some sentences, and the defence. Their success is measured on the rest,
//! and the strongest counts. Masks and erasers can learn from sentences that attackers do not know.
//!
//! Noise of density ∝ exp(−ε‖z‖) in n dimensions has length n/ε. At the ε of the paper, nothing of
//! a unit vector would be left. The figures of the paper fit noise of length √n/ε
//! ([`EpsilonScale::Root`]); the formal ε is reported too.

mod corpus;
mod defence;
mod inversion;
mod measure;
mod noise;
mod prepared;
mod queries;
mod replacing;
mod shared;
mod source;
mod spec;
mod store;
mod target;
mod treatment;
mod utility;

pub use spec::{
    AttackerName, AttackerStrength, EpsilonScale, InversionStudy, MaskTarget, QueryName, SplitName,
    StoreName, Told, VectorGrid, VectorStudy, WordGroups,
};

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use inkveil_nn::SentenceEncoder;
use serde::Serialize;

use super::context::RunContext;
use super::recorder::{CellRecorder, PlannedCell};
use super::store::MeasurementStore;
use crate::data::{Catalogue, FileHashes, SetSpec};
use crate::{Error, Watch};
use corpus::Corpus;
use prepared::{PreparedCorpus, SeedState};
use source::VectorData;
use treatment::VectorTreatment;

/// The most texts of another set that defences learn from.
const MOST_ELSEWHERE: usize = 10_000;

/// Part of every key. Raise it if a change of the code changes the figures.
const VERSION: u32 = 3;
/// The number of cells that are measured at once on a GPU if language models are trained.
const ON_GPU: usize = 3;

pub(super) fn run(
    study: &VectorStudy,
    sets: &Catalogue,
    context: &RunContext<'_>,
    recorder: &mut CellRecorder<'_>,
) -> Result<(), Error> {
    let mut sources = Vec::new();
    for name in &study.data {
        let (source, words) = (VectorData::read(name, sets, context.data)?, study.words.get(name));
        let all = VectorTreatment::all(study, &source.groups(words))?;
        recorder.expect(all.len());
        recorder.note(name, source.files(), source.rows(), &sets.get(name)?.about);
        sources.push((name, (source, sets.layout(name)?), words, all));
    }
    // Other sets that defences learn from.
    let mut material = BTreeMap::new();
    let named =
        sources.iter().flat_map(|(_, _, _, all)| all.iter().filter_map(|cell| cell.learn_from.clone()));
    for set in named.collect::<BTreeSet<String>>() {
        let read = VectorData::read(&set, sets, context.data)?;
        recorder.note(&set, read.files(), read.rows(), &sets.get(&set)?.about);
        material.insert(set, read);
    }
    let encoder = SentenceEncoder::open(context.pack)?;
    for (name, (source, layout), words, all) in &sources {
        let cells: Vec<PlannedCell> = all
            .iter()
            .map(|treatment| PlannedCell {
                name: format!("{name}: {}", treatment.name()),
                at: treatment.at(name, study),
            })
            .collect();
        let key = |cell: usize, seed| {
            let learnt = all[cell].learn_from.as_ref().and_then(|set| material.get(set));
            key((study, name), (source, layout, learnt), &all[cell], seed, context)
        };
        // Language models of attackers need the memory of the device. A GPU is idle between the steps of one.
        let at_once = match (&study.inversion, context.base) {
            (Some(_), Some(base)) if !base.device.is_cpu() => recorder.seeds().len().max(ON_GPU),
            (Some(_), _) => recorder.seeds().len(),
            (None, _) => rayon::current_num_threads(),
        };
        recorder.measure_all(&cells, &key, at_once, |open| {
            // Vectors are computed only if there is something to measure.
            let corpus = Corpus::new(study, *words, source, context)?;
            let others = inversion::others(study, sets, context)?;
            let mut elsewhere = Vec::new();
            for (set, other) in &material {
                let rows = Some(study.text_rows.unwrap_or(MOST_ELSEWHERE));
                let few = VectorStudy { text_rows: rows, ..study.clone() };
                elsewhere.push((set.clone(), Corpus::new(&few, None, other, context)?));
            }
            let corpus = PreparedCorpus::new(study, corpus, others, elsewhere, &encoder, context)?;
            let mut states = BTreeMap::new();
            for (cell, seed) in open {
                if let Entry::Vacant(new) = states.entry((all[*cell].split, *seed)) {
                    new.insert(SeedState::new(&corpus, all[*cell].split, *seed)?);
                }
            }
            Ok(move |cell: usize, seed: u64, watch: &Watch<'_>| {
                let missing = || Error::argument("a measurement has no seed");
                let state = states.get(&(all[cell].split, seed)).ok_or_else(missing)?;
                measure::measure(&corpus, state, &all[cell], watch)
            })
        })?;
    }
    Ok(())
}

/// The key of a measurement, from everything that determines it.
fn key(
    (study, name): (&VectorStudy, &str),
    (source, layout, learnt): (&VectorData, &SetSpec, Option<&VectorData>),
    treatment: &VectorTreatment,
    seed: u64,
    context: &RunContext<'_>,
) -> Result<String, Error> {
    #[derive(Serialize)]
    struct Determines<'a>(
        u32,
        &'a VectorStudy,
        (&'a FileHashes, &'a SetSpec, Option<&'a FileHashes>),
        BTreeMap<String, String>,
        u64,
        String,
    );
    let models = MeasurementStore::key(&context.checksums(study.inversion.is_some())?)?;
    let at = treatment.at("", study);
    let words = study.words.get(name).map(|words| (String::new(), words.clone())).into_iter().collect();
    let files = (source.files(), layout, learnt.map(VectorData::files));
    let study = VectorStudy { grid: Vec::new(), data: Vec::new(), words, ..study.clone() };
    MeasurementStore::key(&Determines(VERSION, &study, files, at, seed, models))
}
