//! Noise on vectors as in SPARSE: the words that an attacker infers, and the quality of cosines and
//! searches.
//!
//! Each distinct sentence is encoded once, as a unit vector. The sensitive words are persons,
//! places and organisations, or words that are listed or marked. The attacker knows the words and
//! the noisy vectors of four fifths of the sentences; its success is measured on the rest.
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
mod source;
mod spec;
mod target;
mod treatment;
mod utility;

pub use spec::{
    AttackerStrength, EpsilonScale, InversionStudy, MaskTarget, VectorGrid, VectorStudy, WordGroups,
};

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use inkveil_nn::SentenceEncoder;
use serde::Serialize;

use super::context::RunContext;
use super::recorder::{CellRecorder, SeedResult};
use super::store::MeasurementStore;
use crate::data::{Catalogue, SetSpec};
use crate::{Error, Watch};
use corpus::Corpus;
use prepared::{PreparedCorpus, SeedState};
use source::VectorData;
use treatment::VectorTreatment;

/// Part of every key. Raise it if a change of the code changes the figures.
const VERSION: u32 = 1;

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
    let encoder = SentenceEncoder::open(context.pack)?;
    for (name, (source, layout), words, all) in &sources {
        let mut prepared: Option<(PreparedCorpus<'_>, BTreeMap<u64, SeedState>)> = None;
        for treatment in all {
            let key = |seed| key((study, name), (source, layout), treatment, seed, context);
            let title = format!("{name}: {}", treatment.name());
            recorder.measure(
                &title,
                treatment.at(name, study),
                &key,
                rayon::current_num_threads(),
                &mut |seeds, watch| {
                    // Vectors are computed only if there is something to measure.
                    let (corpus, states) = match &mut prepared {
                        Some(ready) => ready,
                        None => {
                            let corpus = Corpus::new(study, *words, source, context)?;
                            let others = inversion::others(study, sets, context)?;
                            let ready = PreparedCorpus::new(study, corpus, others, &encoder, context)?;
                            prepared.insert((ready, BTreeMap::new()))
                        }
                    };
                    for &seed in seeds {
                        if let Entry::Vacant(new) = states.entry(seed) {
                            new.insert(SeedState::new(corpus, seed)?);
                        }
                    }
                    measure_seeds(corpus, states, treatment, seeds, watch)
                },
            )?;
        }
    }
    Ok(())
}

/// Measures a cell with several seeds, each on its own thread.
///
/// These are plain threads. Rayon's threads draw the noise; a measurement that waited for it on one
/// of them would start another measurement meanwhile, with all its memory.
fn measure_seeds(
    corpus: &PreparedCorpus<'_>,
    states: &mut BTreeMap<u64, SeedState>,
    treatment: &VectorTreatment,
    seeds: &[u64],
    watch: &Watch<'_>,
) -> Result<Vec<SeedResult>, Error> {
    let mut found: BTreeMap<u64, Result<SeedResult, Error>> = std::thread::scope(|scope| {
        let now = states.values_mut().filter(|state| seeds.contains(&state.seed));
        let threads: Vec<_> = now
            .map(|state| (state.seed, scope.spawn(move || measure::measure(corpus, state, treatment, watch))))
            .collect();
        let failed = || Err(Error::argument("a measurement panicked"));
        threads.into_iter().map(|(seed, thread)| (seed, thread.join().unwrap_or_else(|_| failed()))).collect()
    });
    seeds.iter().filter_map(|seed| found.remove(seed)).collect()
}

/// The key of a measurement, from everything that determines it.
fn key(
    (study, name): (&VectorStudy, &str),
    (source, layout): (&VectorData, &SetSpec),
    treatment: &VectorTreatment,
    seed: u64,
    context: &RunContext<'_>,
) -> Result<String, Error> {
    #[derive(Serialize)]
    struct Determines<'a>(
        u32,
        &'a VectorStudy,
        (&'a crate::data::FileHashes, &'a SetSpec),
        BTreeMap<String, String>,
        u64,
        String,
    );
    let models = MeasurementStore::key(&context.checksums(study.inversion.is_some())?)?;
    let at = treatment.at("", study);
    let words = study.words.get(name).map(|words| (String::new(), words.clone())).into_iter().collect();
    let study = VectorStudy { grid: Vec::new(), data: Vec::new(), words, ..study.clone() };
    MeasurementStore::key(&Determines(VERSION, &study, (source.files(), layout), at, seed, models))
}
